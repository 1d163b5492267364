// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_DEFERRED_TRIGGERS_HPP
#define STRIDER_INFRA_PLAN_DEFERRED_TRIGGERS_HPP

#include <strider/infra/graph/dependency_tables.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/deferral.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// True if a change triggers an action that has instances which are not known yet, and does not have the one to invoke.
template <program P>
[[nodiscard]] auto triggers_unknown_instances(declaration_index<P> const& declared,
    change<typename P::value_type> const& c, evaluation_scope<typename P::value_type> const& scope) -> bool
{
    if (c.declaration == no_declaration || c.of_deposed || !makes_object(c.what)) return false;
    auto const& configuration = declared.configuration();
    auto const& d = declared[c.declaration];
    auto const not_there = [&](address const& target) {
        auto const number = declared.find(target.config());
        return number != no_declaration && scope[number].is_partial() && scope[number].find(target) == nullptr;
    };
    for (action_trigger const& t : action_triggers(configuration, d)) {
        // The actions of a destroy are planned even if they cannot be invoked.
        auto const is_fired = [&](trigger_event e) { return !is_of_destroy(e) && t.is_fired(c.what, e); };
        if (std::ranges::none_of(trigger_events, is_fired)) continue;
        // Failures are found again by the planner of actions.
        auto const holds = configuration.trigger_holds(d, t, c.target, *c.after, scope);
        if (!holds || (*holds && !**holds)) continue;
        auto const targets = configuration.triggered_actions(d, t, c.target, scope);
        if (targets && std::ranges::any_of(*targets, not_there)) return true;
    }
    return false;
}

/// Defers the changes that trigger such actions, as an apply could not invoke them, and the changes that depend on them.
/// \complexity O(n) in the changes; if one is deferred, times their dependencies
template <program P>
void defer_triggering(declaration_index<P> const& declared, dependency_tables const& dependencies,
    evaluation_scope<typename P::value_type> const& scope, basic_plan<typename P::value_type>& plan)
{
    if constexpr (has_actions<P>) {
        std::set<std::string> deferred;
        auto const defer = [&](auto const& waits, deferral_reason why) {
            if (std::ranges::none_of(plan.changes, waits)) return;
            std::vector<change<typename P::value_type>> kept;
            kept.reserve(plan.changes.size());
            for (auto& c : plan.changes) {
                if (!waits(c)) {
                    kept.push_back(std::move(c));
                    continue;
                }
                deferred.insert(c.config);
                plan.deferred.push_back({std::move(c), why});
            }
            plan.changes = std::move(kept);
        };
        defer([&](auto const& c) { return triggers_unknown_instances(declared, c, scope); },
            deferral_reason::absent_prereq);
        // Dependencies are those of dependencies, too.
        auto const depends = [&](auto const& c) {
            if (c.declaration == no_declaration || c.of_deposed || c.what == action::destroy
                || c.what == action::forget)
                return false;
            auto const names = dependencies.declared[c.declaration].names();
            return std::ranges::any_of(names, [&](std::string const& name) { return deferred.contains(name); });
        };
        if (!deferred.empty()) defer(depends, deferral_reason::deferred_prereq);
    }
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_DEFERRED_TRIGGERS_HPP
