// SPDX-License-Identifier: BSL-1.0
#include "value_codec.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

using tree = nlohmann::json;

auto decode_type(tree const& t) -> type
{
    auto found = type_from_json(t.get<std::string>());
    if (!found) throw malformed("a type cannot be read: " + found.error().message());
    return *found;
}

auto decode(tree const& t, int depth) -> value;

auto content(value const& v) -> tree
{
    if (v.is_null()) return {{"null", type_to_json(v.get_type())}};
    if (v.is_unknown()) {
        tree unknown = {{"unknown", type_to_json(v.get_type())}};
        if (v.is_definitely_not_null()) unknown["not_null"] = true;
        return unknown;
    }
    tree parts = tree::array();
    for (value const& element : v.elements()) parts.push_back(encode_value(element));
    tree entries = tree::object();
    for (value_entry const& e : v.entries()) entries[e.key] = encode_value(e.of);
    auto const collection = [&](char const* name, tree t) -> tree {
        return {{name, std::move(t)}, {"of", type_to_json(v.get_type().element())}};
    };
    switch (v.kind()) {
    case type_kind::boolean: return {{"bool", v.as_bool()}};
    case type_kind::number: return {{"number", v.as_number().text()}};
    case type_kind::string: return {{"string", v.as_string()}};
    case type_kind::list: return collection("list", std::move(parts));
    case type_kind::set: return collection("set", std::move(parts));
    case type_kind::map: return collection("map", std::move(entries));
    case type_kind::tuple: return {{"tuple", std::move(parts)}};
    case type_kind::object: return {{"object", std::move(entries)}};
    case type_kind::dynamic: break;
    }
    return {{"null", type_to_json(type())}};
}

auto elements_of(tree const& t, int depth) -> std::vector<value>
{
    if (!t.is_array()) throw malformed("the elements of a value are not a list");
    std::vector<value> all;
    for (tree const& element : t) all.push_back(decode(element, depth));
    return all;
}

auto entries_of(tree const& t, int depth) -> std::vector<value_entry>
{
    if (!t.is_object()) throw malformed("the entries of a value are not an object");
    std::vector<value_entry> all;
    for (auto const& [key, element] : t.items()) all.push_back({key, decode(element, depth)});
    return all;
}

// An unknown element may have any type.
void require_type(value const& element, type const& desired)
{
    if (!element.is_unknown() && element.get_type() != desired)
        throw malformed("an element of a collection has another type than the collection");
}

auto typed_elements(tree const& t, char const* name, type const& desired, int depth) -> std::vector<value>
{
    auto all = elements_of(t.at(name), depth);
    for (value const& element : all) require_type(element, desired);
    return all;
}

auto unmarked(tree const& t, int depth) -> value
{
    if (t.contains("null")) return value::null(decode_type(t.at("null")));
    if (t.contains("unknown")) {
        value const unknown = value::unknown(decode_type(t.at("unknown")));
        return t.contains("not_null") ? unknown.refined_not_null() : unknown;
    }
    if (t.contains("bool")) return value(t.at("bool").get<bool>());
    if (t.contains("number")) {
        auto const parsed = number::parse(t.at("number").get<std::string>());
        if (!parsed) throw malformed("a number cannot be read");
        return value(*parsed);
    }
    if (t.contains("string")) return value(t.at("string").get<std::string>());
    if (t.contains("tuple")) return value::tuple(elements_of(t.at("tuple"), depth));
    if (t.contains("object")) return value::object(entries_of(t.at("object"), depth));
    type const element = decode_type(t.at("of"));
    if (t.contains("list")) return value::list(element, typed_elements(t, "list", element, depth));
    if (t.contains("set")) return value::set(element, typed_elements(t, "set", element, depth));
    auto entries = entries_of(t.at("map"), depth);
    for (value_entry const& e : entries) require_type(e.of, element);
    return value::map(element, std::move(entries));
}

auto decode(tree const& t, int depth) -> value
{
    if (depth > deepest_value) throw malformed("a value is nested too deeply");
    return unmarked(t, depth + 1)
        .with_marks((t.contains("sensitive") ? mark::sensitive : mark::none)
            | (t.contains("ephemeral") ? mark::ephemeral : mark::none));
}

}  // namespace

auto encode_value(value const& v) -> tree
{
    tree encoded = content(v);
    if (v.is_sensitive()) encoded["sensitive"] = true;
    if (v.is_ephemeral()) encoded["ephemeral"] = true;
    return encoded;
}

auto decode_value(tree const& t) -> value
{
    return decode(t, 0);
}

}  // namespace iacctl::language
