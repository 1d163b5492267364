// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_CHILD_PROCESS_HPP
#define IACCTL_PROVIDERS_CHILD_PROCESS_HPP

#include <strider/infra/concepts.hpp>

#include <sys/types.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::providers {

/// A program to run on this machine, and what it is given.
class child_command {
public:
    std::vector<std::string> words;             ///< the program, looked for in PATH, and its arguments
    std::map<std::string, std::string> added;   ///< to the environment
    std::string directory;                      ///< empty: where this program runs
    std::optional<std::string> input;           ///< standard input; nothing: an empty one
    bool keeps_errors_apart = false;            ///< else they are part of the output
};

/// How a run ended.
class child_outcome {
public:
    int start_error = 0;   ///< it could not be started: an errno
    int status = 0;        ///< as waitpid gives it
    bool stopped = false;  ///< by a cancellation
    std::string errors;    ///< standard error, if it was kept apart

    [[nodiscard]] auto succeeded() const noexcept -> bool { return start_error == 0 && status == 0 && !stopped; }
    /// "exit status 1", "signal: Terminated".
    [[nodiscard]] auto text() const -> std::string;
};

/// Runs a program to its end, without a thread of its own; `output` takes what it writes, as it comes.
///
/// The program gets a process group of its own; a cancellation ends the group, and is an outcome. From then on the
/// coroutine that called is not cancelled any more.
[[nodiscard]] auto run_child(child_command command, std::function<void(std::string_view)> output)
    -> strider::infra::task<child_outcome>;

}  // namespace iacctl::providers

#endif  // IACCTL_PROVIDERS_CHILD_PROCESS_HPP
