// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_TRIGGERING_HPP
#define STRIDER_INFRA_PROGRAM_TRIGGERING_HPP

#include <strider/infra/model/invocation.hpp>
#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/program.hpp>

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

namespace strider::infra {

/// Calls `visit(resource, trigger)` for the triggers of all resources. \complexity O(declarations)
template <program P, class Visit>
void for_each_trigger(declaration_index<P> const& declared, Visit&& visit)
{
    if constexpr (has_actions<P>)
        for (std::size_t i = 0; i < declared.size(); ++i) {
            if (declared.kind(i) != declaration_kind::resource) continue;
            for (action_trigger const& t : action_triggers(declared.configuration(), declared[i])) visit(i, t);
        }
}

/// The resources that trigger an action which refers to its caller; empty for other actions.
template <program P>
[[nodiscard]] auto callers_of(declaration_index<P> const& declared, std::size_t action) -> std::vector<std::size_t>
{
    std::set<std::size_t> found;
    if constexpr (has_actions<P>)
        if (declared.configuration().refers_to_caller(declared[action]))
            for_each_trigger(declared, [&](std::size_t resource, action_trigger const& t) {
                auto const is_it = [&](auto const& name) { return declared.find(name) == action; };
                if (std::ranges::any_of(t.actions, is_it)) found.insert(resource);
            });
    return {found.begin(), found.end()};
}

/// The actions that the destruction of objects triggers, and the configurations of their providers.
/// \param is_there  `is_there(resource)`: true if the resource has objects
template <program P, class Predicate>
[[nodiscard]] auto needs_of_destroys(declaration_index<P> const& declared, Predicate&& is_there)
    -> std::set<std::size_t>
{
    std::set<std::size_t> found;
    for_each_trigger(declared, [&](std::size_t resource, action_trigger const& t) {
        if (std::ranges::none_of(t.events, is_of_destroy) || !is_there(resource)) return;
        for (auto const& name : t.actions) {
            std::size_t const action = declared.find(name);
            if (action == no_declaration || !found.insert(action).second) continue;
            std::size_t const provider = declared.find(declared.configuration().provider_of(declared[action]));
            if (provider != no_declaration) found.insert(provider);
        }
    });
    return found;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_TRIGGERING_HPP
