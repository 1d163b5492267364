// SPDX-License-Identifier: BSL-1.0
#include "stored_form.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

/// Removes the attributes of objects that are null and that the objects of a type do not have.
[[nodiscard]] auto without_added(value const& v, type const& stored) -> value
{
    if (!v.has_data() || v.kind() != stored.kind() || stored.is_primitive()) return v;
    std::vector<value_entry> entries;
    for (auto const& [key, one] : v.entries()) {
        auto const* const attribute = v.is(type_kind::object) ? stored.find(key) : nullptr;
        if (v.is(type_kind::map)) entries.push_back({key, without_added(one, stored.element())});
        else if (attribute != nullptr) entries.push_back({key, without_added(one, attribute->of)});
        else if (!one.is_null()) entries.push_back({key, one});
    }
    if (v.is(type_kind::object)) return value::object(std::move(entries)).with_marks(v.marks());
    std::vector<value> elements;
    if (v.is(type_kind::tuple)) {
        auto const types = stored.elements();
        if (types.size() != v.size()) return v;
        for (auto const& one : v.elements()) elements.push_back(without_added(one, types[elements.size()]));
        return value::tuple(std::move(elements)).with_marks(v.marks());
    }
    for (auto const& one : v.elements()) elements.push_back(without_added(one, stored.element()));
    // The elements of a collection must still have one type.
    auto const is_stored = [&](value const& given) { return given.get_type() == stored.element(); };
    auto const is_stored_entry = [&](value_entry const& entry) { return is_stored(entry.of); };
    if (!std::ranges::all_of(elements, is_stored) || !std::ranges::all_of(entries, is_stored_entry)) return v;
    value const made = v.is(type_kind::map) ? value::map(stored.element(), std::move(entries))
        : v.is(type_kind::set)              ? value::set(stored.element(), std::move(elements))
                                            : value::list(stored.element(), std::move(elements));
    return made.with_marks(v.marks());
}

}  // namespace

auto in_stored_form(value const& stored, value const& v) -> value
{
    auto const type = stored.get_type();
    if (v.get_type() == type) return v;
    auto made = without_added(v, type);
    return made.unmarked_deep() == stored.unmarked_deep() ? made : v;
}

}  // namespace iacctl::language
