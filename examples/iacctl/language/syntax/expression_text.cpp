// SPDX-License-Identifier: BSL-1.0
#include "expression_text.hpp"

#include "base/formatted.hpp"
#include "base/unicode.hpp"
#include "format.hpp"
#include "scanner.hpp"

#include <utility>

namespace iacctl::language {

namespace {

void append(std::string& out, value const& v);

void append_entries(std::string& out, value const& v)
{
    if (v.entries().empty()) {
        out += "{}";
        return;
    }
    out += "{\n";
    for (auto const& [key, one] : v.entries()) {
        // At the start of an object, this word begins a `for` expression.
        (out += is_identifier(key) && key != "for" ? key : quoted_text(key)) += " = ";
        append(out, one);
        out += '\n';
    }
    out += '}';
}

void append(std::string& out, value const& v)
{
    if (!v.has_data()) {
        out += "null";
        return;
    }
    switch (v.kind()) {
    case type_kind::string: out += quoted_text(v.as_string()); break;
    case type_kind::number: out += v.as_number().text(); break;
    case type_kind::boolean: out += v.as_bool() ? "true" : "false"; break;
    case type_kind::map:
    case type_kind::object: append_entries(out, v); break;
    default: {
        out += '[';
        bool first = true;
        for (auto const& one : v.elements()) {
            if (!std::exchange(first, false)) out += ", ";
            append(out, one);
        }
        out += ']';
    }
    }
}

}  // namespace

auto quoted_text(std::string_view text) -> std::string
{
    std::string out = "\"";
    for (std::size_t at = 0; at < text.size();) {
        char const c = text[at];
        if (static_cast<unsigned char>(c) < 0x80 && c >= ' ' && c != 0x7F) {
            bool const doubled = (c == '$' || c == '%') && text.substr(at + 1).starts_with('{');
            if (c == '"' || c == '\\') out += '\\';
            out.append(doubled ? 2 : 1, c);
            ++at;
            continue;
        }
        auto const [code, length] = code_point(text.substr(at));
        if (code == U'\n') out += "\\n";
        else if (code == U'\r') out += "\\r";
        else if (code == U'\t') out += "\\t";
        else if (is_printable(code)) out += text.substr(at, length);
        else if (code > 0xFFFF) out += formatted("\\U{:08x}", static_cast<unsigned>(code));
        else out += formatted("\\u{:04x}", static_cast<unsigned>(code));
        at += length;
    }
    return out + '"';
}

auto expression_text(value const& v) -> std::string
{
    std::string out;
    append(out, v);
    return out;
}

auto formatted_expression_text(value const& v) -> std::string
{
    static constexpr std::string_view argument = "x = ";
    diagnostics none;
    auto const made =
        format("expression", std::string(argument) + expression_text(v) + "\n", format_rules::spaces, none);
    return made.text.substr(argument.size(), made.text.size() - argument.size() - 1);
}

}  // namespace iacctl::language
