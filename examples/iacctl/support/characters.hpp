// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_CHARACTERS_HPP
#define IACCTL_SUPPORT_CHARACTERS_HPP

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

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_CHARACTERS_HPP
