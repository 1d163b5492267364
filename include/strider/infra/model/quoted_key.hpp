// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_MODEL_QUOTED_KEY_HPP
#define STRIDER_INFRA_MODEL_QUOTED_KEY_HPP

#include <strider/version.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace strider::infra {

/// The syntax of the text of a key between its quotes.
enum class key_syntax : std::uint8_t {
    /// A string literal of HCL, as in the addresses of Terraform: `${` is written `$${`, `%{` is written `%%{`, and
    /// characters that are not visible have escapes such as `\u200b` and `\U000e0001`.
    literal,
    /// Only quotes, backslashes, tabs and line ends have escapes. Does not depend on a version of Unicode.
    verbatim,
};

namespace detail {

// The first and the last code point of ranges without a visible form: control and format characters, spaces other than
// U+0020, and characters for private use (the categories Cc, Cf, Zs, Zl, Zp and Co of Unicode 15).
inline constexpr std::array<std::array<std::uint32_t, 2>, 28> invisible_characters{
    {{0x0000, 0x001F}, {0x007F, 0x00A0}, {0x00AD, 0x00AD}, {0x0600, 0x0605}, {0x061C, 0x061C}, {0x06DD, 0x06DD},
        {0x070F, 0x070F}, {0x0890, 0x0891}, {0x08E2, 0x08E2}, {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200F},
        {0x2028, 0x202F}, {0x205F, 0x2064}, {0x2066, 0x206F}, {0x3000, 0x3000}, {0xE000, 0xF8FF}, {0xFEFF, 0xFEFF},
        {0xFFF9, 0xFFFB}, {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
        {0x1D173, 0x1D17A}, {0xE0001, 0xE0001}, {0xE0020, 0xE007F}, {0xF0000, 0xFFFFD}, {0x100000, 0x10FFFD}}};

[[nodiscard]] inline auto is_invisible(std::uint32_t code) noexcept -> bool
{
    auto const* const at = std::partition_point(invisible_characters.begin(), invisible_characters.end(),
        [code](std::array<std::uint32_t, 2> const& range) { return range[1] < code; });
    return at != invisible_characters.end() && (*at)[0] <= code;
}

// A character at the beginning of a text in UTF-8. Its length is 0 if the bytes are not UTF-8.
struct decoded_character {
    std::uint32_t code = 0;
    std::size_t length = 0;
};

[[nodiscard]] inline auto decode_utf8(std::string_view text) noexcept -> decoded_character
{
    auto const first = static_cast<unsigned char>(text.front());
    std::size_t const length = first < 0x80U ? 1 : first < 0xC2U ? 0 : first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
    if (length == 0 || first > 0xF4U || text.size() < length) return {};
    std::uint32_t code = length == 1 ? first : first & (0x7FU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        auto const next = static_cast<unsigned char>(text[i]);
        if ((next & 0xC0U) != 0x80U) return {};
        code = code << 6U | (next & 0x3FU);
    }
    bool const shortest = length == 1 || code >= (length == 2 ? 0x80U : length == 3 ? 0x800U : 0x10000U);
    if (!shortest || code > 0x10FFFFU || (code >= 0xD800U && code < 0xE000U)) return {};
    return {code, length};
}

// Appends a character in UTF-8. \return false if there is no such character
[[nodiscard]] inline auto append_utf8(std::string& to, std::uint32_t code) -> bool
{
    if (code > 0x10FFFFU || (code >= 0xD800U && code < 0xE000U)) return false;
    if (code < 0x80U) {
        to += static_cast<char>(code);
        return true;
    }
    unsigned const further = code < 0x800U ? 1 : code < 0x10000U ? 2 : 3;
    to += static_cast<char>((0xFF00U >> (further + 1) & 0xFFU) | code >> (6 * further));
    for (unsigned left = further; left > 0; --left) to += static_cast<char>(0x80U | (code >> (6 * (left - 1)) & 0x3FU));
    return true;
}

inline void append_escaped_code(std::string& to, std::uint32_t code)
{
    unsigned const digits = code > 0xFFFFU ? 8 : 4;
    to += digits == 8 ? "\\U" : "\\u";
    for (unsigned left = digits; left > 0; --left) to += "0123456789abcdef"[code >> (4 * (left - 1)) & 0xFU];
}

// Appends a key in quotes. Bytes that are not UTF-8 are copied.
inline void append_quoted_key(std::string& to, std::string_view name, key_syntax syntax)
{
    bool const literal = syntax == key_syntax::literal;
    to += '"';
    for (std::size_t at = 0; at < name.size();) {
        char const c = name[at];
        decoded_character const character = literal ? decode_utf8(name.substr(at)) : decoded_character{0, 1};
        if (c == '"' || c == '\\') to.append({'\\', c});
        else if (c == '\n') to += "\\n";
        else if (c == '\r') to += "\\r";
        else if (c == '\t') to += "\\t";
        else if (literal && (c == '$' || c == '%') && name.substr(at + 1).starts_with('{')) to.append(2, c);
        else if (literal && character.length != 0 && is_invisible(character.code))
            append_escaped_code(to, character.code);
        else to += name.substr(at, std::max<std::size_t>(character.length, 1));
        at += std::max<std::size_t>(character.length, 1);
    }
    to += '"';
}

// Reads a key in quotes, behind the first one, and removes it from `rest` with the last one. Besides the escapes that
// `append_quoted_key` writes, it may have those of HCL for any character. In a literal, `${` alone represents itself.
[[nodiscard]] inline auto read_quoted_key(std::string_view& rest, std::string& name, key_syntax syntax) -> bool
{
    for (;;) {
        std::size_t const plain = std::min(rest.find_first_of("\"\\$%"), rest.size());
        name += rest.substr(0, plain);
        rest.remove_prefix(plain);
        if (rest.size() < 2) {
            bool const ends = rest == "\"";
            rest = {};
            return ends;
        }
        char const first = rest[0];
        char const second = rest[1];
        if (first == '$' || first == '%') {
            name += first;
            bool const doubled = syntax == key_syntax::literal && second == first && rest.substr(2).starts_with('{');
            rest.remove_prefix(doubled ? 2 : 1);
            continue;
        }
        rest.remove_prefix(first == '"' ? 1 : 2);
        if (first == '"') return true;
        if (second != 'u' && second != 'U') {
            name += second == 'n' ? '\n' : second == 'r' ? '\r' : second == 't' ? '\t' : second;
            continue;
        }
        std::size_t const digits = second == 'u' ? 4 : 8;
        std::string_view const number = rest.substr(0, digits);
        std::uint32_t code = 0;
        auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), code, 16);
        bool const whole = error == std::errc() && number.size() == digits && end == number.data() + digits;
        if (!whole || !append_utf8(name, code)) return false;
        rest.remove_prefix(digits);
    }
}

}  // namespace detail

}  // namespace strider::infra

#endif  // STRIDER_INFRA_MODEL_QUOTED_KEY_HPP
