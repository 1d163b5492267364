// SPDX-License-Identifier: BSL-1.0
// Commands that change state and nothing else.
#include "addresses.hpp"
#include "commands.hpp"
#include "program/object_codec.hpp"
#include "providers/provider_set.hpp"
#include "read_answer.hpp"
#include "state/resolve.hpp"
#include "state/restore.hpp"
#include "ui/state_text.hpp"
#include "ui/state_view.hpp"

#include <strider/infra/moves.hpp>
#include <strider/infra/selection.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using infra::journal_entry;

auto refuse(session const& s, std::string summary, std::string detail) -> int
{
    return s.tell(infra::failure(infra::make_error(std::move(summary), std::move(detail))));
}

auto usage(session const& s, char const* text) -> int
{
    s.err() << text << '\n';
    return 1;
}

auto mark(session const& s, bool tainted) -> int
{
    if (s.asked().arguments.size() != 1)
        return usage(s,
            tainted ? "The taint command expects exactly one argument."
                    : "The untaint command expects exactly one argument.");
    auto const target = infra::parse_address(s.asked().arguments.front());
    if (!target)
        return refuse(s, "Invalid address",
            "A resource instance address is required here. The module path must be followed by a resource instance "
            "specification.");
    std::string const name = to_string(*target);
    if (tainted && target->mode() == infra::resource_mode::data)
        return usage(s, ("Resource instance " + name + " cannot be tainted").c_str());
    auto opened = s.workspace().change();
    if (!opened) return s.tell(opened.error());
    auto const* const record = opened->now().find(*target);
    if (record == nullptr || !record->current) {
        if (record != nullptr)
            return refuse(s, "No such resource instance",
                "Resource instance " + name
                    + " is currently part-way through a create_before_destroy replacement action. Run \"terraform "
                      "apply\" to complete its replacement before "
                    + (tainted ? "tainting" : "untainting") + " it.");
        if (s.asked().allow_missing)
            return s.tell(infra::diagnostics{infra::make_warning("No such resource instance",
                "Resource instance " + name
                    + " was not found, but this is not an error because -allow-missing was "
                      "set.")});
        return refuse(s, "No such resource instance",
            "There is no resource instance in the state with the address " + name
                + ". If the resource configuration has just been added, you must run \"terraform apply\" once to "
                  "create "
                  "the corresponding instance(s) before they can be tainted.");
    }
    infra::object o = *record->current;
    if (!tainted && !o.tainted)
        return refuse(s, "Resource instance is not tainted",
            "Resource instance " + name + " is not currently tainted, and so it cannot be untainted.");
    bool const changes = o.tainted != tainted;
    o.tainted = tainted;
    o.unfinished = o.unfinished && tainted;
    std::vector<journal_entry> entries;
    if (changes) entries.push_back(journal_entry::record(*target, {}, std::move(o)));
    if (auto const kept = opened->record(entries); !kept) return s.tell(kept.error());
    s.out() << "Resource instance " << name
            << (tainted ? " has been marked as tainted.\n" : " has been successfully untainted.\n");
    return 0;
}

// The instances that an address means, in the order in which they are shown.
auto instances_of(infra::snapshot const& s, infra::address const& what) -> std::vector<infra::address>
{
    std::vector<infra::address> all;
    for (auto const& [a, _] : s.resources)
        if (infra::is_target(what, a, false) && (what.type().empty() || what.module() == a.module())) all.push_back(a);
    std::ranges::sort(all, [](auto const& a, auto const& b) { return ui::shown_before(a, b); });
    return all;
}

auto text_of(infra::address const& a) -> std::string
{
    return a.type().empty() ? to_string(a.module()) : to_string(a);
}

// Does the module instance at that path lie around an address?
auto contains(std::vector<infra::module_step> const& path, infra::address const& a) -> bool
{
    return a.module().size() >= path.size() && std::equal(path.begin(), path.end(), a.module().begin());
}

// Where a move takes an instance that `from` means.
auto destination(infra::address const& from, infra::address const& to, infra::address const& a) -> infra::address
{
    if (!from.type().empty())
        return {to.module(), to.mode(), to.type(), to.name(), from.key() == a.key() ? to.key() : a.key()};
    std::vector<infra::module_step> path = to.module();
    path.insert(path.end(), a.module().begin() + static_cast<std::ptrdiff_t>(from.module().size()), a.module().end());
    return {std::move(path), a.mode(), a.type(), a.name(), a.key()};
}

