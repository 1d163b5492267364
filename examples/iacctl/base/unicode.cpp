// SPDX-License-Identifier: BSL-1.0
#include "unicode.hpp"

#include "formatted.hpp"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

namespace iacctl {

namespace {

[[nodiscard]] auto is_plain(std::string_view text) noexcept -> bool
{
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\r'; });
}

[[nodiscard]] auto as_code(char32_t code) noexcept -> UChar32
{
    return static_cast<UChar32>(code);
}

/// Finds the boundaries between extended grapheme clusters. The rule of the library is newer: it does not break after
/// the linkers of Indic scripts, but Terraform does.
///
/// \source Unicode Standard Annex 29, revision 43, section 3.1.1 (rules GB3 to GB13)
class cluster_breaks {
public:
    /// Returns whether there is a boundary before the next code point.
    [[nodiscard]] auto before(UChar32 code) -> bool
    {
        auto const next = u_getIntPropertyValue(code, UCHAR_GRAPHEME_CLUSTER_BREAK);
        bool const pictograph = u_hasBinaryProperty(code, UCHAR_EXTENDED_PICTOGRAPHIC) != 0;
        bool const found = !joined(next, pictograph);
        after_flags_ = next == U_GCB_REGIONAL_INDICATOR ? (found ? 1 : after_flags_ + 1) : 0;
        after_joiner_ = after_pictograph_ && next == U_GCB_ZWJ;
        after_pictograph_ = pictograph || (after_pictograph_ && next == U_GCB_EXTEND);
        last_ = next;
        return found;
    }

private:
    [[nodiscard]] auto joined(int next, bool pictograph) const noexcept -> bool
    {
        auto const is_control = [](int number) {
            return number == U_GCB_CONTROL || number == U_GCB_CR || number == U_GCB_LF;
        };
        if (last_ == start) return false;
        if (last_ == U_GCB_CR && next == U_GCB_LF) return true;
        if (is_control(last_) || is_control(next)) return false;
        if (next == U_GCB_EXTEND || next == U_GCB_ZWJ || next == U_GCB_SPACING_MARK || last_ == U_GCB_PREPEND)
            return true;
        switch (last_) {
        case U_GCB_L: return next == U_GCB_L || next == U_GCB_V || next == U_GCB_LV || next == U_GCB_LVT;
        case U_GCB_LV:
        case U_GCB_V: return next == U_GCB_V || next == U_GCB_T;
        case U_GCB_LVT:
        case U_GCB_T: return next == U_GCB_T;
        case U_GCB_ZWJ: return after_joiner_ && pictograph;
        case U_GCB_REGIONAL_INDICATOR: return next == U_GCB_REGIONAL_INDICATOR && after_flags_ % 2 == 1;
        default: return false;
        }
    }

    static constexpr int start = -1;
    int last_ = start;
    int after_flags_ = 0;
    bool after_pictograph_ = false;
    bool after_joiner_ = false;
};

template <class Map>
[[nodiscard]] auto mapped(std::string_view text, Map map) -> std::string
{
    auto codes = code_points(text);
    for (auto& code : codes) code = static_cast<char32_t>(map(as_code(code)));
    return from_code_points(codes);
}

/// The text with a replacement for each byte that is not UTF-8.
template <class Replace>
[[nodiscard]] auto repaired(std::string_view bytes, Replace replace) -> std::string
{
    std::string made;
    made.reserve(bytes.size());
    for (;;) {
        auto const fine = utf8_prefix(bytes);
        made += bytes.substr(0, fine);
        if (fine == bytes.size()) return made;
        made += replace(bytes[fine]);
        bytes.remove_prefix(fine + 1);
    }
}

}  // namespace

auto utf8_length(std::string_view text, std::size_t at) noexcept -> std::size_t
{
    auto const byte = [&](std::size_t i) -> unsigned {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    auto const follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    unsigned const first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first < 0xF0) {
        bool const overlong = first == 0xE0 && byte(1) < 0xA0;
        bool const surrogate = first == 0xED && byte(1) >= 0xA0;
        return !overlong && !surrogate && follows(1) && follows(2) ? 3 : 0;
    }
    if (first >= 0xF0 && first < 0xF5) {
        bool const overlong = first == 0xF0 && byte(1) < 0x90;
        bool const beyond = first == 0xF4 && byte(1) >= 0x90;
        return !overlong && !beyond && follows(1) && follows(2) && follows(3) ? 4 : 0;
    }
    return 0;
}

auto utf8_prefix(std::string_view text) noexcept -> std::size_t
{
    static constexpr std::uint64_t not_ascii = 0x8080808080808080U;
    std::size_t at = 0;
    while (at < text.size()) {
        if (std::uint64_t eight = 0; text.size() - at >= sizeof eight) {
            std::memcpy(&eight, text.data() + at, sizeof eight);
            if ((eight & not_ascii) == 0) {
                at += sizeof eight;
                continue;
            }
        }
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            ++at;
            continue;
        }
        auto const length = utf8_length(text, at);
        if (length == 0) break;
        at += length;
    }
    return at;
}

