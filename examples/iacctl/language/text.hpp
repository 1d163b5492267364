// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_TEXT_HPP
#define IACCTL_LANGUAGE_TEXT_HPP

#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// What a reader sees as one character each.
[[nodiscard]] std::vector<std::string_view> graphemes(std::string_view text);
[[nodiscard]] std::size_t grapheme_count(std::string_view text);

/// The part of a text that stays as it is whatever follows: the last character may join with what comes next, unless it
/// is punctuation that never does.
[[nodiscard]] std::string_view settled_prefix(std::string_view text);

/// Case mapping code point by code point, as Go has it.
[[nodiscard]] std::string upper_case(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);
/// The first letter of each word in upper case.
[[nodiscard]] std::string title_case(std::string_view text);

/// The first code point of UTF-8 text, and how many bytes it takes; U+FFFD for bytes that are none. \pre not empty
struct located_code {
    char32_t code = 0;
    std::size_t length = 0;
};
[[nodiscard]] located_code code_point(std::string_view text);
/// The code points of UTF-8 text.
[[nodiscard]] std::u32string code_points(std::string_view text);
[[nodiscard]] std::string from_code_points(std::u32string_view text);
[[nodiscard]] bool is_white_space(char32_t code) noexcept;
/// Whether a character shows something; of spaces only U+0020 does.
[[nodiscard]] bool is_printable(char32_t code) noexcept;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_TEXT_HPP
