// SPDX-License-Identifier: BSL-1.0
// Workspaces: several states of one configuration.
#include "commands.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/workspace_files.hpp"
#include "state_push.hpp"
#include "support/environment.hpp"
#include "ui/text_style.hpp"

#include <strider/infra/model/address.hpp>

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
        (void)print_error(s, "The command takes one argument: the name of a workspace.\n");
        return {};
    }
    std::string const& name = s.asked().arguments.front();
    if (app::is_workspace_name(name)) return name;
    (void)print_error(s,
        "\n\"" + name
            + "\" cannot be the name of a workspace. A name consists of letters, digits and the\ncharacters "
              "-_.~$&+=:@, and does not begin with a dot.\n");
    return {};
}

// Is the workspace that of the environment, whatever was selected?
auto is_overridden() -> bool
{
    return !environment_variable("TF_WORKSPACE").empty();
}

auto exists(std::string const& name) -> bool
{
    return std::ranges::count(workspaces_here().all(), name) != 0;
}

auto tell_missing(session const& s, std::string const& name) -> int
{
    return print_error(s,
        "\nThere is no workspace \"" + name + "\". To create it, run:\n  iacctl workspace new " + name
            + "\nor add -or-create to \"iacctl workspace select\".");
}

auto make(session const& s, std::string const& name) -> int
{
    if (auto const failed = state::workspace_files(workspaces_here().directory_of(name)).make()) return s.tell(*failed);
    if (!workspaces_here().select(name)) return print_error(s, "The selection of the workspace could not be saved.");
    ui::painter const paint(s.text().colour);
    s.out()
        << paint(ink::bold_green, "The workspace \"" + name + "\" is created and selected.") << "\n\n"
        << paint(ink::green,
               "It has a state of its own, with nothing in it: a plan made here creates all that\nthe configuration "
               "declares.")
        << '\n';
    return 0;
}

}  // namespace

auto workspace_list(session const& s) -> int
{
    for (std::string const& name : workspaces_here().all())
        s.out() << (name == s.workspace().name() ? "* " : "  ") << name << '\n';
    s.out() << '\n';
    if (is_overridden()) s.out() << "\n\nTF_WORKSPACE in the environment names the current workspace.\n\n";
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
            "\nTF_WORKSPACE in the environment names the current workspace, so a new one could not be\nselected. Unset "
            "the variable, or set it to the name of the new workspace, and try again.\n");
    if (exists(name)) return print_error(s, "There is a workspace \"" + name + "\" already.");
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
            "\nTF_WORKSPACE in the environment names the current workspace, whichever is selected.\nUnset the "
            "variable, "
            "or set it to the name of the other workspace, and try again.\n");
    if (name == s.workspace().name()) return 0;
    if (!exists(name)) return s.asked().or_create ? make(s, name) : tell_missing(s, name);
    if (!workspaces_here().select(name)) return print_error(s, "The selection of the workspace could not be saved.");
    s.out() << ui::painter(s.text().colour)(ink::green, "The workspace is now \"" + name + "\".") << '\n';
    return 0;
}

auto workspace_delete(session const& s) -> int
{
    auto const name = name_in(s);
    if (name.empty()) return 1;
    if (!exists(name)) return tell_missing(s, name);
    if (name == s.workspace().name())
        return print_error(
            s, "\"" + name + "\" is the current workspace, so it cannot be deleted. Select another one first.");
    if (name == app::default_workspace) return print_error(s, "The default workspace cannot be deleted.");

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
    if (!objects.empty() && !s.asked().force) return s.tell(make_error(messages::workspace_not_empty, {name, objects}));
    // Out of sight at once: nobody finds a half of it.
    std::error_code error;
    auto const gone = directory.parent_path() / (".deleted-" + name);
    std::filesystem::remove_all(gone, error);
    std::filesystem::rename(directory, gone, error);
    if (error) return print_error(s, "The workspace could not be deleted: " + error.message() + ".");
    std::filesystem::remove_all(gone, error);
    ui::painter const paint(s.text().colour);
    s.out() << paint(ink::green, "The workspace \"" + name + "\" is deleted.") << '\n';
    if (!objects.empty())
        s.out() << paint(ink::yellow,
            "WARNING: its state was not empty. The objects that it had may still exist, and nothing\nkeeps track of "
            "them any more.")
                << "\n\n";
    return 0;
}

auto force_unlock(session const& s) -> int
{
    if (s.asked().arguments.size() != 1)
        return print_error(s, "\"iacctl force-unlock\" takes one argument: the id of a lock.");
    (void)print_error(s, "The lock of a workspace cannot be taken away from the process that holds it.");
    // The kernel's lock goes with its holder: either nobody has it, or it says who.
    auto const directory = app::state_directory_of(s.workspace().told());
    if (!std::filesystem::exists(directory)) return 1;
    auto const held = app::take_lock(s.workspace().told(), directory);
    if (!held) return s.tell(held.error());
    s.err() << "\nNobody holds it now: the lock of this workspace goes with the process that holds it.\n";
    return 1;
}

}  // namespace iacctl::commands
