// SPDX-License-Identifier: BSL-1.0
#include "json_text.hpp"
#include "value.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace iacctl::language {

namespace {

constexpr std::size_t largest_depth = 1000;

/// Its floats are only asked whether there is such a number; those of 64 bits end too early.
using wide_json =
    nlohmann::basic_json<std::map, std::vector, std::string, bool, std::int64_t, std::uint64_t, long double>;

void append(std::string& out, value const& of, type const* declared)
{
    if (!of.has_data()) {
        out += "null";
        return;
    }
    if (declared && !declared->has_dynamic()) declared = nullptr;
    if (declared && declared->is_dynamic()) {
        out += "{\"value\":";
        append(out, of, nullptr);
        out += ",\"type\":" + type_to_json(of.get_type()) + '}';
        return;
    }
    switch (of.kind()) {
    case type_kind::boolean: out += of.as_bool() ? "true" : "false"; break;
    case type_kind::number: out += of.as_number().text(); break;
    case type_kind::string: append_json_string(out, of.as_string()); break;
    case type_kind::list:
    case type_kind::set:
    case type_kind::tuple: {
        out += '[';
        std::size_t index = 0;
        for (auto const& inner : of.elements()) {
            if (index > 0) out += ',';
            type const* inner_type = nullptr;
            if (declared && declared->is_collection()) inner_type = &declared->element();
            else if (declared && index < declared->elements().size()) inner_type = &declared->elements()[index];
            append(out, inner, inner_type);
            ++index;
        }
        out += ']';
        break;
    }
    case type_kind::map:
    case type_kind::object: {
        out += '{';
        bool first = true;
        for (auto const& [key, inner] : of.entries()) {
            if (!std::exchange(first, false)) out += ',';
            append_json_string(out, key);
            out += ':';
            type const* inner_type = nullptr;
            if (declared && declared->is_collection()) inner_type = &declared->element();
            else if (auto const* const attribute = declared ? declared->find(key) : nullptr)
                inner_type = &attribute->of;
            append(out, inner, inner_type);
        }
        out += '}';
        break;
    }
    case type_kind::dynamic: out += "null"; break;
    }
}

/// Builds values from the events of the JSON reader, which hands over the text of every number.
class builder {
public:
    bool null() { return put(value()); }
    bool boolean(bool b) { return put(value(b)); }
    bool number_integer(std::int64_t n) { return put(value(number(n))); }
    bool number_unsigned(std::uint64_t n) { return put(value(number(static_cast<std::size_t>(n)))); }
    bool number_float(long double, std::string const& text)
    {
        auto const parsed = number::parse(text);
        if (!parsed) return fail("number " + text + " is out of range");
        return put(value(*parsed));
    }
    bool string(std::string& text) { return put(value(std::string_view(text))); }
    bool binary(wide_json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(true); }
    bool start_array(std::size_t) { return open(false); }
    bool key(std::string& text)
    {
        stack_.back().key = normalized(text);
        return true;
    }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool parse_error(std::size_t position, std::string const&, wide_json::exception const&)
    {
        return fail("invalid JSON at byte " + std::to_string(position));
    }

    [[nodiscard]] std::string const& problem() const noexcept { return problem_; }
    [[nodiscard]] value take() { return std::move(done_); }

private:
    struct level {
        bool is_object = false;
        std::string key;
        std::vector<value> elements;
        std::vector<value_entry> entries;
    };

    bool fail(std::string why)
    {
        if (problem_.empty()) problem_ = std::move(why);
        return false;
    }
    bool open(bool is_object)
    {
        if (stack_.size() >= largest_depth) return fail("nested too deeply");
        stack_.push_back({is_object, {}, {}, {}});
        return true;
    }
    bool close()
    {
        level top = std::move(stack_.back());
        stack_.pop_back();
        return put(top.is_object ? value::object(std::move(top.entries)) : value::tuple(std::move(top.elements)));
    }
    bool put(value made)
    {
        if (stack_.empty()) done_ = std::move(made);
        else if (stack_.back().is_object)
            stack_.back().entries.push_back({std::move(stack_.back().key), std::move(made)});
        else stack_.back().elements.push_back(std::move(made));
        return true;
    }

