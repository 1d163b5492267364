// SPDX-License-Identifier: BSL-1.0
#include "workspaces.hpp"

#include "state/files.hpp"
#include "state/foreign_state.hpp"
#include "state/workspace_files.hpp"
#include "support/input_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace iacctl::commands {

namespace fs = std::filesystem;

namespace {

// Terraform's own file: who changes between the two stays where they are.
auto selection_file() -> fs::path
{
    return state::terraform_data_directory() / "environment";
}

}  // namespace

auto is_workspace_name(std::string_view name) -> bool
{
    auto const is_safe = [](char c) {
        bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return letter || std::string_view("-_.~$&+=:@").find(c) != std::string_view::npos;
    };
    return !name.empty() && name.front() != '.' && std::ranges::all_of(name, is_safe);
}

auto workspace_is_overridden() -> bool
{
    char const* const name = std::getenv("TF_WORKSPACE");
    return name != nullptr && *name != '\0';
}

auto current_workspace() -> infra::checked<std::string>
{
    if (workspace_is_overridden()) return std::string(std::getenv("TF_WORKSPACE"));
    auto const text = read_input(selection_file());
    if (!text && !is_missing(text.error()))
        return infra::failure(infra::make_error("Failed to read the selected workspace",
            "The file " + selection_file().string() + " cannot be read: " + text.error().message()
                + ". It names the workspace that commands work on. Make the file readable, or name the workspace in "
                  "the "
                  "environment variable TF_WORKSPACE."));
    if (!text) return std::string(default_workspace);
    std::string name;
    std::istringstream(*text) >> name;
    return is_workspace_name(name) ? name : std::string(default_workspace);
}

auto select_workspace(std::string const& name) -> bool
{
    // A selection cut short would be of the default workspace: the old one or the new one, nothing else.
    auto const file = selection_file();
    auto const draft = file.parent_path() / ("environment-" + state::random_hex(8));
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (state::write_new_file(draft, name)) return false;
    fs::rename(draft, file, error);
    return !error;
}

auto directory_of_workspace(std::string const& name) -> fs::path
{
    return fs::path(state::workspaces_directory) / name;
}

auto all_workspaces() -> std::vector<std::string>
{
    std::vector<std::string> all;
    std::error_code error;
    for (fs::directory_iterator at(state::workspaces_directory, error), end; !error && at != end; at.increment(error)) {
        auto name = at->path().filename().string();
        auto const found = state::workspace_files(at->path()).look();
        bool const has_state = found && *found != state::workspace_files::condition::never_made;
        if (name != default_workspace && is_workspace_name(name) && has_state) all.push_back(std::move(name));
    }
    std::ranges::sort(all);
    all.emplace(all.begin(), default_workspace);
    return all;
}

}  // namespace iacctl::commands
