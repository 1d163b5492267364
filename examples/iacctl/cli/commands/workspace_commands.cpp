// SPDX-License-Identifier: BSL-1.0
// Workspaces: several states of one configuration.
#include "base/environment.hpp"
#include "base/expected.hpp"
#include "base/json_writer.hpp"
#include "base/shell_words.hpp"
#include "base/shown_text.hpp"
#include "base/suggestion.hpp"
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "session.hpp"
#include "state/backend.hpp"
#include "state/workspace_name.hpp"
#include "state_push.hpp"
#include "views/text_style.hpp"
#include "workspace/backend.hpp"

#include <strider/infra/model/address.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using views::text_style;

struct workspace_list_options : options_with<json_file_options, variable_options> {};

struct workspace_new_options : options_with<variable_options, lock_options> {
    std::optional<std::string> state;

    void declare(option_list& to)
    {
        to.with_value("state", "FILE", "Begin with the state in FILE, in Terraform's format.", state, completion::file);
        options_with::declare(to);
    }
};

struct workspace_select_options : options_with<variable_options, lock_options> {
    bool or_create = false;

    void declare(option_list& to)
    {
        to.on("or-create", "Create the workspace if it does not exist.", or_create);
        options_with::declare(to);
    }
};

struct workspace_delete_options : options_with<variable_options, lock_options> {
    bool force = false;

    void declare(option_list& to)
    {
        to.on(
            "force", "Delete the workspace even if its state has objects. These objects are no longer managed.", force);
        options_with::declare(to);
    }
};

struct force_unlock_options : options_with<variable_options> {
    void declare(option_list& to)
    {
        to.ignored_flag("force", "Continue without asking for confirmation.");
        options_with::declare(to);
    }
};

// The one argument of a command, if it is the name of a workspace; reports a mistake.
auto name_in(session const& s, command_options const& options) -> std::optional<std::string>
{
    auto const& given = options.arguments;
    if (given.size() == 1 && state::is_workspace_name(given.front())) return given.front();
    if (given.size() == 1) (void)s.report(make_error(messages::workspace_name_invalid, {given.front()}));
    else (void)s.report(make_error(messages::workspace_name_missing, {s.runs().name}));
    return std::nullopt;
}

// Returns whether the environment overrides the selected workspace.
auto is_overridden() -> bool
{
    return !environment_variable("TF_WORKSPACE").empty();
}

auto select(session const& s, std::string const& name) -> bool
{
    if (selection_here().select(name)) return true;
    (void)s.report(make_error(messages::workspace_selection_not_saved, {name}));
    return false;
}

auto not_found(std::string const& name, std::vector<std::string> const& all) -> infra::diagnostic
{
    std::vector<std::string_view> const names(all.begin(), all.end());
    return make_error(messages::workspace_not_found, {name, did_you_mean(name, names), shell_word(name)});
}

auto make(session const& s, state::backend const& in, std::string const& name) -> int
{
    if (auto const made = in.make(name); !made) return s.report(made.error());
    if (!select(s, name)) return 1;
    views::painter const paint(s.text().colour);
    s.out() << paint(text_style::bold_green, "The workspace \"" + name + "\" was created and selected.") << "\n\n"
            << paint(
                   text_style::green, "Its state is empty: a plan creates all objects that the configuration declares.")
            << '\n';
    return 0;
}

auto workspace_list(workspace_list_options const& options, session const& s) -> int
{
    auto const in = s.workspace().backend();
    if (!in) return s.report(in.error());
    auto const all = (*in)->workspaces();
    if (!all) return s.report(all.error());
    if (auto* const to = s.document()) {
        json_array listed;
        for (std::string const& name : *all) {
            json_object one;
            one.text("name", name);
            if (name == s.workspace().name()) one.flag("is_current", true);
            listed.raw(one.done());
        }
        json_object document;
        document.text("format_version", "1.0").raw("workspaces", listed.done()).raw("diagnostics", "[]");
        *to << indented_json(document.done()) << '\n';
    }
    if (options.json) return 0;
    for (std::string const& name : *all)
        s.out() << (name == s.workspace().name() ? "* " : "  ") << shown_text(name) << '\n';
    s.out() << '\n';
    if (is_overridden()) s.out() << "\n\nTF_WORKSPACE in the environment names the current workspace.\n\n";
    return 0;
}

auto workspace_show(backend_options const&, session const& s) -> int
{
    s.out() << s.workspace().name() << '\n';
    return 0;
}

auto workspace_new(workspace_new_options const& options, session const& s) -> int
{
    auto const name = name_in(s, options);
    if (!name) return 1;
    // The variable may name the workspace before it exists.
    if (is_overridden() && *name != s.workspace().name())
        return s.report(make_error(messages::workspace_named_by_environment, {*name, s.workspace().name()}));
    auto const chosen = s.workspace().backend();
    if (!chosen) return s.report(chosen.error());
    state::backend const& in = **chosen;
    auto const all = in.workspaces();
    if (!all) return s.report(all.error());
    if (std::ranges::count(*all, *name) != 0)
        return s.report(make_error(messages::workspace_exists, {*name, shell_word(*name)}));
    if (!options.state) return make(s, in, *name);
    // The state is read before anything is created, because a workspace without its first state would be useless.
    auto first = read_pushed(s, *options.state);
    if (!first) return s.report(first.error());
    if (int const code = make(s, in, *name); code != 0) return code;
    auto const held = workspace::take_lock(s.workspace().options(), in, *name);
    if (!held) return s.report(held.error());
    first->content.lineage.clear();  // the new workspace has a lineage of its own
    first->content.serial = 0;
    auto const store = in.open(*name, state::open_mode::read_write);
    auto const now = store->read_now();
    if (!now) return s.report(now.error());
    auto const written = workspace::write_pushed(s.workspace().options(), *store, *now, first->content);
    return written ? 0 : s.report(written.error());
}

