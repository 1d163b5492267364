// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_MESSAGES_EXIT_CODES_HPP
#define IACCTL_MESSAGES_EXIT_CODES_HPP

#include <string_view>

namespace iacctl::messages {

/// The exit code of a command that ends with an error of this code: 1, but for those that a script may want to tell apart.
///
/// 3: another process has the lock; 4: state is damaged, or of another program or version; 5: something was done that state
/// does not say; 6: the saved plan is stale; 7: somebody has to decide how an operation ended;
/// 130: an interrupt ended the command.
[[nodiscard]] int exit_code_of(std::string_view code) noexcept;

}  // namespace iacctl::messages

#endif  // IACCTL_MESSAGES_EXIT_CODES_HPP
