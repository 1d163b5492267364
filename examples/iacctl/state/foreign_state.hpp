// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_FOREIGN_STATE_HPP
#define IACCTL_STATE_FOREIGN_STATE_HPP

#include "state_error.hpp"

#include <strider/infra/snapshot.hpp>

#include <filesystem>
#include <optional>
#include <string_view>

namespace iacctl::state {

/// Refuses to plan where Terraform keeps state and we have none: everything would be created a second time.
///
/// What `.terraform/` says about backends is not looked at: that is where Terraform keeps what it was told, not state.
/// \param ours  what was read from our own store; state of ours goes before that of others
[[nodiscard]] auto check_foreign_state(std::filesystem::path const& configuration_directory, std::string_view workspace,
    infra::snapshot const& ours) -> std::optional<infra::failure>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_FOREIGN_STATE_HPP
