// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_COMPLETION_HPP
#define IACCTL_CLI_COMMANDS_COMPLETION_HPP

#include "command_table.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::commands {

/// A word that may replace the last one.
struct candidate {
    std::string text;
    std::string_view description = {};
};

/// The words that may complete a command line.
/// \param line  the text before the cursor, with the name of the program
/// \param values  returns the values of a kind that depend on the workspace
[[nodiscard]] auto complete_line(
    std::string_view line, std::function<std::vector<std::string>(completion)> const& values) -> std::vector<candidate>;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_COMPLETION_HPP
