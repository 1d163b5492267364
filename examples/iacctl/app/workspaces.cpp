// SPDX-License-Identifier: BSL-1.0
#include "workspaces.hpp"

#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/workspace_files.hpp"
#include "support/characters.hpp"
#include "support/durable_file.hpp"
#include "support/input_file.hpp"

#include <algorithm>
#include <sstream>
#include <system_error>
#include <utility>

namespace iacctl::app {

namespace fs = std::filesystem;

namespace {

// "." is not part of names that are shown.
auto below(fs::path const& directory, fs::path const& name) -> fs::path
{
    return directory == "." ? name : directory / name;
}

}  // namespace

auto is_workspace_name(std::string_view name) -> bool
{
    auto const is_safe = [](char c) {
        return is_alphanumeric(c) || std::string_view("-_.~$&+=:@").find(c) != std::string_view::npos;
    };
    return !name.empty() && name.front() != '.' && std::ranges::all_of(name, is_safe);
}

// The selection is in Terraform's own file: who changes between the two stays where they are.
workspaces::workspaces(fs::path directory, fs::path const& data_directory)
    : directory_(std::move(directory)),
      selection_(below(directory_, data_directory / "environment"))
{}

auto workspaces::selected() const -> infra::checked<std::string>
{
    auto const text = read_input(selection_);
    if (!text && !is_missing(text.error()))
        return infra::failure(
            make_error(messages::unreadable_workspace_selection, {selection_.string(), text.error().message()}));
    if (!text) return std::string(default_workspace);
    std::string name;
    std::istringstream(*text) >> name;
    return is_workspace_name(name) ? name : std::string(default_workspace);
}

auto workspaces::select(std::string const& name) const -> bool
{
    // A selection cut short would be of the default workspace: the old one or the new one, nothing else.
    std::error_code error;
    fs::create_directories(selection_.parent_path(), error);
    return !replace_file(selection_, name);
}

auto workspaces::directory_of(std::string const& name) const -> fs::path
{
    return below(directory_, fs::path(state::workspaces_directory) / name);
}

auto workspaces::all() const -> std::vector<std::string>
{
    std::vector<std::string> all;
    std::error_code error;
    for (fs::directory_iterator at(below(directory_, state::workspaces_directory), error), end; !error && at != end;
        at.increment(error)) {
        auto name = at->path().filename().string();
        auto const found = state::workspace_files(at->path()).look();
        bool const has_state = found && *found != state::workspace_files::condition::never_made;
        if (name != default_workspace && is_workspace_name(name) && has_state) all.push_back(std::move(name));
    }
    std::ranges::sort(all);
    all.emplace(all.begin(), default_workspace);
    return all;
}

}  // namespace iacctl::app
