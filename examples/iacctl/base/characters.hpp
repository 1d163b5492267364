// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_CHARACTERS_HPP
#define IACCTL_BASE_CHARACTERS_HPP

#include <algorithm>
#include <string>
#include <string_view>

namespace iacctl {

/// ASCII classes of one byte, independent of the locale.
[[nodiscard]] constexpr auto is_digit(char c) noexcept -> bool
{
    return c >= '0' && c <= '9';
}
[[nodiscard]] constexpr auto is_letter(char c) noexcept -> bool
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
[[nodiscard]] constexpr auto is_alphanumeric(char c) noexcept -> bool
{
    return is_letter(c) || is_digit(c);
}
/// Returns whether the text consists of one or more digits.
[[nodiscard]] constexpr auto is_digits(std::string_view text) noexcept -> bool
{
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

/// The value of a hexadecimal digit; -1 for other characters.
[[nodiscard]] constexpr auto hex_digit(char c) noexcept -> int
{
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// Converts the letters of ASCII to lower case; other bytes do not change.
[[nodiscard]] constexpr auto ascii_lower_case(char c) noexcept -> char
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
[[nodiscard]] inline auto ascii_lower_case(std::string_view text) -> std::string
{
    std::string made(text);
    for (char& c : made) c = ascii_lower_case(c);
    return made;
}
/// The same in upper case.
[[nodiscard]] constexpr auto ascii_upper_case(char c) noexcept -> char
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
[[nodiscard]] inline auto ascii_upper_case(std::string_view text) -> std::string
{
    std::string made(text);
    for (char& c : made) c = ascii_upper_case(c);
    return made;
}

}  // namespace iacctl

#endif  // IACCTL_BASE_CHARACTERS_HPP
