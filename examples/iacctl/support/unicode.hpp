// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_UNICODE_HPP
#define IACCTL_SUPPORT_UNICODE_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {

/// Length of the UTF-8 sequence at `at`; 0 if there is none. Overlong forms and surrogates are none.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at) noexcept;
/// Length of the longest prefix that is UTF-8, in bytes.
[[nodiscard]] std::size_t utf8_prefix(std::string_view text) noexcept;
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;
/// Where bytes stop being UTF-8, for messages that show nothing of them. \pre they are not UTF-8
[[nodiscard]] std::string utf8_mistake(std::string_view bytes);
/// Bytes for messages: `\xff` in place of each byte that is not UTF-8.
[[nodiscard]] std::string shown_bytes(std::string_view bytes);
/// Bytes as text, with U+FFFD in place of each byte that is not UTF-8.
[[nodiscard]] std::string repaired_utf8(std::string_view bytes);
/// A line for a terminal: U+FFFD in place of each byte that is not UTF-8, and of each control character but the tab.
[[nodiscard]] std::string printable(std::string_view line);

/// True for a byte of UTF-8 that does not begin a character.
[[nodiscard]] constexpr bool continues_character(char byte) noexcept
{
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}
/// The place where the character begins that a byte of UTF-8 text is part of.
[[nodiscard]] constexpr std::size_t character_begin(std::string_view text, std::size_t at) noexcept
{
    while (at > 0 && at < text.size() && continues_character(text[at])) --at;
    return at;
}
/// The number of code points of UTF-8 text.
[[nodiscard]] std::size_t code_point_count(std::string_view text) noexcept;

/// What a reader sees as one character each.
[[nodiscard]] std::vector<std::string_view> graphemes(std::string_view text);
[[nodiscard]] std::size_t grapheme_count(std::string_view text);
/// The number of columns that a terminal shows text in: two for each wide character of East Asian scripts, and for emoji.
[[nodiscard]] std::size_t column_count(std::string_view text);

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
/// Appends a code point as UTF-8. \pre it is none of a surrogate
void append_utf8(std::string& out, char32_t code);
/// Code points of UTF-8 text, each as a text of its own. Bytes that are no UTF-8 stand for themselves.
[[nodiscard]] std::vector<std::string> characters(std::string_view text);
[[nodiscard]] bool is_white_space(char32_t code) noexcept;
/// The white space at the front of a text, and at its end.
[[nodiscard]] std::string_view leading_white_space(std::string_view text) noexcept;
[[nodiscard]] std::string_view trailing_white_space(std::string_view text) noexcept;
/// The first `count` characters that a reader sees.
[[nodiscard]] std::string_view first_graphemes(std::string_view text, std::size_t count);
/// True for what Go takes for printable: visible characters and U+0020, but no other spaces.
[[nodiscard]] bool is_printable(char32_t code) noexcept;

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_UNICODE_HPP
