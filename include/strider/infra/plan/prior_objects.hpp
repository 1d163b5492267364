// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_PRIOR_OBJECTS_HPP
#define STRIDER_INFRA_PLAN_PRIOR_OBJECTS_HPP

#include <strider/infra/graph/prior_instances.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/plan/plan_findings.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>

#include <cstddef>
#include <utility>
#include <vector>

namespace strider::infra {

/// Publishes the object in state of an instance, if there is one. \param prior  may be null
template <program P, class V = typename P::value_type>
void publish_prior(P const& configuration, evaluation_scope<V>& scope, plan_findings<V>& found, std::size_t number,
    address const& a, prior_instances::entry prior)
{
    if (prior == nullptr || !prior->second.current) return;
    auto value = configuration.decode(a, *prior->second.current);
    if (value) scope.publish(number, a, std::move(*value));
    else found.problems.add(value.error().why());
}

/// Publishes the objects in state of a resource, which are its only instances. \param all  null: none
template <program P, class V = typename P::value_type>
void publish_prior_objects(P const& configuration, evaluation_scope<V>& scope, plan_findings<V>& found,
    std::size_t number, std::vector<prior_instances::entry> const* all)
{
    std::vector<address> instances;
    std::vector<prior_instances::entry> const none;
    for (auto const* one : all == nullptr ? none : *all)
        if (one->second.current) instances.push_back(one->first);
    scope.expand(number, std::move(instances));
    for (auto const* one : all == nullptr ? none : *all)
        publish_prior(configuration, scope, found, number, one->first, one);
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_PRIOR_OBJECTS_HPP
