// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_PROCESS_GUARD_HPP
#define IACCTL_BASE_PROCESS_GUARD_HPP

#include <sys/types.h>

#include <string>
#include <string_view>

namespace iacctl {

/// The only argument with which this program runs as a guard.
inline constexpr std::string_view process_guard_argument = "-process-guard";

/// Allows this process to start a guard: a second process of this program in a session of its own, which waits for the end
/// of this one, however it ends. It then kills the guarded process groups and removes the guarded sockets and directories.
///
/// The signal that a parent's death can send (PR_SET_PDEATHSIG) is no alternative: it follows the end of the thread that
/// started a program, not that of the process, and does not reach the descendants of the program.
void allow_process_guard() noexcept;

/// Guards a process group until `release_group`. The first call starts the guard; without one, the calls do nothing.
void guard_group(pid_t group);
/// Must be called before the first process of the group is reaped, because its number may then have another owner.
void release_group(pid_t group) noexcept;

/// Guards a socket, or a directory of sockets, until `release_sockets`. \pre an absolute path
void guard_sockets(std::string const& path);
void release_sockets(std::string const& path);
/// Removes a socket, or a directory with its sockets; keeps everything else.
void remove_sockets(std::string const& path) noexcept;

/// Guards a directory with secrets until `release_directory`. \pre an absolute path
void guard_directory(std::string const& path);
void release_directory(std::string const& path);
/// Removes a directory with its files and sockets; keeps it if it has directories.
void remove_directory(std::string const& path) noexcept;

/// The guard itself; its standard input is the connection to the guarded process. \return the exit code
[[nodiscard]] auto run_process_guard() -> int;

}  // namespace iacctl

#endif  // IACCTL_BASE_PROCESS_GUARD_HPP
