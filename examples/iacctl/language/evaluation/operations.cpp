// SPDX-License-Identifier: BSL-1.0
#include "operations.hpp"

#include "base/suggestion.hpp"
#include "base/url_secrets.hpp"
#include "language/values/convert.hpp"
#include "messages/evaluation.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

namespace {

[[nodiscard]] auto equal_elements(value const& a, value const& b) -> std::optional<bool>
{
    if (a.size() != b.size()) return false;
    bool known = true;
    for (std::size_t i = 0; i < a.elements().size(); ++i) {
        auto const same = equal(a.elements()[i], b.elements()[i]);
        if (same == false) return false;
        known = known && same.has_value();
    }
    for (std::size_t i = 0; i < a.entries().size(); ++i) {
        if (a.entries()[i].key != b.entries()[i].key) return false;
        auto const same = equal(a.entries()[i].of, b.entries()[i].of);
        if (same == false) return false;
        known = known && same.has_value();
    }
    return known ? std::optional(true) : std::nullopt;
}

[[nodiscard]] auto refuse(diagnostic why, diagnostics& found) -> value
{
    found.add(std::move(why));
    return value::unknown();
}

[[nodiscard]] auto index_sequence(value const& v, value const& key, source_range place, diagnostics& found) -> value
{
    auto const position = convert(key, type::number());
    if (!position) return refuse(error(messages::index_wrong_type, {position.error().text()}, place), found);
    mark const marks = v.marks() | key.marks();
    bool const is_list = v.is(type_kind::list);
    if (position->is_unknown() || (v.is_unknown() && is_list)) {
        type const element = is_list ? v.get_type().element() : type::dynamic();
        return value::unknown(element).with_marks(marks | marks_of_unknown(element, v));
    }
    // The type of a tuple gives its length, even if elements are unknown.
    auto const size = v.is_unknown() ? v.get_type().elements().size() : v.size();
    auto const& desired = position->as_number();
    auto const whole = desired.as_int64();
    if (whole && *whole >= 0 && static_cast<std::size_t>(*whole) < size) {
        auto const at = static_cast<std::size_t>(*whole);
        return (v.is_unknown() ? value::unknown(v.get_type().elements()[at]) : v.elements()[at]).with_marks(marks);
    }
    if (!desired.is_whole()) return refuse(error(messages::index_fractional, place), found);
    if (desired.sign() < 0) return refuse(error(messages::index_negative, place), found);
    if (size == 0) return refuse(error(messages::index_in_empty, place), found);
    auto const last =
        marks == mark::none ? " The last element has the index " + std::to_string(size - 1) + "." : std::string();
    return refuse(error(messages::index_out_of_range, {last}, place), found);
}

// The key or attribute that was probably meant. Keys of a sensitive map are not revealed.
[[nodiscard]] auto suggested(value const& v, std::string_view name) -> std::string
{
    // With many names, the search would cost more than the evaluation: expressions in "try" and "can" fail often.
    constexpr std::size_t most = 32;
    std::vector<std::string_view> names;
    if (v.is_sensitive() || v.is_ephemeral()) return {};
    type const whole = v.get_type();
    if (!v.is_unknown() && v.size() <= most)
        for (auto const& [key, element] : v.entries()) names.push_back(key);
    else if (v.is(type_kind::object) && whole.attributes().size() <= most)
        for (auto const& one : whole.attributes()) names.push_back(one.name);
    return did_you_mean(name, names);
}
[[nodiscard]] auto suggested(value const& v, value const& name) -> std::string
{
    bool const shown = !name.is_sensitive() && !name.is_ephemeral() && name.has_data();
    return shown ? suggested(v, name.as_string()) : std::string();
}

[[nodiscard]] auto index_map(value const& v, value const& key, source_range place, diagnostics& found) -> value
{
    auto const name = convert(key, type::string());
    if (!name) return refuse(error(messages::index_wrong_type, {name.error().text()}, place), found);
    mark const marks = v.marks() | key.marks();
    if (v.is_unknown() || name->is_unknown()) {
        type const element = v.get_type().element();
        return value::unknown(element).with_marks(marks | marks_of_unknown(element, v));
    }
    if (auto const* const element = v.find(name->as_string())) return element->with_marks(marks);
    return refuse(error(messages::no_such_key, {suggested(v, *name)}, place), found);
}

[[nodiscard]] auto index_object(value const& v, value const& key, source_range place, diagnostics& found) -> value
{
    auto const name = convert(key, type::string());
    if (!name) return refuse(error(messages::index_wrong_type, {name.error().text()}, place), found);
    mark const marks = v.marks() | key.marks();
    if (name->is_unknown()) return value::unknown().with_marks(marks);
    if (v.is_unknown()) {
        type const whole = v.get_type();
        if (auto const* const attribute = whole.find(name->as_string()))
            return value::unknown(attribute->of).with_marks(marks);
    } else if (auto const* const element = v.find(name->as_string())) {
        return element->with_marks(marks);
    }
    if (key.is(type_kind::number)) return refuse(error(messages::number_as_attribute_name, place), found);
    return refuse(error(messages::no_such_attribute_by_key, {suggested(v, *name)}, place), found);
}

}  // namespace

