// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_STATE_RECORD_WAL_WRITER_HPP
#define IACCTL_STATE_RECORD_WAL_WRITER_HPP

#include <filesystem>
#include <optional>
#include <string>

namespace iacctl::state {

/// A process with an open transaction.
struct wal_writer {
    int pid = 0;
    bool is_stopped = false;  ///< by SIGSTOP, a terminal or a debugger

    /// "process 17, which is stopped"
    [[nodiscard]] auto phrase() const -> std::string;
};

/// Finds the process that holds the write lock of the log of a database.
///
/// The kernel lists it. The lock file is not opened, because closing it would release the locks that this process has
/// on it.
/// \return nothing if no process holds the lock, or the process is not visible
[[nodiscard]] auto find_wal_writer(std::filesystem::path const& database) -> std::optional<wal_writer>;

}  // namespace iacctl::state

#endif  // IACCTL_STATE_RECORD_WAL_WRITER_HPP
