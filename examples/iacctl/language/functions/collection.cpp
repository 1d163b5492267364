// SPDX-License-Identifier: BSL-1.0
#include "base/unicode.hpp"
#include "function_table.hpp"
#include "language/evaluation/operations.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace iacctl::language::detail {

namespace {

parameter const any_list{"list", type::list(type::dynamic())};
parameter const any_value{"list", type::dynamic()};

/// The common type of all arguments.
[[nodiscard]] auto common_type(arguments given) -> std::optional<type>
{
    std::vector<type> types;
    for (auto const& one : given) types.push_back(one.get_type());
    return unify(types);
}

[[nodiscard]] auto type_of_first(arguments given) -> call_result<type>
{
    return given[0].get_type();
}

[[nodiscard]] auto wrapped_index(number const& desired, std::size_t size) -> std::optional<std::size_t>
{
    auto const at = desired.as_int64();
    if (!at || size == 0) return std::nullopt;
    auto const length = static_cast<std::int64_t>(size);
    return static_cast<std::size_t>((*at % length + length) % length);
}

// length

[[nodiscard]] auto length(arguments given) -> call_result<value>
{
    value const of = given[0];
    mark const marks = of.marks();
    if (of.is_unknown()) {
        type const whole = of.get_type();
        if (whole.is_structural())
            return value(number(whole.elements().size() + whole.attributes().size())).with_marks(marks);
        return value::unknown(type::number()).refined_not_null().with_marks(marks);
    }
    if (of.is(type_kind::string)) return value(number(grapheme_count(of.as_string()))).with_marks(marks);
    if (of.kind() < type_kind::list)
        return call_failure("a value of type " + of.get_type().friendly_name() + " has no length");
    if (of.is(type_kind::set) && !has_known_length(of))
        return value::unknown(type::number()).refined_not_null().with_marks(marks);
    return value(number(of.size())).with_marks(marks);
}

// keys and values

[[nodiscard]] auto keys_type(arguments given) -> call_result<type>
{
    type const of = given[0].get_type();
    if (of.is(type_kind::map)) return type::list(type::string());
    if (of.is(type_kind::object)) return type::tuple(std::vector(of.attributes().size(), type::string()));
    if (of.is_dynamic()) return of;
    return call_failure(0, "only a map or an object has keys");
}

[[nodiscard]] auto keys(arguments given) -> call_result<value>
{
    type const of = given[0].get_type();
    auto const result = keys_type(given);
    if (!result) return result.error();
    mark const marks = given[0].marks();
    std::vector<value> made;
    if (given[0].is_unknown()) {
        if (!of.is(type_kind::object)) return value::unknown(*result).with_marks(marks);
        for (auto const& attribute : of.attributes()) made.push_back(value(attribute.name));
    }
    for (auto const& entry : given[0].entries()) made.push_back(value(entry.key));
    return shaped(*result, std::move(made)).with_marks(marks);
}

[[nodiscard]] auto values_type(arguments given) -> call_result<type>
{
    type const of = given[0].get_type();
    if (of.is(type_kind::map)) return type::list(of.element());
    if (of.is_dynamic()) return of;
    if (!of.is(type_kind::object)) return call_failure("only a map or an object has values by key");
    std::vector<type> elements;
    for (auto const& attribute : of.attributes()) elements.push_back(attribute.of);
    return type::tuple(std::move(elements));
}

[[nodiscard]] auto values(arguments given) -> call_result<value>
{
    auto const result = values_type(given);
    if (!result) return result.error();
    std::vector<value> made;
    for (auto const& entry : given[0].entries()) made.push_back(entry.of);
    return shaped(*result, std::move(made)).with_marks(given[0].marks());
}

// merge

[[nodiscard]] auto merge_type(arguments given) -> call_result<type>
{
    if (given.empty()) return type::object({});
    std::vector<type_attribute> attributes;
    bool known = true;
    bool same = true;
    type const first = given[0].get_type();
    for (auto const& one : given) {
        type const of = one.get_type();
        if (of.is_dynamic()) return type::dynamic();
        if (!of.is(type_kind::map) && !of.is(type_kind::object))
            return call_failure("only maps and objects can be merged, not a value of type " + of.friendly_name());
        same = same && of == first;
        if (one.is_null()) continue;
        for (auto const& attribute : of.attributes()) attributes.push_back(attribute);
        if (of.is(type_kind::map) && one.is_unknown()) known = false;
        if (of.is(type_kind::map))
            for (auto const& entry : one.entries()) attributes.push_back({entry.key, of.element(), false});
    }
    if (same) return first;
    return known ? type::object(std::move(attributes)) : type::dynamic();
}

[[nodiscard]] auto merge(arguments given) -> call_result<value>
{
    auto const result = merge_type(given);
    if (!result) return result.error();
    std::vector<value_entry> made;
    mark marks = mark::none;
    for (auto const& one : given) {
        marks |= one.marks();
        made.insert(made.end(), one.entries().begin(), one.entries().end());
    }
    if (result->is(type_kind::map)) return value::map(result->element(), std::move(made)).with_marks(marks);
    return value::object(std::move(made)).with_marks(marks);
}

// concat

[[nodiscard]] auto concat_type(arguments given) -> call_result<type>
{
    if (given.empty()) return call_failure("at least one list is required");
    if (std::ranges::all_of(given, [](value const& v) { return v.is(type_kind::list); }))
        if (auto const common = common_type(given)) return *common;
    std::vector<type> elements;
    for (std::size_t i = 0; i < given.size(); ++i) {
        type const of = given[i].get_type();
        if (of.is(type_kind::tuple)) {
            elements.insert(elements.end(), of.elements().begin(), of.elements().end());
        } else if (of.is(type_kind::list)) {
            if (given[i].is_unknown()) return type::dynamic();
            elements.insert(elements.end(), given[i].size(), of.element());
        } else if (of.is_dynamic()) {
            return type::dynamic();
        } else {
            return call_failure(i, "a list or tuple is required, not a value of type " + of.friendly_name());
        }
    }
    return type::tuple(std::move(elements));
}

[[nodiscard]] auto concat(arguments given) -> call_result<value>
{
    auto const result = concat_type(given);
    if (!result) return result.error();
    std::vector<value> made;
    mark marks = mark::none;
    for (auto const& one : given) {
        marks |= one.marks();
        for (auto const& element : one.elements()) {
            if (!result->is(type_kind::list)) {
                made.push_back(element);
                continue;
            }
            auto each = converted(element, result->element());
            if (!each) return each.error();
            made.push_back(*std::move(each));
        }
    }
    return shaped(*result, std::move(made)).with_marks(marks);
}

// lookup

[[nodiscard]] auto lookup_type(arguments given) -> call_result<type>
{
    if (given.size() > 3) return call_failure("at most three arguments are allowed: a map, a key and a default");
    type const of = given[0].get_type();
    if (of.is(type_kind::object)) {
        if (!given[1].has_data()) return type::dynamic();
        auto const& key = given[1].as_string();
        if (auto const* const attribute = of.find(key)) return attribute->of;
        if (given.size() == 3) return given[2].get_type();
        return call_failure(0, "it has no attribute " + to_json(value(key)) + ", and there is no default");
    }
    if (of.is(type_kind::map)) {
        if (given.size() == 3 && !convert(given[2], of.element()))
            return call_failure(2,
                "its type is " + given[2].get_type().friendly_name() + ", but the elements of the map have the type "
                    + of.element().friendly_name());
        return of.element();
    }
    if (of.is_dynamic()) return of;
    return call_failure(0, "a map or an object is required");
}

[[nodiscard]] auto lookup(arguments given) -> call_result<value>
{
    auto const result = lookup_type(given);
    if (!result) return result.error();
    mark const marks = given[0].marks() | given[1].marks();
    if (given[0].is_unknown() || given[1].is_unknown())
        return value::unknown(*result).with_marks(marks_of_unknown(*result, given));
    auto const& key = given[1].as_string();
    if (auto const* const element = given[0].find(key)) return element->with_marks(marks);
    if (given.size() == 3) {
        auto made = converted(given[2], *result);
        if (!made) return made.error();
        return made->with_marks(marks);
    }
    return call_failure("there is no default, and the map has no element "
        + (given[1].marks() != mark::none ? describe(given[1]) : to_json(given[1].unmarked())));
}

// element, index, contains

[[nodiscard]] auto element_type(arguments given) -> call_result<type>
{
    type const of = given[0].get_type();
    if (of.is(type_kind::list)) return of.element();
    if (of.is_dynamic()) return of;
    if (!of.is(type_kind::tuple)) return call_failure("a value of type " + of.friendly_name() + " has no elements");
    if (given[1].is_unknown()) return type::dynamic();
    if (of.elements().empty()) return call_failure("the list is empty");
    auto const at = wrapped_index(given[1].as_number(), of.elements().size());
    if (!at) return call_failure(std::string("for the index, ") + not_whole);
    return of.elements()[*at];
}

[[nodiscard]] auto element(arguments given) -> call_result<value>
{
    auto const result = element_type(given);
    if (!result) return result.error();
    if (given[0].has_data() && given[0].size() == 0) return call_failure("the list is empty");
    mark const marks = given[0].marks() | given[1].marks();
    if (given[0].is_unknown() || given[1].is_unknown())
        return value::unknown(*result).with_marks(marks_of_unknown(*result, given));
    auto const at = wrapped_index(given[1].as_number(), given[0].size());
    if (!at) return call_failure(std::string("for the index, ") + not_whole);
    return given[0].elements()[*at].with_marks(marks);
}

[[nodiscard]] auto index_of(arguments given) -> call_result<value>
{
    if (!given[0].is(type_kind::list) && !given[0].is(type_kind::tuple))
        return call_failure("only a list or tuple has elements with an index");
    if (given[0].size() == 0) return call_failure("the list is empty");
    for (std::size_t i = 0; i < given[0].size(); ++i) {
        auto const same = equal(given[0].elements()[i], given[1]);
        if (!same) return value::unknown(type::number()).refined_not_null();
        if (*same) return value(number(i));
    }
    return call_failure("no element of the list has this value");
}

[[nodiscard]] auto contains(arguments given) -> call_result<value>
{
    if (!is_sequence(given[0])) return call_failure("only a list, tuple or set can contain a value");
    bool known = true;
    for (auto const& one : given[0].elements()) {
        auto const same = equal(one, given[1]);
        if (same == true) return value(true);
        known = known && same.has_value();
    }
    return known ? value(false) : value::unknown(type::boolean()).refined_not_null();
}

// flatten, distinct, reverse, slice

void flatten_into(value const& v, std::vector<value>& out, mark& marks, bool& known)
{
    known = known && has_known_length(v);
    for (auto const& one : v.elements()) {
        if (out.size() > most_elements) return;
        if (is_sequence(one) && !one.is_null()) {
            marks |= one.marks();
            flatten_into(one, out, marks, known);
            continue;
        }
        if (one.is_unknown() && one.is(type_kind::dynamic)) known = false;
        out.push_back(one);
    }
}

[[nodiscard]] auto flatten(arguments given) -> call_result<value>
{
    if (!is_sequence(given[0])) return call_failure("only a list, tuple or set can be flattened");
    std::vector<value> made;
    mark marks = given[0].marks();
    bool known = true;
    flatten_into(given[0], made, marks, known);
    if (made.size() > most_elements) return too_many();
    return (known ? value::tuple(std::move(made)) : value::unknown()).with_marks(marks);
}

[[nodiscard]] auto flatten_type(arguments given) -> call_result<type>
{
    type const of = given[0].get_type();
    if (of.is_dynamic() || given[0].is_unknown()) return type::dynamic();
    auto const made = flatten(given);
    if (!made) return made.error();
    return made->get_type();
}

/// The first of each group of equal elements, in order.
[[nodiscard]] auto without_repetition(std::span<value const> all) -> std::vector<value>
{
    std::vector<std::size_t> places(all.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) { return set_less(all[a], all[b]); });
    auto const again = std::ranges::unique(places, [&](std::size_t a, std::size_t b) { return all[a] == all[b]; });
    places.erase(again.begin(), again.end());
    std::ranges::sort(places);
    std::vector<value> made;
    for (auto const place : places) made.push_back(all[place]);
    return made;
}

