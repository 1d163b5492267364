// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_WAL_CHECK_HPP
#define IACCTL_STATE_RECORD_WAL_CHECK_HPP

#include <filesystem>
#include <optional>
#include <string>

namespace iacctl::state {

/// Looks for damage in a write-ahead log of SQLite. SQLite itself reads a log up to the first invalid frame and treats
/// the rest as cut off by a power loss.
///
/// A transaction is written only after the one before it was synchronized. Frames after the end of a later transaction
/// thus prove that this one was durable, and that the invalid frame was once valid. The last transaction of a log may
/// be cut off at any sector, so it is not checked.
///
/// Other processes may write to the log meanwhile.
/// \return the invalid part that has later transactions behind it: "its header", "frame 3"; nothing if there is none,
/// no log, or the log cannot be read
/// \complexity O(size of the log), which is 0 after a command that has ended.
[[nodiscard]] auto find_wal_damage(std::filesystem::path const& log) -> std::optional<std::string>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_WAL_CHECK_HPP
