// SPDX-License-Identifier: BSL-1.0
#include "value_codec.hpp"

#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using json = nlohmann::json;
using language::mark;
using language::number;
using language::type;
using language::type_kind;
using language::value;
using language::value_entry;

auto read_type(json const& of) -> type
{
    auto found = language::type_from_json(of.get<std::string>());
    if (!found) throw json::other_error::create(501, found.error().message(), &of);
    return *found;
}

auto content(value const& of) -> json
{
    if (of.is_null()) return {{"null", type_to_json(of.get_type())}};
    if (of.is_unknown()) {
        json unknown = {{"unknown", type_to_json(of.get_type())}};
        if (of.is_definitely_not_null()) unknown["not_null"] = true;
        return unknown;
    }
    json parts = json::array();
    for (value const& element : of.elements()) parts.push_back(encode_value(element));
    json entries = json::object();
    for (value_entry const& e : of.entries()) entries[e.key] = encode_value(e.of);
    auto const collection = [&](char const* name, json what) -> json {
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

auto elements_of(json const& of) -> std::vector<value>
{
    std::vector<value> all;
    for (json const& element : of) all.push_back(decode_value(element));
    return all;
}

auto entries_of(json const& of) -> std::vector<value_entry>
{
    std::vector<value_entry> all;
    for (auto const& [key, element] : of.items()) all.push_back({key, decode_value(element)});
    return all;
}

auto unmarked(json const& of) -> value
{
    if (of.contains("null")) return value::null(read_type(of.at("null")));
    if (of.contains("unknown")) {
        value const unknown = value::unknown(read_type(of.at("unknown")));
        return of.contains("not_null") ? unknown.refined_not_null() : unknown;
    }
    if (of.contains("bool")) return value(of.at("bool").get<bool>());
    if (of.contains("number")) {
        auto const parsed = number::parse(of.at("number").get<std::string>());
        if (!parsed) throw json::other_error::create(501, "a number is not one", &of);
        return value(*parsed);
    }
    if (of.contains("string")) return value(of.at("string").get<std::string>());
    if (of.contains("list")) return value::list(read_type(of.at("of")), elements_of(of.at("list")));
    if (of.contains("set")) return value::set(read_type(of.at("of")), elements_of(of.at("set")));
    if (of.contains("map")) return value::map(read_type(of.at("of")), entries_of(of.at("map")));
    if (of.contains("tuple")) return value::tuple(elements_of(of.at("tuple")));
    return value::object(entries_of(of.at("object")));
}

}  // namespace

auto encode_value(value const& of) -> json
{
    json encoded = content(of);
    if (of.is_sensitive()) encoded["sensitive"] = true;
    if (of.is_ephemeral()) encoded["ephemeral"] = true;
    return encoded;
}

auto decode_value(json const& of) -> value
{
    return unmarked(of).with_marks((of.contains("sensitive") ? mark::sensitive : mark::none)
        | (of.contains("ephemeral") ? mark::ephemeral : mark::none));
}

}  // namespace iacctl::commands