[[nodiscard]] auto distinct(arguments given) -> call_result<value>
{
    if (given[0].wholly_known())
        return value::list(given[0].get_type().element(), without_repetition(given[0].elements()));
    std::vector<value> made;
    for (auto const& one : given[0].elements()) {
        bool known = true;
        bool const seen = std::ranges::any_of(made, [&](value const& other) {
            auto const same = equal(one, other);
            known = known && same.has_value();
            return same == true;
        });
        if (!known) return value::unknown(given[0].get_type()).refined_not_null();
        if (!seen) made.push_back(one);
    }
    return value::list(given[0].get_type().element(), std::move(made));
}

[[nodiscard]] auto reverse_type(arguments given) -> call_result<type>
{
    type const of = given[0].get_type();
    if (of.is_dynamic()) return of;
    if (of.is(type_kind::list) || of.is(type_kind::set)) return type::list(of.element());
    if (!of.is(type_kind::tuple)) return call_failure(0, "a value of type " + of.friendly_name() + " has no order");
    return type::tuple({of.elements().rbegin(), of.elements().rend()});
}

[[nodiscard]] auto reverse(arguments given) -> call_result<value>
{
    auto const result = reverse_type(given);
    if (!result) return result.error();
    if (!has_known_length(given[0]))
        return value::unknown(*result).refined_not_null().with_marks(marks_of_unknown(*result, given));
    auto const elements = given[0].elements();
    return shaped(*result, {elements.rbegin(), elements.rend()}).with_marks(given[0].marks());
}

