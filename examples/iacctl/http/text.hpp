// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_HTTP_TEXT_HPP
#define IACCTL_HTTP_TEXT_HPP

#include <string>
#include <string_view>

namespace iacctl::http {

/// Text without leading and trailing white space.
[[nodiscard]] inline auto trimmed(std::string_view text) -> std::string_view
{
    constexpr std::string_view blank = " \t\r\n";
    auto const first = text.find_first_not_of(blank);
    return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

}  // namespace iacctl::http

#endif  // IACCTL_HTTP_TEXT_HPP
