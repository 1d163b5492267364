// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_PLAN_ACTION_PLANNER_HPP
#define STRIDER_INFRA_PLAN_ACTION_PLANNER_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/model/selection.hpp>
#include <strider/infra/model/snapshot.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/infra/program/triggering.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <span>
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
    /// All arguments must outlive the planner. \param scope  the values of all declarations that actions need
    action_planner(declaration_index<P> const& declared, Provider& provider, plan_options const& options,
        snapshot const& prior, evaluation_scope<value_type> const& scope)
        : declared_(&declared),
          provider_(&provider),
          options_(&options),
          prior_(&prior),
          scope_(&scope)
    {}

    /// Adds the invocations to a plan with sorted changes. \return warnings and errors
    [[nodiscard]] auto plan(basic_plan<value_type>& into) -> task<diagnostics>
    {
        diagnostics found;
        if constexpr (has_actions<P>) {
            bool const named_only = options_->mode == plan_mode::refresh_only;
            auto wanted = named_only ? named(found) : triggered(into.changes, found);
            for (invocation<value_type>& one : wanted) {
                diagnostics problems;
                std::optional<value_type> const caller = caller_of(one, into.changes, problems);
                auto planning = complete(one, caller ? &*caller : nullptr, problems);
                bool const good = co_await std::move(planning);
                settle(found, named_only ? nullptr : &into.changes[one.change], std::move(problems));
                if (good) into.invocations.push_back(std::move(one));
            }
        }
        co_return found;
    }

