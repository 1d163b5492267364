// SPDX-License-Identifier: BSL-1.0
#include "convert.hpp"
#include "base/characters.hpp"
#include "base/in_quotes.hpp"
#include "base/suggestion.hpp"

#include <algorithm>
#include <functional>

namespace iacctl::language {

namespace {

[[nodiscard]] auto all_attributes(type const& t, std::function<bool(type_attribute const&)> const& holds) -> bool
{
    return std::ranges::all_of(t.attributes(), holds);
}

/// The element type of a structural type that is converted to a collection of `declared`.
[[nodiscard]] auto common_element(type const& from, type const& declared, conversion allowed) -> std::optional<type>
{
    if (!declared.is_dynamic()) return declared;
    std::vector<type> inner(from.elements().begin(), from.elements().end());
    for (auto const& attribute : from.attributes()) inner.push_back(attribute.of);
    return inner.empty() ? std::optional(declared) : unify(inner, allowed);
}

[[nodiscard]] auto structural_to_collection(type const& from, type const& to, conversion allowed) -> bool
{
    auto const element = common_element(from, to.element(), allowed);
    if (!element) return false;
    // An element type of null or of an unknown value is the common one only if no element has another.
    if (element->is_dynamic() && !to.is(type_kind::map)
        && !std::ranges::all_of(from.elements(), [](type const& inner) { return inner.is_dynamic(); }))
        return false;
    auto const fits = [&](type const& inner) { return inner == *element || convertible(inner, *element, allowed); };
    return std::ranges::all_of(from.elements(), fits)
        && all_attributes(from, [&](type_attribute const& a) { return fits(a.of); });
}

[[nodiscard]] auto primitive(type_kind from, type_kind to, conversion allowed) -> bool
{
    if (to == type_kind::string) return true;
    return allowed == conversion::unsafe && from == type_kind::string;
}

/// Replaces each `any` in `to` by the corresponding part of `from`.
[[nodiscard]] auto filled(type const& from, type const& to) -> type
{
    if (from.is_dynamic() || !to.has_dynamic()) return to;
    if (to.is_dynamic()) return from;
    if (to.is_collection()) {
        type element = to.element();
        if (from.is_collection()) element = filled(from.element(), element);
        else if (auto const common = common_element(from, type::dynamic(), conversion::unsafe))
            element = filled(*common, element);
        if (to.is(type_kind::list)) return type::list(element);
        return to.is(type_kind::set) ? type::set(element) : type::map(element);
    }
    if (to.is(type_kind::object)) {
        std::vector<type_attribute> inner;
        for (auto const& attribute : to.attributes()) {
            auto const* const had = from.find(attribute.name);
            type const of = from.is(type_kind::map) ? filled(from.element(), attribute.of)
                : had                               ? filled(had->of, attribute.of)
                                                    : attribute.of;
            inner.push_back({attribute.name, of, attribute.optional});
        }
        return type::object(std::move(inner));
    }
    std::vector<type> inner;
    for (std::size_t i = 0; i < to.elements().size(); ++i)
        inner.push_back(i < from.elements().size() ? filled(from.elements()[i], to.elements()[i]) : to.elements()[i]);
    return type::tuple(std::move(inner));
}

[[nodiscard]] auto convert_known(value const& v, type const& to) -> result<value>;
[[nodiscard]] auto convert_checked(value const& v, type const& to) -> result<value>;

/// Converts the elements of a convertible value. The elements of a collection of `any` have types of their own, which
/// were not checked with the type of the collection.
[[nodiscard]] auto conversion_of_elements(value const& v)
{
    bool const any = v.kind() >= type_kind::list && v.kind() <= type_kind::map && v.get_type().element().is_dynamic();
    return any ? convert : convert_checked;
}

/// \pre The type of `v` is convertible to `to`.
[[nodiscard]] auto convert_checked(value const& v, type const& to) -> result<value>
{
    if (to.is_dynamic()) return v;
    if (!v.has_data()) {
        type const target = filled(v.get_type(), to).without_optional();
        if (v.is_null()) return value::null(target).with_marks(v.marks());
        value const made = value::unknown(target);
        return (v.is_definitely_not_null() ? made.refined_not_null() : made).with_marks(v.marks());
    }
    auto made = convert_known(v, to);
    if (made && v.marks() != mark::none) return made->with_marks(v.marks());
    return made;
}

[[nodiscard]] auto convert_primitive(value const& v, type const& to) -> result<value>
{
    switch (to.kind()) {
    case type_kind::string:
        if (v.is(type_kind::number)) return value(v.as_number().text());
        return value(v.as_bool() ? "true" : "false");
    case type_kind::number:
        if (auto const parsed = number::parse(v.as_string())) return value(*parsed);
        return failure("a number is required");
    default: break;
    }
    auto const& text = v.as_string();
    if (text == "true" || text == "1") return value(true);
    if (text == "false" || text == "0") return value(false);
    auto const lower = ascii_lower_case(text);
    if (lower == "true" || lower == "false")
        return failure("a bool is required, such as " + in_quotes(lower) + " in lower case");
    return failure("a bool is required");
}

/// The type of all elements of a collection. If the wanted element type contains `any`, elements may have different
/// types: unifies them, and gives nulls the type of the others.
template <class Range, class Project>
[[nodiscard]] auto settle(Range& made, Project project, type const& element, std::string const& collection)
    -> result<type>
{
    if (made.empty() || !element.has_dynamic()) return element.without_optional();
    auto const failed = [&] { return failure("its values have no common type, which a " + collection + " requires"); };
    std::vector<type> types;
    for (auto& inner : made) types.push_back(project(inner).get_type());
    auto const unified = unify(types);
    if (!unified) return failed();
    type common = *unified;
    for (auto& inner : made) {
        auto converted = convert(project(inner), *unified);
        if (!converted) return converted.error();
        project(inner) = *std::move(converted);
        if (common.is_dynamic()) common = project(inner).get_type();
    }
    for (auto& inner : made) {
        type const own = project(inner).get_type();
        if (own == common) continue;
        if (!own.is_dynamic()) return failed();
        auto converted = convert(project(inner), common);
        if (!converted) return converted.error();
        project(inner) = *std::move(converted);
    }
    return common;
}

[[nodiscard]] auto convert_to_sequence(value const& given, type const& to) -> result<value>
{
    type element = to.element();
    if (element.is_dynamic()) {
        type const from = given.get_type();
        element = from.is_collection() ? from.element()
                                       : common_element(from, element, conversion::unsafe).value_or(type::dynamic());
    }
    // Unknown elements of a set may turn out to be equal, so the length of a list of them is unknown.
    if (given.is(type_kind::set) && to.is(type_kind::list) && given.size() > 1 && !given.wholly_known())
        return value::unknown(type::list(element.without_optional())).refined_not_null();
    std::vector<value> made;
    made.reserve(given.size());
    auto const convert_element = conversion_of_elements(given);
    for (auto const& inner : given.elements()) {
        auto converted = convert_element(inner, element);
        if (!converted) return converted.error().within("[" + std::to_string(made.size()) + "]");
        made.push_back(*std::move(converted));
    }
    bool const is_list = to.is(type_kind::list);
    auto const settled = settle(made, [](value& v) -> value& { return v; }, element, is_list ? "list" : "set");
    if (!settled) return settled.error();
    return is_list ? value::list(*settled, std::move(made)) : value::set(*settled, std::move(made));
}

[[nodiscard]] auto convert_to_map(value const& v, type const& to) -> result<value>
{
    type element = to.element();
    if (element.is_dynamic()) {
        type const from = v.get_type();
        element = from.is_collection() ? from.element()
                                       : common_element(from, element, conversion::unsafe).value_or(type::dynamic());
    }
    std::vector<value_entry> made;
    made.reserve(v.size());
    auto const convert_element = conversion_of_elements(v);
    for (auto const& [key, inner] : v.entries()) {
        auto converted = convert_element(inner, element);
        if (!converted) return converted.error().within("[" + in_quotes(key) + "]");
        made.push_back({key, *std::move(converted)});
    }
    auto const settled = settle(made, [](value_entry& e) -> value& { return e.of; }, element, "map");
    if (!settled) return settled.error();
    return value::map(*settled, std::move(made));
}

[[nodiscard]] auto convert_to_object(value const& v, type const& to) -> result<value>
{
    std::vector<value_entry> made;
    bool const from_map = v.is(type_kind::map);
    for (auto const& attribute : to.attributes()) {
        auto const* const inner = v.find(attribute.name);
        if (!inner) {
            if (!attribute.optional) return failure("the map has no element " + in_quotes(attribute.name));
            made.push_back({attribute.name, value::null(attribute.of.without_optional())});
            continue;
        }
        type const had = inner->get_type();
        if (!convertible(had, attribute.of, conversion::unsafe) && had != attribute.of)
            return failure("the element " + in_quotes(attribute.name)
                + " does not have the type of the attribute: " + mismatch_message(had, attribute.of));
        auto converted = convert_checked(*inner, attribute.of);
        if (!converted)
            return converted.error().within(from_map ? "[" + in_quotes(attribute.name) + "]" : "." + attribute.name);
        made.push_back({attribute.name, *std::move(converted)});
    }
    return value::object(std::move(made));
}

[[nodiscard]] auto convert_known(value const& v, type const& to) -> result<value>
{
    switch (to.kind()) {
    case type_kind::boolean:
    case type_kind::number:
    case type_kind::string: return v.is(to.kind()) ? result<value>(v) : convert_primitive(v, to);
    case type_kind::list:
    case type_kind::set: return convert_to_sequence(v, to);
    case type_kind::map: return convert_to_map(v, to);
    case type_kind::object: return convert_to_object(v, to);
    case type_kind::tuple: {
        std::vector<value> made;
        for (auto const& inner : v.elements()) {
            auto converted = convert_checked(inner, to.elements()[made.size()]);
            if (!converted) return converted.error().within("[" + std::to_string(made.size()) + "]");
            made.push_back(*std::move(converted));
        }
        return value::tuple(std::move(made));
    }
    case type_kind::dynamic: break;
    }
    return v;
}

[[nodiscard]] auto unify_as_collection(std::span<type const> types, conversion allowed, type_kind kind)
    -> std::optional<type>
{
    std::vector<type> inner;
    for (auto const& t : types) {
        inner.insert(inner.end(), t.elements().begin(), t.elements().end());
        for (auto const& attribute : t.attributes()) inner.push_back(attribute.of);
    }
    auto const element = unify(inner, allowed);
    if (!element) return std::nullopt;
    type const made = kind == type_kind::list ? type::list(*element) : type::map(*element);
    for (auto const& t : types)
        if (t != made && !convertible(t, made, allowed)) return std::nullopt;
    return made;
}

[[nodiscard]] auto unify_collections(std::span<type const> types, conversion allowed) -> std::optional<type>
{
    std::vector<type> inner;
    for (auto const& t : types) inner.push_back(t.element());
    auto const element = unify(inner, allowed);
    if (!element) return std::nullopt;
    type const& first = types.front();
    type made = first.is(type_kind::list) ? type::list(*element)
        : first.is(type_kind::set)        ? type::set(*element)
                                          : type::map(*element);
    for (auto const& t : types)
        if (t != made && !convertible(t, made, allowed)) return std::nullopt;
    return made;
}

[[nodiscard]] auto unify_objects(std::span<type const> types, conversion allowed) -> std::optional<type>
{
    auto const first = types.front().attributes();
    for (auto const& t : types) {
        if (!std::ranges::equal(t.attributes(), first, {}, &type_attribute::name, &type_attribute::name))
            return unify_as_collection(types, allowed, type_kind::map);
    }
    std::vector<type_attribute> attributes;
    for (std::size_t i = 0; i < first.size(); ++i) {
        std::vector<type> across;
        for (auto const& t : types) across.push_back(t.attributes()[i].of);
        auto const common = unify(across, allowed);
        if (!common) return std::nullopt;
        attributes.push_back({first[i].name, *common, false});
    }
    type made = type::object(std::move(attributes));
    for (auto const& t : types)
        if (t != made && !convertible(t, made, allowed)) return unify_as_collection(types, allowed, type_kind::map);
    return made;
}

[[nodiscard]] auto unify_tuples(std::span<type const> types, conversion allowed) -> std::optional<type>
{
    auto const first = types.front().elements();
    for (auto const& t : types)
        if (t.elements().size() != first.size()) return unify_as_collection(types, allowed, type_kind::list);
    std::vector<type> elements;
    for (std::size_t i = 0; i < first.size(); ++i) {
        std::vector<type> across;
        for (auto const& t : types) across.push_back(t.elements()[i]);
        auto const common = unify(across, allowed);
        if (!common) return std::nullopt;
        elements.push_back(*common);
    }
    type made = type::tuple(std::move(elements));
    for (auto const& t : types)
        if (t != made && !convertible(t, made, allowed)) return unify_as_collection(types, allowed, type_kind::list);
    return made;
}

/// Unifies a mixture of collections and structural types: converts the structural types to collections first.
[[nodiscard]] auto unify_mixed(
    std::span<type const> types, conversion allowed, type_kind structural, type_kind collection) -> std::optional<type>
{
    std::vector<type> inner;
    for (auto const& t : types)
        if (t.is(structural)) inner.push_back(t);
    auto const made = unify_as_collection(inner, allowed, collection);
    if (!made) return std::nullopt;
    std::vector<type> all(types.begin(), types.end());
    for (auto& t : all)
        if (t.is(structural)) t = *made;
    auto const common = unify(all, allowed);
    return common && common->is(collection) ? common : std::nullopt;
}

/// Unifies different types, preferring those to which more of the others can be converted.
[[nodiscard]] auto unify_by_preference(std::span<type const> types, conversion allowed) -> std::optional<type>
{
    std::vector<type> candidates(types.begin(), types.end());
    std::ranges::stable_sort(candidates, [](type const& a, type const& b) {
        if (a.is_dynamic() || b.is_dynamic()) return !a.is_dynamic() && b.is_dynamic();
        return convertible(b, a, conversion::safe) && !convertible(a, b, conversion::safe);
    });
    for (auto const& desired : candidates) {
        if (std::ranges::all_of(types, [&](type const& t) { return t == desired || convertible(t, desired, allowed); }))
            return desired;
    }
    return std::nullopt;
}

/// The attributes that the desired type does not have and whose names are close to those of missing ones.
[[nodiscard]] auto misspellings(type const& got, type const& desired, std::vector<std::string_view> const& missing)
    -> std::string
{
    std::string all;
    for (auto const& attribute : got.attributes()) {
        if (desired.find(attribute.name)) continue;
        auto const meant = name_suggestion(attribute.name, missing);
        if (!meant.empty()) all += "; " + in_quotes(attribute.name) + " may be a misspelling of " + in_quotes(meant);
    }
    return all;
}

[[nodiscard]] auto mismatch_of_objects(type const& got, type const& desired) -> std::string
{
    std::vector<std::string_view> missing;
    for (auto const& attribute : desired.attributes())
        if (!attribute.optional && !got.find(attribute.name)) missing.push_back(attribute.name);
    if (auto const count = missing.size(); count > 0) {
        std::string list;
        for (std::size_t i = 0; i < count; ++i)
            list += (i == 0 ? "" : i + 1 < count ? ", " : count == 2 ? " and " : ", and ") + in_quotes(missing[i]);
        return (count == 1 ? "attribute " + list + " is required" : "attributes " + list + " are required")
            + misspellings(got, desired, missing);
    }
    for (auto const allowed : {conversion::unsafe, conversion::safe}) {
        for (auto const& attribute : desired.attributes()) {
            auto const* const had = got.find(attribute.name);
            if (had && had->of != attribute.of && !convertible(had->of, attribute.of, allowed))
                return "attribute " + in_quotes(attribute.name) + ": " + mismatch_message(had->of, attribute.of);
        }
    }
    return "incorrect object attributes";
}

[[nodiscard]] auto mismatch_of_elements(type const& got, type const& desired) -> std::string
{
    auto const& element = desired.element();
    auto const fits = [&](type const& t) { return t == element || convertible(t, element, conversion::unsafe); };
    for (std::size_t i = 0; i < got.elements().size(); ++i)
        if (!fits(got.elements()[i]))
            return "element " + std::to_string(i) + ": " + mismatch_message(got.elements()[i], element);
    for (auto const& attribute : got.attributes())
        if (!fits(attribute.of))
            return "element " + in_quotes(attribute.name) + ": " + mismatch_message(attribute.of, element);
    return "all elements must be " + element.constraint_name();
}

}  // namespace

auto convertible(type const& from, type const& to, conversion allowed) -> bool
{
    if (to.is_dynamic()) return true;
    if (from.is_dynamic()) return allowed == conversion::unsafe;
    if (from == to) return true;
    if (from.is_primitive() && to.is_primitive()) return primitive(from.kind(), to.kind(), allowed);
    bool const from_sequence = from.is(type_kind::list) || from.is(type_kind::set);
    switch (to.kind()) {
    case type_kind::object:
        if (from.is(type_kind::object)) {
            return all_attributes(to, [&](type_attribute const& desired) {
                auto const* const had = from.find(desired.name);
                return had ? had->of == desired.of || convertible(had->of, desired.of, allowed) : desired.optional;
            });
        }
        return from.is(type_kind::map) && allowed == conversion::unsafe
            && all_attributes(to, [&](type_attribute const& desired) {
                   return desired.optional || from.element() == desired.of
                       || convertible(from.element(), desired.of, allowed);
               });
    case type_kind::tuple:
        return from.is(type_kind::tuple) && from.elements().size() == to.elements().size()
            && std::ranges::equal(from.elements(), to.elements(),
                [&](type const& a, type const& b) { return a == b || convertible(a, b, allowed); });
    case type_kind::list:
        if (from_sequence) return from.element() == to.element() || convertible(from.element(), to.element(), allowed);
        return from.is(type_kind::tuple) && structural_to_collection(from, to, allowed);
    case type_kind::set:
        if (from.is(type_kind::list) && allowed == conversion::safe) return false;
        if (from_sequence) return from.element() == to.element() || convertible(from.element(), to.element(), allowed);
        return from.is(type_kind::tuple) && structural_to_collection(from, to, allowed);
    case type_kind::map:
        if (from.is(type_kind::map))
            return from.element() == to.element() || convertible(from.element(), to.element(), allowed);
        return from.is(type_kind::object) && structural_to_collection(from, to, allowed);
    case type_kind::dynamic:
    case type_kind::boolean:
    case type_kind::number:
    case type_kind::string: break;
    }
    return false;
}

auto convert(value const& v, type const& to) -> result<value>
{
    if (to.is_dynamic()) return v;
    if (to.is_primitive() && v.is(to.kind())) return v;
    type const from = v.get_type();
    if (from == to.without_optional()) return v;
    if (!convertible(from, to, conversion::unsafe)) return failure(mismatch_message(from, to));
    return convert_checked(v, to);
}

auto unify(std::span<type const> types, conversion allowed) -> std::optional<type>
{
    if (types.empty()) return std::nullopt;
    auto const count = [&](type_kind kind) { return std::ranges::count(types, kind, &type::kind); };
    auto const total = static_cast<std::ptrdiff_t>(types.size());
    auto const dynamics = count(type_kind::dynamic);
    auto const maps = count(type_kind::map);
    auto const lists = count(type_kind::list);
    auto const sets = count(type_kind::set);
    auto const objects = count(type_kind::object);
    auto const tuples = count(type_kind::tuple);
    for (auto const group : {maps, lists, sets}) {
        if (group > 0 && group + dynamics == total)
            return dynamics > 0 ? std::optional(type::dynamic()) : unify_collections(types, allowed);
    }
    if (maps > 0 && maps + objects + dynamics == total) {
        if (auto const made = unify_mixed(types, allowed, type_kind::object, type_kind::map)) return made;
    } else if (lists > 0 && lists + tuples + dynamics == total) {
        if (auto const made = unify_mixed(types, allowed, type_kind::tuple, type_kind::list)) return made;
    } else if (objects > 0 && objects + dynamics == total) {
        return dynamics > 0 ? std::optional(type::dynamic()) : unify_objects(types, allowed);
    } else if (tuples > 0 && tuples + dynamics == total) {
        return dynamics > 0 ? std::optional(type::dynamic()) : unify_tuples(types, allowed);
    } else if (objects > 0 && tuples > 0) {
        return std::nullopt;
    }
    return unify_by_preference(types, allowed);
}

auto mismatch_message(type const& got, type const& desired) -> std::string
{
    bool const structural = got.is_structural();
    if (got.is(type_kind::object) && desired.is(type_kind::object)) return mismatch_of_objects(got, desired);
    if (desired.is_collection() && desired.element().is_dynamic()) {
        if (got.is(type_kind::tuple) && desired.is(type_kind::list)) return "the elements have no common type";
        if (got.is(type_kind::tuple) && desired.is(type_kind::set)) return "the elements have no common type";
        if (got.is(type_kind::object) && desired.is(type_kind::map))
            return "the values of its attributes have no common type";
    }
    bool const fitting_shape = desired.is(type_kind::map) ? got.is(type_kind::object) || got.is(type_kind::map)
                                                          : !got.is(type_kind::object) && !got.is(type_kind::map);
    if (desired.is_collection() && (structural || got.is_collection()) && fitting_shape) {
        if (structural) return mismatch_of_elements(got, desired);
        std::string const noun = desired.is(type_kind::list) ? "list" : desired.is(type_kind::set) ? "set" : "map";
        return "incorrect " + noun + " element type: " + mismatch_message(got.element(), desired.element());
    }
    return desired.constraint_name() + " required";
}

}  // namespace iacctl::language
