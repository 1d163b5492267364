// SPDX-License-Identifier: BSL-1.0
#include "base/encoding.hpp"
#include "base/characters.hpp"
#include "base/digest.hpp"
#include "base/unicode.hpp"
#include "function_table.hpp"
#include "language/values/storable.hpp"

#include <algorithm>
#include <charconv>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] auto decoded(std::string const& text) -> call_result<value>
{
    auto made = from_json(text);
    if (!made) return call_failure(made.error().text());
    return *std::move(made);
}

/// The inverse of `urlencode`.
[[nodiscard]] auto urldecode(arguments given) -> call_result<value>
{
    auto const& text = given[0].as_string();
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '+') out += ' ';
        else if (text[i] != '%') out += text[i];
        else {
            unsigned byte = 0;
            char const* const digits = text.data() + i + 1;
            char const* const end = text.data() + std::min(i + 3, text.size());
            if (end - digits != 2 || std::from_chars(digits, end, byte, 16).ptr != end)
                return call_failure("two hexadecimal digits must follow the % at offset " + std::to_string(i));
            out += static_cast<char>(byte);
            i += 2;
        }
    }
    if (!is_utf8(out)) return call_failure("the decoded bytes are not UTF-8 text");
    return value(std::move(out));
}

/// The first character of a value as JSON, which follows from its type if the value is not null; otherwise empty.
[[nodiscard]] auto json_begin(value const& v) -> std::string_view
{
    if (!v.is_definitely_not_null()) return {};
    switch (v.kind()) {
    case type_kind::string: return "\"";
    case type_kind::list:
    case type_kind::set:
    case type_kind::tuple: return "[";
    case type_kind::map:
    case type_kind::object: return "{";
    default: return {};
    }
}

void add_digest(function_table& table, std::string_view name, digest_kind kind, bool in_base64)
{
    table.add(
        name, {{"str", type::string()}}, type::string(), [kind, in_base64](arguments given) -> call_result<value> {
            auto const sum = digest(given[0].as_string(), kind);
            return value(in_base64 ? base64(sum) : hex(sum));
        });
}

}  // namespace

void add_encoding_functions(function_table& table)
{
    add_digest(table, "md5", digest_kind::md5, false);
    add_digest(table, "sha1", digest_kind::sha1, false);
    add_digest(table, "sha256", digest_kind::sha256, false);
    add_digest(table, "sha512", digest_kind::sha512, false);
    add_digest(table, "base64sha256", digest_kind::sha256, true);
    add_digest(table, "base64sha512", digest_kind::sha512, true);
    parameter const str{"str", type::string()};
    table.add("base64encode", {str}, type::string(),
        [](arguments given) -> call_result<value> { return value(base64(given[0].as_string())); });
    table.add("base64decode", {str}, type::string(), [](arguments given) -> call_result<value> {
        auto const decoded = from_base64(given[0].as_string());
        if (!decoded) return call_failure("the text is not Base64");
        if (!is_utf8(*decoded)) return call_failure("the decoded bytes are not UTF-8 text");
        return value(*decoded);
    });
    table.add("urldecode", {str}, type::string(), urldecode);
    table.add("urlencode", {str}, type::string(), [](arguments given) -> call_result<value> {
        std::string out;
        for (char const c : given[0].as_string()) {
            if (is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~') out += c;
            else if (c == ' ') out += '+';
            else append_percent(out, c);
        }
        return value(std::move(out));
    });
    table.add("jsonencode", {{"val", type::dynamic(), true, true, false}}, type::string(),
        [](arguments given) -> call_result<value> {
            if (given[0].wholly_known()) {
                if (auto const why = why_not_storable(given[0]))
                    return call_failure(why->text() + ", which JSON cannot represent");
                return value(to_json(given[0]));
            }
            auto const begin = json_begin(given[0]);
            return begin.empty() ? value::unknown(type::string()).refined_not_null()
                                 : value::unknown_with_prefix(begin);
        });
    table.add(
        "jsondecode", {str},
        [](arguments given) -> call_result<type> {
            if (given[0].is_unknown()) return type::dynamic();
            auto const read = decoded(given[0].as_string());
            if (!read) return read.error();
            return read->get_type();
        },
        [](arguments given) { return decoded(given[0].as_string()); });
}

}  // namespace iacctl::language::detail