private:
    [[nodiscard]] auto configuration() const -> P const& { return declared_->configuration(); }

    // The actions that changes trigger. For each change, they are grouped by event.
    [[nodiscard]] auto triggered(std::vector<change<value_type>> const& changes, diagnostics& found) const
        -> std::vector<invocation<value_type>>
    {
        std::vector<invocation<value_type>> all;
        for (std::size_t i = 0; i < changes.size(); ++i) {
            auto const& c = changes[i];
            if (c.declaration == no_declaration || c.of_deposed) continue;
            auto const triggers = action_triggers(configuration(), (*declared_)[c.declaration]);
            diagnostics problems;
            for (trigger_event const event : triggers.empty() ? std::span<trigger_event const>() : trigger_events)
                for (action_trigger const& t : triggers)
                    if (t.is_fired(c.what, event)) add(all, c, i, t, event, problems);
            settle(found, &c, std::move(problems));
        }
        return all;
    }

    void add(std::vector<invocation<value_type>>& all, change<value_type> const& c, std::size_t number,
        action_trigger const& t, trigger_event event, diagnostics& found) const
    {
        auto const& d = (*declared_)[c.declaration];
        auto const holds = configuration().trigger_holds(d, t, c.target, object_at(c, event), *scope_);
        if (!holds) return found.add(holds.error().why());
        if (*holds && !**holds) return;
        auto const targets = configuration().triggered_actions(d, t, c.target, *scope_);
        if (!targets) return found.add(targets.error().why());
        for (std::size_t i = 0; i < targets->size(); ++i) {
            invocation<value_type> one;
            one.target = (*targets)[i];
            one.event = event;
            one.caller = c.target;
            one.change = number;
            one.trigger = t.index;
            one.position = i;
            one.on_failure = t.on_failure;
            one.conditional = !*holds;
            all.push_back(std::move(one));
        }
    }

    // The object that calls: a destroyed one, or else the planned one.
    [[nodiscard]] static auto object_at(change<value_type> const& c, trigger_event event) -> value_type const&
    {
        return is_of_destroy(event) ? *c.before : *c.after;
    }

    [[nodiscard]] auto caller_of(invocation<value_type> const& one, std::vector<change<value_type>> const& changes,
        diagnostics& found) const -> std::optional<value_type>
    {
        if (one.event != trigger_event::invoke) return object_at(changes[one.change], one.event);
        if (one.caller.type().empty()) return std::nullopt;
        std::size_t const number = declared_->find(one.caller.config());
        auto const* const slot = (*scope_)[number].find(one.caller);
        if (slot != nullptr && slot->get() != nullptr) return *slot->get();
        auto stored = configuration().decode(one.caller, *prior_->find(one.caller)->current);
        if (stored) return std::move(*stored);
        found.add(stored.error().why());
        return std::nullopt;
    }

    // An object is destroyed without the actions that cannot be planned, such as one that is no longer declared.
    void settle(diagnostics& found, change<value_type> const* by, diagnostics problems) const
    {
        if (by != nullptr && by->what == action::destroy && problems.has_errors()) {
            problems = as_warnings(std::move(problems));
            std::string const name = to_string(by->target);
            problems.add(as_warnings({make_error(codes::action_not_planned, {name}, name)}));
        }
        found.add(std::move(problems));
    }

    // The actions that the options name, each once; without a key, all instances. Those that are not known yet cannot be invoked.
    [[nodiscard]] auto named(diagnostics& found) const -> std::vector<invocation<value_type>>
    {
        std::vector<invocation<value_type>> all;
        std::set<address> known;
        for (address const& wanted : options_->invoke) {
            std::size_t const number = declared_->find(wanted.config());
            bool is_there = false;
            if (number != no_declaration)
                for (auto const& slot : (*scope_)[number]) {
                    if (has_unknown_key(slot.target)) continue;
                    if (wanted != slot.target && wanted != slot.target.resource()) continue;
                    is_there = true;
                    if (known.insert(slot.target).second) add_named(all, slot.target, number, found);
                }
            if (is_there) continue;
            bool const not_yet = number != no_declaration && (*scope_)[number].is_partial();
            std::string const name = to_string(wanted);
            found.add(not_yet ? make_error(codes::action_instances_unknown, {name})
                              : make_error(codes::unknown_action, {name}));
        }
        return all;
    }

    // Invokes an action once or, if it refers to its caller, once for each object whose changes trigger it.
    void add_named(
        std::vector<invocation<value_type>>& all, address const& target, std::size_t number, diagnostics& found) const
    {
        invocation<value_type> one;
        one.target = target;
        auto const callers = callers_of(*declared_, number);
        if (callers.empty()) return all.push_back(std::move(one));
        for (std::size_t const of : callers) {
            address const block = configuration().address_of((*declared_)[of]);
            bool is_there = false;
            for (auto const& [instance, record] : prior_->resources) {
                if (!record.current || instance.config() != block || instance.module() != target.module()) continue;
                is_there = true;
                if (!options_->targets.empty() && !is_any(options_->targets, instance, false)) continue;
                one.caller = instance;
                all.push_back(one);
            }
            std::string const name = to_string(target);
            if (!is_there) found.add(make_error(codes::action_caller_missing, {name, to_string(block)}, name));
        }
    }

    // Evaluates the configuration, and has the provider check it. \return false after errors
    [[nodiscard]] auto complete(invocation<value_type>& one, value_type const* caller, diagnostics& found) -> task<bool>
    {
        if (found.has_errors()) co_return false;
        std::string const name = to_string(one.target);
        one.declaration = declared_->find(one.target.config());
        // An action that depends on an excluded object is excluded, too.
        bool const known = one.declaration != no_declaration;
        if (known && is_partial(*options_) && !(*scope_)[one.declaration].is_expanded()) co_return false;
        if (!known || (*scope_)[one.declaration].find(one.target) == nullptr) {
            found.add(make_error(codes::unknown_action, {name}, to_string(one.caller)));
            co_return false;
        }
        auto const& d = (*declared_)[one.declaration];
        auto provider = instance_provider(configuration(), d, one.target, *scope_);
        auto config = configuration().evaluate_action(d, one.target, {one.event, caller}, *scope_);
        if (!provider || !config) {
            found.add(provider ? config.error().why() : provider.error().why());
            co_return false;
        }
        one.provider = std::move(*provider);
        one.config = std::move(*config);
        diagnostics problems;
        // No more of it becomes known before the destroy.
        bool const decided = one.event == trigger_event::invoke || is_of_destroy(one.event);
        if (decided && !one.config.wholly_known()) problems.add(make_error(codes::action_not_known, {name}, name));
        else if constexpr (performs_actions<Provider, P>) {
            data_request<value_type> request(one.target, one.provider, one.config);
            auto planning = provider_->plan_action(std::move(request));
            problems = co_await std::move(planning);
        } else problems.add(make_error(codes::actions_not_supported, {name}, name));
        bool const good = !problems.has_errors();
        found.add(located(configuration(), one.declaration, one.target, std::move(problems)));
        co_return good;
    }

    declaration_index<P> const* declared_;
    Provider* provider_;
    plan_options const* options_;
    snapshot const* prior_;
    evaluation_scope<value_type> const* scope_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_PLAN_ACTION_PLANNER_HPP