auto workspace_select(workspace_select_options const& options, session const& s) -> int
{
    auto const name = name_in(s, options);
    if (!name) return 1;
    if (is_overridden())
        return s.report(make_error(messages::workspace_named_by_environment, {*name, s.workspace().name()}));
    if (*name == s.workspace().name()) return 0;
    auto const chosen = s.workspace().backend();
    if (!chosen) return s.report(chosen.error());
    state::backend const& in = **chosen;
    auto const all = in.workspaces();
    if (!all) return s.report(all.error());
    if (std::ranges::count(*all, *name) == 0) {
        if (options.or_create) return make(s, in, *name);
        return s.report(not_found(*name, *all));
    }
    if (!select(s, *name)) return 1;
    s.out() << views::painter(s.text().colour)(text_style::green, "The workspace is now \"" + *name + "\".") << '\n';
    return 0;
}

auto workspace_delete(workspace_delete_options const& options, session const& s) -> int
{
    auto const name = name_in(s, options);
    if (!name) return 1;
    auto const chosen = s.workspace().backend();
    if (!chosen) return s.report(chosen.error());
    state::backend const& in = **chosen;
    auto const all = in.workspaces();
    if (!all) return s.report(all.error());
    if (std::ranges::count(*all, *name) == 0) return s.report(not_found(*name, *all));
    if (*name == s.workspace().name()) return s.report(make_error(messages::workspace_is_current, {*name}));
    if (*name == state::default_workspace) return s.report(make_error(messages::default_workspace_stays));

    auto const held = workspace::take_lock(s.workspace().options(), in, *name);
    if (!held) return s.report(held.error());
    std::string objects;
    {
        auto const now = in.open(*name, state::open_mode::read_only)->read_now();
        if (!now && !options.force) return s.report(now.error());
        if (now)
            for (auto const& [a, _] : now->resources) objects += "\n  - " + to_string(a);
    }
    if (!objects.empty() && !options.force)
        return s.report(make_error(messages::workspace_not_empty, {*name, objects}));
    if (auto const removed = in.remove(*name); !removed) return s.report(removed.error());
    views::painter const paint(s.text().colour);
    s.out() << paint(text_style::green, "The workspace \"" + *name + "\" was deleted.") << '\n';
    if (!objects.empty())
        s.out() << paint(text_style::yellow,
            "WARNING: its state was not empty. Its objects may still exist, but they are no\nlonger managed.")
                << "\n\n";
    return 0;
}

// Releases a lock in the backend that has it, or, as a server may not report its locks, in the first one that accepts this.
auto release_lock(std::vector<std::shared_ptr<state::backend>> const& backends, std::string const& workspace,
    std::string const& id) -> expected<void>
{
    for (auto const& one : backends) {
        auto const held = one->locks(workspace);
        if (held && std::ranges::find(*held, id, &state::lock_description::id) != held->end())
            return one->force_unlock(workspace, id);
    }
    auto released = backends.front()->force_unlock(workspace, id);
    for (auto const& one : std::span(backends).subspan(1))
        if (!released) released = one->force_unlock(workspace, id);
    return released;
}

auto force_unlock(force_unlock_options const& options, session const& s) -> int
{
    if (options.arguments.size() != 1) return s.report(make_error(messages::lock_id_missing));
    auto const in = workspace::lockable_backends(s.workspace().root());
    if (!in) return s.report(in.error());
    auto const released = release_lock(*in, s.workspace().name(), options.arguments.front());
    if (!released) return s.report(released.error());
    s.out() << views::painter(s.text().colour)(text_style::green, "The lock of the workspace was released.") << '\n';
    return 0;
}

}  // namespace

constinit command const workspace_list_command{"workspace list", {.backend = true}, begin<workspace_list>,
    "List workspaces", "Lists all workspaces; an asterisk marks the current one."};

constinit command const workspace_show_command{"workspace show", {.backend = true}, begin<workspace_show>,
    "Show the current workspace", "Prints the name of the current workspace."};

constinit command const workspace_new_command{"workspace new", {.backend = true}, begin<workspace_new>,
    "Create a workspace", "Creates a workspace, and selects it.", {"NAME", any_number}};

constinit command const workspace_select_command{"workspace select", {.backend = true}, begin<workspace_select>,
    "Select a workspace", "Makes a workspace the current one of this directory.",
    {"NAME", any_number, completion::workspace}};

constinit command const workspace_delete_command{"workspace delete", {.backend = true}, begin<workspace_delete>,
    "Delete a workspace", "Deletes a workspace that has no objects.", {"NAME", any_number, completion::workspace}};

constinit command const force_unlock_command{"force-unlock", {.backend = true}, begin<force_unlock>,
    "Release the lock of a workspace",
    "Releases a lock that a process left behind when it ended. An error message of another command names the ID of the "
    "lock.",
    {"LOCK_ID", any_number}};

}  // namespace iacctl::commands
