// SPDX-License-Identifier: BSL-1.0
// Workspaces: several states of one configuration.
#include "commands.hpp"
#include "state/workspace_files.hpp"
#include "state_push.hpp"
#include "ui/text_style.hpp"

#include <strider/infra/address.hpp>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

namespace iacctl::commands {

namespace {

using ui::ink;

auto print_error(session const& s, std::string const& text) -> int
{
    s.err() << ui::painter(s.text().colour)(ink::red, text) << '\n';
    return 1;
}

// The one argument of a command, if it is a name; says what is wrong with it otherwise.
auto name_in(session const& s) -> std::string
{
    if (s.asked().arguments.size() != 1) {
        (void)print_error(s, "Expected a single argument: NAME.\n");
        return {};
    }
    std::string const& name = s.asked().arguments.front();
    if (app::is_workspace_name(name)) return name;
    (void)print_error(s,
        "\nThe workspace name \"" + name
            + "\" is not allowed. The name must contain only URL safe\ncharacters, and no path separators.\n");
    return {};
}

// Is the workspace that of the environment, whatever was selected?
auto is_overridden() -> bool
{
    return !from_environment("TF_WORKSPACE").empty();
}

auto exists(std::string const& name) -> bool
{
    return std::ranges::count(workspaces_here().all(), name) != 0;
}

auto tell_missing(session const& s, std::string const& name) -> int
{
    return print_error(s,
        "\nWorkspace \"" + name
            + "\" doesn't exist.\n\nYou can create this workspace with the \"new\" subcommand \nor include the "
              "\"-or-create\" flag with the \"select\" subcommand.");
}

auto make(session const& s, std::string const& name) -> int
{
    if (auto const failed = state::workspace_files(workspaces_here().directory_of(name)).make()) return s.tell(*failed);
    if (!workspaces_here().select(name)) return print_error(s, "The selection of the workspace could not be saved.");
    ui::painter const paint(s.text().colour);
    s.out()
        << paint(ink::bold_green, "Created and switched to workspace \"" + name + "\"!") << "\n\n"
        << paint(ink::green,
               "You're now on a new, empty workspace. Workspaces isolate their state,\nso if you run \"iacctl plan\" "
               "iacctl will not see any existing state\nfor this configuration.")
        << '\n';
    return 0;
}

}  // namespace

auto workspace_list(session const& s) -> int
{
    for (std::string const& name : workspaces_here().all())
        s.out() << (name == s.workspace().name() ? "* " : "  ") << name << '\n';
    s.out() << '\n';
    if (is_overridden())
        s.out() << "\n\nThe active workspace is being overridden using the TF_WORKSPACE environment\nvariable.\n\n";
    return 0;
}

auto workspace_show(session const& s) -> int
{
    s.out() << s.workspace().name() << '\n';
    return 0;
}

auto workspace_new(session const& s) -> int
{
    auto const name = name_in(s);
    if (name.empty()) return 1;
    if (is_overridden())
        return print_error(s,
            "\nThe workspace is currently overridden using the TF_WORKSPACE environment\nvariable. You cannot create a "
            "new workspace when using this setting.\n\nTo create a new workspace, either unset this environment "
            "variable "
            "or update it\nto match the workspace name you are trying to create, and then run this command\nagain.\n");
    if (exists(name)) return print_error(s, "Workspace \"" + name + "\" already exists");
    if (!s.asked().state) return make(s, name);
    // Read before anything is made: a workspace without what it was to begin with is of no use.
    std::string problem;
    auto first = read_pushed(*s.asked().state, problem);
    if (!first) return print_error(s, problem);
    if (int const code = make(s, name); code != 0) return code;
    auto const directory = workspaces_here().directory_of(name);
    auto const held = app::take_lock(s.workspace().told(), directory);
    if (!held) return s.tell(held.error());
    first->content.lineage.clear();  // it goes its own way
    first->content.serial = 0;
    state::sqlite_store store(directory, state::open_mode::read_write);
    auto const now = store.read_now();
    if (!now) return s.tell(now.error());
    auto const written = app::write_pushed(s.workspace().told(), store, *now, first->content);
    return written ? 0 : s.tell(written.error());
}

auto workspace_select(session const& s) -> int
{
    auto const name = name_in(s);
    if (name.empty()) return 1;
    if (is_overridden())
        return print_error(s,
            "\nThe selected workspace is currently overridden using the TF_WORKSPACE\nenvironment variable.\n\nTo "
            "select "
            "a new workspace, either update this environment variable or unset\nit and then run this command again.\n");
    if (name == s.workspace().name()) return 0;
    if (!exists(name)) return s.asked().or_create ? make(s, name) : tell_missing(s, name);
    if (!workspaces_here().select(name)) return print_error(s, "The selection of the workspace could not be saved.");
    s.out() << ui::painter(s.text().colour)(ink::green, "Switched to workspace \"" + name + "\".") << '\n';
    return 0;
}

auto workspace_delete(session const& s) -> int
{
    auto const name = name_in(s);
    if (name.empty()) return 1;
    if (!exists(name)) return tell_missing(s, name);
    if (name == s.workspace().name())
        return print_error(s,
            "Workspace \"" + name
                + "\" is your active workspace.\n\nYou cannot delete the currently active workspace. Please switch\nto "
                  "another workspace and try again.");
    if (name == app::default_workspace) return print_error(s, "cannot delete default state");

    auto const directory = workspaces_here().directory_of(name);
    auto held = app::take_lock(s.workspace().told(), directory);
    if (!held) return s.tell(held.error());
    std::string objects;
    {
        auto const now = state::sqlite_store(directory, state::open_mode::read_only).read_now();
        if (!now && !s.asked().force) return s.tell(now.error());
        if (now)
            for (auto const& [a, _] : now->resources) objects += "\n  - " + to_string(a);
    }
    if (!objects.empty() && !s.asked().force)
        return s.tell(infra::failure(infra::make_error("Workspace is not empty",
            "Workspace \"" + name + "\" is currently tracking the following resource instances:" + objects
                + "\n\nDeleting this workspace would cause Terraform to lose track of any associated remote objects, "
                  "which "
                  "would then require you to delete them manually outside of Terraform. You should destroy these "
                  "objects "
                  "with Terraform before deleting the workspace.\n\nIf you want to delete this workspace anyway, and "
                  "have "
                  "Terraform forget about these managed objects, use the -force option to disable this safety "
                  "check.")));
    // Out of sight at once: nobody finds a half of it.
    std::error_code error;
    auto const gone = directory.parent_path() / (".deleted-" + name);
    std::filesystem::remove_all(gone, error);
    std::filesystem::rename(directory, gone, error);
    if (error) return print_error(s, "The workspace could not be deleted: " + error.message() + ".");
    std::filesystem::remove_all(gone, error);
    ui::painter const paint(s.text().colour);
    s.out() << paint(ink::green, "Deleted workspace \"" + name + "\"!") << '\n';
    if (!objects.empty())
        s.out() << paint(ink::yellow,
            "WARNING: \"" + name
                + "\" was non-empty.\nThe resources managed by the deleted workspace may still exist,\nbut are "
                  "no longer manageable by Terraform since the state has\nbeen deleted.")
                << "\n\n";
    return 0;
}

auto force_unlock(session const& s) -> int
{
    if (s.asked().arguments.size() != 1) return print_error(s, "Expected a single argument: LOCK_ID");
    (void)print_error(s, "Local state cannot be unlocked by another process");
    // The kernel's lock goes with its holder: either nobody has it, or it says who.
    auto const directory = app::state_directory_of(s.workspace().told());
    if (!std::filesystem::exists(directory)) return 1;
    auto const held = app::take_lock(s.workspace().told(), directory);
    if (!held) return s.tell(held.error());
    s.err() << "\nNobody holds it now: the lock of this workspace goes with the process that holds it.\n";
    return 1;
}

}  // namespace iacctl::commands
