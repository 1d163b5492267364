// SPDX-License-Identifier: BSL-1.0
// Commands that change only state.
#include "base/provider_address.hpp"
#include "cli/arguments/addresses.hpp"
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "providers/resource_type.hpp"
#include "session.hpp"
#include "state/resolve.hpp"
#include "views/state_text.hpp"
#include "views/state_view.hpp"
#include "workspace/program/object_codec.hpp"

#include <strider/infra/model/selection.hpp>
#include <strider/infra/plan/moves.hpp>

#include <algorithm>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

struct taint_options : options_with<variable_options, lock_options, state_file_options> {
    bool allow_missing = false;

    void declare(option_list& to)
    {
        to.on("allow-missing", "Exit with 0 if state has no such instance.", allow_missing);
        options_with::declare(to);
    }
};

// Options of "state mv" and "state rm".
struct state_change_options : options_with<variable_options, lock_options, changed_file_options> {
    bool dry_run = false;

    void declare(option_list& to)
    {
        to.on("dry-run", "Print the changes without making them.", dry_run);
        options_with::declare(to);
    }
};

struct resolve_options : options_with<variable_options, lock_options> {
    std::string created;
    bool done = false;
    bool not_created = false;

    void declare(option_list& to)
    {
        to.with_value("created", "ID|JSON",
            "The operation was carried out: the ID of its object, or its attributes as JSON.", created);
        to.on("done", "The operation, which destroys an object or performs an action, was carried out.", done);
        to.on("not-created", "The operation was not carried out.", not_created);
        to.on("not-done", "The same as -not-created.", not_created);
        options_with::declare(to);
    }
};

using infra::journal_entry;

struct replace_provider_options : options_with<approval_options, variable_options, lock_options, changed_file_options> {
};

struct restore_options : options_with<variable_options, lock_options> {};

// Reports the arguments that the command takes.
auto usage(session const& s, char const* c) -> int
{
    return s.report(make_error(messages::arguments_missing, {s.runs().name, c}));
}

auto mark(session const& s, taint_options const& options, bool tainted) -> int
{
    if (options.arguments.size() != 1) return usage(s, "one argument: the address of an instance");
    std::string const& text = options.arguments.front();
    auto const target = read_instance(text);
    if (!target) return s.report(make_error(messages::instance_address_required, {text, mistake_in(target.error())}));
    std::string const name = to_string(*target);
    if (tainted && target->mode() == infra::resource_mode::data)
        return s.report(make_error(messages::taint_of_data_source, {name}));
    auto opened = s.workspace().change();
    if (!opened) return s.report(opened.error());
    auto const* const record = opened->now().find(*target);
    if (record == nullptr || !record->current) {
        if (record != nullptr) return s.report(make_error(messages::instance_being_replaced, {name}));
        if (options.allow_missing) return s.report(make_warning(messages::missing_instance_accepted, {name}));
        return s.report(make_error(messages::no_such_instance, {name, address_suggestion(name, opened->now())}));
    }
    infra::object o = *record->current;
    if (!tainted && !o.tainted) return s.report(make_error(messages::instance_not_tainted, {name}));
    bool const changes = o.tainted != tainted;
    o.tainted = tainted;
    o.unfinished = o.unfinished && tainted;
    std::vector<journal_entry> entries;
    if (changes) entries.push_back(journal_entry::record(*target, {}, std::move(o)));
    if (auto const kept = opened->record(entries); !kept) return s.report(kept.error());
    s.out() << name << (tainted ? " is marked as tainted: the next apply replaces it.\n" : " is no longer tainted.\n");
    return 0;
}

// The instances that an address selects, in the order of display.
auto instances_of(infra::snapshot const& s, infra::address const& given) -> std::vector<infra::address>
{
    std::vector<infra::address> all;
    for (auto const& [a, _] : s.resources)
        if (infra::is_target(given, a, false) && (given.type().empty() || given.module() == a.module()))
            all.push_back(a);
    std::ranges::sort(all, [](auto const& a, auto const& b) { return views::shown_before(a, b); });
    return all;
}

auto text_of(infra::address const& a) -> std::string
{
    return a.type().empty() ? to_string(a.module()) : to_string(a);
}

// Returns whether the module instance at that path contains an address.
auto contains(std::vector<infra::module_step> const& path, infra::address const& a) -> bool
{
    return a.module().size() >= path.size() && std::equal(path.begin(), path.end(), a.module().begin());
}

