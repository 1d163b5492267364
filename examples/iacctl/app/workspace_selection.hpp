// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_WORKSPACE_SELECTION_HPP
#define IACCTL_APP_WORKSPACE_SELECTION_HPP

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <string>

namespace iacctl::app {

namespace infra = strider::infra;

/// The workspace that commands use in a configuration: a file, in the place and form of Terraform's, so that a user who changes
/// between the two programs stays in the same workspace.
class workspace_selection {
public:
    /// \param directory  of the configuration
    /// \param data_directory  Terraform's, below it
    workspace_selection(std::filesystem::path const& directory, std::filesystem::path const& data_directory);

    /// The selected one, or the default.
    [[nodiscard]] auto current() const -> infra::expected<std::string>;
    /// \return false if that could not be written
    [[nodiscard]] auto select(std::string const& name) const -> bool;

private:
    std::filesystem::path file_;
};

}  // namespace iacctl::app

#endif  // IACCTL_APP_WORKSPACE_SELECTION_HPP
