// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_PROCESS_HPP
#define IACCTL_BASE_PROCESS_HPP

#include "file_descriptor.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/system/result.hpp>

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace iacctl {

/// A program to run on this machine, and its environment.
class process_command {
public:
    std::vector<std::string> words;             ///< the program, searched in PATH, and its arguments
    std::map<std::string, std::string> added;   ///< to the environment
    std::set<std::string> withheld;  ///< variables that it does not inherit, unless they are in `added`
    std::string directory;  ///< empty: the current directory of this process
};

/// The environment of the program: "NAME=VALUE". It does not inherit the secrets that only this program uses, unless
/// IACCTL_PASS_SENSITIVE=1 is set.
[[nodiscard]] auto environment_of(process_command const& c) -> std::vector<std::string>;

/// The standard streams of a program. A stream without a descriptor is empty for reading, and discards what is written.
class process_streams {
public:
    int input = -1;
    int output = -1;
    int errors = -1;
};

/// A running program in its own process group. It does not outlive this object: the destructor kills the group.
class process {
public:
    /// Starts a program with no signal blocked or ignored. \return the error of the system on failure
    [[nodiscard]] static auto start(process_command const& command, process_streams const& streams)
        -> boost::system::result<process>;

    process(process&& other) noexcept;
    auto operator=(process&& other) noexcept -> process&;
    ~process();

    [[nodiscard]] auto id() const noexcept -> pid_t { return pid_; }
    /// Sends a signal to the group; does nothing after `reap`.
    void signal(int number) const noexcept;
    [[nodiscard]] auto has_ended() const noexcept -> bool;
    /// Waits for the end without a thread; false if the wait was cancelled.
    [[nodiscard]] auto wait() const -> boost::asio::awaitable<bool>;
    /// Waits for the end, blocking. \return the status of waitpid
    [[nodiscard]] auto reap() -> int;

private:
    explicit process(pid_t pid);

    pid_t pid_;
};

/// "exit status 1", "signal: Terminated". \param status  of waitpid
[[nodiscard]] auto process_status_text(int status) -> std::string;

/// Kills the groups of all running programs. For a process that is about to end.
void kill_processes() noexcept;

}  // namespace iacctl

#endif  // IACCTL_BASE_PROCESS_HPP