struct bounds {
    std::size_t start;
    std::size_t end;
};

[[nodiscard]] auto slice_bounds(arguments given, std::size_t size) -> call_result<bounds>
{
    auto const start = given[1].as_number().as_int64();
    auto const end = given[2].as_number().as_int64();
    if (!start) return call_failure(1, "a whole number is required");
    if (!end) return call_failure(2, "a whole number is required");
    if (*start < 0) return call_failure(1, "it is negative");
    if (static_cast<std::size_t>(*start) > size) return call_failure(1, "the list has fewer elements");
    if (*end < 0) return call_failure(2, "it is negative");
    if (static_cast<std::size_t>(*end) > size) return call_failure(2, "the list has fewer elements");
    if (*start > *end) return call_failure(1, "it is greater than end_index");
    return bounds{static_cast<std::size_t>(*start), static_cast<std::size_t>(*end)};
}

[[nodiscard]] auto slice_type(arguments given) -> call_result<type>
{
    type const of = given[0].get_type();
    if (of.is(type_kind::set))
        return call_failure(0, "a set has no order; if the order does not matter, convert it to a list with tolist");
    if (of.is(type_kind::list) || of.is_dynamic()) return of;
    if (!of.is(type_kind::tuple)) return call_failure(0, "a list or tuple is required");
    if (given[1].is_unknown() || given[2].is_unknown()) return type::dynamic();
    auto const part = slice_bounds(given, of.elements().size());
    if (!part) return part.error();
    auto const elements = of.elements().subspan(part->start, part->end - part->start);
    return type::tuple({elements.begin(), elements.end()});
}