auto is_utf8(std::string_view text) noexcept -> bool
{
    return utf8_prefix(text) == text.size();
}

auto utf8_mistake(std::string_view bytes) -> std::string
{
    return formatted("its byte {} is not part of a character", utf8_prefix(bytes) + 1);
}

auto shown_bytes(std::string_view bytes) -> std::string
{
    return repaired(bytes, [](char byte) { return formatted("\\x{:02x}", static_cast<unsigned char>(byte)); });
}

auto repaired_utf8(std::string_view bytes) -> std::string
{
    return repaired(bytes, [](char) { return std::string_view("\xEF\xBF\xBD"); });
}

auto printable(std::string_view line) -> std::string
{
    static constexpr std::string_view replacement = "\xEF\xBF\xBD";
    std::string made = repaired_utf8(line);
    auto const is_control = [&](std::size_t at) {
        auto const byte = static_cast<unsigned char>(made[at]);
        bool const of_second_set = byte == 0xC2 && static_cast<unsigned char>(made[at + 1]) < 0xA0;  // U+0080 to U+009F
        return (byte < 0x20 && byte != '\t') || byte == 0x7F || of_second_set;
    };
    for (std::size_t at = 0; at < made.size(); ++at) {
        if (!is_control(at)) continue;
        made.replace(at, static_cast<unsigned char>(made[at]) == 0xC2 ? 2 : 1, replacement);
        at += replacement.size() - 1;
    }
    return made;
}

auto graphemes(std::string_view text) -> std::vector<std::string_view>
{
    std::vector<std::string_view> all;
    if (is_plain(text)) {
        for (std::size_t i = 0; i < text.size(); ++i) all.push_back(text.substr(i, 1));
        return all;
    }
    cluster_breaks breaks;
    std::size_t start = 0;
    for (std::size_t at = 0; at < text.size();) {
        auto const [code, length] = code_point(text.substr(at));
        if (breaks.before(as_code(code)) && at > start) {
            all.push_back(text.substr(start, at - start));
            start = at;
        }
        at += length;
    }
    all.push_back(text.substr(start));
    return all;
}

auto settled_prefix(std::string_view text) -> std::string_view
{
    static constexpr std::string_view alone = "\t !\"#$%&'()*+,-./:;?@[\\]^_{|}~";
    if (text.empty() || alone.find(text.back()) != std::string_view::npos) return text;
    text.remove_suffix(graphemes(text).back().size());
    return text;
}

auto grapheme_count(std::string_view text) -> std::size_t
{
    return is_plain(text) ? text.size() : graphemes(text).size();
}

auto column_count(std::string_view text) -> std::size_t
{
    if (is_plain(text)) return text.size();
    std::size_t columns = 0;
    for (auto const one : graphemes(text)) {
        auto const width = u_getIntPropertyValue(as_code(code_point(one).code), UCHAR_EAST_ASIAN_WIDTH);
        columns += width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2U : 1U;
    }
    return columns;
}

