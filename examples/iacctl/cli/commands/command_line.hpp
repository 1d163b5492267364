// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_COMMAND_LINE_HPP
#define IACCTL_CLI_COMMANDS_COMMAND_LINE_HPP

#include "command.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace iacctl::commands {

/// The content of a command line.
struct parsed_line {
    global_options global;
    command const* named = nullptr;
    std::unique_ptr<parsed_command> parsed;  ///< null if `named` is null
};

/// The description of a command, to be printed instead of running it.
struct help_text {
    std::string text;
};

/// The mistake in an invalid command line.
struct command_line_error {
    strider::infra::diagnostic why;
    parsed_line
        understood;  ///< the rest of the command line; without a command if the mistake precedes it, or is in its name
};

/// Options may be written with one dash or two, with their value after `=` or as the next argument.
[[nodiscard]] auto parse_command_line(std::vector<std::string> arguments)
    -> std::variant<parsed_line, help_text, command_line_error>;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_COMMAND_LINE_HPP
