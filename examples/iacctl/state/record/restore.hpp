// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_RESTORE_HPP
#define IACCTL_STATE_RECORD_RESTORE_HPP

#include "base/expected.hpp"
#include "state/history.hpp"
#include "workspace_files.hpp"

#include <filesystem>

namespace iacctl::state {

/// Replaces the database of a workspace by a backup, or by its own database, which is copied with the readable part of
/// its log. The replacement must pass every check of state. \pre the workspace is locked
///
/// The replaced files are kept in a directory beside them. If the call is interrupted, the files have the damaged state or
/// the replacement, and the same call completes the work.
/// \param from  empty: the newest backup
[[nodiscard]] auto restore(workspace_files const& files, std::filesystem::path from) -> expected<restored_state>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_RESTORE_HPP