auto code_point(std::string_view text) -> located_code
{
    auto const* const bytes = reinterpret_cast<std::uint8_t const*>(text.data());
    std::size_t at = 0;
    UChar32 code = 0;
    U8_NEXT(bytes, at, text.size(), code);
    return {code < 0 ? U'\uFFFD' : static_cast<char32_t>(code), at};
}

auto code_points(std::string_view text) -> std::u32string
{
    std::u32string out;
    while (!text.empty()) {
        auto const [code, length] = code_point(text);
        out += code;
        text.remove_prefix(length);
    }
    return out;
}

void append_utf8(std::string& out, char32_t code)
{
    std::array<std::uint8_t, 4> bytes{};
    std::int32_t length = 0;
    U8_APPEND_UNSAFE(bytes.data(), length, code);
    for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) out += static_cast<char>(bytes[i]);
}

auto from_code_points(std::u32string_view text) -> std::string
{
    std::string out;
    for (char32_t const code : text) append_utf8(out, code);
    return out;
}

auto characters(std::string_view text) -> std::vector<std::string>
{
    std::vector<std::string> all;
    while (!text.empty()) {
        std::size_t const length = code_point(text).length;
        all.emplace_back(text.substr(0, length));
        text.remove_prefix(length);
    }
    return all;
}

auto code_point_count(std::string_view text) noexcept -> std::size_t
{
    return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues_character(c); }));
}

auto upper_case(std::string_view text) -> std::string
{
    return mapped(text, u_toupper);
}

auto lower_case(std::string_view text) -> std::string
{
    return mapped(text, u_tolower);
}

auto title_case(std::string_view text) -> std::string
{
    auto codes = code_points(text);
    bool start = true;
    for (auto& code : codes) {
        bool const in_word = code < 0x80 ? u_isalnum(as_code(code)) || code == U'_' : u_isalnum(as_code(code));
        bool const separates = code < 0x80 ? !in_word : !in_word && u_isspace(as_code(code));
        if (start) code = static_cast<char32_t>(u_totitle(as_code(code)));
        start = separates;
    }
    return from_code_points(codes);
}

auto is_white_space(char32_t code) noexcept -> bool
{
    return u_isUWhiteSpace(as_code(code)) != 0;
}

auto leading_white_space(std::string_view text) noexcept -> std::string_view
{
    auto const* const bytes = reinterpret_cast<std::uint8_t const*>(text.data());
    auto const length = static_cast<std::int32_t>(text.size());
    std::int32_t end = 0;
    for (std::int32_t at = 0; at < length; end = at) {
        UChar32 code = 0;
        U8_NEXT(bytes, at, length, code);
        if (code < 0 || u_isUWhiteSpace(code) == 0) break;
    }
    return text.substr(0, static_cast<std::size_t>(end));
}

auto trailing_white_space(std::string_view text) noexcept -> std::string_view
{
    auto const* const bytes = reinterpret_cast<std::uint8_t const*>(text.data());
    auto begin = static_cast<std::int32_t>(text.size());
    for (std::int32_t at = begin; at > 0; begin = at) {
        // The macros of ICU for this purpose use C casts.
        while (--at > 0 && U8_IS_TRAIL(bytes[at])) {}
        std::int32_t next = at;
        UChar32 code = 0;
        U8_NEXT(bytes, next, static_cast<std::int32_t>(text.size()), code);
        if (code < 0 || u_isUWhiteSpace(code) == 0) break;
    }
    return text.substr(static_cast<std::size_t>(begin));
}

auto first_graphemes(std::string_view text, std::size_t count) -> std::string_view
{
    // The prefix is one byte longer, because the next character may join the last cluster.
    if (count < text.size() && is_plain(text.substr(0, count + 1))) return text.substr(0, count);
    std::size_t size = 0;
    for (auto const one : graphemes(text)) {
        if (count-- == 0) break;
        size += one.size();
    }
    return text.substr(0, size);
}

auto is_printable(char32_t code) noexcept -> bool
{
    constexpr auto visible = U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK | U_GC_P_MASK | U_GC_S_MASK;
    return code == U' ' || (U_MASK(u_charType(as_code(code))) & visible) != 0;
}

}  // namespace iacctl
