// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_TERMINAL_HPP
#define IACCTL_CLI_COMMANDS_TERMINAL_HPP

#include "views/run_status.hpp"
#include "views/text_style.hpp"

namespace iacctl::commands {

/// The present size of the terminal of standard output.
[[nodiscard]] auto size_of_terminal() -> views::terminal_size;

/// The options of text on standard output: colors and a live display need a terminal. The variables NO_COLOR and
/// TERM=dumb switch colors off; TERM=dumb, CI and TF_IN_AUTOMATION switch the live display off.
[[nodiscard]] auto text_options_of_terminal(bool colour) -> views::text_options;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_TERMINAL_HPP
