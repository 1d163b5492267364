// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_MESSAGES_EXIT_CODES_HPP
#define IACCTL_MESSAGES_EXIT_CODES_HPP

#include <string_view>

namespace iacctl::messages {

/// The exit code of a command that ends with an error of this code. It is 1, except for errors that a script may have
/// to handle separately:
///
/// 3: another process holds the lock; 4: state is damaged, or belongs to another program or version; 5: a change was
/// made that state does not record; 6: the saved plan is stale; 7: a user must decide how an operation ended; 130: the
/// command was interrupted.
[[nodiscard]] auto exit_code_of(std::string_view code) noexcept -> int;

}  // namespace iacctl::messages

#endif  // IACCTL_MESSAGES_EXIT_CODES_HPP