[[nodiscard]] auto slice(arguments given) -> call_result<value>
{
    auto const result = slice_type(given);
    if (!result) return result.error();
    auto const part = slice_bounds(given, given[0].size());
    if (!part) return part.error();
    auto const elements = given[0].elements().subspan(part->start, part->end - part->start);
    return shaped(*result, {elements.begin(), elements.end()}).with_marks(given[0].marks());
}

// coalesce

[[nodiscard]] auto coalesce_type(arguments given) -> call_result<type>
{
    std::vector<type> types;
    for (auto const& one : given)
        if (!(one.is_null() && one.is(type_kind::dynamic))) types.push_back(one.get_type());
    if (given.empty()) return call_failure("at least one argument is required");
    auto const common = types.empty() ? std::optional(type::dynamic()) : unify(types);
    if (!common) return call_failure("the arguments have no common type");
    return *common;
}

[[nodiscard]] auto coalesce(arguments given) -> call_result<value>
{
    auto const result = coalesce_type(given);
    if (!result) return result.error();
    for (auto const& one : given) {
        auto const made = converted(one, *result);
        if (!made) return made.error();
        if (made->is_unknown()) return value::unknown(*result).refined_not_null();
        if (made->is_null()) continue;
        if (made->is(type_kind::string) && made->as_string().empty()) continue;
        return *made;
    }
    return call_failure("all arguments are null or an empty string");
}

