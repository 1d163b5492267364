// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_ACTION_PLANNER_HPP
#define STRIDER_INFRA_PLAN_ACTION_PLANNER_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/selection.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Finds the invocations of a plan whose changes are planned: of the actions that the changes trigger, and of those that the
/// options name.
template <program P, class Provider>
class action_planner {
    using value_type = typename P::value_type;

public:
    /// All arguments must outlive the planner. \param scope  the values of all declarations
    action_planner(declaration_index<P> const& declared, Provider& provider, plan_options const& options,
        evaluation_scope<value_type> const& scope)
        : declared_(&declared),
          provider_(&provider),
          options_(&options),
          scope_(&scope)
    {}

    /// Adds the invocations to a plan with sorted changes. \return warnings and errors
    [[nodiscard]] auto plan(basic_plan<value_type>& into) -> task<diagnostics>
    {
        diagnostics found;
        if constexpr (has_actions<P>) {
            auto wanted = options_->mode == plan_mode::normal ? triggered(into.changes, found) : named(found);
            for (invocation<value_type>& one : wanted) {
                auto planning = complete(one, found);
                bool const good = co_await std::move(planning);
                if (good) into.invocations.push_back(std::move(one));
            }
        }
        co_return found;
    }

private:
    [[nodiscard]] auto configuration() const -> P const& { return declared_->configuration(); }

    // The actions that changes trigger: for each change those before it, then those after it.
    [[nodiscard]] auto triggered(std::vector<change<value_type>> const& changes, diagnostics& found) const
        -> std::vector<invocation<value_type>>
    {
        std::vector<invocation<value_type>> all;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            auto const& c = changes[i];
            if (c.declaration == no_declaration || c.of_deposed || !makes_object(c.what)) continue;
            auto const& d = (*declared_)[c.declaration];
            auto const triggers = action_triggers(configuration(), d);
            for (bool const before : {true, false})
                for (action_trigger const& t : triggers) {
                    trigger_event const event = t.fired_by(c.what, before);
                    if (event != trigger_event::invoke) add(all, c, i, t, event, found);
                }
        }
        return all;
    }

    void add(std::vector<invocation<value_type>>& all, change<value_type> const& c, std::size_t number,
        action_trigger const& t, trigger_event event, diagnostics& found) const
    {
        auto const& d = (*declared_)[c.declaration];
        auto const holds = configuration().trigger_holds(d, t, c.target, *scope_);
        if (!holds) return append(found, holds.error().why());
        if (!*holds) return;
        auto const targets = configuration().triggered_actions(d, t, c.target, *scope_);
        if (!targets) return append(found, targets.error().why());
        for (std::size_t i = 0; i < targets->size(); ++i) {
            invocation<value_type> one;
            one.target = (*targets)[i];
            one.event = event;
            one.caller = c.target;
            one.change = number;
            one.trigger = t.index;
            one.position = i;
            one.on_failure = t.on_failure;
            all.push_back(std::move(one));
        }
    }

    // The actions that the options name; without a key, all instances. Those that are not known yet cannot be invoked.
    [[nodiscard]] auto named(diagnostics& found) const -> std::vector<invocation<value_type>>
    {
        std::vector<invocation<value_type>> all;
        for (address const& wanted : options_->invoke) {
            std::size_t const number = declared_->find(wanted.config());
            std::size_t const before = all.size();
            if (number != no_declaration)
                for (auto const& slot : (*scope_)[number]) {
                    if (has_unknown_key(slot.target)) continue;
                    if (wanted != slot.target && wanted != slot.target.resource()) continue;
                    all.emplace_back();
                    all.back().target = slot.target;
                }
            if (all.size() != before) continue;
            bool const not_yet = number != no_declaration && (*scope_)[number].is_partial();
            std::string const name = to_string(wanted);
            found.push_back(not_yet ? make_error(codes::action_instances_unknown, {name})
                                    : make_error(codes::unknown_action, {name}));
        }
        return all;
    }

    // Evaluates the configuration, and has the provider check it. \return false after errors
    [[nodiscard]] auto complete(invocation<value_type>& one, diagnostics& found) -> task<bool>
    {
        std::string const name = to_string(one.target);
        one.declaration = declared_->find(one.target.config());
        // An action that depends on an excluded object is excluded, too.
        bool const known = one.declaration != no_declaration;
        if (known && is_partial(*options_) && !(*scope_)[one.declaration].is_expanded()) co_return false;
        if (!known || (*scope_)[one.declaration].find(one.target) == nullptr) {
            found.push_back(make_error(codes::unknown_action, {name}, to_string(one.caller)));
            co_return false;
        }
        auto const& d = (*declared_)[one.declaration];
        auto provider = instance_provider(configuration(), d, one.target, *scope_);
        auto config = configuration().evaluate(d, one.target, *scope_);
        if (!provider || !config) {
            append(found, provider ? config.error().why() : provider.error().why());
            co_return false;
        }
        one.provider = std::move(*provider);
        one.config = std::move(*config);
        diagnostics problems;
        if (one.event == trigger_event::invoke && !one.config.wholly_known())
            problems.push_back(make_error(codes::action_not_known, {name}, name));
        else if constexpr (performs_actions<Provider, P>) {
            data_request<value_type> request(one.target, one.provider, one.config);
            auto planning = provider_->plan_action(std::move(request));
            problems = co_await std::move(planning);
        } else problems.push_back(make_error(codes::actions_not_supported, {name}, name));
        bool const good = !has_errors(problems);
        append(found, located(configuration(), one.declaration, one.target, std::move(problems)));
        co_return good;
    }

    declaration_index<P> const* declared_;
    Provider* provider_;
    plan_options const* options_;
    evaluation_scope<value_type> const* scope_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_ACTION_PLANNER_HPP
