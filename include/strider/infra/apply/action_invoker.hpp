// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_APPLY_ACTION_INVOKER_HPP
#define STRIDER_INFRA_APPLY_ACTION_INVOKER_HPP

#include <strider/core/result.hpp>
#include <strider/infra/journal/journal_entry.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/codes.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/model/object.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/program/actions.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/task.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra {

/// Invokes the actions of a plan. An action leaves nothing in state, except a pending operation if it is interrupted.
template <program P, class Provider>
class action_invoker {
    using value_type = typename P::value_type;

public:
    /// All arguments must outlive the invoker. \param scope  the values of all declarations that are visited
    action_invoker(declaration_index<P> const& declared, Provider& provider, basic_plan<value_type> const& plan,
        observer<value_type> const& observe, evaluation_scope<value_type> const& scope)
        : declared_(&declared),
          provider_(&provider),
          plan_(&plan),
          observer_(&observe),
          scope_(&scope),
          created_(plan.invocations.empty() ? 0 : plan.changes.size())
    {}

    /// Keeps the object that a change has created, for `tainted`. \pre the change is one of the plan
    void note_created(change<value_type> const& c, std::optional<object> const& made)
    {
        if (!created_.empty()) created_[static_cast<std::size_t>(&c - plan_->changes.data())] = made;
    }
    /// The entry that taints the object whose creation a failed action followed, if its rule says so.
    [[nodiscard]] auto tainted(invocation<value_type> const& one) const -> std::optional<journal_entry>
    {
        bool const taints = one.on_failure == failure_effect::taint && one.event == trigger_event::after_create;
        if (!taints || !created_[one.change]) return std::nullopt;
        object made = *created_[one.change];
        made.tainted = true;
        return journal_entry::record(one.caller, {}, std::move(made));
    }

    /// True if the apply may find that no update is necessary.
    [[nodiscard]] auto may_be_no_op(invocation<value_type> const& one) const -> bool
    {
        bool const updates = one.event == trigger_event::before_update || one.event == trigger_event::after_update;
        return updates && !plan_->changes[one.change].after->wholly_known();
    }
    /// True if the plan did not determine whether and how the action is invoked, because that depends on the object
    /// that calls it.
    [[nodiscard]] auto needs_caller(invocation<value_type> const& one) const -> bool
    {
        bool refers = false;
        if constexpr (has_actions<P>)
            refers = declared_->configuration().refers_to_caller((*declared_)[one.declaration]);
        return one.event != trigger_event::invoke && (one.conditional || (refers && !one.config.wholly_known()));
    }

    /// Invokes an action, and adds its diagnostics. Its begin is durable before it is called, and with it the operations
    /// that precede it.
    /// \param caller  the object that calls it, if it needs one
    /// \param run  an `operation_runner`
    /// \return false if it failed and its rule is not to warn
    template <class Runner>
    [[nodiscard]] auto invoke(
        diagnostics& found, invocation<value_type> const& one, value_type const* caller, Runner& run) -> task<bool>
    {
        std::string const name = to_string(one.target);
        auto const holds = condition_of(one, caller);
        if (!holds) co_return report(found, one, holds.error().why());
        if (!**holds) co_return true;
        auto config = configuration_of(one, caller);
        if (!config) co_return report(found, one, config.error().why());
        if (!config->wholly_known()) co_return report(found, one, make_error(codes::action_not_known, {name}, name));

        auto const operation = run.operation_of(one);
        auto beginning = run.begin(operation, nullptr);
        bool const begun = co_await std::move(beginning);
        if (!begun) co_return false;
        infra::invoked answer;
        auto const state = co_await asio::this_coro::cancellation_state;
        bool const stopped = state.cancelled() != asio::cancellation_type::none;
        if (!stopped) {
            auto calling = call(one, std::move(*config));
            answer = co_await std::move(calling);
        }
        bool const bad = stopped || answer.interrupted || answer.problems.has_errors();
        invoked_ += bad ? 0U : 1U;
        if (!answer.interrupted) run.end(operation, std::nullopt, bad, std::nullopt, {});
        if (stopped) found.add(make_error(codes::action_stopped, {name}, name));
        bool const succeeds = report(found, one, std::move(answer.problems));
        // An error even if failures are warnings: the operation is pending, and no plan is made before that is decided.
        if (answer.interrupted) found.add(make_error(codes::action_interrupted, {name}, name));
        co_return succeeds && !stopped && (!answer.interrupted || only_warns(one));
    }

