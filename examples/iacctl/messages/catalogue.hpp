// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_MESSAGES_CATALOGUE_HPP
#define IACCTL_MESSAGES_CATALOGUE_HPP

#include "message.hpp"

#include <span>
#include <string_view>

namespace iacctl::messages {

/// All messages of the program, sorted by code.
[[nodiscard]] std::span<message_text const> all_messages();

/// The message with a code, or null. \complexity O(log n)
[[nodiscard]] message_text const* find_message(std::string_view code);

}  // namespace iacctl::messages

#endif  // IACCTL_MESSAGES_CATALOGUE_HPP
