// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_APPLY_UNCHANGED_HPP
#define STRIDER_INFRA_APPLY_UNCHANGED_HPP

#include <strider/infra/graph/declared_resources.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider_configuration.hpp>

#include <cstddef>
#include <ranges>
#include <unordered_set>
#include <utility>
#include <vector>

namespace strider::infra {

/// An instance that a plan for others did not look at: expressions see it as state has it.
struct left_out_instance {
    address target;
    std::size_t declaration;
};

/// Finds the declared instances of a state that no change of a targeted plan is about.
/// \complexity O(n log n) in the instances of state.
template <program P>
[[nodiscard]] auto instances_left_out(P const& wanted, std::vector<change<typename P::value_type>> const& changes,
    snapshot const& state) -> std::vector<left_out_instance>
{
    std::unordered_set<address> planned;
    for (auto const& c : changes) planned.insert(c.target);
    declared_resources<P> declared(wanted);
    std::vector<left_out_instance> all;
    for (auto const& [target, record] : state.resources) {
        std::size_t const number = declared.find(target.config());
        if (record.current && number != no_declaration && !planned.contains(target)) all.push_back({target, number});
    }
    return all;
}

/// Gives expressions the objects that an apply leaves as they are, and room for those that it will make.
template <program P>
[[nodiscard]] auto publish_unchanged(P const& wanted, basic_plan<typename P::value_type> const& plan,
    snapshot const& state, evaluation_scope<typename P::value_type>& scope) -> diagnostics
{
    std::size_t const count = declaration_count(wanted);
    std::vector<std::vector<address>> instances(count);
    // Where everything goes, only the configurations of providers look at what there was before.
    bool const all_goes = plan.mode == plan_mode::destroy;
    if (all_goes && !declares_providers(wanted)) return {};
    auto const is_seen = [&](auto const& c) {
        return c.declaration != no_declaration && !c.of_deposed && (all_goes || c.what != action::destroy);
    };
    for (auto const& c : plan.changes)
        if (is_seen(c)) instances[c.declaration].push_back(c.target);
    auto const left_out =
        plan.targeted || all_goes ? instances_left_out(wanted, plan.changes, state) : std::vector<left_out_instance>();
    for (auto const& i : left_out) instances[i.declaration].push_back(i.target);
    for (std::size_t i = 0; i < count; ++i)
        if (kind_of(wanted, declaration_at(wanted, i)) == declaration_kind::resource)
            scope.expand(i, std::move(instances[i]));
    for (auto const& c : plan.changes)
        if (is_seen(c) && (all_goes || c.what == action::no_op))
            scope.publish(c.declaration, c.target, all_goes ? *c.before : *c.after);
    diagnostics problems;
    for (auto const& i : left_out) {
        auto value = wanted.decode(i.target, *state.find(i.target)->current);
        if (value) scope.publish(i.declaration, i.target, std::move(*value));
        else append(problems, value.error().why());
    }
    return problems;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_APPLY_UNCHANGED_HPP
