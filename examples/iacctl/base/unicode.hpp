// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_UNICODE_HPP
#define IACCTL_BASE_UNICODE_HPP

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {

/// The length of the UTF-8 sequence at `at`; 0 if there is none. Overlong forms and surrogates are invalid.
[[nodiscard]] auto utf8_length(std::string_view text, std::size_t at) noexcept -> std::size_t;
/// Length of the longest prefix that is UTF-8, in bytes.
[[nodiscard]] auto utf8_prefix(std::string_view text) noexcept -> std::size_t;
[[nodiscard]] auto is_utf8(std::string_view text) noexcept -> bool;
/// The position of the first byte that is not UTF-8, as text for messages that do not show the bytes. \pre they are not
/// UTF-8
[[nodiscard]] auto utf8_mistake(std::string_view bytes) -> std::string;
/// Bytes for messages: `\xff` replaces each byte that is not UTF-8.
[[nodiscard]] auto shown_bytes(std::string_view bytes) -> std::string;
/// Bytes as text: U+FFFD replaces each byte that is not UTF-8.
[[nodiscard]] auto repaired_utf8(std::string_view bytes) -> std::string;
/// A line for a terminal: U+FFFD replaces each byte that is not UTF-8 and each control character except the tab.
[[nodiscard]] auto printable(std::string_view line) -> std::string;

/// Returns whether a byte of UTF-8 is not the first one of a character.
[[nodiscard]] constexpr auto continues_character(char byte) noexcept -> bool
{
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}
/// The position of the first byte of the character around a position in UTF-8 text.
[[nodiscard]] constexpr auto character_begin(std::string_view text, std::size_t at) noexcept -> std::size_t
{
    while (at > 0 && at < text.size() && continues_character(text[at])) --at;
    return at;
}
/// The number of code points of UTF-8 text.
[[nodiscard]] auto code_point_count(std::string_view text) noexcept -> std::size_t;

/// The grapheme clusters of a text.
[[nodiscard]] auto graphemes(std::string_view text) -> std::vector<std::string_view>;
[[nodiscard]] auto grapheme_count(std::string_view text) -> std::size_t;
/// The number of columns of a text on a terminal: two for each wide character of East Asian scripts and each emoji.
[[nodiscard]] auto column_count(std::string_view text) -> std::size_t;

/// The part of a text whose grapheme clusters do not depend on the text that follows: all but the last character, which
/// may join with the next one, unless it is punctuation that never does.
[[nodiscard]] auto settled_prefix(std::string_view text) -> std::string_view;

/// Maps code points one by one, as Go does.
[[nodiscard]] auto upper_case(std::string_view text) -> std::string;
[[nodiscard]] auto lower_case(std::string_view text) -> std::string;
/// Converts the first letter of each word to upper case.
[[nodiscard]] auto title_case(std::string_view text) -> std::string;

/// The first code point of UTF-8 text, and its length in bytes; U+FFFD for invalid bytes. \pre not empty
struct located_code {
    char32_t code = 0;
    std::size_t length = 0;
};
[[nodiscard]] auto code_point(std::string_view text) -> located_code;
/// The code points of UTF-8 text.
[[nodiscard]] auto code_points(std::string_view text) -> std::u32string;
[[nodiscard]] auto from_code_points(std::u32string_view text) -> std::string;
/// Appends a code point as UTF-8. \pre it is not a surrogate
void append_utf8(std::string& out, char32_t code);
/// The code points of UTF-8 text, each as a text. A byte that is not UTF-8 is a text of its own.
[[nodiscard]] auto characters(std::string_view text) -> std::vector<std::string>;
[[nodiscard]] auto is_white_space(char32_t code) noexcept -> bool;
/// The white space at the front of a text, and at its end.
[[nodiscard]] auto leading_white_space(std::string_view text) noexcept -> std::string_view;
[[nodiscard]] auto trailing_white_space(std::string_view text) noexcept -> std::string_view;
/// The first `count` grapheme clusters.
[[nodiscard]] auto first_graphemes(std::string_view text, std::size_t count) -> std::string_view;
/// Returns whether Go considers it printable: visible characters and U+0020, but no other spaces.
[[nodiscard]] auto is_printable(char32_t code) noexcept -> bool;

}  // namespace iacctl

#endif  // IACCTL_BASE_UNICODE_HPP