    /// The number of actions that succeeded.
    [[nodiscard]] auto invoked() const -> std::size_t { return invoked_; }

private:
    // Adds diagnostics about an action. \return false if one is an error that stops its dependents
    [[nodiscard]] auto report(diagnostics& found, invocation<value_type> const& one, diagnostics problems) const -> bool
    {
        problems = located(declared_->configuration(), one.declaration, one.target, std::move(problems));
        bool const bad = problems.has_errors();
        if (only_warns(one)) problems.lower_to_warnings();
        found.add(with_address(std::move(problems), to_string(one.target)));
        return !bad || only_warns(one);
    }
    [[nodiscard]] auto only_warns(invocation<value_type> const& one) const -> bool
    {
        return one.on_failure == failure_effect::warn || plan_->mode == plan_mode::destroy;
    }

    // True unless the apply decides that the action is not invoked.
    [[nodiscard]] auto condition_of(invocation<value_type> const& one, value_type const* caller) const
        -> result<std::optional<bool>, failure>
    {
        if constexpr (has_actions<P>)
            if (one.conditional) {
                auto const& d = (*declared_)[plan_->changes[one.change].declaration];
                auto const triggers = declared_->configuration().action_triggers(d);
                // Before an update, the object is what it was; its new values may not be known yet.
                auto const& before = plan_->changes[one.change].before;
                value_type const& self = one.event == trigger_event::before_update && before ? *before : *caller;
                auto holds =
                    declared_->configuration().trigger_holds(d, triggers[one.trigger], one.caller, self, *scope_);
                if (holds && !*holds)
                    return failure(make_error(codes::action_condition_unknown, {to_string(one.caller)}));
                return holds;
            }
        return std::optional(true);
    }

    [[nodiscard]] auto configuration_of(invocation<value_type> const& one, value_type const* caller) const
        -> result<value_type, failure>
    {
        if (one.config.wholly_known()) return one.config;
        auto const& d = (*declared_)[one.declaration];
        if constexpr (has_actions<P>)
            return declared_->configuration().evaluate_action(d, one.target, {one.event, caller}, *scope_);
        else return declared_->configuration().evaluate(d, one.target, *scope_);
    }

    // As calls of operations, by co_spawn, so that a provider can change only its own cancellation state. An exception is
    // an interruption.
    [[nodiscard]] auto call(invocation<value_type> const& one, value_type config) -> task<infra::invoked>
    {
        infra::invoked answer;
        std::string const name = to_string(one.target);
        if constexpr (performs_actions<Provider, P>) {
            auto const executor = co_await asio::this_coro::executor;
            notify(event_kind::action_started, one, {});
            try {
                auto print = [this, &one](std::string_view line) { notify(event_kind::action_progress, one, line); };
                invoke_request<value_type> request(one.target, one.provider, std::move(config), std::move(print));
                auto invoking = provider_->invoke_action(std::move(request));
                auto spawned = asio::co_spawn(executor, std::move(invoking), asio::use_awaitable);
                answer = co_await std::move(spawned);
            } catch (std::bad_alloc const&) {
                answer.problems.add(make_error(codes::out_of_memory));
                answer.interrupted = true;
            } catch (std::exception const& e) {
                answer.problems.add(make_error(codes::action_threw, {name, e.what()}, name));
                answer.interrupted = true;
            }
            bool const bad = answer.interrupted || answer.problems.has_errors();
            notify(bad ? event_kind::action_failed : event_kind::action_done, one, text_of(answer.problems));
        } else answer.problems.add(make_error(codes::actions_not_supported, {name}, name));
        co_return answer;
    }

    // The errors of a provider, which have texts, in one line each.
    [[nodiscard]] static auto text_of(diagnostics const& problems) -> std::string
    {
        std::string text;
        for (diagnostic const& d : problems) {
            if (d.level != severity::error || d.summary.empty()) continue;
            text += (text.empty() ? "" : "\n") + d.summary + (d.detail.empty() ? "" : ": " + d.detail);
        }
        return text;
    }

    void notify(event_kind kind, invocation<value_type> const& one, std::string_view text) const
    {
        if (!*observer_) return;
        event<value_type> e;
        e.kind = kind;
        e.target = one.target;
        e.text = text;
        e.invoked = &one;
        (*observer_)(e);
    }

    declaration_index<P> const* declared_;
    Provider* provider_;
    basic_plan<value_type> const* plan_;
    observer<value_type> const* observer_;
    evaluation_scope<value_type> const* scope_;
    std::atomic<std::size_t> invoked_ = 0;
    std::vector<std::optional<object>> created_;  // by change; empty if the plan has no invocations
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_APPLY_ACTION_INVOKER_HPP
