// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_APPLY_UNCHANGED_HPP
#define STRIDER_INFRA_APPLY_UNCHANGED_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider_configuration.hpp>

#include <cstddef>
#include <unordered_set>
#include <utility>
#include <vector>

namespace strider::infra {

/// An instance outside of the targets of a plan. Expressions see it as it is in state.
struct unchanged_instance {
    address target;  ///< the instance, as in state
    std::size_t declaration;  ///< number of its declaration
};

/// Finds the declared instances in a state for which a plan has no change. \complexity O(n) in the instances
template <program P>
[[nodiscard]] auto unchanged_instances(declaration_index<P> const& declared,
    basic_plan<typename P::value_type> const& plan, snapshot const& state) -> std::vector<unchanged_instance>
{
    std::unordered_set<address> planned;
    for (auto const& c : plan.changes) planned.insert(c.target);
    for (auto const& one : plan.deferred) planned.insert(one.planned.target);
    std::vector<unchanged_instance> all;
    for (auto const& [target, record] : state.resources) {
        std::size_t const number = declared.find(target.config());
        if (record.current && number != no_declaration && !planned.contains(target)) all.push_back({target, number});
    }
    return all;
}

/// Publishes the objects that an apply does not change and the known parts of those that the plan defers, and expands the
/// declarations of those that the apply creates.
template <program P>
[[nodiscard]] auto publish_unchanged(declaration_index<P> const& declared,
    basic_plan<typename P::value_type> const& plan, snapshot const& state,
    evaluation_scope<typename P::value_type>& scope) -> diagnostics
{
    std::vector<std::vector<address>> instances(declared.size());
    // In a destroy only the configurations of providers read prior objects.
    bool const destroys_all = plan.mode == plan_mode::destroy;
    if (destroys_all) scope.evaluate_for_destroy();
    if (destroys_all && !declares_providers(declared.configuration())) return {};
    auto const is_seen = [&](auto const& c) {
        bool const leaves = c.what == action::destroy || c.what == action::forget;
        return c.declaration != no_declaration && !c.of_deposed && (destroys_all || !leaves);
    };
    for (auto const& c : plan.changes)
        if (is_seen(c)) instances[c.declaration].push_back(c.target);
    for (auto const& one : plan.deferred)
        if (is_seen(one.planned)) instances[one.planned.declaration].push_back(one.planned.target);
    std::vector<unchanged_instance> unchanged;
    if (plan.targeted || plan.mode != plan_mode::normal) unchanged = unchanged_instances(declared, plan, state);
    for (auto const& i : unchanged) instances[i.declaration].push_back(i.target);
    for (std::size_t i = 0; i < declared.size(); ++i)
        if (declared.kind(i) == declaration_kind::resource) scope.expand(i, std::move(instances[i]));
    for (auto const& c : plan.changes)
        if (is_seen(c) && (destroys_all || c.what == action::no_op))
            scope.publish(c.declaration, c.target, destroys_all ? *c.before : *c.after);
    for (auto const& one : plan.deferred)
        if (is_seen(one.planned)) scope.publish(one.planned.declaration, one.planned.target, *one.planned.after);
    diagnostics problems;
    for (auto const& i : unchanged) {
        auto value = declared.configuration().decode(i.target, *state.find(i.target)->current);
        if (value) scope.publish(i.declaration, i.target, std::move(*value));
        else problems.add(value.error().why());
    }
    return problems;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_APPLY_UNCHANGED_HPP
