// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_CHARACTERS_HPP
#define IACCTL_BASE_CHARACTERS_HPP

#include <algorithm>
#include <string>
#include <string_view>

namespace iacctl {

/// ASCII classes of one byte, independent of the locale.
[[nodiscard]] constexpr bool is_digit(char c) noexcept
{
    return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr bool is_letter(char c) noexcept
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] constexpr bool is_alphanumeric(char c) noexcept
{
    return is_letter(c) || is_digit(c);
}
/// Returns whether the text consists of one or more digits.
[[nodiscard]] constexpr bool is_digits(std::string_view text) noexcept
{
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// The value of a hexadecimal digit; -1 for other characters.
[[nodiscard]] constexpr int hex_digit(char c) noexcept
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Converts the letters of ASCII to lower case; other bytes do not change.
[[nodiscard]] constexpr char ascii_lower_case(char c) noexcept
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] inline std::string ascii_lower_case(std::string_view text)
{
    std::string made(text);
    for (char& c : made) c = ascii_lower_case(c);
    return made;
}
/// The same in upper case.
[[nodiscard]] constexpr char ascii_upper_case(char c) noexcept
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
[[nodiscard]] inline std::string ascii_upper_case(std::string_view text)
{
    std::string made(text);
    for (char& c : made) c = ascii_upper_case(c);
    return made;
}

}  // namespace iacctl

#endif  // IACCTL_BASE_CHARACTERS_HPP
