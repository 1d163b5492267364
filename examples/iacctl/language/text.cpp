// SPDX-License-Identifier: BSL-1.0
#include "text.hpp"

#include <fmt/format.h>
#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>

namespace iacctl::language {

namespace {

[[nodiscard]] bool is_plain(std::string_view text) noexcept
{
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80 && c != '\r'; });
}

[[nodiscard]] UChar32 as_code(char32_t code) noexcept
{
    return static_cast<UChar32>(code);
}

template <class Map>
[[nodiscard]] std::string mapped(std::string_view text, Map map)
{
    auto codes = code_points(text);
    for (auto& code : codes) code = static_cast<char32_t>(map(as_code(code)));
    return from_code_points(codes);
}

/// Text with something else in place of each byte that is not UTF-8.
template <class Replace>
[[nodiscard]] std::string repaired(std::string_view bytes, Replace replace)
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

std::size_t utf8_length(std::string_view text, std::size_t at) noexcept
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

std::size_t utf8_prefix(std::string_view text) noexcept
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
        auto const length = utf8_length(text, at);
        if (length == 0) break;
        at += length;
    }
    return at;
}

bool is_utf8(std::string_view text) noexcept
{
    return utf8_prefix(text) == text.size();
}

std::string utf8_mistake(std::string_view bytes)
{
    return fmt::format("its byte {} belongs to no character", utf8_prefix(bytes) + 1);
}

std::string shown_bytes(std::string_view bytes)
{
    return repaired(bytes, [](char byte) { return fmt::format("\\x{:02x}", static_cast<unsigned char>(byte)); });
}

std::string repaired_utf8(std::string_view bytes)
{
    return repaired(bytes, [](char) { return std::string_view("\xEF\xBF\xBD"); });
}

std::vector<std::string_view> graphemes(std::string_view text)
{
    std::vector<std::string_view> all;
    if (is_plain(text)) {
        for (std::size_t i = 0; i < text.size(); ++i) all.push_back(text.substr(i, 1));
        return all;
    }
    UErrorCode status = U_ZERO_ERROR;
    std::unique_ptr<icu::BreakIterator> const breaks(
        icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
    UText* const wrapped = utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status);
    if (U_SUCCESS(status)) breaks->setText(wrapped, status);
    if (U_SUCCESS(status)) {
        auto start = static_cast<std::size_t>(breaks->first());
        for (auto end = breaks->next(); end != icu::BreakIterator::DONE; end = breaks->next()) {
            all.push_back(text.substr(start, static_cast<std::size_t>(end) - start));
            start = static_cast<std::size_t>(end);
        }
    }
    utext_close(wrapped);
    return all;
}

std::size_t grapheme_count(std::string_view text)
{
    return is_plain(text) ? text.size() : graphemes(text).size();
}

std::u32string code_points(std::string_view text)
{
    std::u32string out;
    auto const* const bytes = reinterpret_cast<std::uint8_t const*>(text.data());
    auto const length = static_cast<std::int32_t>(text.size());
    for (std::int32_t at = 0; at < length;) {
        UChar32 code = 0;
        U8_NEXT(bytes, at, length, code);
        out += code < 0 ? U'\uFFFD' : static_cast<char32_t>(code);
    }
    return out;
}

std::string from_code_points(std::u32string_view text)
{
    std::string out;
    for (char32_t const code : text) {
        std::array<std::uint8_t, 4> bytes{};
        std::int32_t length = 0;
        U8_APPEND_UNSAFE(bytes.data(), length, code);
        for (std::size_t i = 0; i < static_cast<std::size_t>(length); ++i) out += static_cast<char>(bytes[i]);
    }
    return out;
}

std::string upper_case(std::string_view text)
{
    return mapped(text, u_toupper);
}

std::string lower_case(std::string_view text)
{
    return mapped(text, u_tolower);
}

std::string title_case(std::string_view text)
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

bool is_white_space(char32_t code) noexcept
{
    return u_isUWhiteSpace(as_code(code)) != 0;
}

std::string_view leading_white_space(std::string_view text) noexcept
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

std::string_view trailing_white_space(std::string_view text) noexcept
{
    auto const* const bytes = reinterpret_cast<std::uint8_t const*>(text.data());
    auto begin = static_cast<std::int32_t>(text.size());
    for (std::int32_t at = begin; at > 0; begin = at) {
        UChar32 code = 0;
        U8_PREV(bytes, 0, at, code);
        if (code < 0 || u_isUWhiteSpace(code) == 0) break;
    }
    return text.substr(static_cast<std::size_t>(begin));
}

std::string_view first_graphemes(std::string_view text, std::size_t count)
{
    // One byte more, since what follows may belong to the last of them.
    if (count < text.size() && is_plain(text.substr(0, count + 1))) return text.substr(0, count);
    std::size_t size = 0;
    for (auto const one : graphemes(text)) {
        if (count-- == 0) break;
        size += one.size();
    }
    return text.substr(0, size);
}

}  // namespace iacctl::language
