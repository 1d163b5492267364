// SPDX-License-Identifier: BSL-1.0
#include "value_codec.hpp"

#include "base/json_writer.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

auto decode_type(iacctl::json const& t) -> type
{
    auto found = type_from_json(t.as_text());
    if (!found) throw json_error("a type cannot be read: " + found.error().message());
    return *found;
}

auto decode(iacctl::json const& t, std::size_t depth) -> value;

auto encoded_elements(value const& v) -> std::string
{
    json_array all;
    for (value const& element : v.elements()) all.raw(encode_value(element));
    return all.done();
}

auto encoded_entries(value const& v) -> std::string
{
    json_object all;
    for (value_entry const& e : v.entries()) all.raw(e.key, encode_value(e.of));
    return all.done();
}

void write_content(json_object& to, value const& v)
{
    if (v.is_null()) {
        to.text("null", type_to_json(v.get_type()));
        return;
    }
    if (v.is_unknown()) {
        to.text("unknown", type_to_json(v.get_type()));
        if (v.is_definitely_not_null()) to.flag("not_null", true);
        return;
    }
    auto const collection = [&](std::string_view name, std::string const& parts) {
        to.raw(name, parts).text("of", type_to_json(v.get_type().element()));
    };
    switch (v.kind()) {
    case type_kind::boolean: to.flag("bool", v.as_bool()); break;
    case type_kind::number: to.text("number", v.as_number().text()); break;
    case type_kind::string: to.text("string", v.as_string()); break;
    case type_kind::list: collection("list", encoded_elements(v)); break;
    case type_kind::set: collection("set", encoded_elements(v)); break;
    case type_kind::map: collection("map", encoded_entries(v)); break;
    case type_kind::tuple: to.raw("tuple", encoded_elements(v)); break;
    case type_kind::object: to.raw("object", encoded_entries(v)); break;
    case type_kind::dynamic: to.text("null", type_to_json(type())); break;
    }
}

auto elements_of(iacctl::json const& t, std::size_t depth) -> std::vector<value>
{
    std::vector<value> all;
    for (iacctl::json const& element : t.as_elements()) all.push_back(decode(element, depth));
    return all;
}

auto entries_of(iacctl::json const& t, std::size_t depth) -> std::vector<value_entry>
{
    std::vector<value_entry> all;
    for (auto const& [key, element] : t.as_members()) all.push_back({key, decode(element, depth)});
    return all;
}

// An unknown element may have any type.
void require_type(value const& element, type const& desired)
{
    if (!element.is_unknown() && element.get_type() != desired)
        throw json_error("an element of a collection has another type than the collection");
}

auto typed_elements(iacctl::json const& t, type const& desired, std::size_t depth) -> std::vector<value>
{
    auto all = elements_of(t, depth);
    for (value const& element : all) require_type(element, desired);
    return all;
}

auto unmarked(iacctl::json const& t, std::size_t depth) -> value
{
    if (auto const* of = t.find("null")) return value::null(decode_type(*of));
    if (auto const* of = t.find("unknown")) {
        value const unknown = value::unknown(decode_type(*of));
        return t.find("not_null") == nullptr ? unknown : unknown.refined_not_null();
    }
    if (auto const* flag = t.find("bool")) return value(flag->as_flag());
    if (auto const* text = t.find("number")) {
        auto const parsed = number::parse(text->as_text());
        if (!parsed) throw json_error("a number cannot be read");
        return value(*parsed);
    }
    if (auto const* text = t.find("string")) return value(text->as_text());
    if (auto const* elements = t.find("tuple")) return value::tuple(elements_of(*elements, depth));
    if (auto const* entries = t.find("object")) return value::object(entries_of(*entries, depth));
    type const element = decode_type(t.at("of"));
    if (auto const* elements = t.find("list")) return value::list(element, typed_elements(*elements, element, depth));
    if (auto const* elements = t.find("set")) return value::set(element, typed_elements(*elements, element, depth));
    auto entries = entries_of(t.at("map"), depth);
    for (value_entry const& e : entries) require_type(e.of, element);
    return value::map(element, std::move(entries));
}

auto decode(iacctl::json const& t, std::size_t depth) -> value
{
    if (depth > deepest_value) throw json_error("a value is nested too deeply");
    return unmarked(t, depth + 1)
        .with_marks((t.find("sensitive") != nullptr ? mark::sensitive : mark::none)
            | (t.find("ephemeral") != nullptr ? mark::ephemeral : mark::none));
}

}  // namespace

auto encode_value(value const& v) -> std::string
{
    json_object encoded;
    write_content(encoded, v);
    if (v.is_sensitive()) encoded.flag("sensitive", true);
    if (v.is_ephemeral()) encoded.flag("ephemeral", true);
    return encoded.done();
}

auto decode_value(iacctl::json const& t) -> value
{
    return decode(t, 0);
}

}  // namespace iacctl::language