[[nodiscard]] auto coalescelist_type(arguments given) -> call_result<type>
{
    if (given.empty()) return call_failure("at least one list is required");
    std::vector<type> types;
    for (std::size_t i = 0; i < given.size(); ++i) {
        if (given[i].is_unknown() && given[i].is(type_kind::dynamic)) return type::dynamic();
        if (!given[i].is(type_kind::list) && !given[i].is(type_kind::tuple))
            return call_failure("an argument is neither a list nor a tuple");
        types.push_back(given[i].get_type());
    }
    if (types.empty()) return type::dynamic();
    if (std::ranges::all_of(types, [&](type const& t) { return t == types.front(); })) return types.front();
    return type::dynamic();
}

[[nodiscard]] auto coalescelist(arguments given) -> call_result<value>
{
    auto const result = coalescelist_type(given);
    if (!result) return result.error();
    for (auto const& one : given) {
        if (one.is_unknown()) return value::unknown(*result);
        if (!one.is_null() && one.size() > 0) return one;
    }
    return call_failure("all arguments are null or empty");
}

// zipmap, chunklist, matchkeys, transpose

/// The failure if a key is null; nothing if none is.
[[nodiscard]] auto refuse_null_keys(value const& keys) -> std::optional<call_failure>
{
    for (std::size_t i = 0; i < keys.size(); ++i)
        if (keys.elements()[i].is_null())
            return call_failure("the key with the index " + std::to_string(i) + " is null");
    return std::nullopt;
}

[[nodiscard]] auto other_number_of_values(std::size_t keys, std::size_t values) -> call_failure
{
    return call_failure(
        "the number of keys is " + std::to_string(keys) + ", but the number of values is " + std::to_string(values));
}

[[nodiscard]] auto zipmap_type(arguments given) -> call_result<type>
{
    type const of = given[1].get_type();
    if (of.is(type_kind::list)) return type::map(of.element());
    if (of.is_dynamic()) return of;
    if (!of.is(type_kind::tuple)) return call_failure(1, "a list or tuple is required");
    if (auto problem = refuse_null_keys(given[0])) return *problem;
    if (!given[0].wholly_known()) return type::dynamic();
    if (given[0].size() != of.elements().size()) return other_number_of_values(given[0].size(), of.elements().size());
    std::vector<type_attribute> attributes;
    for (std::size_t i = 0; i < given[0].size(); ++i)
        attributes.push_back({given[0].elements()[i].as_string(), of.elements()[i], false});
    return type::object(std::move(attributes));
}

[[nodiscard]] auto zipmap(arguments given) -> call_result<value>
{
    auto const result = zipmap_type(given);
    if (!result) return result.error();
    if (auto problem = refuse_null_keys(given[0])) return *problem;
    mark marks = given[0].marks() | given[1].marks();  // and those of the keys, but not those of the values
    if (!given[0].wholly_known()) return value::unknown(*result).with_marks(marks_of_unknown(*result, given));
    if (given[0].size() != given[1].size()) return other_number_of_values(given[0].size(), given[1].size());
    std::vector<value_entry> made;
    for (std::size_t i = 0; i < given[0].size(); ++i) {
        marks |= given[0].elements()[i].marks();
        made.push_back({given[0].elements()[i].as_string(), given[1].elements()[i]});
    }
    if (result->is(type_kind::map)) return value::map(result->element(), std::move(made)).with_marks(marks);
    return value::object(std::move(made)).with_marks(marks);
}