auto equal(value const& a, value const& b) -> std::optional<bool>
{
    if (a.is_null() && b.is_definitely_not_null()) return false;
    if (b.is_null() && a.is_definitely_not_null()) return false;
    if (a.is_null() && b.is_null()) return true;
    if (a.is_unknown() || b.is_unknown()) {
        type const x = a.get_type();
        type const y = b.get_type();
        if (!a.is_null() && !b.is_null() && !x.has_dynamic() && !y.has_dynamic() && x != y) return false;
        auto const begin = a.known_prefix();
        auto const other = b.known_prefix();
        bool const as_long =
            (a.is_unknown() || begin.size() >= other.size()) && (b.is_unknown() || other.size() >= begin.size());
        auto const common = std::min(begin.size(), other.size());
        if (x == y && x.is(type_kind::string) && (!as_long || begin.substr(0, common) != other.substr(0, common)))
            return false;
        return std::nullopt;
    }
    if (a.kind() != b.kind()) return false;
    switch (a.kind()) {
    case type_kind::boolean: return a.as_bool() == b.as_bool();
    case type_kind::number: return a.as_number() == b.as_number();
    case type_kind::string: return a.as_string() == b.as_string();
    case type_kind::list:
    case type_kind::map:
        if (a.get_type() != b.get_type()) return false;
        return equal_elements(a, b);
    case type_kind::set:
        if (a.get_type() != b.get_type()) return false;
        if (!a.wholly_known() || !b.wholly_known()) return std::nullopt;
        return equal_elements(a, b);
    case type_kind::tuple: return equal_elements(a, b);
    case type_kind::object: {
        bool const same_names = std::ranges::equal(a.entries(), b.entries(), {}, &value_entry::key, &value_entry::key);
        return same_names ? equal_elements(a, b) : std::optional(false);
    }
    case type_kind::dynamic: break;
    }
    return true;
}

auto equal_value(value const& a, value const& b) -> value
{
    auto const same = equal(a, b);
    value const made = same ? value(*same) : value::unknown(type::boolean()).refined_not_null();
    return made.with_marks(a.deep_marks() | b.deep_marks());
}

auto index(value const& v, value const& key, source_range place, diagnostics& found) -> value
{
    if (v.is_null()) return refuse(error(messages::index_of_null, place), found);
    if (key.is_null()) return refuse(error(messages::index_null, place), found);
    if (v.is(type_kind::dynamic) || key.is(type_kind::dynamic))
        return value::unknown().with_marks(v.marks() | key.marks());
    switch (v.kind()) {
    case type_kind::list:
    case type_kind::tuple: return index_sequence(v, key, place, found);
    case type_kind::map: return index_map(v, key, place, found);
    case type_kind::object: return index_object(v, key, place, found);
    case type_kind::set: return refuse(error(messages::index_of_set, place), found);
    case type_kind::dynamic:
    case type_kind::boolean:
    case type_kind::number:
    case type_kind::string: break;
    }
    return refuse(error(messages::index_of_single_value, {v.get_type().friendly_name()}, place), found);
}

auto get_attribute(value const& v, std::string_view name, source_range place, diagnostics& found) -> value
{
    if (v.is_null()) return refuse(error(messages::attribute_of_null, place), found);
    switch (v.kind()) {
    case type_kind::object: {
        if (v.is_unknown()) {
            type const whole = v.get_type();
            if (auto const* const attribute = whole.find(name))
                return value::unknown(attribute->of).with_marks(v.marks());
        } else if (auto const* const attribute = v.find(name)) {
            return v.marks() != mark::none ? attribute->with_marks(v.marks()) : *attribute;
        }
        return refuse(error(messages::no_such_attribute, {name, suggested(v, name)}, place), found);
    }
    case type_kind::map:
        if (v.is_unknown()) return value::unknown(v.get_type().element()).with_marks(v.marks());
        if (auto const* const element = v.find(name)) return element->with_marks(v.marks());
        return refuse(error(messages::no_such_map_element, {name, suggested(v, name)}, place), found);
    case type_kind::dynamic: return value::unknown().with_marks(v.marks());
    case type_kind::list:
    case type_kind::set: {
        type const whole = v.get_type();
        if (!whole.element().is(type_kind::object)) break;
        bool const is_set = v.is(type_kind::set);
        return refuse(error(is_set ? messages::attribute_of_set : messages::attribute_of_list, {name}, place), found);
    }
    case type_kind::boolean:
    case type_kind::number:
    case type_kind::string:
    case type_kind::tuple: break;
    }
    return refuse(error(messages::attribute_of_single_value, {v.get_type().friendly_name()}, place), found);
}