    std::vector<level> stack_;
    value done_;
    std::string problem_;
};

[[nodiscard]] failure expected(type const& of)
{
    return failure(of.constraint_name() + " is required");
}

[[nodiscard]] result<type> read_type(value const& json)
{
    auto const wrong = failure("invalid type description");
    if (!json.has_data()) return wrong;
    if (json.is(type_kind::string)) {
        auto const& name = json.as_string();
        if (name == "string") return type::string();
        if (name == "number") return type::number();
        if (name == "bool") return type::boolean();
        if (name == "dynamic") return type::dynamic();
        return wrong;
    }
    auto const parts = json.elements();
    if (parts.size() < 2 || !parts[0].has_data() || !parts[0].is(type_kind::string)) return wrong;
    auto const& name = parts[0].as_string();
    if (name == "list" || name == "set" || name == "map") {
        auto element = read_type(parts[1]);
        if (!element) return element.error();
        return name == "list" ? type::list(*element) : name == "set" ? type::set(*element) : type::map(*element);
    }
    if (name == "tuple" && parts[1].is(type_kind::tuple)) {
        std::vector<type> inner;
        for (auto const& part : parts[1].elements()) {
            auto element = read_type(part);
            if (!element) return element.error();
            inner.push_back(*element);
        }
        return type::tuple(std::move(inner));
    }
    if (name == "object" && parts[1].is(type_kind::object)) {
        std::vector<type_attribute> inner;
        for (auto const& [key, part] : parts[1].entries()) {
            auto element = read_type(part);
            if (!element) return element.error();
            bool optional = false;
            if (parts.size() > 2)
                optional = std::ranges::find(parts[2].elements(), value(key)) != parts[2].elements().end();
            inner.push_back({key, *element, optional});
        }
        return type::object(std::move(inner));
    }
    return wrong;
}

[[nodiscard]] result<value> shape(value const& json, type const& declared);

[[nodiscard]] result<value> shape_sequence(value const& json, type const& declared)
{
    if (!json.is(type_kind::tuple)) return expected(declared);
    std::vector<value> inner;
    auto const elements = json.elements();
    bool const is_tuple = declared.is(type_kind::tuple);
    if (is_tuple && declared.elements().size() != elements.size()) return expected(declared);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        auto element = shape(elements[i], is_tuple ? declared.elements()[i] : declared.element());
        if (!element) return element.error().within("[" + std::to_string(i) + "]");
        inner.push_back(*std::move(element));
    }
    if (is_tuple) return value::tuple(std::move(inner));
    return declared.is(type_kind::list) ? value::list(declared.element(), std::move(inner))
                                        : value::set(declared.element(), std::move(inner));
}

[[nodiscard]] result<value> shape_entries(value const& json, type const& declared)
{
    if (!json.is(type_kind::object)) return expected(declared);
    std::vector<value_entry> inner;
    bool const is_map = declared.is(type_kind::map);
    for (auto const& [key, part] : json.entries()) {
        auto const* const attribute = declared.find(key);
        if (!is_map && !attribute) return failure("unsupported attribute \"" + key + "\"");
        auto element = shape(part, is_map ? declared.element() : attribute->of);
        if (!element) return element.error().within(is_map ? "[\"" + key + "\"]" : "." + key);
        inner.push_back({key, *std::move(element)});
    }
    if (is_map) return value::map(declared.element(), std::move(inner));
    for (auto const& attribute : declared.attributes())
        if (!json.find(attribute.name)) inner.push_back({attribute.name, value::null(attribute.of.without_optional())});
    return value::object(std::move(inner));
}

[[nodiscard]] result<value> shape(value const& json, type const& declared)
{
    if (json.is_null()) return value::null(declared.without_optional());
    switch (declared.kind()) {
    case type_kind::dynamic: {
        auto const* const inner = json.find("value");
        auto const* const of = json.find("type");
        if (!json.is(type_kind::object) || json.size() != 2 || !inner || !of) return json;
        auto const wanted = read_type(*of);
        if (!wanted) return json;
        return shape(*inner, *wanted);
    }
    case type_kind::boolean:
        if (json.is(type_kind::boolean)) return json;
        break;
    case type_kind::number:
        if (json.is(type_kind::number)) return json;
        if (json.is(type_kind::string))
            if (auto const parsed = number::parse(json.as_string())) return value(*parsed);
        break;
    case type_kind::string:
        if (json.is(type_kind::string)) return json;
        if (json.is(type_kind::number)) return value(json.as_number().text());
        if (json.is(type_kind::boolean)) return value(json.as_bool() ? "true" : "false");
        break;
    case type_kind::list:
    case type_kind::set:
    case type_kind::tuple: return shape_sequence(json, declared);
    case type_kind::map:
    case type_kind::object: return shape_entries(json, declared);
    }
    return expected(declared);
}

}  // namespace

std::string to_json(value const& of)
{
    std::string out;
    append(out, of, nullptr);
    return out;
}

std::string to_json(value const& of, type const& declared)
{
    std::string out;
    append(out, of, &declared);
    return out;
}

result<value> from_json(std::string_view text)
{
    builder events;
    if (!wide_json::sax_parse(text.begin(), text.end(), &events))
        return failure(events.problem().empty() ? "invalid JSON" : events.problem());
    return events.take();
}

result<value> from_json(std::string_view text, type const& declared)
{
    auto const json = from_json(text);
    if (!json) return json.error();
    return shape(*json, declared);
}

result<type> type_from_json(std::string_view text)
{
    auto const json = from_json(text);
    if (!json) return json.error();
    return read_type(*json);
}

}  // namespace iacctl::language
