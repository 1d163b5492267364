// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_SALVAGE_HPP
#define IACCTL_STATE_RECORD_SALVAGE_HPP

#include "base/expected.hpp"
#include "state/history.hpp"
#include "workspace_files.hpp"

#include <vector>

namespace iacctl::state {

/// The states that can be recovered from a damaged workspace: one choice per `salvage_source`, in their order.
/// Changes nothing.
/// \return a failure if the workspace is not damaged, or cannot be read
[[nodiscard]] auto salvage_choices(workspace_files const& files) -> expected<std::vector<salvage_choice>>;

/// Replaces the state of the workspace by one of these. The new state passes every check, and its serial is above every
/// known serial of the damaged one. The replaced files are moved to a directory beside them. \pre the workspace is
/// locked
[[nodiscard]] auto salvage(workspace_files const& files, salvage_source from) -> expected<restored_state>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_SALVAGE_HPP
