// SPDX-License-Identifier: BSL-1.0
#include "text.hpp"

#include <unicode/brkiter.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>
#include <unicode/utext.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>
#include <cstdint>
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

}  // namespace

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

}  // namespace iacctl::language
