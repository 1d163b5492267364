// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_WORKSPACES_HPP
#define IACCTL_COMMANDS_WORKSPACES_HPP

#include <strider/infra/diagnostics.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::commands {

namespace infra = strider::infra;

inline constexpr std::string_view default_workspace = "default";

/// A name that can be part of an address and of a path, and that is no hidden file.
[[nodiscard]] auto is_workspace_name(std::string_view name) -> bool;

/// Is the workspace chosen by TF_WORKSPACE, whatever was selected?
[[nodiscard]] auto workspace_is_overridden() -> bool;
/// The workspace that commands work in: of the environment, or as it was selected in this directory, or the default.
[[nodiscard]] auto current_workspace() -> infra::checked<std::string>;
/// \return false if that could not be written
[[nodiscard]] auto select_workspace(std::string const& name) -> bool;

/// Where the state of a workspace lies.
[[nodiscard]] auto directory_of_workspace(std::string const& name) -> std::filesystem::path;
/// All that there are: the default, then those with a state, by name.
[[nodiscard]] auto all_workspaces() -> std::vector<std::string>;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_WORKSPACES_HPP
