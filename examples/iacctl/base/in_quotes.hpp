// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_IN_QUOTES_HPP
#define IACCTL_BASE_IN_QUOTES_HPP

#include <string>
#include <string_view>

namespace iacctl {

/// The text in double quotes, without escapes, for names in messages.
[[nodiscard]] inline auto in_quotes(std::string_view text) -> std::string
{
    std::string made;
    made.reserve(text.size() + 2);
    made += '"';
    made += text;
    made += '"';
    return made;
}

}  // namespace iacctl

#endif  // IACCTL_BASE_IN_QUOTES_HPP
