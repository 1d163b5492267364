// SPDX-License-Identifier: BSL-1.0
#include "text_style.hpp"

#include "base/formatted.hpp"

#include "base/go_quoted.hpp"
#include "base/unicode.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/syntax/scanner.hpp"

#include <algorithm>

namespace iacctl::views {

namespace {

[[nodiscard]] auto escape_sequence(text_style style) noexcept -> std::string_view
{
    switch (style) {
    case text_style::bold: return "\033[1m";
    case text_style::red: return "\033[31m";
    case text_style::green: return "\033[32m";
    case text_style::yellow: return "\033[33m";
    case text_style::cyan: return "\033[36m";
    case text_style::grey: return "\033[90m";
    case text_style::bold_red: return "\033[1m\033[31m";
    case text_style::bold_green: return "\033[1m\033[32m";
    case text_style::bold_cyan: return "\033[1m\033[36m";
    case text_style::underlined: return "\033[4m";
    }
    return "";
}

}  // namespace

auto painter::operator()(text_style style, std::string_view text) const -> std::string
{
    if (!on_) return std::string(text);
    return formatted("{}{}\033[0m", escape_sequence(style), text);
}

auto action_symbol(infra::action a, painter const& paint) -> std::string
{
    using infra::action;
    switch (a) {
    case action::no_op: return "   ";
    case action::create: return "  " + paint(text_style::green, "+");
    case action::read: return " " + paint(text_style::cyan, "<=");
    case action::update: return "  " + paint(text_style::yellow, "~");
    case action::destroy: return "  " + paint(text_style::red, "-");
    case action::destroy_then_create: return paint(text_style::red, "-") + "/" + paint(text_style::green, "+");
    case action::create_then_destroy: return paint(text_style::green, "+") + "/" + paint(text_style::red, "-");
    case action::forget: return " " + paint(text_style::red, ".");
    case action::forget_then_create: return paint(text_style::red, ".") + "/" + paint(text_style::green, "+");
    }
    return "   ";
}

auto attribute_name(std::string_view name) -> std::string
{
    return language::is_identifier(name) ? std::string(name) : go_quoted(name);
}

auto padded(std::string_view text, std::size_t width) -> std::string
{
    auto const characters = code_point_count(text);
    return std::string(text) + std::string(width > characters ? width - characters : 0, ' ');
}

auto word_wrapped(std::string_view text, std::size_t width) -> std::string
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

auto horizontal_rule(text_options const& options) -> std::string
{
    std::string line;
    auto const columns = options.width == 0 ? 78 : options.width;
    for (std::size_t i = 1; i < columns; ++i) line += "─";
    return painter(options.colour)(text_style::grey, line) + '\n';
}

}  // namespace iacctl::views
