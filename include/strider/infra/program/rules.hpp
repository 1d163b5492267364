// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_RULES_HPP
#define STRIDER_INFRA_PROGRAM_RULES_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/checks.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/program.hpp>

#include <concepts>
#include <optional>
#include <vector>

namespace strider::infra {

/// Optional: rules for the replacement and the destruction of objects.
///
/// - `lifecycle_of(d)`: the rules of a resource. Default: none.
/// - `prevented(d, a, scope)`: errors for instance `a`, which a plan destroys, if the rule of `prevent_destroy` forbids it. Called
///   only if that member is set. In a destroy, `scope` has no values.
template <class P>
concept has_lifecycle = program<P>
    && requires(P const& p, typename P::declaration_type const& d, address const& a,
        evaluation_scope<typename P::value_type> const& scope) {
           { p.lifecycle_of(d) } -> std::convertible_to<lifecycle>;
           { p.prevented(d, a, scope) } -> std::same_as<diagnostics>;
       };

/// Rules of a resource.
template <program P>
[[nodiscard]] auto lifecycle_of([[maybe_unused]] P const& p, [[maybe_unused]] typename P::declaration_type const& d)
    -> lifecycle
{
    if constexpr (has_lifecycle<P>) return p.lifecycle_of(d);
    else return {};
}

/// Adds errors to `problems` if the instance must not be destroyed.
template <program P>
void refuse_prevented_destroy([[maybe_unused]] P const& p, [[maybe_unused]] typename P::declaration_type const& d,
    [[maybe_unused]] address const& a, [[maybe_unused]] evaluation_scope<typename P::value_type> const& scope,
    [[maybe_unused]] diagnostics& problems)
{
    if constexpr (has_lifecycle<P>)
        if (lifecycle(p.lifecycle_of(d)).prevent_destroy) problems.add(p.prevented(d, a, scope));
}

/// Optional: `ignore_changes(d, prior, desired)` is the desired configuration with the ignored parts of the prior value, and
/// with parts in the form in which the prior value has them, if this is not a change. Default: nothing is ignored.
template <class P>
concept has_ignored_changes =
    program<P> && requires(P const& p, typename P::declaration_type const& d, typename P::value_type const& v) {
        { p.ignore_changes(d, v, v) } -> std::same_as<typename P::value_type>;
    };

/// Optional: a change of one object replaces an instance of another resource in the same instance of a module.
///
/// - `replace_triggers(d, a)`: the objects that replace instance `a`.
/// - `trigger_differs(trigger, before, after)`: the part of the object that the trigger names changes.
template <class P>
concept has_replace_triggers = program<P>
    && requires(P const& p, typename P::declaration_type const& d, address const& a, typename P::value_type const& v,
        replace_trigger const& trigger) {
           { p.replace_triggers(d, a) } -> std::same_as<result<std::vector<replace_trigger>, failure>>;
           { p.trigger_differs(trigger, v, v) } -> std::convertible_to<bool>;
       };

/// Optional: conditions that must hold before and after a change.
///
/// - `has_conditions(d)`: the declaration has any.
/// - `check(d, a, when, v, scope)`: errors for the conditions of that time that do not hold. `v` is the object after the change;
///   before it, a default-constructed value. A condition on an unknown value holds.
template <class P>
concept has_conditions = program<P>
    && requires(P const& p, typename P::declaration_type const& d, address const& a, typename P::value_type const& v,
        evaluation_scope<typename P::value_type> const& scope) {
           { p.has_conditions(d) } -> std::convertible_to<bool>;
           { p.check(d, a, condition_time::before, v, scope) } -> std::same_as<diagnostics>;
       };

/// Optional: rules of values, such as those of variables.
///
/// - `destroy_problems(d, scope)`: errors that an evaluation of `d` for a destroy has left out, such as those of rules that do
///   not hold. They are warnings of the destroy. \pre `d` is evaluated and published
template <class P>
concept has_value_rules = program<P>
    && requires(
        P const& p, typename P::declaration_type const& d, evaluation_scope<typename P::value_type> const& scope) {
           { p.destroy_problems(d, scope) } -> std::same_as<diagnostics>;
       };

/// Optional: declarations of kind `check`: assertions about everything, with data sources of their own.
///
/// - `is_of_check(d)`: the declaration is a check, or a data source of one.
/// - `data_of(d)`: number of the declaration of the data source of a check, if it has one.
/// - `assess(d, scope, unread)`: warnings for the assertions that do not hold. `unread` holds the data that were not read.
template <class P>
concept has_checks = program<P>
    && requires(P const& p, typename P::declaration_type const& d,
        evaluation_scope<typename P::value_type> const& scope, std::vector<unread_data> const& unread) {
           { p.is_of_check(d) } -> std::convertible_to<bool>;
           { p.data_of(d) } -> std::same_as<std::optional<std::size_t>>;
           { p.assess(d, scope, unread) } -> std::same_as<diagnostics>;
       };

/// The declaration is a check, or a data source of one.
template <program P>
[[nodiscard]] auto is_of_check([[maybe_unused]] P const& p, [[maybe_unused]] typename P::declaration_type const& d)
    -> bool
{
    if constexpr (has_checks<P>) return p.is_of_check(d);
    else return false;
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_RULES_HPP
