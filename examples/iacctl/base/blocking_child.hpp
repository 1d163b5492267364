// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_BLOCKING_CHILD_HPP
#define IACCTL_BASE_BLOCKING_CHILD_HPP

#include "child_process.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace iacctl {

/// The result of a program, and its output.
class finished_child {
public:
    std::string output;
    std::string errors;  ///< its standard error, for a message
    std::string why;  ///< the reason for a failure; empty: it succeeded

    [[nodiscard]] auto succeeded() const noexcept -> bool { return why.empty(); }
};

/// Runs a program to its end on the calling thread. A program that exceeds a limit is ended.
[[nodiscard]] auto run_child(child_command command, std::chrono::milliseconds longest_time, std::size_t longest_output)
    -> finished_child;

}  // namespace iacctl

#endif  // IACCTL_BASE_BLOCKING_CHILD_HPP
