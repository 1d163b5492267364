// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_SALVAGE_HPP
#define IACCTL_STATE_SALVAGE_HPP

#include "history.hpp"
#include "workspace_files.hpp"

#include <vector>

namespace iacctl::state {

/// The states that can be made from what a damaged workspace still has: one choice for each `salvage_source`, in their order.
/// Changes nothing.
/// \return a failure if the workspace is not damaged, or cannot be read
[[nodiscard]] auto salvage_choices(workspace_files const& files) -> expected<std::vector<salvage_choice>>;

/// Makes one of these states that of the workspace. It passes every check, and its serial is above every serial that is
/// known of the damaged one. The files that it replaces are moved to a directory beside them. The workspace must be locked.
[[nodiscard]] auto salvage(workspace_files const& files, salvage_source from) -> expected<restored_state>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_SALVAGE_HPP
