// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_HELP_HPP
#define IACCTL_CLI_COMMANDS_HELP_HPP

#include "command_table.hpp"

#include <string>
#include <string_view>

namespace iacctl::commands {

/// The usage of the program, with all commands.
[[nodiscard]] auto help_of_program() -> std::string;

/// The commands that begin with this word.
[[nodiscard]] auto help_of_group(std::string_view name) -> std::string;

/// The usage of a command, with its options and examples.
[[nodiscard]] auto help_of(command const& c) -> std::string;

/// An option as the help text shows it: "-lock=false", "-out=FILE".
[[nodiscard]] auto usage_of(option const& o) -> std::string;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_HELP_HPP
