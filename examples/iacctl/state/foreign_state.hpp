// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_FOREIGN_STATE_HPP
#define IACCTL_STATE_FOREIGN_STATE_HPP

#include "state_error.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::state {

/// Where Terraform keeps its states: the settings of its local backend.
struct terraform_places {
    std::filesystem::path path = "terraform.tfstate";  ///< of the default workspace
    std::filesystem::path workspace_dir = "terraform.tfstate.d";

    [[nodiscard]] auto file_of(std::string_view workspace) const -> std::filesystem::path;
};

/// "To let iacctl manage ...": how to take over a state file of Terraform.
[[nodiscard]] auto way_to_take_over(std::filesystem::path const& file) -> std::string;

/// Refuses to plan where Terraform keeps state and we have none: everything would be created a second time.
///
/// Looked at are the usual places, and those that `terraform init` has noted. A state without objects does not count.
/// \param data_directory  where `terraform init` has made its notes, below the directory of the configuration
/// \param ours  what was read from our own store; state of ours goes before that of others
[[nodiscard]] auto check_foreign_state(std::filesystem::path const& configuration_directory, std::string_view workspace,
    infra::snapshot const& ours, std::filesystem::path const& data_directory = ".terraform")
    -> std::optional<infra::failure>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_FOREIGN_STATE_HPP
