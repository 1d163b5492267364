// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_PLAN_FINDINGS_HPP
#define STRIDER_INFRA_PLAN_PLAN_FINDINGS_HPP

#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/action.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/checks.hpp>
#include <strider/infra/model/deferral.hpp>
#include <strider/infra/model/dependency_set.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

namespace strider::infra {

/// The planned changes of the instances of a resource that triggers replacements, in ascending address.
template <class V>
struct trigger_subject {
    std::vector<change<V> const*> all;  ///< all instances, also the unchanged ones
    std::vector<change<V> const*> changed;  ///< those with an action other than no_op
};

/// The results of the visit of one vertex of a plan graph.
template <class V>
struct plan_findings {
    diagnostics problems;  ///< errors and warnings
    std::vector<change<V>> changes;  ///< planned for the instances of this vertex
    std::vector<deferred_change<V>> deferred;  ///< changes of this vertex that a later plan decides on
    std::vector<std::pair<address, diagnostics>> prevented;  ///< errors of a destroy if it includes the instance
    std::vector<change<V>> drift;  ///< changes made outside of the engine, found by the refresh
    std::vector<journal_entry> refreshed;  ///< recorded before any operation: objects that changed, and known outputs
    std::unique_ptr<output_change<V>> output;  ///< set by the visit of a root output
    diagnostics check_warnings;  ///< of checks, kept apart because an apply replaces them
    std::vector<unread_data> unread;  ///< data of a check that could not be read
    std::vector<trigger_subject<V>> triggers;  ///< of the declared triggers of these instances, in that order
    dependency_set added_dependencies;  ///< declared ones that a refresh adds to those of the objects

    /// Returns findings for a part of the visit.
    [[nodiscard]] auto part() const -> plan_findings
    {
        plan_findings made;
        made.triggers = triggers;
        made.added_dependencies = added_dependencies;
        return made;
    }
    /// Leaves the changes to a later plan, except those of deposed objects and of objects without a declaration.
    void defer_changes()
    {
        std::vector<change<V>> kept;
        for (change<V>& c : changes)
            if (c.of_deposed || c.what == action::destroy || c.what == action::forget) kept.push_back(std::move(c));
            else deferred.push_back({std::move(c), deferral_reason::deferred_prereq});
        changes = std::move(kept);
    }
    /// Adds what a part of the visit has found.
    void take(plan_findings part)
    {
        auto const add = [](auto& to, auto& from) {
            if (to.empty()) to = std::move(from);
            else to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
        };
        problems.add(std::move(part.problems));
        add(changes, part.changes);
        add(deferred, part.deferred);
        add(prevented, part.prevented);
        add(drift, part.drift);
        add(refreshed, part.refreshed);
        check_warnings.add(std::move(part.check_warnings));
        add(unread, part.unread);
    }
};

/// Moves the changes out of the findings. Their order is that of addresses; the current object of an instance precedes its
/// deposed ones.
/// \complexity O(n log n) in the changes, each of which is moved once; O(n), without a move, if a single vertex has all of
/// them in that order
template <class V>
[[nodiscard]] auto take_changes(std::vector<plan_findings<V>>& from) -> std::vector<change<V>>
{
    auto const before = [](change<V> const* a, change<V> const* b) {
        if (auto const by_address = a->target <=> b->target; by_address != 0) return by_address < 0;
        return a->of_deposed != b->of_deposed ? b->of_deposed : a->deposed_key < b->deposed_key;
    };
    std::vector<change<V>*> order;
    for (plan_findings<V>& one : from)
        for (change<V>& c : one.changes) order.push_back(&c);
    if (std::ranges::is_sorted(order, before)) {
        auto const has_all = [&](plan_findings<V> const& one) { return one.changes.size() == order.size(); };
        if (auto const only = std::ranges::find_if(from, has_all); only != from.end()) return std::move(only->changes);
    } else {
        std::ranges::sort(order, before);
    }
    std::vector<change<V>> taken;
    taken.reserve(order.size());
    for (change<V>* const c : order) taken.push_back(std::move(*c));
    for (plan_findings<V>& one : from) std::vector<change<V>>().swap(one.changes);
    return taken;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_PLAN_FINDINGS_HPP
