// SPDX-License-Identifier: BSL-1.0
#include "positions.hpp"

#include "base/unicode.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace iacctl::lsp {

namespace {

constexpr std::array<std::string_view, 3> encoding_names{"utf-8", "utf-16", "utf-32"};

// The number of units of the code point with this first byte.
auto units(char first, position_encoding encoding) noexcept -> std::uint32_t
{
    return encoding == position_encoding::utf16 && static_cast<unsigned char>(first) >= 0xF0U ? 2 : 1;
}

}  // namespace

auto name_of(position_encoding encoding) noexcept -> std::string_view
{
    return encoding_names[static_cast<std::size_t>(encoding)];
}

auto encoding_named(std::string_view name) noexcept -> std::optional<position_encoding>
{
    auto const found = std::ranges::find(encoding_names, name);
    if (found == encoding_names.end()) return std::nullopt;
    return static_cast<position_encoding>(found - encoding_names.begin());
}

text_lines::text_lines(std::string_view text) : text_(text), starts_{0}
{
    for (auto at = text.find_first_of("\r\n"); at != std::string_view::npos; at = text.find_first_of("\r\n", at)) {
        at += text.substr(at).starts_with("\r\n") ? std::size_t{2} : std::size_t{1};
        starts_.push_back(static_cast<std::uint32_t>(at));
    }
}

auto text_lines::offset_of(position p, position_encoding encoding) const -> std::uint32_t
{
    if (p.line >= starts_.size()) return static_cast<std::uint32_t>(text_.size());
    auto const begin = starts_[p.line];
    auto const next = p.line + 1 < starts_.size() ? starts_[p.line + 1] : text_.size();
    auto line = text_.substr(begin, next - begin);
    while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
    if (encoding == position_encoding::utf8) {
        std::size_t at = std::min<std::size_t>(p.character, line.size());
        if (at < line.size()) at = character_begin(line, at);
        return begin + static_cast<std::uint32_t>(at);
    }
    std::size_t at = 0;
    for (std::uint32_t left = p.character; at < line.size();) {
        auto const taken = units(line[at], encoding);
        if (left < taken) break;
        left -= taken;
        ++at;
        while (at < line.size() && continues_character(line[at])) ++at;
    }
    return begin + static_cast<std::uint32_t>(at);
}

auto text_lines::position_of(std::uint32_t offset, position_encoding encoding) const -> position
{
    auto const line = static_cast<std::uint32_t>(std::ranges::upper_bound(starts_, offset) - starts_.begin() - 1);
    auto const before = text_.substr(starts_[line], offset - starts_[line]);
    if (encoding == position_encoding::utf8) return {line, static_cast<std::uint32_t>(before.size())};
    std::uint32_t character = 0;
    for (char const c : before)
        if (!continues_character(c)) character += units(c, encoding);
    return {line, character};
}

auto position_json(position p) -> std::string
{
    return "{\"line\":" + std::to_string(p.line) + ",\"character\":" + std::to_string(p.character) + '}';
}

auto range_json(range const& r) -> std::string
{
    return "{\"start\":" + position_json(r.start) + ",\"end\":" + position_json(r.end) + '}';
}

auto position_in(json const* j) -> std::optional<position>
{
    if (j == nullptr) return std::nullopt;
    auto const number = [&](std::string_view name) -> std::optional<std::uint32_t> {
        auto const* const member = j->find(name);
        auto const natural = member == nullptr ? std::nullopt : member->natural();
        if (!natural || *natural > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
        return static_cast<std::uint32_t>(*natural);
    };
    auto const line = number("line");
    auto const character = number("character");
    if (!line || !character) return std::nullopt;
    return position{*line, *character};
}

auto range_in(json const* j) -> std::optional<range>
{
    if (j == nullptr) return std::nullopt;
    auto const start = position_in(j->find("start"));
    auto const end = position_in(j->find("end"));
    if (!start || !end || *end < *start) return std::nullopt;
    return range{*start, *end};
}

}  // namespace iacctl::lsp
