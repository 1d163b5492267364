// SPDX-License-Identifier: BSL-1.0
#include "workspace_selection.hpp"

#include "base/durable_file.hpp"
#include "base/input_file.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "state/workspace_name.hpp"

#include <sstream>
#include <system_error>

namespace iacctl::workspace {

namespace fs = std::filesystem;

workspace_selection::workspace_selection(fs::path const& directory, fs::path const& data_directory)
    : file_((directory == "." ? data_directory : directory / data_directory) / "environment")
{}

auto workspace_selection::current() const -> expected<std::string>
{
    auto const text = read_input(file_);
    if (!text && !is_missing(text.error()))
        return infra::failure(
            make_error(messages::unreadable_workspace_selection, {file_.string(), text.error().message()}));
    if (!text) return std::string(state::default_workspace);
    std::string name;
    std::istringstream(*text) >> name;
    return state::is_workspace_name(name) ? name : std::string(state::default_workspace);
}

auto workspace_selection::select(std::string const& name) const -> bool
{
    // The file is replaced atomically, because a truncated selection would be that of the default workspace.
    std::error_code error;
    fs::create_directories(file_.parent_path(), error);
    return !replace_file(file_, name);
}

}  // namespace iacctl::workspace
