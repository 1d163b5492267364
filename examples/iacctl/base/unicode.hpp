// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_UNICODE_HPP
#define IACCTL_BASE_UNICODE_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {

/// The length of the UTF-8 sequence at `at`; 0 if there is none. Overlong forms and surrogates are invalid.
[[nodiscard]] std::size_t utf8_length(std::string_view text, std::size_t at) noexcept;
/// Length of the longest prefix that is UTF-8, in bytes.
[[nodiscard]] std::size_t utf8_prefix(std::string_view text) noexcept;
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;
/// The position of the first byte that is not UTF-8, as text for messages that do not show the bytes. \pre they are not
/// UTF-8
[[nodiscard]] std::string utf8_mistake(std::string_view bytes);
/// Bytes for messages: `\xff` replaces each byte that is not UTF-8.
[[nodiscard]] std::string shown_bytes(std::string_view bytes);
/// Bytes as text: U+FFFD replaces each byte that is not UTF-8.
[[nodiscard]] std::string repaired_utf8(std::string_view bytes);
/// A line for a terminal: U+FFFD replaces each byte that is not UTF-8 and each control character except the tab.
[[nodiscard]] std::string printable(std::string_view line);

/// Returns whether a byte of UTF-8 is not the first one of a character.
[[nodiscard]] constexpr bool continues_character(char byte) noexcept
{
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}
/// The position of the first byte of the character around a position in UTF-8 text.
[[nodiscard]] constexpr std::size_t character_begin(std::string_view text, std::size_t at) noexcept
{
    while (at > 0 && at < text.size() && continues_character(text[at])) --at;
    return at;
}
/// The number of code points of UTF-8 text.
[[nodiscard]] std::size_t code_point_count(std::string_view text) noexcept;

/// The grapheme clusters of a text.
[[nodiscard]] std::vector<std::string_view> graphemes(std::string_view text);
[[nodiscard]] std::size_t grapheme_count(std::string_view text);
/// The number of columns of a text on a terminal: two for each wide character of East Asian scripts and each emoji.
[[nodiscard]] std::size_t column_count(std::string_view text);

/// The part of a text whose grapheme clusters do not depend on the text that follows: all but the last character, which
/// may join with the next one, unless it is punctuation that never does.
[[nodiscard]] std::string_view settled_prefix(std::string_view text);

/// Maps code points one by one, as Go does.
[[nodiscard]] std::string upper_case(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);
/// Converts the first letter of each word to upper case.
[[nodiscard]] std::string title_case(std::string_view text);

/// The first code point of UTF-8 text, and its length in bytes; U+FFFD for invalid bytes. \pre not empty
struct located_code {
    char32_t code = 0;
    std::size_t length = 0;
};
[[nodiscard]] located_code code_point(std::string_view text);
/// The code points of UTF-8 text.
[[nodiscard]] std::u32string code_points(std::string_view text);
[[nodiscard]] std::string from_code_points(std::u32string_view text);
/// Appends a code point as UTF-8. \pre it is not a surrogate
void append_utf8(std::string& out, char32_t code);
/// The code points of UTF-8 text, each as a text. A byte that is not UTF-8 is a text of its own.
[[nodiscard]] std::vector<std::string> characters(std::string_view text);
[[nodiscard]] bool is_white_space(char32_t code) noexcept;
/// The white space at the front of a text, and at its end.
[[nodiscard]] std::string_view leading_white_space(std::string_view text) noexcept;
[[nodiscard]] std::string_view trailing_white_space(std::string_view text) noexcept;
/// The first `count` grapheme clusters.
[[nodiscard]] std::string_view first_graphemes(std::string_view text, std::size_t count);
/// Returns whether Go considers it printable: visible characters and U+0020, but no other spaces.
[[nodiscard]] bool is_printable(char32_t code) noexcept;

}  // namespace iacctl

#endif  // IACCTL_BASE_UNICODE_HPP
