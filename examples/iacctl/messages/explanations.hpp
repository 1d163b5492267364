// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_MESSAGES_EXPLANATIONS_HPP
#define IACCTL_MESSAGES_EXPLANATIONS_HPP

#include <string>
#include <string_view>

namespace iacctl::messages {

/// The explanation of the message with this code, as paragraphs in one line each and examples in indented lines; empty: there is no
/// such message.
[[nodiscard]] auto explanation_of(std::string_view code) -> std::string;

}  // namespace iacctl::messages

#endif  // IACCTL_MESSAGES_EXPLANATIONS_HPP
