// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_TRACE_JSON_HPP
#define STRIDER_WALK_DETAIL_TRACE_JSON_HPP

#include <strider/version.hpp>

#include <chrono>
#include <concepts>
#include <ostream>
#include <string>
#include <string_view>

namespace strider::detail {

// A number in decimal digits, independent of the format and the locale of the stream.
void write_number(std::ostream& out, std::integral auto number)
{
    out << std::to_string(number);
}
// Microseconds with three decimals.
inline void write_microseconds(std::ostream& out, std::chrono::nanoseconds time)
{
    std::string const fraction = std::to_string(time.count() % 1000);
    write_number(out, time.count() / 1000);
    out << '.' << std::string(3 - fraction.size(), '0') << fraction;
}
inline void write_quoted(std::ostream& out, std::string_view text)
{
    constexpr std::string_view digits = "0123456789abcdef";
    out << '"';
    for (char const c : text) {
        auto const code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') out << '\\' << c;
        else if (code < 0x20) out << "\\u00" << digits[code / 16] << digits[code % 16];
        else out << c;
    }
    out << '"';
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_TRACE_JSON_HPP