auto marks_of_unknown(type const& result, value const& part) noexcept -> mark
{
    if (result.is(type_kind::list) || result.is(type_kind::set)) return marks_of_unknown(result.element(), part);
    return result.is_primitive() ? part.deep_marks() : part.marks();
}

auto unknown_result(syntax::operation op) -> value
{
    using syntax::operation;
    bool const yields_bool = op < operation::add || op == operation::logical_not;
    return value::unknown(yields_bool ? type::boolean() : type::number());
}

auto describe(value const& v) -> std::string
{
    if (v.is_sensitive()) return "(sensitive value)";
    if (v.is_ephemeral()) return "(ephemeral value)";
    if (v.is_null()) return "null";
    if (v.is_unknown()) return "(not yet known)";
    auto const size = std::to_string(v.size());
    switch (v.kind()) {
    case type_kind::boolean: return v.as_bool() ? "true" : "false";
    case type_kind::number: return v.as_number().short_text();
    case type_kind::string: {
        std::string text = "\"";
        for (char const c : without_url_secrets(v.as_string())) {
            if (c == '"' || c == '\\') (text += '\\') += c;
            else if (c == '\n') text += "\\n";
            else if (c == '\t') text += "\\t";
            else if (c == '\r') text += "\\r";
            else text += c;
        }
        return text + '"';
    }
    case type_kind::object:
        if (v.size() == 0) return "object with no attributes";
        if (v.size() == 1) return "object with 1 attribute \"" + v.entries()[0].key + "\"";
        return "object with " + size + " attributes";
    case type_kind::list:
    case type_kind::set:
    case type_kind::map:
    case type_kind::tuple: {
        auto const name = v.get_type().friendly_name();
        if (v.size() == 0) return "empty " + name;
        return name + (v.size() == 1 ? " with 1 element" : " with " + size + " elements");
    }
    case type_kind::dynamic: break;
    }
    return v.get_type().friendly_name();
}

auto describe_type_mismatch(type const& when_true, type const& when_false) -> std::string
{
    if (when_true.is(type_kind::object) && when_false.is(type_kind::object)) {
        for (auto const& attribute : when_true.attributes()) {
            auto const* const other = when_false.find(attribute.name);
            if (!other) return "only the true result has the attribute \"" + attribute.name + "\"";
            if (other->of != attribute.of)
                return "in the attribute \"" + attribute.name + "\", "
                    + describe_type_mismatch(attribute.of, other->of);
        }
        for (auto const& attribute : when_false.attributes())
            if (!when_true.find(attribute.name))
                return "only the false result has the attribute \"" + attribute.name + "\"";
    }
    if (when_true.is(type_kind::tuple) && when_false.is(type_kind::tuple)) {
        auto const a = when_true.elements();
        auto const b = when_false.elements();
        if (a.size() != b.size())
            return "the tuples have different lengths, " + std::to_string(a.size()) + " where it is true and "
                + std::to_string(b.size()) + " where it is false";
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a[i] != b[i]) return "in element " + std::to_string(i) + ", " + describe_type_mismatch(a[i], b[i]);
    }
    if (when_true.is_collection() && when_true.kind() == when_false.kind() && when_true.element().is_structural()
        && when_true.element().kind() == when_false.element().kind()) {
        std::string const noun = when_true.is(type_kind::list) ? "list" : when_true.is(type_kind::set) ? "set" : "map";
        return "in the elements of the " + noun + ", "
            + describe_type_mismatch(when_true.element(), when_false.element());
    }
    if (when_true.friendly_name() == when_false.friendly_name()) return "the types differ at a deeper level";
    return "the true result is " + when_true.friendly_name() + ", and the false one is " + when_false.friendly_name();
}

auto common_type(value const& when_true, value const& when_false, bool& unite) -> std::optional<type>
{
    auto const plain_null = [](value const& v) { return v.is_null() && v.is(type_kind::dynamic); };
    if (plain_null(when_true)) return when_false.get_type();
    if (plain_null(when_false)) return when_true.get_type();
    unite = false;
    if (when_true.is(type_kind::dynamic) || when_false.is(type_kind::dynamic)) return type::dynamic();
    if (when_true.kind() == when_false.kind() && when_true.get_type().is_primitive()) return when_true.get_type();
    unite = true;
    type const types[] = {when_true.get_type(), when_false.get_type()};
    return unify(types);
}

auto compute(syntax::operation op, number const& a, number const& b) -> std::optional<value>
{
    using syntax::operation;
    std::optional<number> made;
    switch (op) {
    case operation::greater: return value(a > b);
    case operation::greater_equal: return value(a >= b);
    case operation::less: return value(a < b);
    case operation::less_equal: return value(a <= b);
    case operation::add: made = add(a, b); break;
    case operation::subtract: made = subtract(a, b); break;
    case operation::multiply: made = multiply(a, b); break;
    case operation::divide: made = divide(a, b); break;
    case operation::modulo: made = remainder(a, b); break;
    default: break;
    }
    if (!made) return std::nullopt;
    return value(*std::move(made));
}

}  // namespace iacctl::language