// Why one address cannot become the other, whatever is there: summary and detail.
auto mismatch(infra::address const& from, infra::address const& to, bool whole_resource)
    -> std::optional<std::pair<std::string, std::string>>
{
    std::string const subject = "Cannot move " + text_of(from) + " to " + text_of(to) + ": ";
    auto const target = [&](char const* why) { return std::pair("Invalid target address", subject + why); };
    auto const request = [&](char const* why) { return std::pair("Invalid state move request", subject + why); };
    if (from.type().empty()) {
        if (to.type().empty()) return std::nullopt;
        return target("the target must also be a module.");
    }
    if (whole_resource && (to.type().empty() || to.key()))
        return target(
            "the source is a whole resource (not a resource instance) so the target must also be a whole resource.");
    if (to.type().empty()) return target("the target must also be a resource instance.");
    if (from.mode() != to.mode())
        return request(from.mode() == infra::resource_mode::managed
                ? "a managed resource can be moved only to another managed resource address."
                : "a data resource can be moved only to another data resource address.");
    if (from.type() != to.type()) return request("resource types don't match.");
    return std::nullopt;
}

// Who depended on what has moved depends on it where it is now. Returns what changes beside the moved objects themselves.
auto follow(infra::moved_state& moved) -> std::vector<journal_entry>
{
    std::map<std::string, std::string> renamed;
    for (auto const& [to, from] : moved.previous) renamed.emplace(to_string(from.config()), to_string(to.config()));
    std::set<std::string> left;  // blocks of which some instances stay
    for (auto const& [a, _] : moved.state.resources) left.insert(to_string(a.config()));
    std::vector<journal_entry> entries;
    for (auto& [a, record] : moved.state.resources) {
        auto const update = [&, at = &a](std::string const& key, infra::object& o) {
            std::vector<std::string> const old = o.dependencies.names();
            std::set<std::string> names;
            for (std::string const& name : old) {
                auto const moved_to = renamed.find(name);
                if (moved_to != renamed.end()) names.insert(moved_to->second);
                if (moved_to == renamed.end() || left.contains(name)) names.insert(name);
            }
            if (std::ranges::equal(names, old)) return;
            o.dependencies = infra::dependency_set({names.begin(), names.end()});
            if (!moved.previous.contains(*at)) entries.push_back(journal_entry::record(*at, key, o));
        };
        if (record.current) update({}, *record.current);
        for (auto& [key, o] : record.deposed) update(key, o);
    }
    return entries;
}

// "hashicorp/random" as state writes it: registry.terraform.io/hashicorp/random.
auto provider_address(std::string const& text) -> std::optional<std::string>
{
    auto const parts = std::ranges::count(text, '/') + 1;
    if (text.empty() || parts > 3 || text.starts_with('/') || text.ends_with('/') || text.find("//") != text.npos)
        return std::nullopt;
    if (parts == 3) return text;
    return "registry.terraform.io/" + (parts == 1 ? "hashicorp/" : std::string()) + text;
}

}  // namespace

auto taint(session const& s) -> int
{
    return mark(s, true);
}

auto untaint(session const& s) -> int
{
    return mark(s, false);
}

auto state_rm(session const& s) -> int
{
    if (s.asked().arguments.empty()) return usage(s, "At least one address is required.");
    auto opened = s.workspace().change();
    if (!opened) return s.tell(opened.error());
    bool const only_tell = s.asked().dry_run;
    std::vector<infra::address> gone;
    for (std::string const& text : s.asked().arguments) {
        auto const what = read_target(text);
        if (!what) return refuse(s, "Invalid address", "\"" + text + "\" is not the address of a resource or module.");
        auto const found = instances_of(opened->now(), *what);
        if (found.empty() && !only_tell)
            return refuse(s, "Invalid target address",
                "No matching objects found. To view the available instances, use \"terraform state list\". Please "
                "modify the address to reference a specific instance.");
        for (infra::address const& a : found)
            if (std::ranges::find(gone, a) == gone.end()) gone.push_back(a);
    }
    std::vector<journal_entry> entries;
    for (infra::address const& a : gone) {
        infra::resource_record const& record = *opened->now().find(a);
        for (auto const& [key, _] : record.deposed) entries.push_back(journal_entry::remove(a, key));
        if (record.current) entries.push_back(journal_entry::remove(a, {}));
    }
    if (!only_tell)
        if (auto const kept = opened->record(entries); !kept) return s.tell(kept.error());
    for (infra::address const& a : gone) s.out() << (only_tell ? "Would remove " : "Removed ") << to_string(a) << '\n';
    if (!only_tell) s.out() << "Successfully removed " << gone.size() << " resource instance(s).\n";
    else if (gone.empty()) s.out() << "Would have removed nothing.\n";
    return 0;
}

