// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_APPLY_FIRST_ENTRIES_HPP
#define STRIDER_INFRA_APPLY_FIRST_ENTRIES_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/plan/basic_plan.hpp>

#include <vector>

namespace strider::infra {

/// The entries that precede all operations: the results of refreshing, the removal of outputs that are no longer
/// declared, and in a destroy of all outputs.
template <class V>
[[nodiscard]] auto first_entries(basic_plan<V> const& plan) -> std::vector<journal_entry>
{
    std::vector<journal_entry> entries = plan.refreshed;
    for (auto const& c : plan.changes)
        if (c.what == action::forget) entries.push_back(journal_entry::remove(c.target, c.deposed_key));
    for (auto const& o : plan.outputs)
        if (o.what == action::destroy && o.declaration == no_declaration)
            entries.push_back(journal_entry::output_removed(o.name));
    return entries;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_APPLY_FIRST_ENTRIES_HPP
