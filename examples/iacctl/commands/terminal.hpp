// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_TERMINAL_HPP
#define IACCTL_COMMANDS_TERMINAL_HPP

#include "ui/run_status.hpp"
#include "ui/text_style.hpp"

namespace iacctl::commands {

/// The present size of the terminal of standard output.
[[nodiscard]] auto size_of_terminal() -> ui::terminal_size;

/// The options of text on standard output: colors and a live display need a terminal. The variables NO_COLOR and
/// TERM=dumb switch colors off; TERM=dumb, CI and TF_IN_AUTOMATION switch the live display off.
[[nodiscard]] auto text_options_of_terminal(bool colour) -> ui::text_options;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_TERMINAL_HPP
