// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_CHILD_PROCESS_HPP
#define IACCTL_PROVIDERS_CHILD_PROCESS_HPP

#include "support/process.hpp"

#include <strider/infra/program/task.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::providers {

/// A program to run to its end, and what it is given.
class child_command : public process_command {
public:
    std::optional<std::string> input;  ///< standard input; nothing: an empty one
    bool keeps_errors_apart = false;  ///< else they are part of the output
};

/// The obstacle that kept another machine from reporting the end of a program.
enum class run_obstacle : std::uint8_t {
    none,
    not_run,  ///< the program was not started
    outcome_unknown,  ///< the connection was lost when the program could have been running
};

/// How a run ended.
class child_outcome {
public:
    run_obstacle obstacle = run_obstacle::none;
    std::string obstacle_text;  ///< the reason of an obstacle
    int start_error = 0;  ///< it could not be started: an errno
    int status = 0;  ///< as waitpid gives it
    bool stopped = false;  ///< by a cancellation, or since its output was refused
    std::string errors;  ///< standard error, if it was kept apart; at most `longest_errors`

    static constexpr std::size_t longest_errors = std::size_t{16} << 20U;

    [[nodiscard]] auto succeeded() const noexcept -> bool
    {
        return obstacle == run_obstacle::none && start_error == 0 && status == 0 && !stopped;
    }
    /// "exit status 1", "signal: Terminated"; of one that was stopped, also that.
    [[nodiscard]] auto text() const -> std::string;
};

/// Runs a program to its end, without a thread of its own; `output` takes what it writes, as it comes, and returns false to
/// stop the program.
///
/// The program gets a process group of its own. A cancellation ends the group: with SIGTERM, and after a second with SIGKILL.
/// From then on the coroutine that called is not cancelled any more.
[[nodiscard]] auto run_child(child_command command, std::function<bool(std::string_view)> output)
    -> strider::infra::task<child_outcome>;

/// Runs a program to its end as `run_child` does, but possibly on another machine.
using command_runner = std::function<strider::infra::task<child_outcome>(
    child_command command, std::function<bool(std::string_view)> output)>;

/// Output of a program for a message: its lines, indented, without empty ones at the end.
[[nodiscard]] auto shown_output(std::string_view output) -> std::string;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_CHILD_PROCESS_HPP
