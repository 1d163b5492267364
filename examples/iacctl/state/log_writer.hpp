// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_LOG_WRITER_HPP
#define IACCTL_STATE_LOG_WRITER_HPP

#include <filesystem>
#include <optional>
#include <string>

namespace iacctl::state {

/// A process that has a transaction under way.
struct log_writer {
    int pid = 0;
    bool is_stopped = false;  ///< by SIGSTOP, a terminal or a debugger

    /// "process 17, which is stopped"
    [[nodiscard]] auto phrase() const -> std::string;
};

/// The process that has the lock for writing to the log of a database.
///
/// The kernel lists it. The file of the lock is not opened: to close it would release the locks that this process has on it.
/// \return nothing if nobody has the lock, or if the process cannot be seen from here
[[nodiscard]] auto find_log_writer(std::filesystem::path const& database) -> std::optional<log_writer>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_LOG_WRITER_HPP