[[nodiscard]] auto chunklist(arguments given) -> call_result<value>
{
    type const list = given[0].get_type();
    auto const size = given[1].as_number().as_int64();
    if (!size) return call_failure(1, "a whole number is required");
    if (*size < 0) return call_failure("the size is negative");
    auto const elements = given[0].elements();
    auto const step = *size == 0 ? std::max<std::size_t>(elements.size(), 1) : static_cast<std::size_t>(*size);
    std::vector<value> made;
    for (std::size_t at = 0; at < elements.size(); at += step) {
        auto const chunk = elements.subspan(at, std::min(step, elements.size() - at));
        made.push_back(value::list(list.element(), {chunk.begin(), chunk.end()}));
    }
    return value::list(list, std::move(made)).with_marks(given[0].marks() | given[1].marks());
}

[[nodiscard]] auto matchkeys(arguments given) -> call_result<value>
{
    if (given[0].size() != given[1].size())
        return call_failure("the number of keys must be equal to the number of values");
    std::vector<value> made;
    for (std::size_t i = 0; i < given[1].size(); ++i) {
        for (auto const& desired : given[2].elements()) {
            type const types[] = {given[1].elements()[i].get_type(), desired.get_type()};
            auto const common = unify(types);
            if (!common) return call_failure("keys and searchset have no common type");
            auto const key = converted(given[1].elements()[i], *common);
            auto const other = converted(desired, *common);
            auto const same = key && other ? equal(*key, *other) : std::optional(false);
            if (!same) return value::unknown(given[0].get_type()).refined_not_null();
            if (*same) {
                made.push_back(given[0].elements()[i]);
                break;
            }
        }
    }
    return value::list(given[0].get_type().element(), std::move(made));
}

[[nodiscard]] auto transpose(arguments given) -> call_result<value>
{
    type const strings = type::list(type::string());
    for (auto const& [key, list] : given[0].entries()) {
        if (list.is_null()) return call_failure("an element of the map is null");
        if (std::ranges::any_of(list.elements(), &value::is_null)) return call_failure("an element of a list is null");
    }
    if (!given[0].wholly_known()) return value::unknown(type::map(strings)).refined_not_null();
    std::map<std::string, std::vector<value>> turned;
    for (auto const& [key, list] : given[0].entries())
        for (auto const& one : list.elements()) turned[one.as_string()].push_back(value(key));
    std::vector<value_entry> made;
    for (auto& [key, list] : turned) made.push_back({key, value::list(type::string(), std::move(list))});
    return value::map(strings, std::move(made));
}

[[nodiscard]] auto every(arguments given, bool all) -> call_result<value>
{
    bool known = true;
    for (auto const& one : given[0].elements()) {
        if (one.is_unknown()) known = false;
        else if (one.is_null() ? all : one.as_bool() != all) return value(!all);
    }
    return known ? value(all) : value::unknown(type::boolean()).refined_not_null();
}

[[nodiscard]] auto one_type(arguments given) -> call_result<type>
{
    static constexpr auto wrong = "a list, set or tuple with at most one element is required";
    type const of = given[0].get_type();
    if (of.is(type_kind::list) || of.is(type_kind::set)) return of.element();
    if (of.is_dynamic()) return of;
    if (!of.is(type_kind::tuple) || of.elements().size() > 1) return call_failure(0, wrong);
    return of.elements().empty() ? type::dynamic() : of.elements()[0];
}

[[nodiscard]] auto one(arguments given) -> call_result<value>
{
    auto const result = one_type(given);
    if (!result) return result.error();
    // May be null: there may be no element.
    if (given[0].is_unknown() || (is_sequence(given[0]) && !has_known_length(given[0]))) return value::unknown(*result);
    if (given[0].size() > 1) return call_failure(0, "it has more than one element");
    return given[0].size() == 0 ? value::null(*result) : given[0].elements()[0];
}

}  // namespace