// The new address of an instance that `from` selects.
auto destination(infra::address const& from, infra::address const& to, infra::address const& a) -> infra::address
{
    if (!from.type().empty())
        return {to.module(), to.mode(), to.type(), to.name(), from.key() == a.key() ? to.key() : a.key()};
    std::vector<infra::module_step> path = to.module();
    path.insert(path.end(), a.module().begin() + static_cast<std::ptrdiff_t>(from.module().size()), a.module().end());
    return {std::move(path), a.mode(), a.type(), a.name(), a.key()};
}

// The error if one address can never become the other, independent of the objects in state.
auto mismatch(infra::address const& from, infra::address const& to, bool whole_resource)
    -> std::optional<infra::diagnostic>
{
    auto const wrong = [one = text_of(from), other = text_of(to)](
                           messages::message<2> const& m) { return make_error(m, {one, other}); };
    if (from.type().empty()) {
        if (to.type().empty()) return std::nullopt;
        return wrong(messages::move_of_module_to_resource);
    }
    if (whole_resource && (to.type().empty() || to.key())) return wrong(messages::move_of_resource_to_instance);
    if (to.type().empty()) return wrong(messages::move_of_instance_to_module);
    if (from.mode() != to.mode()) return wrong(messages::move_between_modes);
    if (from.type() != to.type()) return wrong(messages::move_between_types);
    return std::nullopt;
}

// The address of a source in the format of state: registry.terraform.io/hashicorp/random for "hashicorp/random".
auto address_of_source(std::string const& text) -> std::optional<std::string>
{
    return is_provider_source(text) ? std::optional(provider_address(text)) : std::nullopt;
}

// Opens the state of the workspace, which must exist.
auto state_to_change(session const& s) -> decltype(s.workspace().change())
{
    auto opened = s.workspace().change();
    if (opened && opened->now().lineage.empty())
        return infra::failure(make_error(messages::no_state, {s.workspace().name()}));
    return opened;
}

auto taint(taint_options const& options, session const& s) -> int
{
    return mark(s, options, true);
}

auto untaint(taint_options const& options, session const& s) -> int
{
    return mark(s, options, false);
}

auto state_rm(state_change_options const& options, session const& s) -> int
{
    if (options.arguments.empty()) return usage(s, "the addresses of instances, resources or modules");
    auto opened = state_to_change(s);
    if (!opened) return s.report(opened.error());
    if (opened->now().lineage.empty()) return s.report(make_error(messages::no_state, {s.workspace().name()}));
    bool const only_report = options.dry_run;
    std::vector<infra::address> gone;
    for (std::string const& text : options.arguments) {
        auto const what = read_target(text);
        if (!what) return s.report(make_error(messages::unreadable_address, {text, mistake_in(what.error())}));
        auto const found = instances_of(opened->now(), *what);
        if (found.empty() && !only_report)
            return s.report(
                make_error(messages::no_object_at_address, {text_of(*what), address_suggestion(text, opened->now())}));
        for (infra::address const& a : found)
            if (std::ranges::find(gone, a) == gone.end()) gone.push_back(a);
    }
    std::vector<journal_entry> entries;
    for (infra::address const& a : gone) {
        infra::resource_record const& record = *opened->now().find(a);
        for (auto const& [key, _] : record.deposed) entries.push_back(journal_entry::remove(a, key));
        if (record.current) entries.push_back(journal_entry::remove(a, {}));
    }
    if (!only_report)
        if (auto const kept = opened->record(entries); !kept) return s.report(kept.error());
    for (infra::address const& a : gone)
        s.out() << (only_report ? "Would remove " : "Removed ") << to_string(a) << '\n';
    if (!only_report) s.out() << "Instances removed from state: " << gone.size() << ". Their objects still exist.\n";
    else if (gone.empty()) s.out() << "Nothing would be removed.\n";
    return 0;
}

