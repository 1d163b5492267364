// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RESTORE_HPP
#define IACCTL_STATE_RESTORE_HPP

#include "history.hpp"
#include "workspace_files.hpp"

#include <filesystem>

namespace iacctl::state {

/// Puts a database in the place of that of a workspace: a backup, or what the workspace's own still has, which is copied with
/// as much of its log as can be read. It must pass every check that state must pass. The workspace must be locked.
///
/// The files that are replaced are moved to a directory beside them. If this is cut short, state is damaged still, and the same
/// call goes on.
/// \param from  empty: the newest backup
[[nodiscard]] auto restore(workspace_files const& files, std::filesystem::path from) -> expected<restored_state>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RESTORE_HPP
