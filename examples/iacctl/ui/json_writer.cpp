// SPDX-License-Identifier: BSL-1.0
#include "json_writer.hpp"

#include <support/json_text.hpp>

#include <functional>

namespace iacctl::ui {

namespace {

using language::type_kind;
using language::value;

[[nodiscard]] bool is_mapping(type_kind kind) noexcept
{
    return kind == type_kind::map || kind == type_kind::object;
}
[[nodiscard]] bool is_sequence(type_kind kind) noexcept
{
    return kind == type_kind::list || kind == type_kind::set || kind == type_kind::tuple;
}

// The parts of a compound value, each converted by `leaf_or_tree`; entries with the result "false" are omitted.
template <class Tree>
[[nodiscard]] std::string tree_of_parts(value const& of, Tree const& tree)
{
    if (is_mapping(of.kind())) {
        json_object out;
        for (auto const& [key, part] : of.entries())
            if (auto const json = tree(part); json != "false") out.raw(key, json);
        return out.done();
    }
    json_array out;
    for (auto const& part : of.elements()) out.raw(tree(part));
    return out.done();
}

}  // namespace

json_object& json_object::raw(std::string_view key, std::string_view json)
{
    if (out_.size() > 1) out_ += ',';
    append_json_string(out_, key);
    out_ += ':';
    out_ += json;
    return *this;
}

json_object& json_object::text(std::string_view key, std::string_view content)
{
    return raw(key, json_string(content));
}

json_array& json_array::raw(std::string_view json)
{
    if (out_.size() > 1) out_ += ',';
    out_ += json;
    return *this;
}

json_array& json_array::text(std::string_view content)
{
    return raw(json_string(content));
}

std::string json_string(std::string_view content)
{
    std::string out;
    append_json_string(out, content);
    return out;
}

std::string known_json(value const& of)
{
    if (of.is_unknown()) return {};
    if (of.is_null()) return "null";
    if (is_mapping(of.kind())) {
        json_object out;
        for (auto const& [key, part] : of.entries())
            if (!part.is_unknown()) out.raw(key, known_json(part));
        return out.done();
    }
    if (is_sequence(of.kind())) {
        json_array out;
        for (auto const& part : of.elements()) out.raw(part.is_unknown() ? "null" : known_json(part));
        return out.done();
    }
    return language::to_json(of);
}

std::string unknown_json(value const& of)
{
    if (of.is_unknown()) return "true";
    if (of.is_null() || !(is_mapping(of.kind()) || is_sequence(of.kind()))) return "false";
    return tree_of_parts(of, [](value const& part) { return unknown_json(part); });
}

std::string sensitive_json(value const& of)
{
    if (of.is_sensitive()) return "true";
    if (of.is_null() || !(is_mapping(of.kind()) || is_sequence(of.kind()))) return "false";
    return tree_of_parts(of, [](value const& part) { return sensitive_json(part); });
}

std::string indented_json(std::string_view compact)
{
    std::string out;
    std::size_t depth = 0;
    bool quoted = false;
    auto const new_line = [&] { out += '\n' + std::string(2 * depth, ' '); };
    for (std::size_t i = 0; i < compact.size(); ++i) {
        char const c = compact[i];
        if (quoted) {
            out += c;
            if (c == '\\' && i + 1 < compact.size()) out += compact[++i];
            else if (c == '"') quoted = false;
            continue;
        }
        switch (c) {
        case '"':
            quoted = true;
            out += c;
            break;
        case '{':
        case '[':
            out += c;
            if (i + 1 < compact.size() && compact[i + 1] == c + 2) {
                out += compact[++i];
            } else {
                ++depth;
                new_line();
            }
            break;
        case '}':
        case ']':
            if (depth > 0) --depth;
            new_line();
            out += c;
            break;
        case ',':
            out += c;
            new_line();
            break;
        case ':': out += ": "; break;
        default: out += c;
        }
    }
    return out;
}

}  // namespace iacctl::ui
