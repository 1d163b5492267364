// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_MESSAGES_CATALOGUE_HPP
#define IACCTL_MESSAGES_CATALOGUE_HPP

#include "message.hpp"

#include <span>
#include <string_view>

namespace iacctl::messages {

/// All messages of the program, sorted by code.
[[nodiscard]] auto all_messages() -> std::span<message_text const>;

/// The message with a code, or null. \complexity O(log n)
[[nodiscard]] auto find_message(std::string_view code) -> message_text const*;

}  // namespace iacctl::messages

#endif  // IACCTL_MESSAGES_CATALOGUE_HPP