auto state_mv(session const& s) -> int
{
    if (s.asked().arguments.size() != 2) return usage(s, "Exactly two arguments expected.");
    auto const from = read_target(s.asked().arguments.front());
    auto const to = read_target(s.asked().arguments.back());
    if (!from || !to)
        return refuse(s, from ? "Invalid target address" : "Invalid source address",
            "\"" + s.asked().arguments[from ? 1 : 0] + "\" is not the address of a resource or module.");
    auto opened = s.workspace().change();
    if (!opened) return s.tell(opened.error());
    auto what = instances_of(opened->now(), *from);
    bool const of_module = from->type().empty();
    if (of_module) std::erase_if(what, [&](auto const& a) { return !contains(from->module(), a); });
    if (what.empty() && from->key() && !instances_of(opened->now(), from->resource()).empty())
        return refuse(s, "Invalid source address", "The current state does not contain " + text_of(*from) + ".");
    if (what.empty())
        return refuse(s, "Invalid source address",
            "Cannot move " + text_of(*from) + ": does not match anything in the current state.");
    bool const whole = !of_module && !from->key() && opened->now().find(*from) == nullptr;
    if (auto const wrong = mismatch(*from, *to, whole)) return refuse(s, wrong->first, wrong->second);

    infra::moved_state moved;
    moved.state = opened->now();
    for (infra::address const& a : what) move_instance(moved, a, destination(*from, *to, a));
    auto const in_the_way = [&](auto const& record) {
        return of_module ? contains(to->module(), record.first) : whole && record.first.resource() == to->resource();
    };
    if (!moved.blocked.empty() || std::ranges::any_of(opened->now().resources, in_the_way)) {
        std::string const kind = of_module ? "module instance" : whole ? "resource" : "resource instance";
        return refuse(s, "Invalid target address",
            "Cannot move to " + text_of(*to) + ": there is already a " + kind
                + " at that address in the current state.");
    }
    bool const only_tell = s.asked().dry_run;
    auto const others = follow(moved);
    auto entries = entries_of(moved);
    entries.insert(entries.end(), others.begin(), others.end());
    if (!only_tell)
        if (auto const kept = opened->record(entries); !kept) return s.tell(kept.error());
    auto const quoted = [](std::string const& text) {
        std::string result = "\"";
        for (char const c : text) result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
        return result + "\"";
    };
    s.out() << (only_tell ? "Would move " : "Move ") << quoted(text_of(*from)) << " to " << quoted(text_of(*to))
            << '\n';
    if (!only_tell) s.out() << "Successfully moved 1 object(s).\n";
    return 0;
}

