// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_LINE_DIFFERENCE_HPP
#define IACCTL_CLI_COMMANDS_LINE_DIFFERENCE_HPP

#include <string>
#include <string_view>

namespace iacctl::commands {

/// The difference between two texts, line by line, in the unified format; empty if they are equal.
[[nodiscard]] auto line_difference(std::string_view before, std::string_view after, std::string_view name)
    -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_LINE_DIFFERENCE_HPP
