// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_COMMANDS_READ_ANSWER_HPP
#define IACCTL_COMMANDS_READ_ANSWER_HPP

#include <optional>
#include <string>

namespace iacctl::commands {

/// Reads one line of standard input; nothing at its end. A hidden one is not shown by a terminal while it is typed, and an
/// interrupt waits until the terminal shows again what is typed.
[[nodiscard]] auto read_answer(bool hidden = false) -> std::optional<std::string>;

}  // namespace iacctl::commands

#endif  // IACCTL_COMMANDS_READ_ANSWER_HPP
