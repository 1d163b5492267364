// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_PROCESS_HPP
#define IACCTL_SUPPORT_PROCESS_HPP

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
    std::vector<std::string> words;             ///< the program, looked for in PATH, and its arguments
    std::map<std::string, std::string> added;   ///< to the environment
    std::set<std::string> withheld;  ///< variables of this process that it does not get, unless they are added
    std::string directory;  ///< empty: where this program runs
};

/// The environment that a program gets: "NAME=VALUE".
[[nodiscard]] auto environment_of(process_command const& c) -> std::vector<std::string>;

/// The standard streams of a program. A stream without a descriptor: nothing can be read, and what is written is lost.
class process_streams {
public:
    int input = -1;
    int output = -1;
    int errors = -1;
};

/// A program that runs in a process group of its own. It does not outlive this object: the destructor kills the group.
class process {
public:
    /// Starts a program, with no signal blocked or ignored. The error is that of the system.
    [[nodiscard]] static auto start(process_command const& what, process_streams const& streams)
        -> boost::system::result<process>;

    process(process&& other) noexcept;
    auto operator=(process&& other) noexcept -> process&;
    ~process();

    [[nodiscard]] auto id() const noexcept -> pid_t { return pid_; }
    /// Sends a signal to the group; to nobody once it was reaped.
    void signal(int number) const noexcept;
    [[nodiscard]] auto has_ended() const noexcept -> bool;
    /// Waits for the end without a thread; false: it was cancelled.
    [[nodiscard]] auto wait() const -> boost::asio::awaitable<bool>;
    /// Waits for the end, blocking. \return its status, as waitpid gives it
    [[nodiscard]] auto reap() -> int;

private:
    explicit process(pid_t pid);

    pid_t pid_;
};

/// "exit status 1", "signal: Terminated". \param status  as waitpid gives it
[[nodiscard]] auto process_status_text(int status) -> std::string;

/// Kills the groups of all programs that run, for a process that ends at once.
void kill_processes() noexcept;

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_PROCESS_HPP
