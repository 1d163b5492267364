// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_DEFERRED_DESTROYS_HPP
#define STRIDER_INFRA_PLAN_DEFERRED_DESTROYS_HPP

#include <strider/infra/model/action.hpp>
#include <strider/infra/model/deferral.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/plan/basic_plan.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Defers the destroys of objects without a declaration that depend on a deferred object, or on which an object depends that a
/// deferred change destroys or may destroy. Deposed objects are destroyed nevertheless.
/// \param prior  state before the plan, whose objects name their dependencies
/// \complexity O(n k) in the changes and the rounds in which one deferral causes another; O(1) if nothing is deferred
template <class V>
void defer_destroys(basic_plan<V>& plan, snapshot const& prior)
{
    if (plan.deferred.empty()) return;
    std::set<std::string> deferred;
    for (auto const& one : plan.deferred) deferred.insert(one.planned.config);
    std::set<std::string> needed;  // by objects that deferred changes may destroy
    auto const add_needed = [&](std::string const& config) {
        for (auto const& [target, record] : prior.resources)
            if (record.current && to_string(target.config()) == config)
                for (std::string const& name : record.current->dependencies.names()) needed.insert(name);
    };
    auto const may_destroy = [](deferred_change<V> const& one) {
        return one.planned.what == action::destroy || is_replace(one.planned.what)
            || has_unknown_key(one.planned.target);
    };
    for (auto const& one : plan.deferred)
        if (may_destroy(one)) add_needed(one.planned.config);
    auto const must_wait = [&](change<V> const& c) {
        if (c.what != action::destroy || c.of_deposed) return false;
        auto const is_deferred = [&](std::string const& name) { return deferred.contains(name); };
        return needed.contains(c.config) || std::ranges::any_of(c.stored_dependencies.names(), is_deferred);
    };
    for (bool again = true; again;) {
        std::vector<change<V>> kept;
        kept.reserve(plan.changes.size());
        std::size_t const before = plan.deferred.size();
        for (change<V>& c : plan.changes)
            if (must_wait(c)) plan.deferred.push_back({std::move(c), deferral_reason::deferred_prereq});
            else kept.push_back(std::move(c));
        plan.changes = std::move(kept);
        again = plan.deferred.size() != before;
        for (std::size_t i = before; i != plan.deferred.size(); ++i)
            if (auto const& config = plan.deferred[i].planned.config; deferred.insert(config).second)
                add_needed(config);
    }
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_DEFERRED_DESTROYS_HPP
