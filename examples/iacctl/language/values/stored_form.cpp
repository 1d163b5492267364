// SPDX-License-Identifier: BSL-1.0
#include "stored_form.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

/// Removes the attributes of objects that are null and that the objects of a type do not have.
[[nodiscard]] auto without_added(value const& of, type const& stored) -> value
{
    if (!of.has_data() || of.kind() != stored.kind() || stored.is_primitive()) return of;
    std::vector<value_entry> entries;
    for (auto const& [key, one] : of.entries()) {
        auto const* const attribute = of.is(type_kind::object) ? stored.find(key) : nullptr;
        if (of.is(type_kind::map)) entries.push_back({key, without_added(one, stored.element())});
        else if (attribute != nullptr) entries.push_back({key, without_added(one, attribute->of)});
        else if (!one.is_null()) entries.push_back({key, one});
    }
    if (of.is(type_kind::object)) return value::object(std::move(entries)).with_marks(of.marks());
    std::vector<value> elements;
    if (of.is(type_kind::tuple)) {
        auto const types = stored.elements();
        if (types.size() != of.size()) return of;
        for (auto const& one : of.elements()) elements.push_back(without_added(one, types[elements.size()]));
        return value::tuple(std::move(elements)).with_marks(of.marks());
    }
    for (auto const& one : of.elements()) elements.push_back(without_added(one, stored.element()));
    // The elements of a collection must still have one type.
    auto const is_stored = [&](value const& one) { return one.get_type() == stored.element(); };
    auto const is_stored_entry = [&](value_entry const& one) { return is_stored(one.of); };
    if (!std::ranges::all_of(elements, is_stored) || !std::ranges::all_of(entries, is_stored_entry)) return of;
    value const made = of.is(type_kind::map) ? value::map(stored.element(), std::move(entries))
        : of.is(type_kind::set)              ? value::set(stored.element(), std::move(elements))
                                             : value::list(stored.element(), std::move(elements));
    return made.with_marks(of.marks());
}

}  // namespace

auto in_stored_form(value const& stored, value const& of) -> value
{
    auto const type = stored.get_type();
    if (of.get_type() == type) return of;
    auto made = without_added(of, type);
    return made.unmarked_deep() == stored.unmarked_deep() ? made : of;
}

}  // namespace iacctl::language
