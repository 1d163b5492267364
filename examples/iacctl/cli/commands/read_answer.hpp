// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_READ_ANSWER_HPP
#define IACCTL_CLI_COMMANDS_READ_ANSWER_HPP

#include "workspace/interrupt_source.hpp"

#include <boost/system/result.hpp>

#include <optional>
#include <string>

namespace iacctl::commands {

/// Reads one line of standard input; nothing at its end. An interrupt ends the wait for a line.
/// \param interrupts  null: nothing interrupts
/// \param hidden  a terminal does not show the line while it is typed; the echo is on again when this returns
/// \throws workspace::interrupted
[[nodiscard]] auto read_line_of_input(workspace::interrupt_source* interrupts, bool hidden = false)
    -> boost::system::result<std::optional<std::string>>;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_READ_ANSWER_HPP