void add_collection_functions(function_table& table)
{
    parameter const marked_list{"list", type::dynamic(), false, false, true};
    table.add("length", {{"value", type::dynamic(), false, true, true}}, type::number(), length);
    table.add("keys", {{"inputMap", type::dynamic(), false, true, true}}, keys_type, keys);
    table.add("values", {{"mapping", type::dynamic(), false, false, true}}, values_type, values);
    table.add("merge", {}, merge_type, merge).variadic = parameter{"maps", type::dynamic(), true, false, true};
    table.add("concat", {}, concat_type, concat).variadic = parameter{"seqs", type::dynamic(), false, false, true};
    table
        .add("lookup", {{"inputMap", type::dynamic(), false, true, true}, {"key", type::string(), false, true, true}},
            lookup_type, lookup)
        .variadic = parameter{"default", type::dynamic(), true, true, true};
    table.add("element", {{"list", type::dynamic(), false, true, true}, {"index", type::number(), false, true, true}},
        element_type, element);
    table.add("index", {any_value, {"value", type::dynamic(), false, true}}, once_typed(type::number()), index_of);
    table.add("contains", {any_value, {"value", type::dynamic(), true, true}}, once_typed(type::boolean()), contains);
    table.add("flatten", {marked_list}, flatten_type, flatten);
    table.add("distinct", {any_list}, type_of_first, distinct);
    table.add("reverse", {marked_list}, reverse_type, reverse);
    table.add(
        "slice", {marked_list, {"start_index", type::number()}, {"end_index", type::number()}}, slice_type, slice);
    table.add("coalesce", {}, coalesce_type, coalesce).variadic = parameter{"vals", type::dynamic(), true, true};
    table.add("coalescelist", {}, coalescelist_type, coalescelist).variadic =
        parameter{"vals", type::dynamic(), true, true};
    table.add("zipmap",
        {{"keys", type::list(type::string()), false, false, true}, {"values", type::dynamic(), false, false, true}},
        zipmap_type, zipmap);
    table.add(
        "chunklist",
        {{"list", type::list(type::dynamic()), false, false, true}, {"size", type::number(), false, false, true}},
        [](arguments given) -> call_result<type> { return type::list(given[0].get_type()); }, chunklist);
    table.add("matchkeys",
        {{"values", type::list(type::dynamic())}, {"keys", type::list(type::dynamic())},
            {"searchset", type::list(type::dynamic())}},
        type_of_first, matchkeys);
    table.add("transpose", {{"values", type::map(type::list(type::string()))}}, type::map(type::list(type::string())),
        transpose);
    table.add("alltrue", {{"list", type::list(type::boolean())}}, type::boolean(),
        [](arguments given) { return every(given, true); });
    table.add("anytrue", {{"list", type::list(type::boolean())}}, type::boolean(),
        [](arguments given) { return every(given, false); });
    table.add("one", {{"list", type::dynamic(), false, true}}, one_type, one);
    table.add("compact", {{"list", type::list(type::string())}}, type::list(type::string()),
        [](arguments given) -> call_result<value> {
            if (!given[0].wholly_known()) return value::unknown(type::list(type::string())).refined_not_null();
            std::vector<value> made;
            for (auto const& text : given[0].elements())
                if (!text.is_null() && !text.as_string().empty()) made.push_back(text);
            return value::list(type::string(), std::move(made));
        });
    table.add("sort", {{"list", type::list(type::string())}}, type::list(type::string()),
        [](arguments given) -> call_result<value> {
            std::vector<value> made(given[0].elements().begin(), given[0].elements().end());
            for (std::size_t i = 0; i < made.size(); ++i)
                if (made[i].is_null())
                    return call_failure("element " + std::to_string(i) + " is null, and null cannot be sorted");
            // The order is unknown, but the number of elements is known.
            if (!given[0].wholly_known())
                return value::list(type::string(), std::vector<value>(given[0].size(), value::unknown(type::string())));
            std::ranges::sort(made, set_less);
            return value::list(type::string(), std::move(made));
        });
}

}  // namespace iacctl::language::detail
