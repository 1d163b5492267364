// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_MESSAGES_EXPLANATIONS_HPP
#define IACCTL_MESSAGES_EXPLANATIONS_HPP

#include <string>
#include <string_view>

namespace iacctl::messages {

/// The explanation of the message with this code: paragraphs in one line each, examples in indented lines.
/// \return empty if there is no such message
[[nodiscard]] auto explanation_of(std::string_view code) -> std::string;

}  // namespace iacctl::messages

#endif  // IACCTL_MESSAGES_EXPLANATIONS_HPP
