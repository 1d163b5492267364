// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_FORGOTTEN_OBJECTS_HPP
#define STRIDER_INFRA_PLAN_FORGOTTEN_OBJECTS_HPP

#include <strider/infra/graph/prior_instances.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/program/program.hpp>

#include <string>
#include <utility>

namespace strider::infra {

/// Plans to remove all objects of an instance from state, without destroying them.
/// \param prior  has the addresses before moves
template <program P>
void forget_objects(P const& configuration, prior_instances const& prior,
    std::pair<address const, resource_record> const& instance, plan_findings<typename P::value_type>& found)
{
    auto const add_change = [&](std::string key, object const& o) {
        auto decoded = configuration.decode(instance.first, o);
        if (!decoded) return found.problems.add(decoded.error().why());
        change<typename P::value_type> c;
        c.target = instance.first;
        c.config = to_string(c.target.config());
        c.previous = prior.previous(c.target);
        c.of_deposed = !key.empty();
        c.deposed_key = std::move(key);
        c.provider = o.provider;
        c.before = std::move(*decoded);
        c.what = action::forget;
        c.reason = o.keep ? action_reason::forgot_because_lifecycle_destroy_in_state
                          : action_reason::delete_because_no_resource_config;
        found.changes.push_back(std::move(c));
    };
    for (auto const& [key, old] : instance.second.deposed) add_change(key, old);
    if (instance.second.current) add_change({}, *instance.second.current);
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_FORGOTTEN_OBJECTS_HPP
