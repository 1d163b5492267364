// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_DOCUMENT_FOREIGN_STATE_HPP
#define IACCTL_STATE_DOCUMENT_FOREIGN_STATE_HPP

#include "state/state_error.hpp"

#include <strider/infra/model/snapshot.hpp>

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace iacctl::state {

/// The backend that `terraform init` has recorded in its data directory.
struct terraform_backend_record {
    std::string type;
    std::string config;  ///< a JSON object: arguments, null where nothing is set
};

/// Nothing if there is none.
[[nodiscard]] auto read_terraform_backend_record(std::filesystem::path const& data_directory)
    -> std::optional<terraform_backend_record>;

/// The state files of Terraform's local backend.
struct terraform_state_paths {
    std::filesystem::path path = "terraform.tfstate";  ///< of the default workspace
    std::filesystem::path workspace_dir = "terraform.tfstate.d";

    /// The files that a note about the local backend names.
    [[nodiscard]] static auto of_record(terraform_backend_record const& note) -> terraform_state_paths;
    [[nodiscard]] auto file_of(std::string_view workspace) const -> std::filesystem::path;

    friend auto operator==(terraform_state_paths const&, terraform_state_paths const&) -> bool = default;
};

/// Refuses to plan if Terraform has a state and this program has none, because the plan would create every object a
/// second time. A state without objects is ignored.
/// \param ours    the state of this program; if it exists, there is no failure
/// \param places  searched in this order
[[nodiscard]] auto check_foreign_state(std::string_view workspace, infra::snapshot const& ours,
    std::span<terraform_state_paths const> places) -> expected<void>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_DOCUMENT_FOREIGN_STATE_HPP
