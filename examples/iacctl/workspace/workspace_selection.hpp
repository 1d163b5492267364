// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_WORKSPACE_SELECTION_HPP
#define IACCTL_WORKSPACE_WORKSPACE_SELECTION_HPP

#include "base/expected.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <filesystem>
#include <string>

namespace iacctl::workspace {

namespace infra = strider::infra;

/// The selected workspace of a configuration, in a file with the place and format of Terraform's, so that both programs
/// use the same workspace.
class workspace_selection {
public:
    /// \param directory  of the configuration
    /// \param data_directory  Terraform's, below it
    workspace_selection(std::filesystem::path const& directory, std::filesystem::path const& data_directory);

    /// The selected workspace, or the default one.
    [[nodiscard]] auto current() const -> expected<std::string>;
    /// \return false if the file could not be written
    [[nodiscard]] auto select(std::string const& name) const -> bool;

private:
    std::filesystem::path file_;
};

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_WORKSPACE_SELECTION_HPP
