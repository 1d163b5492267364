// SPDX-License-Identifier: BSL-1.0
#include "text_style.hpp"

#include <language/syntax/diagnostic.hpp>

#include <fmt/format.h>
#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>

namespace iacctl::ui {

namespace {

[[nodiscard]] std::string_view escape_sequence(ink with) noexcept
{
    switch (with) {
    case ink::bold: return "\033[1m";
    case ink::red: return "\033[31m";
    case ink::green: return "\033[32m";
    case ink::yellow: return "\033[33m";
    case ink::cyan: return "\033[36m";
    case ink::grey: return "\033[90m";
    case ink::bold_red: return "\033[1m\033[31m";
    case ink::bold_green: return "\033[1m\033[32m";
    case ink::bold_cyan: return "\033[1m\033[36m";
    case ink::underlined: return "\033[4m";
    }
    return "";
}

// Reads one character; a negative one is a byte that is not UTF-8.
[[nodiscard]] UChar32 next_character(std::string_view text, std::size_t& at) noexcept
{
    auto const* bytes = reinterpret_cast<std::uint8_t const*>(text.data());
    auto const length = static_cast<std::int32_t>(text.size());
    auto i = static_cast<std::int32_t>(at);
    UChar32 c = 0;
    U8_NEXT(bytes, i, length, c);
    at = c < 0 ? at + 1 : static_cast<std::size_t>(i);
    return c;
}

[[nodiscard]] bool printable(UChar32 c) noexcept
{
    auto const mask = U_GC_L_MASK | U_GC_M_MASK | U_GC_N_MASK | U_GC_P_MASK | U_GC_S_MASK;
    return c == ' ' || (U_MASK(u_charType(c)) & mask) != 0;
}

}  // namespace

std::string painter::operator()(ink with, std::string_view text) const
{
    if (!on_) return std::string(text);
    return fmt::format("{}{}\033[0m", escape_sequence(with), text);
}

std::string action_symbol(infra::action of, painter const& paint)
{
    using infra::action;
    switch (of) {
    case action::no_op: return "   ";
    case action::create: return "  " + paint(ink::green, "+");
    case action::read: return " " + paint(ink::cyan, "<=");
    case action::update: return "  " + paint(ink::yellow, "~");
    case action::destroy: return "  " + paint(ink::red, "-");
    case action::destroy_then_create: return paint(ink::red, "-") + "/" + paint(ink::green, "+");
    case action::create_then_destroy: return paint(ink::green, "+") + "/" + paint(ink::red, "-");
    case action::forget: return " " + paint(ink::red, ".");
    }
    return "   ";
}

std::string quoted_text(std::string_view text)
{
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size();) {
        auto const begin = at;
        auto const c = next_character(text, at);
        switch (c) {
        case '"': out += "\\\""; continue;
        case '\\': out += "\\\\"; continue;
        case '\a': out += "\\a"; continue;
        case '\b': out += "\\b"; continue;
        case '\f': out += "\\f"; continue;
        case '\n': out += "\\n"; continue;
        case '\r': out += "\\r"; continue;
        case '\t': out += "\\t"; continue;
        case '\v': out += "\\v"; continue;
        default: break;
        }
        if (c < 0) out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[begin]));
        else if (printable(c)) out += text.substr(begin, at - begin);
        else if (c < ' ' || c == 0x7F) out += fmt::format("\\x{:02x}", c);
        else if (c < 0x10000) out += fmt::format("\\u{:04x}", c);
        else out += fmt::format("\\U{:08x}", c);
    }
    return out + '"';
}

std::string attribute_name(std::string_view name)
{
    bool identifier = !name.empty();
    for (std::size_t at = 0; at < name.size() && identifier;) {
        auto const first = at == 0;
        auto const c = next_character(name, at);
        identifier = c >= 0
            && (u_hasBinaryProperty(c, UCHAR_ID_START) != 0
                || (!first && (c == '-' || u_hasBinaryProperty(c, UCHAR_ID_CONTINUE) != 0)));
    }
    return identifier ? std::string(name) : quoted_text(name);
}

std::string padded(std::string_view text, std::size_t width)
{
    auto const characters = static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
    return std::string(text) + std::string(width > characters ? width - characters : 0, ' ');
}

std::string word_wrapped(std::string_view text, std::size_t width)
{
    std::string out;
    for (std::size_t at = 0; at <= text.size();) {
        auto const end = std::min(text.find('\n', at), text.size());
        auto const line = text.substr(at, end - at);
        if (at > 0) out += '\n';
        out += width > 1 && !line.starts_with(' ') ? language::wrapped(line, width - 1) : std::string(line);
        at = end + 1;
    }
    return out;
}

std::string horizontal_rule(text_options const& options)
{
    std::string line;
    auto const columns = options.width == 0 ? 78 : options.width;
    for (std::size_t i = 1; i < columns; ++i) line += "─";
    return painter(options.colour)(ink::grey, line) + '\n';
}

}  // namespace iacctl::ui
