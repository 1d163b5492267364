// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_CHILD_PROCESS_HPP
#define IACCTL_BASE_CHILD_PROCESS_HPP

#include "process.hpp"

#include <strider/infra/program/task.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl {

/// A program to run to its end, with its input.
class child_command : public process_command {
public:
    std::optional<std::string> input;  ///< standard input; nothing: an empty one
    bool keeps_errors_apart = false;  ///< otherwise they are part of the output
};

/// The reason why another machine did not report the end of a program.
enum class run_obstacle : std::uint8_t {
    none,
    not_run,  ///< the program was not started
    outcome_unknown,  ///< the connection was lost when the program may have been running
};

/// The result of a run.
class child_outcome {
public:
    run_obstacle obstacle = run_obstacle::none;
    std::string obstacle_text;  ///< the reason of the obstacle
    int start_error = 0;  ///< the errno if it could not be started
    int status = 0;  ///< as returned by waitpid
    bool stopped = false;  ///< by a cancellation, or because `output` returned false
    std::string errors;  ///< standard error, if it was separate; at most `longest_errors`

    static constexpr std::size_t longest_errors = std::size_t{16} << 20U;

    [[nodiscard]] auto succeeded() const noexcept -> bool
    {
        return obstacle == run_obstacle::none && start_error == 0 && status == 0 && !stopped;
    }
    /// "exit status 1", "signal: Terminated"; also says whether it was stopped.
    [[nodiscard]] auto text() const -> std::string;
};

/// Runs a program to its end, without a thread of its own. `output` receives its output as it arrives, and returns
/// false to stop the program.
///
/// The program has its own process group. A cancellation ends the group: with SIGTERM, and after a second with SIGKILL.
/// From then on the calling coroutine cannot be cancelled.
[[nodiscard]] auto run_child(child_command command, std::function<bool(std::string_view)> output)
    -> strider::infra::task<child_outcome>;

/// Runs a program to its end like `run_child`, but possibly on another machine.
using command_runner = std::function<strider::infra::task<child_outcome>(
    child_command command, std::function<bool(std::string_view)> output)>;

/// The output of a program for a message: its lines, indented, without empty lines at the end.
[[nodiscard]] auto shown_output(std::string_view output) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_BASE_CHILD_PROCESS_HPP
