// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PROGRAM_ACTIONS_HPP
#define STRIDER_INFRA_PROGRAM_ACTIONS_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra {

/// Optional: changes of resources invoke actions: declarations of kind `action`, which have instances and a configuration
/// as resources have, but no object.
///
/// - `action_triggers(d)`: the triggers of a resource, in the order in which they run.
/// - `trigger_holds(d, trigger, a, self, scope)`: the condition of a trigger for instance `a`, whose object is `self`. Evaluated
///   while planning, after all declarations; empty if it is not known yet. Then the apply evaluates it again.
/// - `triggered_actions(d, trigger, a, scope)`: the instance of each action of a trigger, in the order of its list.
/// - `evaluate_action(d, a, call, scope)`: the configuration of instance `a` of an action. It may refer to the caller.
/// - `refers_to_caller(d)`: true if the configuration of an action refers to its caller.
template <class P>
concept has_actions = program<P>
    && requires(P const& p, typename P::declaration_type const& d, action_trigger const& trigger, address const& a,
        typename P::value_type const& self, invocation_context<typename P::value_type> const& call,
        evaluation_scope<typename P::value_type> const& scope) {
           { p.action_triggers(d) } -> std::same_as<std::vector<action_trigger>>;
           { p.trigger_holds(d, trigger, a, self, scope) } -> std::same_as<result<std::optional<bool>, failure>>;
           { p.triggered_actions(d, trigger, a, scope) } -> std::same_as<result<std::vector<address>, failure>>;
           { p.evaluate_action(d, a, call, scope) } -> std::same_as<result<typename P::value_type, failure>>;
           { p.refers_to_caller(d) } -> std::same_as<bool>;
       };

/// The triggers of a resource.
template <program P>
[[nodiscard]] auto action_triggers([[maybe_unused]] P const& p, [[maybe_unused]] typename P::declaration_type const& d)
    -> std::vector<action_trigger>
{
    if constexpr (has_actions<P>) return p.action_triggers(d);
    else return {};
}

/// Request to perform an action. `print` receives its progress, line by line.
template <class V>
class invoke_request {
public:
    /// Sets all members.
    invoke_request(address about, std::string performer, V with, std::function<void(std::string_view)> output)
        : target(std::move(about)),
          provider(std::move(performer)),
          config(std::move(with)),
          print(std::move(output))
    {}
    address target;  ///< the instance of the action
    std::string provider;  ///< name of the provider
    V config;  ///< wholly known
    /// may be called several times until the task ends
    std::function<void(std::string_view)> print;
};

/// Result of an action.
class invoked {
public:
    invoked() = default;
    /// Sets the diagnostics; the action has failed if one of them is an error.
    explicit invoked(diagnostics found) : problems(std::move(found)) {}
    diagnostics problems;  ///< errors and warnings, in order
    bool interrupted = false;  ///< the effect is not known: the operation stays pending
};

/// Optional: `plan_action(request)` checks the configuration of an action, of which parts may be unknown, and
/// `invoke_action(request)` performs it. Default: an invocation is an error.
template <class X, class P>
concept performs_actions = program<P>
    && requires(X& x, data_request<typename P::value_type> planned, invoke_request<typename P::value_type> request) {
           { x.plan_action(std::move(planned)) } -> std::same_as<task<diagnostics>>;
           { x.invoke_action(std::move(request)) } -> std::same_as<task<invoked>>;
       };

/// Expands a declaration of kind `action`. \return errors
template <program P>
[[nodiscard]] auto expand_action(P const& p, typename P::declaration_type const& d, std::size_t number,
    evaluation_scope<typename P::value_type>& scope) -> diagnostics
{
    auto expanded = expand(p, d, scope);
    if (!expanded) return expanded.error().why();
    scope.expand(number, std::move(expanded->instances));
    if (expanded->repetition) scope.repeat(number, std::move(*expanded->repetition));
    return {};
}

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PROGRAM_ACTIONS_HPP
