// SPDX-License-Identifier: BSL-1.0
#include "text_style.hpp"

#include <language/syntax/diagnostic.hpp>
#include <language/syntax/scanner.hpp>
#include <support/go_quoted.hpp>
#include <support/unicode.hpp>

#include <fmt/format.h>

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
    case action::forget_then_create: return paint(ink::red, ".") + "/" + paint(ink::green, "+");
    }
    return "   ";
}

std::string attribute_name(std::string_view name)
{
    return language::is_identifier(name) ? std::string(name) : go_quoted(name);
}

std::string padded(std::string_view text, std::size_t width)
{
    auto const characters = code_point_count(text);
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