auto state_mv(state_change_options const& options, session const& s) -> int
{
    if (options.arguments.size() != 2) return usage(s, "two arguments: the present and the new address");
    std::string const& source = options.arguments.front();
    std::string const& destined = options.arguments.back();
    auto const from = read_target(source);
    auto const to = read_target(destined);
    if (!from) return s.report(make_error(messages::unreadable_source_address, {source, mistake_in(from.error())}));
    if (!to) return s.report(make_error(messages::unreadable_target_address, {destined, mistake_in(to.error())}));
    auto opened = state_to_change(s);
    if (!opened) return s.report(opened.error());
    if (opened->now().lineage.empty()) return s.report(make_error(messages::no_state, {s.workspace().name()}));
    auto what = instances_of(opened->now(), *from);
    bool const of_module = from->type().empty();
    if (of_module) std::erase_if(what, [&](auto const& a) { return !contains(from->module(), a); });
    // An object without a key may exist beside instances with keys; then the address is that of this object.
    else if (opened->now().find(*from) != nullptr) what = {*from};
    if (what.empty()) {
        auto const meant = address_suggestion(source, opened->now());
        return s.report(make_error(messages::no_object_to_move, {text_of(*from), meant}));
    }
    bool const whole = !of_module && !from->key() && opened->now().find(*from) == nullptr;
    if (auto const wrong = mismatch(*from, *to, whole)) return s.report(*wrong);

    infra::moved_state moved;
    moved.state = opened->now();
    for (infra::address const& a : what) move_instance(moved, a, destination(*from, *to, a));
    auto const in_the_way = [&](auto const& record) {
        return of_module ? contains(to->module(), record.first) : whole && record.first.resource() == to->resource();
    };
    if (!moved.blocked.empty() || std::ranges::any_of(opened->now().resources, in_the_way))
        return s.report(make_error(messages::move_target_occupied, {text_of(*to)}));
    bool const only_report = options.dry_run;
    follow_moves(moved);
    auto const entries = entries_of(moved);
    if (!only_report)
        if (auto const kept = opened->record(entries); !kept) return s.report(kept.error());
    auto const quoted = [](std::string const& text) {
        std::string result = "\"";
        for (char const c : text) result += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
        return result + "\"";
    };
    s.out() << (only_report ? "Would move " : "Moved ") << quoted(text_of(*from)) << " to " << quoted(text_of(*to))
            << '\n';
    return 0;
}

auto state_replace_provider(replace_provider_options const& options, session const& s) -> int
{
    if (options.arguments.size() != 2) return usage(s, "two arguments: the present and the new provider");
    auto const from = address_of_source(options.arguments.front());
    auto const to = address_of_source(options.arguments.back());
    if (!from || !to)
        return s.report(make_error(
            messages::unreadable_provider_argument, {from ? "to" : "from", options.arguments[from ? 1 : 0]}));
    auto opened = state_to_change(s);
    if (!opened) return s.report(opened.error());
    std::vector<journal_entry> entries;
    std::vector<infra::address> resources;  // without keys
    auto const replace = [&](infra::address const& a, std::string const& key, infra::object o) {
        if (provider_address_in(o.provider) != *from) return;
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
        s.out() << "State has no resources of " << *from << ".\n";
        return 0;
    }
    std::ranges::sort(resources, [](auto const& a, auto const& b) { return views::shown_before(a, b); });
    s.out() << "The provider of these resources changes:\n  - " << *from << "\n  + " << *to
            << "\n\nResources: " << resources.size() << "\n\n";
    for (infra::address const& a : resources) s.out() << "  " << to_string(a) << '\n';
    s.out() << '\n';
    if (!options.auto_approve) {
        s.out() << "Change the provider of these resources? Any answer other than \"yes\" leaves state "
                   "unchanged.\n\nEnter a value: "
                << std::flush;
        if (s.read_answer() != "yes") {
            s.out() << "State was not changed.\n";
            return 0;
        }
        s.out() << '\n';
    }
    if (auto const kept = opened->record(entries); !kept) return s.report(kept.error());
    s.out() << "Resources changed: " << resources.size() << ".\n";
    return 0;
}

// Does not open state, which may be damaged.
auto state_restore(restore_options const& options, session const& s) -> int
{
    auto const in = s.workspace().backend();
    if (!in) return s.report(in.error());
    auto const held = workspace::take_lock(s.workspace().options(), **in, s.workspace().name());
    if (!held) return s.report(held.error());
    auto const& named = options.arguments;
    auto const done = (*in)->restore(s.workspace().name(), named.empty() ? std::string() : named.front());
    if (!done) return s.report(done.error());
    s.out() << "State was restored from " << done->from.string() << ": serial " << done->serial << ", "
            << views::resource_instances(done->resources);
    if (done->pending != 0) s.out() << ", " << views::interrupted_operations(done->pending);
    s.out()
        << ".\nThe replaced files are in " << done->replaced.string()
        << ".\n\nChanges to objects after that state was saved are not in state. Run \"iacctl plan\" before you apply. "
           "If it plans\nto create an object that already exists, add the object to state with \"iacctl import\".\n";
    return 0;
}

// Prints the interrupted operations of the workspace.
auto list_interrupted(session const& s) -> int
{
    auto const opened = s.workspace().read_state();
    if (!opened) return s.report(opened.error());
    for (auto const& [id, operation] : opened->pending) s.out() << state::describe(operation) << '\n';
    return 0;
}

