// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_LOG_CHECK_HPP
#define IACCTL_STATE_LOG_CHECK_HPP

#include <filesystem>
#include <optional>
#include <string>

namespace iacctl::state {

/// Looks for damage in a write-ahead log of SQLite, which reads a log up to the first frame that is not right, and takes what
/// follows for what a power loss has cut off.
///
/// A transaction is written only after the one before it was synchronized. So frames behind the end of a later transaction
/// show that this one was durable, and that the frame which is not right once was. The last transaction of a log may
/// have been cut off at any sector: it is not judged here.
///
/// Others may write to the log meanwhile.
/// \return the part that is not right, with later transactions behind it: "its header", "frame 3"; nothing also where there is no log, or it cannot be read
/// \complexity O(size of the log), which is 0 after a command that has ended.
[[nodiscard]] auto find_log_damage(std::filesystem::path const& log) -> std::optional<std::string>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_LOG_CHECK_HPP
