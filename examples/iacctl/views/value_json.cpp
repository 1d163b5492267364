// SPDX-License-Identifier: BSL-1.0
#include "value_json.hpp"

#include "base/json_writer.hpp"

#include <string>

namespace iacctl::views {

namespace {

using language::type_kind;
using language::value;

[[nodiscard]] auto is_mapping(type_kind kind) noexcept -> bool
{
    return kind == type_kind::map || kind == type_kind::object;
}
[[nodiscard]] auto is_sequence(type_kind kind) noexcept -> bool
{
    return kind == type_kind::list || kind == type_kind::set || kind == type_kind::tuple;
}

// The parts of a compound value, each converted by `leaf_or_tree`; entries with the result "false" are omitted.
template <class Tree>
[[nodiscard]] auto tree_of_parts(value const& v, Tree const& tree) -> std::string
{
    if (is_mapping(v.kind())) {
        json_object out;
        for (auto const& [key, part] : v.entries())
            if (auto const json = tree(part); json != "false") out.raw(key, json);
        return out.done();
    }
    json_array out;
    for (auto const& part : v.elements()) out.raw(tree(part));
    return out.done();
}

}  // namespace

auto known_json(value const& v) -> std::string
{
    if (v.is_unknown()) return {};
    if (v.is_null()) return "null";
    if (is_mapping(v.kind())) {
        json_object out;
        for (auto const& [key, part] : v.entries())
            if (!part.is_unknown()) out.raw(key, known_json(part));
        return out.done();
    }
    if (is_sequence(v.kind())) {
        json_array out;
        for (auto const& part : v.elements()) out.raw(part.is_unknown() ? "null" : known_json(part));
        return out.done();
    }
    return language::to_json(v);
}

auto unknown_json(value const& v) -> std::string
{
    if (v.is_unknown()) return "true";
    if (v.is_null() || !(is_mapping(v.kind()) || is_sequence(v.kind()))) return "false";
    return tree_of_parts(v, [](value const& part) { return unknown_json(part); });
}

auto sensitive_json(value const& v) -> std::string
{
    if (v.is_sensitive()) return "true";
    if (v.is_null() || !(is_mapping(v.kind()) || is_sequence(v.kind()))) return "false";
    return tree_of_parts(v, [](value const& part) { return sensitive_json(part); });
}

}  // namespace iacctl::views
