// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_TOY_ACTIONS_HPP
#define STRIDER_INFRA_SIM_TOY_ACTIONS_HPP

#include <strider/core/result.hpp>
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/sim/codes.hpp>
#include <strider/infra/sim/toy_declaration.hpp>
#include <strider/infra/sim/toy_evaluation.hpp>
#include <strider/infra/sim/toy_value.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace strider::infra::sim {

/// The actions of a toy program, as the concept `has_actions` requires them.
struct toy_actions {
    /// The triggers of a resource, with the names of their actions.
    [[nodiscard]] auto action_triggers(toy_declaration const& d) const -> std::vector<action_trigger>
    {
        std::vector<action_trigger> all;
        for (toy_action_trigger const& written : d.action_triggers) {
            action_trigger made{all.size(), written.events, written.on_failure, {}};
            for (toy_triggered_action const& one : written.actions) made.actions.push_back(one.name);
            all.push_back(std::move(made));
        }
        return all;
    }

    /// Empty if the term of the condition is not known.
    [[nodiscard]] auto trigger_holds(toy_declaration const& d, action_trigger const& trigger, address const& a,
        toy_value const& self, evaluation_scope<toy_value> const& scope) const -> result<std::optional<bool>, failure>
    {
        auto const& condition = d.action_triggers.at(trigger.index).condition;
        if (!condition) return std::optional(true);
        auto const is = with_caller(condition->first, a, &self, scope);
        if (!is) return failure(located(d, is.error().why()));
        return *is ? std::optional(**is == condition->second) : std::optional<bool>();
    }

    /// The actions are in the module instance of the object.
    [[nodiscard]] auto triggered_actions(toy_declaration const& d, action_trigger const& trigger, address const& a,
        evaluation_scope<toy_value> const&) const -> result<std::vector<address>, failure>
    {
        std::vector<address> all;
        for (toy_triggered_action const& one : d.action_triggers.at(trigger.index).actions) {
            auto const of = parse_address(one.name);
            if (!of) return failure(located(d, sim_error(codes::undeclared, {one.name}, to_string(a))));
            all.emplace_back(
                a.module(), resource_mode::action, of->type(), of->name(), one.own_key ? a.key() : one.key);
        }
        return all;
    }

    /// The attributes of an action. Fails with the errors of all of them.
    [[nodiscard]] auto evaluate_action(toy_declaration const& d, address const& a,
        invocation_context<toy_value> const& call, evaluation_scope<toy_value> const& scope) const
        -> result<toy_value, failure>
    {
        toy_value v;
        diagnostics problems;
        for (auto const& [name, term] : d.attributes) {
            auto text = with_caller(term, a, call.caller, scope);
            if (text) v.set(name, std::move(*text));
            else problems.add(located(d, text.error().why()));
        }
        if (!problems.empty()) return failure(std::move(problems));
        return v;
    }

    /// True if an attribute of the action is one of its caller.
    [[nodiscard]] auto refers_to_caller(toy_declaration const& d) const -> bool
    {
        return std::any_of(d.attributes.begin(), d.attributes.end(),
            [](auto const& one) { return one.second.kind() == toy_term::kind_type::caller; });
    }

private:
    // The value of a term that may refer to a caller, if there is one.
    [[nodiscard]] static auto with_caller(toy_term const& t, address const& a, toy_value const* caller,
        evaluation_scope<toy_value> const& scope) -> result<text_type, failure>
    {
        if (t.kind() != toy_term::kind_type::caller || caller == nullptr) return value_of(t, a, scope);
        return caller->is_unknown(t.text()) ? text_type() : text_type((*caller)[t.text()]);
    }
};

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_TOY_ACTIONS_HPP
