// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_PARTS_HPP
#define IACCTL_LANGUAGE_VALUES_PARTS_HPP

#include "value.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace iacctl::language {

/// Returns the value with each element, or the value of each entry, replaced by the result of `change(part, position)`.
/// Positions of entries are in the order of their keys. Kind, keys and marks are kept. A value without parts is
/// returned unchanged.
/// \pre The results for the elements of a list, set or map have the type of the elements.
template <class Change>
[[nodiscard]] auto with_parts(value const& v, Change&& change) -> value
{
    if (v.size() == 0) return v;
    std::size_t position = 0;
    std::vector<value> elements;
    std::vector<value_entry> entries;
    elements.reserve(v.elements().size());
    entries.reserve(v.entries().size());
    for (value const& part : v.elements()) elements.push_back(change(part, position++));
    for (auto const& [key, part] : v.entries()) entries.push_back({key, change(part, position++)});
    auto const made = [&] {
        switch (v.kind()) {
        case type_kind::list: return value::list(v.get_type().element(), std::move(elements));
        case type_kind::set: return value::set(v.get_type().element(), std::move(elements));
        case type_kind::tuple: return value::tuple(std::move(elements));
        case type_kind::map: return value::map(v.get_type().element(), std::move(entries));
        default: return value::object(std::move(entries));
        }
    };
    return made().with_marks(v.marks());
}

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_PARTS_HPP
