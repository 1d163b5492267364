// SPDX-License-Identifier: BSL-1.0
#include "value_codec.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

using tree = nlohmann::json;

auto decode_type(tree const& of) -> type
{
    auto found = type_from_json(of.get<std::string>());
    if (!found) throw malformed("a type cannot be read: " + found.error().message());
    return *found;
}

auto decode(tree const& of, int depth) -> value;

auto content(value const& of) -> tree
{
    if (of.is_null()) return {{"null", type_to_json(of.get_type())}};
    if (of.is_unknown()) {
        tree unknown = {{"unknown", type_to_json(of.get_type())}};
        if (of.is_definitely_not_null()) unknown["not_null"] = true;
        return unknown;
    }
    tree parts = tree::array();
    for (value const& element : of.elements()) parts.push_back(encode_value(element));
    tree entries = tree::object();
    for (value_entry const& e : of.entries()) entries[e.key] = encode_value(e.of);
    auto const collection = [&](char const* name, tree what) -> tree {
        return {{name, std::move(what)}, {"of", type_to_json(of.get_type().element())}};
    };
    switch (of.kind()) {
    case type_kind::boolean: return {{"bool", of.as_bool()}};
    case type_kind::number: return {{"number", of.as_number().text()}};
    case type_kind::string: return {{"string", of.as_string()}};
    case type_kind::list: return collection("list", std::move(parts));
    case type_kind::set: return collection("set", std::move(parts));
    case type_kind::map: return collection("map", std::move(entries));
    case type_kind::tuple: return {{"tuple", std::move(parts)}};
    case type_kind::object: return {{"object", std::move(entries)}};
    case type_kind::dynamic: break;
    }
    return {{"null", type_to_json(type())}};
}

auto elements_of(tree const& of, int depth) -> std::vector<value>
{
    if (!of.is_array()) throw malformed("the elements of a value are not a list");
    std::vector<value> all;
    for (tree const& element : of) all.push_back(decode(element, depth));
    return all;
}

auto entries_of(tree const& of, int depth) -> std::vector<value_entry>
{
    if (!of.is_object()) throw malformed("the entries of a value are not an object");
    std::vector<value_entry> all;
    for (auto const& [key, element] : of.items()) all.push_back({key, decode(element, depth)});
    return all;
}

// An unknown element may have any type.
void require_type(value const& element, type const& desired)
{
    if (!element.is_unknown() && element.get_type() != desired)
        throw malformed("an element of a collection has another type than the collection");
}

auto typed_elements(tree const& of, char const* name, type const& desired, int depth) -> std::vector<value>
{
    auto all = elements_of(of.at(name), depth);
    for (value const& element : all) require_type(element, desired);
    return all;
}

auto unmarked(tree const& of, int depth) -> value
{
    if (of.contains("null")) return value::null(decode_type(of.at("null")));
    if (of.contains("unknown")) {
        value const unknown = value::unknown(decode_type(of.at("unknown")));
        return of.contains("not_null") ? unknown.refined_not_null() : unknown;
    }
    if (of.contains("bool")) return value(of.at("bool").get<bool>());
    if (of.contains("number")) {
        auto const parsed = number::parse(of.at("number").get<std::string>());
        if (!parsed) throw malformed("a number cannot be read");
        return value(*parsed);
    }
    if (of.contains("string")) return value(of.at("string").get<std::string>());
    if (of.contains("tuple")) return value::tuple(elements_of(of.at("tuple"), depth));
    if (of.contains("object")) return value::object(entries_of(of.at("object"), depth));
    type const element = decode_type(of.at("of"));
    if (of.contains("list")) return value::list(element, typed_elements(of, "list", element, depth));
    if (of.contains("set")) return value::set(element, typed_elements(of, "set", element, depth));
    auto entries = entries_of(of.at("map"), depth);
    for (value_entry const& e : entries) require_type(e.of, element);
    return value::map(element, std::move(entries));
}

auto decode(tree const& of, int depth) -> value
{
    if (depth > deepest_value) throw malformed("a value is nested too deeply");
    return unmarked(of, depth + 1)
        .with_marks((of.contains("sensitive") ? mark::sensitive : mark::none)
            | (of.contains("ephemeral") ? mark::ephemeral : mark::none));
}

}  // namespace

auto encode_value(value const& of) -> tree
{
    tree encoded = content(of);
    if (of.is_sensitive()) encoded["sensitive"] = true;
    if (of.is_ephemeral()) encoded["ephemeral"] = true;
    return encoded;
}

auto decode_value(tree const& of) -> value
{
    return decode(of, 0);
}

}  // namespace iacctl::language
