// SPDX-License-Identifier: BSL-1.0
#include "result_set.hpp"

#include "base/encoding.hpp"
#include "connection.hpp"

#include <charconv>
#include <utility>

namespace iacctl::postgres {

namespace {

auto digit_of(char c) -> int
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

}  // namespace

auto result_set::integer(int row, int column) const -> std::int64_t
{
    std::string_view const digits = text(row, column);
    std::int64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

auto result_set::bytes(int row, int column) const -> std::string
{
    std::string_view const digits = text(row, column);
    std::string out;
    if (!digits.starts_with("\\x") || digits.size() % 2 != 0) return out;
    out.reserve(digits.size() / 2);
    for (std::size_t i = 2; i < digits.size(); i += 2) {
        int const high = digit_of(digits[i]);
        int const low = digit_of(digits[i + 1]);
        if (high < 0 || low < 0) return {};
        out += static_cast<char>(high * 16 + low);
    }
    return out;
}

auto result_set::texts(int row, int column) const -> std::vector<std::string>
{
    std::string_view const all = text(row, column);
    std::vector<std::string> elements;
    if (all.size() < 2 || all == "{}") return elements;
    bool quoted = false;
    elements.emplace_back();
    for (std::size_t i = 1; i + 1 < all.size(); ++i) {
        char const c = all[i];
        if (c == '"') quoted = !quoted;
        else if (c == '\\') elements.back() += all[++i];
        else if (c == ',' && !quoted) elements.emplace_back();
        else elements.back() += c;
    }
    return elements;
}

auto parameters::add_bytes(std::string_view bytes) -> parameters&
{
    return add("\\x" + hex(bytes));
}

auto parameters::add_texts(std::vector<std::string> const& elements) -> parameters&
{
    array_text array;
    for (std::string const& element : elements) array.add(element);
    return add(array.finish());
}

void array_text::add(std::string_view element)
{
    separate();
    text_ += '"';
    if (element.find('\0') != std::string_view::npos) throw error("a text contains the character U+0000", "22021");
    for (char const c : element) {
        if (c == '"' || c == '\\') text_ += '\\';
        text_ += c;
    }
    text_ += '"';
}

void array_text::add(std::int64_t number)
{
    separate();
    text_ += std::to_string(number);
}

void array_text::add_bytes(std::string_view bytes)
{
    add("\\x" + hex(bytes));
}

auto array_text::finish() -> std::string
{
    return text_.empty() ? "{}" : std::exchange(text_, {}) + "}";
}

namespace {

auto quoted(std::string_view text, char quote) -> std::string
{
    std::string out(1, quote);
    for (char const c : text) {
        if (c == quote) out += quote;
        out += c;
    }
    return out + quote;
}

}  // namespace

auto quoted_identifier(std::string_view name) -> std::string
{
    return quoted(name, '"');
}

auto quoted_literal(std::string_view text) -> std::string
{
    return quoted(text, '\'');
}

}  // namespace iacctl::postgres
