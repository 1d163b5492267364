// SPDX-License-Identifier: BSL-1.0
#include "base/json_reader.hpp"
#include "base/json_text.hpp"
#include "value.hpp"

#include <algorithm>
#include <optional>

namespace iacctl::language {

namespace {

using namespace std::string_view_literals;

void append(std::string& out, value const& v, type const* declared)
{
    if (declared && !declared->has_dynamic()) declared = nullptr;
    bool const reports_type = declared && declared->is_dynamic() && v.is_known() && !v.is(type_kind::dynamic);
    if (!v.has_data() && !reports_type) {
        out += "null";
        return;
    }
    if (reports_type) {
        out += "{\"value\":";
        append(out, v, nullptr);
        out += ",\"type\":" + type_to_json(v.get_type()) + '}';
        return;
    }
    switch (v.kind()) {
    case type_kind::boolean: out += v.as_bool() ? "true" : "false"; break;
    case type_kind::number: out += v.as_number().text(); break;
    case type_kind::string: append_json_string(out, v.as_string()); break;
    case type_kind::list:
    case type_kind::set:
    case type_kind::tuple: {
        out += '[';
        std::size_t index = 0;
        for (auto const& inner : v.elements()) {
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
        for (auto const& [key, inner] : v.entries()) {
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

class builder final : public json_events {
public:
    [[nodiscard]] auto take() -> value { return std::move(done_); }

private:
    struct level {
        bool is_object = false;
        std::string key;
        std::vector<value> elements;
        std::vector<value_entry> entries;
    };

    auto null() -> std::string_view override { return put(value()); }
    auto boolean(bool flag) -> std::string_view override { return put(value(flag)); }
    auto number(std::string_view text) -> std::string_view override
    {
        auto const parsed = language::number::parse(text);
        return parsed ? put(value(*parsed)) : "a number out of range";
    }
    auto string(std::string_view text) -> std::string_view override { return put(value(text)); }
    auto open(bool object) -> std::string_view override
    {
        stack_.push_back({object, {}, {}, {}});
        return {};
    }
    auto name(std::string_view text) -> std::string_view override
    {
        stack_.back().key = normalized(text);
        return {};
    }
    auto close() -> std::string_view override
    {
        level top = std::move(stack_.back());
        stack_.pop_back();
        return put(top.is_object ? value::object(std::move(top.entries)) : value::tuple(std::move(top.elements)));
    }
    auto put(value made) -> std::string_view
    {
        if (stack_.empty()) done_ = std::move(made);
        else if (stack_.back().is_object)
            stack_.back().entries.push_back({std::move(stack_.back().key), std::move(made)});
        else stack_.back().elements.push_back(std::move(made));
        return {};
    }

    std::vector<level> stack_;
    value done_;
};

[[nodiscard]] auto expected(type const& t) -> failure
{
    return failure(t.constraint_name() + " is required");
}

[[nodiscard]] auto read_type(value const& json) -> result<type>
{
    static failure const wrong("invalid type description");
    if (!json.has_data()) return wrong;
    if (json.is(type_kind::string)) {
        auto const& name = json.as_string();
        if (name == "string"sv) return type::string();
        if (name == "number"sv) return type::number();
        if (name == "bool"sv) return type::boolean();
        if (name == "dynamic"sv) return type::dynamic();
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

[[nodiscard]] auto shape(value const& json, type const& declared, other_members others) -> result<value>;

[[nodiscard]] auto shape_sequence(value const& json, type const& declared, other_members others) -> result<value>
{
    if (!json.is(type_kind::tuple)) return expected(declared);
    std::vector<value> inner;
    auto const elements = json.elements();
    bool const is_tuple = declared.is(type_kind::tuple);
    if (is_tuple && declared.elements().size() != elements.size()) return expected(declared);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        auto element = shape(elements[i], is_tuple ? declared.elements()[i] : declared.element(), others);
        if (!element) return element.error().within("[" + std::to_string(i) + "]");
        inner.push_back(*std::move(element));
    }
    if (is_tuple) return value::tuple(std::move(inner));
    return declared.is(type_kind::list) ? value::list(declared.element(), std::move(inner))
                                        : value::set(declared.element(), std::move(inner));
}

[[nodiscard]] auto shape_entries(value const& json, type const& declared, other_members others) -> result<value>
{
    if (!json.is(type_kind::object)) return expected(declared);
    std::vector<value_entry> inner;
    bool const is_map = declared.is(type_kind::map);
    for (auto const& [key, part] : json.entries()) {
        auto const* const attribute = declared.find(key);
        if (!is_map && !attribute) {
            if (others == other_members::dropped) continue;
            return failure("unsupported attribute \"" + key + "\"");
        }
        auto element = shape(part, is_map ? declared.element() : attribute->of, others);
        if (!element) return element.error().within(is_map ? "[\"" + key + "\"]" : "." + key);
        inner.push_back({key, *std::move(element)});
    }
    if (is_map) return value::map(declared.element(), std::move(inner));
    for (auto const& attribute : declared.attributes())
        if (!json.find(attribute.name)) inner.push_back({attribute.name, value::null(attribute.of.without_optional())});
    return value::object(std::move(inner));
}

[[nodiscard]] auto shape(value const& json, type const& declared, other_members others) -> result<value>
{
    if (json.is_null()) return value::null(declared.without_optional());
    switch (declared.kind()) {
    case type_kind::dynamic: {
        auto const* const inner = json.find("value");
        auto const* const of = json.find("type");
        if (!json.is(type_kind::object) || json.size() != 2 || !inner || !of) return json;
        auto const desired = read_type(*of);
        if (!desired) return json;
        return shape(*inner, *desired, others);
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
    case type_kind::tuple: return shape_sequence(json, declared, others);
    case type_kind::map:
    case type_kind::object: return shape_entries(json, declared, others);
    }
    return expected(declared);
}

/// A type that no element has.
type const too_many = type::tuple({});

/// Constructs a value of a declared type directly, from a text in the format of `to_json`, in which members are sorted
/// by name. Rejects all other texts: these are then parsed without a type, which also finds the error.
class typed_builder final : public json_events {
public:
    explicit typed_builder(type const& declared) : declared_(&declared) {}
    [[nodiscard]] auto take() -> value { return std::move(done_); }

private:
    struct level {
        type const* declared = nullptr;  // null: the value of a dynamic type
        bool is_object = false;
        std::vector<value> elements;
        std::vector<value_entry> entries;  // the last one receives its value when that is complete
        std::span<type_attribute const> attributes{};  // of an object: the remaining ones

        [[nodiscard]] auto is_dynamic() const -> bool { return declared != nullptr && declared->is_dynamic(); }
    };
    static constexpr std::string_view other = "not as it is written";
    static constexpr std::size_t usual_depth = 4;

    /// The type of the next value; null if it may be any.
    [[nodiscard]] auto next_type() -> type const*
    {
        if (stack_.empty()) return declared_;
        level& top = stack_.back();
        if (top.declared == nullptr || top.is_dynamic()) return nullptr;
        switch (top.declared->kind()) {
        case type_kind::object: return &std::exchange(top.attributes, top.attributes.subspan(1)).front().of;
        case type_kind::tuple: {
            auto const inner = top.declared->elements();
            return top.elements.size() < inner.size() ? &inner[top.elements.size()] : &too_many;
        }
        default: return &top.declared->element();
        }
    }

    auto null() -> std::string_view override
    {
        type const* const of = next_type();
        return put(of == nullptr ? value() : value::null(of->without_optional()));
    }
    auto boolean(bool flag) -> std::string_view override { return put_scalar(type_kind::boolean, value(flag)); }
    auto number(std::string_view text) -> std::string_view override
    {
        auto const parsed = language::number::parse(text);
        return parsed ? put_scalar(type_kind::number, value(*parsed)) : other;
    }
    auto string(std::string_view text) -> std::string_view override
    {
        return put_scalar(type_kind::string, value(text));
    }
    auto put_scalar(type_kind kind, value made) -> std::string_view
    {
        type const* const of = next_type();
        return of == nullptr || of->is(kind) ? put(std::move(made)) : other;
    }
    auto open(bool object) -> std::string_view override
    {
        type const* const of = next_type();
        if (stack_.empty()) stack_.reserve(usual_depth);
        level opened{of, object, {}, {}, {}};
        if (of != nullptr) {
            bool const has_names = of->is_dynamic() || of->is(type_kind::map) || of->is(type_kind::object);
            bool const has_none = of->is(type_kind::list) || of->is(type_kind::set) || of->is(type_kind::tuple);
            if (object ? !has_names : !has_none) return other;
            if (of->is(type_kind::object)) opened.attributes = of->attributes();
            opened.entries.reserve(opened.attributes.size());
            if (of->is_dynamic()) {
                content_.reset();
                content_type_.reset();
            }
        }
        stack_.push_back(std::move(opened));
        return {};
    }
    auto name(std::string_view text) -> std::string_view override
    {
        level& top = stack_.back();
        if (top.is_dynamic()) {
            reads_type_ = text == "type"sv;
            return member().has_value() || (!reads_type_ && text != "value"sv) ? other : std::string_view();
        }
        if (top.declared == nullptr || !top.declared->is(type_kind::object)) {
            top.entries.emplace_back().key = normalized(text);
            return {};
        }
        leave_out_until(top, text);
        if (top.attributes.empty() || top.attributes.front().name != text) return other;
        top.entries.emplace_back().key = text;
        return {};
    }
    /// Attributes that the text omits are null.
    static void leave_out_until(level& l, std::string_view name)
    {
        for (; !l.attributes.empty() && (name.empty() || l.attributes.front().name < name);
            l.attributes = l.attributes.subspan(1))
            l.entries.push_back({l.attributes.front().name, value::null(l.attributes.front().of.without_optional())});
    }
    auto close() -> std::string_view override
    {
        level top = std::move(stack_.back());
        stack_.pop_back();
        if (top.declared == nullptr)
            return put(top.is_object ? value::object(std::move(top.entries)) : value::tuple(std::move(top.elements)));
        type const& of = *top.declared;
        switch (of.kind()) {
        case type_kind::dynamic: {
            if (!content_ || !content_type_) return other;
            value& of_value = *content_;
            auto const desired = read_type(*content_type_);
            if (!desired) return other;
            if (desired->is(of_value.kind()) && !of_value.is_null() && desired->is_primitive())
                return put(std::move(of_value));
            auto inner = shape(of_value, *desired, other_members::refused);
            return inner ? put(*std::move(inner)) : other;
        }
        case type_kind::object: leave_out_until(top, {}); return put(value::object(std::move(top.entries)));
        case type_kind::map: return put(value::map(of.element(), std::move(top.entries)));
        case type_kind::list: return put(value::list(of.element(), std::move(top.elements)));
        case type_kind::set: return put(value::set(of.element(), std::move(top.elements)));
        case type_kind::tuple:
            return top.elements.size() == of.elements().size() ? put(value::tuple(std::move(top.elements))) : other;
        default: return other;
        }
    }
    auto put(value made) -> std::string_view
    {
        if (stack_.empty()) done_ = std::move(made);
        else if (level& top = stack_.back(); top.is_dynamic()) member() = std::move(made);
        else if (top.is_object) top.entries.back().of = std::move(made);
        else top.elements.push_back(std::move(made));
        return {};
    }

    // The member of a dynamic value that is read.
    [[nodiscard]] auto member() -> std::optional<value>& { return reads_type_ ? content_type_ : content_; }

    type const* declared_;
    std::vector<level> stack_;
    // Of a dynamic value, `{"type":…,"value":…}`. It contains no other dynamic value.
    std::optional<value> content_;
    std::optional<value> content_type_;
    bool reads_type_ = false;
    value done_;
};

}  // namespace

auto to_json(value const& v) -> std::string
{
    std::string out;
    append(out, v, nullptr);
    return out;
}

auto to_json(value const& v, type const& declared) -> std::string
{
    std::string out;
    append(out, v, &declared);
    return out;
}

auto from_json(std::string_view text) -> result<value>
{
    builder events;
    if (auto const problem = read_json(text, events)) {
        if (problem->at >= text.size()) return failure("the JSON text ends too early");
        return failure("this is not JSON at byte " + std::to_string(problem->at + 1) + ": " + problem->why);
    }
    return events.take();
}

auto from_json(std::string_view text, type const& declared, other_members others) -> result<value>
{
    typed_builder events(declared);
    if (!read_json(text, events)) return events.take();
    auto const json = from_json(text);
    if (!json) return json.error();
    return shape(*json, declared, others);
}

auto type_from_json(std::string_view text) -> result<type>
{
    auto const json = from_json(text);
    if (!json) return json.error();
    return read_type(*json);
}

}  // namespace iacctl::language