auto state_replace_provider(session const& s) -> int
{
    if (s.asked().arguments.size() != 2) return usage(s, "Exactly two arguments expected.");
    auto const from = provider_address(s.asked().arguments.front());
    auto const to = provider_address(s.asked().arguments.back());
    if (!from || !to)
        return refuse(s,
            std::string("Invalid \"") + (from ? "to" : "from") + "\" provider \"" + s.asked().arguments[from ? 1 : 0]
                + "\"",
            "Invalid provider source string: The \"source\" attribute must be in the format "
            "\"[hostname/][namespace/]name\"");
    auto opened = s.workspace().change();
    if (!opened) return s.tell(opened.error());
    std::vector<journal_entry> entries;
    std::vector<infra::address> resources;  // without keys
    auto const replace = [&](infra::address const& a, std::string const& key, infra::object o) {
        if (ui::provider_source(o.provider) != *from) return;
        auto const at = o.provider.find(*from);
        o.provider.replace(at, from->size(), *to);
        entries.push_back(journal_entry::record(a, key, std::move(o)));
        if (std::ranges::find(resources, a.resource()) == resources.end()) resources.push_back(a.resource());
    };
    for (auto const& [a, record] : opened->now().resources) {
        if (record.current) replace(a, {}, *record.current);
        for (auto const& [key, o] : record.deposed) replace(a, key, o);
    }
    if (resources.empty()) {
        s.out() << "No matching resources found.\n";
        return 0;
    }
    std::ranges::sort(resources, [](auto const& a, auto const& b) { return ui::shown_before(a, b); });
    s.out() << "Terraform will perform the following actions:\n\n  ~ Updating provider:\n    - " << *from << "\n    + "
            << *to << "\n\nChanging " << resources.size() << " resources:\n\n";
    for (infra::address const& a : resources) s.out() << "  " << to_string(a) << '\n';
    s.out() << '\n';
    if (!s.asked().auto_approve) {
        s.out() << "Do you want to make these changes?\nOnly 'yes' will be accepted to continue.\n\nEnter a value: "
                << std::flush;
        if (read_answer() != "yes") {
            s.out() << "Cancelled replacing providers.\n";
            return 0;
        }
        s.out() << '\n';
    }
    if (auto const kept = opened->record(entries); !kept) return s.tell(kept.error());
    s.out() << "Successfully replaced provider for " << resources.size() << " resources.\n";
    return 0;
}

// Does not open state, which may be damaged.
auto state_restore(session const& s) -> int
{
    auto const directory = app::state_directory_of(s.workspace().told());
    auto const held = app::take_lock(s.workspace().told(), directory);
    if (!held) return s.tell(held.error());
    auto const& named = s.asked().arguments;
    auto const done = state::restore(directory, named.empty() ? std::string() : named.front());
    if (!done) return s.tell(done.error());
    s.out() << "State is now that of " << done->from.string() << ": serial " << done->serial << ", " << done->resources
            << " resource instance(s)";
    if (done->pending != 0) s.out() << ", " << done->pending << " interrupted operation(s)";
    s.out()
        << ".\nThe files that it has replaced are in " << done->replaced.string()
        << ".\n\nWhat was changed after that state was saved exists as it was left. Look at \"iacctl plan\" before you "
           "apply:\nwhat it would create and is there already can be taken into state with \"iacctl import\".\n";
    return 0;
}

auto state_resolve(session const& s) -> int
{
    if (s.asked().arguments.empty() || s.asked().not_created == !s.asked().created.empty())
        return refuse(s, "A decision is needed",
            "Say which operation, and what became of it: iacctl state resolve ADDRESS -not-created, or -created with "
            "the "
            "attributes of the object as JSON.");
    auto opened = s.workspace().change();
    if (!opened) return s.tell(opened.error());
    std::string const& what = s.asked().arguments.front();
    auto const pending = state::find_pending(opened->now(), what);
    if (!pending) return s.tell(pending.error());

    using infra::operation_kind;
    auto decided = state::decision::not_created();
    if (s.asked().not_created) {
        if (pending->kind == operation_kind::update) decided = state::decision::not_updated();
        if (pending->kind == operation_kind::destroy) decided = state::decision::not_destroyed();
    } else if (pending->kind == operation_kind::destroy) decided = state::decision::destroyed();
    else {
        infra::object made;
        made.attributes =
            infra::document(s.asked().created.starts_with('{') ? s.asked().created : pending->request.text());
        auto const attributes = program::decode_object(pending->target, made);
        if (!attributes) return s.tell(attributes.error());
        auto value = *attributes;
        if (!s.asked().created.starts_with('{'))
            value = providers::with(value, {{"id", language::value(s.asked().created)}});
        made = program::encode_object(pending->target, value);
        made.provider = pending->provider;
        decided =
            pending->kind == operation_kind::update ? state::decision::updated(made) : state::decision::created(made);
    }
    auto const entries = state::resolve(opened->now(), what, decided);
    if (!entries) return s.tell(entries.error());
    if (auto const kept = opened->record(*entries); !kept) return s.tell(kept.error());
    s.out() << "Resolved: " << to_string(pending->target) << ".\n";
    return 0;
}

}  // namespace iacctl::commands
