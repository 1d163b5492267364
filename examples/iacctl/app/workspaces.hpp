// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_WORKSPACES_HPP
#define IACCTL_APP_WORKSPACES_HPP

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::app {

namespace infra = strider::infra;

inline constexpr std::string_view default_workspace = "default";

/// A name that can be part of an address and of a path, and that is no hidden file.
[[nodiscard]] auto is_workspace_name(std::string_view name) -> bool;

/// The workspaces of one configuration: several states of it.
class workspaces {
public:
    /// \param directory  of the configuration
    /// \param data_directory  Terraform's, below it, where the selection is kept
    workspaces(std::filesystem::path directory, std::filesystem::path const& data_directory);

    /// The one that commands work in: as it was selected, or the default.
    [[nodiscard]] auto selected() const -> infra::checked<std::string>;
    /// \return false if that could not be written
    [[nodiscard]] auto select(std::string const& name) const -> bool;

    /// The directory with the state of a workspace.
    [[nodiscard]] auto directory_of(std::string const& name) const -> std::filesystem::path;
    /// All that there are: the default, then those with a state, by name.
    [[nodiscard]] auto all() const -> std::vector<std::string>;

private:
    std::filesystem::path directory_;
    std::filesystem::path selection_;
};

}  // namespace iacctl::app

#endif  // IACCTL_APP_WORKSPACES_HPP