auto state_resolve(resolve_options const& options, session const& s) -> int
{
    if (options.arguments.empty()) return list_interrupted(s);
    if (int{options.done} + int{options.not_created} + int{!options.created.empty()} != 1)
        return s.report(make_error(messages::decision_needed));
    auto opened = s.workspace().change();
    if (!opened) return s.report(opened.error());
    std::string const& what = options.arguments.front();
    auto const pending = state::find_pending(opened->now(), what);
    if (!pending) return s.report(pending.error());

    using infra::operation_kind;
    auto decided = state::decision::not_created();
    if (options.not_created) {
        if (pending->kind == operation_kind::update) decided = state::decision::not_updated();
        if (pending->kind == operation_kind::destroy) decided = state::decision::not_destroyed();
        if (pending->kind == operation_kind::invoke) decided = state::decision::not_invoked();
    } else if (options.done || pending->kind == operation_kind::destroy) {
        decided = pending->kind == operation_kind::invoke ? state::decision::invoked() : state::decision::destroyed();
    } else {
        std::string const& created = options.created;
        bool const has_attributes = created.starts_with('{');
        auto const* const type = s.providers().find_type(pending->provider, pending->target);
        if (has_attributes && type != nullptr)
            if (auto const read = language::from_json(created, type->object_type); !read)
                return s.report(make_error(messages::created_attributes_invalid, {read.error().message()}));
        infra::object made;
        made.provider = pending->provider;
        made.attributes = infra::document(has_attributes ? created : pending->request.text());
        made.sensitive = pending->sensitive;  // of the attributes of the user, too
        auto const attributes = program::decode_object(s.providers(), pending->target, made);
        if (!attributes) return s.report(attributes.error());
        auto value = *attributes;
        if (!has_attributes) value = providers::with(value, {{"id", language::value(created)}});
        made = program::encode_object(s.providers(), pending->target, pending->provider, value);
        made.provider = pending->provider;
        decided =
            pending->kind == operation_kind::update ? state::decision::updated(made) : state::decision::created(made);
    }
    auto const entries = state::resolve(opened->now(), what, decided);
    if (!entries) return s.report(entries.error());
    if (auto const kept = opened->record(*entries); !kept) return s.report(kept.error());
    s.out() << "Resolved: " << to_string(pending->target) << ".\n";
    return 0;
}

constexpr std::string_view examples_of_mv[] = {"iacctl state mv terraform_data.old terraform_data.new",
    "iacctl state mv terraform_data.one 'module.m[0].terraform_data.one'"};
constexpr std::string_view examples_of_resolve[] = {"iacctl state resolve local_file.notes -created=notes.txt"};

}  // namespace

constinit command const taint_command{"taint", {.backend = true, .providers = true}, begin<taint>,
    "Mark an instance for replacement",
    "Marks an instance in state, so that the next apply replaces its object. \"iacctl apply -replace=ADDRESS\" does "
    "the same without a change of state.",
    {"ADDRESS", any_number, completion::address}};

constinit command const untaint_command{"untaint", {.backend = true, .providers = true}, begin<untaint>,
    "Remove the mark of \"taint\"",
    "Removes the mark from an instance, so that the next apply does not replace its object.",
    {"ADDRESS", any_number, completion::address}};

constinit command const state_rm_command{"state rm", {.backend = true, .providers = true}, begin<state_rm>,
    "Remove objects from state", "Removes objects from state without destroying them.",
    {"ADDRESS...", any_number, completion::address}};

constinit command const state_mv_command{"state mv", {.backend = true, .providers = true}, begin<state_mv>,
    "Change addresses in state",
    "Changes the addresses of objects in state, so that a renamed resource is not replaced.",
    {"SOURCE DESTINATION", any_number, completion::address}, examples_of_mv};

constinit command const state_replace_provider_command{"state replace-provider", {.backend = true, .providers = true},
    begin<state_replace_provider>, "Change the provider of objects in state",
    "Changes the provider of all objects in state that belong to FROM.", {"FROM TO", any_number}};

constinit command const state_restore_command{"state restore", {.backend = true, .providers = true},
    begin<state_restore>, "Restore a backup of state",
    "Replaces the state of the workspace with a backup, the newest one by default, or with the records of a damaged "
    "database.",
    {"[DATABASE]", 1, completion::file}};

constinit command const state_resolve_command{"state resolve", {.backend = true, .providers = true},
    begin<state_resolve>, "Settle an operation with an unknown outcome",
    "Records the outcome of an operation that was interrupted before its outcome was known. Without ADDRESS, lists "
    "such operations.",
    {"[ADDRESS]", 1, completion::address}, examples_of_resolve};

}  // namespace iacctl::commands
