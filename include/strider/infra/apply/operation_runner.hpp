// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_APPLY_OPERATION_RUNNER_HPP
#define STRIDER_INFRA_APPLY_OPERATION_RUNNER_HPP

#include <strider/infra/journal/journal.hpp>
#include <strider/infra/journal/state_store.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/answer_checks.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/places.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/provisioners.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/task.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider::infra {

/// The steps of every operation of an apply: records the begin, calls the provider, runs provisioners, records the
/// end, notifies the observer.
template <program P, provider_for<P> Provider, state_store Store>
class operation_runner {
    using value_type = typename P::value_type;

public:
    /// The result of a provider call, also after an exception.
    struct settled {
        std::optional<value_type> object;  ///< the object after the call; empty: there is none
        document private_data;  ///< of the provider, stored with the object
        bool failed = false;  ///< the answer has errors, or the call was not made because of a cancellation
        bool interrupted = false;  ///< the result is not known, as after an exception: the operation stays pending
    };

    /// \param run  prefix of idempotency keys: identifies this apply
    operation_runner(P const& configuration, Provider& provider, basic_journal<Store>& journal,
        observer<value_type> const& observe, std::string run)
        : configuration_(&configuration),
          provider_(&provider),
          journal_(&journal),
          observer_(&observe),
          prefix_(std::move(run))
    {}

    /// Describes an operation of a change for the journal and the provider, with its idempotency key.
    [[nodiscard]] auto operation_of(change<value_type> const& c, operation_kind kind, std::string deposed_key) const
        -> pending_operation
    {
        pending_operation o;
        o.kind = kind;
        o.target = c.target;
        o.deposed_key = std::move(deposed_key);
        o.provider = c.provider;
        o.operation = prefix_ + "/" + std::string(to_string(kind)) + "/" + to_string(c.target) + "/" + o.deposed_key;
        return o;
    }
    /// The same for an action.
    [[nodiscard]] auto operation_of(invocation<value_type> const& one) const -> pending_operation
    {
        pending_operation o;
        o.kind = operation_kind::invoke;
        o.target = one.target;
        o.provider = one.provider;
        o.operation = prefix_ + "/" + std::string(to_string(o.kind)) + "/" + to_string(one.target) + "/"
            + to_string(one.caller) + "/" + std::to_string(static_cast<int>(one.event)) + "."
            + std::to_string(one.trigger) + "." + std::to_string(one.position);
        return o;
    }
    /// Adds the requested value to the description of an operation.
    void describe_request(pending_operation& operation, value_type const& requested) const
    {
        object o = configuration_->encode(operation.target, operation.provider, requested);
        operation.request = std::move(o.attributes);
        operation.sensitive = std::move(o.sensitive);
    }
    /// Converts the object that a call returned to the format of state. \pre there is one
    [[nodiscard]] auto finished(change<value_type> const& c, settled const& outcome) const -> object
    {
        object o = configuration_->encode(c.target, c.provider, *outcome.object);
        o.provider = c.provider;
        o.private_data = outcome.private_data;
        o.dependencies = c.dependencies;
        o.create_before_destroy = c.create_before_destroy;
        o.keep = c.keep;
        return o;
    }

    /// Sends an event to the observer, if there is one. \param object  null: none
    void notify(event_kind kind, address const& target, operation_kind operation, value_type const* object,
        std::string deposed_key = {}, std::chrono::nanoseconds elapsed = {}) const
    {
        if (!*observer_ || operation == operation_kind::invoke) return;  // actions have events of their own
        event<value_type> e;
        e.kind = kind;
        e.target = target;
        e.operation = operation;
        e.object = object;
        e.deposed_key = std::move(deposed_key);
        e.elapsed = elapsed;
        (*observer_)(e);
    }

    /// Makes the begin of an operation durable before the provider is called, unless the operation has no side effects.
    /// Afterwards the visit must record an end, unless the operation is interrupted: a terminal cancellation still
    /// reaches the provider, but no `co_await` of the visit throws.
    /// \param before  passed to the observer when the begin is durable; null: there was no object
    /// \return false: the operation must not be performed
    [[nodiscard]] auto begin(pending_operation operation, value_type const* before) -> task<bool>
    {
        bool const waits = operation.kind == operation_kind::invoke || has_side_effects(operation)
            || journal_->backlog() > max_backlog;
        bool const destroys = operation.kind == operation_kind::destroy;
        auto notify_begin = [this, kind = operation.kind, target = operation.target,
                                key = destroys ? operation.deposed_key : std::string(),
                                before](error_code const& error) {
            if (!error) notify(event_kind::operation_started, target, kind, before, key);
        };
        journal_->take(journal_entry::begin(std::move(operation)), std::move(notify_begin));
        bool begun = !journal_->has_failed();
        if (waits) {
            auto settling = settle();
            begun = co_await std::move(settling);
        }
        co_await asio::this_coro::throw_if_cancelled(false);
        co_return begun;
    }

    /// Waits until all entries so far are durable. \return false: a commit has failed
    [[nodiscard]] auto settle() -> task<bool>
    {
        auto settling = journal_->append_all({});
        error_code const error = co_await std::move(settling);
        co_return !error;
    }

    /// Records the object of a create before its provisioners start. After a crash, this record without the end of
    /// the create shows that the object exists and that provisioners may not have run.
    [[nodiscard]] auto record_unfinished(change<value_type> const& c, settled const& outcome) -> task<bool>
    {
        object so_far = finished(c, outcome);
        so_far.tainted = true;
        so_far.unfinished = true;
        auto appending = journal_->append(journal_entry::record(c.target, {}, std::move(so_far)));
        error_code const error = co_await std::move(appending);
        co_return !error;
    }

    /// Records the dependencies and the create_before_destroy flag of an object that is not changed, if they differ.
    void record_unchanged(change<value_type> const& c)
    {
        if (c.dependencies == c.stored_dependencies && c.create_before_destroy == c.stored_create_before_destroy)
            return;
        settled unchanged;
        unchanged.object = c.before;
        unchanged.private_data = c.private_data;
        journal_->take(journal_entry::record(c.target, {}, finished(c, unchanged)));
    }

    /// Records the end without waiting: the log contains it before the begin of dependents, so no provider is called
    /// for a dependent earlier, and one commit contains both.
    /// \param made  passed to the observer when the end is durable
    void end(pending_operation const& operation, std::optional<object> result, bool failed,
        std::optional<value_type> made, std::chrono::nanoseconds elapsed)
    {
        bool const destroys = operation.kind == operation_kind::destroy;
        auto notify_end = [this, failed, kind = operation.kind, target = operation.target,
                              key = destroys ? operation.deposed_key : std::string(), made = std::move(made),
                              elapsed](error_code const& error) {
            if (error) return;
            if (!failed) ++done_[static_cast<std::size_t>(kind)];
            notify(failed ? event_kind::operation_failed : event_kind::operation_done, target, kind,
                made ? &*made : nullptr, key, elapsed);
        };
        journal_->take(journal_entry::end(operation, std::move(result), failed), std::move(notify_end));
    }

    /// The number of operations of a kind that succeeded and are durable. \pre no append is in progress
    [[nodiscard]] auto done(operation_kind kind) const -> std::size_t { return done_[static_cast<std::size_t>(kind)]; }

    /// Calls the provider through co_spawn, so that it can change only its own cancellation state. An exception is an
    /// interruption: the result is not known.
    [[nodiscard]] auto call(diagnostics& found, change<value_type> const& c, apply_request<value_type> request)
        -> task<settled>
    {
        address const target = request.operation.target;
        operation_kind const kind = request.operation.kind;
        std::optional<value_type> const planned = request.planned;
        settled outcome;
        std::string thrown;
        applied<value_type> answer;
        auto const executor = co_await asio::this_coro::executor;
        auto const state = co_await asio::this_coro::cancellation_state;
        if (state.cancelled() != asio::cancellation_type::none) {
            found.add(stopped_error(target));
            outcome.failed = true;
            co_return outcome;
        }
        try {
            auto calling = provider_->apply(std::move(request));
            auto spawned = asio::co_spawn(executor, std::move(calling), asio::use_awaitable);
            answer = co_await std::move(spawned);
        } catch (std::bad_alloc const&) {
            answer.problems.add(make_error(codes::out_of_memory));
            answer.interrupted = true;
        } catch (std::exception const& e) {
            thrown = e.what();
            answer.interrupted = true;
        } catch (...) {
            answer.interrupted = true;
        }
        if (!answer.interrupted && !answer.failed()) check_result(c, kind, planned, answer);
        outcome.interrupted = answer.interrupted;
        outcome.failed = answer.failed();
        outcome.object = std::move(answer.object);
        outcome.private_data = std::move(answer.private_data);
        diagnostics problems = with_address(std::move(answer.problems), to_string(target));
        found.add(located(*configuration_, c.declaration, target, std::move(problems)));
        if (outcome.interrupted) found.add(interrupted(kind, target, std::move(thrown)));
        co_return outcome;
    }

    /// Returns the provisioners for this time. \pre the change has a declaration
    [[nodiscard]] auto steps_of([[maybe_unused]] change<value_type> const& c,
        [[maybe_unused]] provision_time when) const -> std::vector<provisioner>
    {
        std::vector<provisioner> steps;
        if constexpr (has_provisioners<P>)
            for (provisioner const& step : configuration_->provisioners(declaration_at(*configuration_, c.declaration)))
                if (step.when == when) steps.push_back(step);
        return steps;
    }

    /// Runs provisioners in sequence, when all entries so far are durable. After a cancellation no further one starts, which counts as a failure even if the
    /// provisioner may fail. \return false if one failed; later ones did not run
    [[nodiscard]] auto provision(diagnostics& found, change<value_type> const& c, std::vector<provisioner> steps,
        value_type self, evaluation_scope<value_type> const& scope) -> task<bool>
    {
        if constexpr (has_provisioners<P>) {
            if (steps.empty()) co_return true;
            auto settling = settle();
            bool const is_durable = co_await std::move(settling);
            if (!is_durable) co_return false;
            auto const& d = declaration_at(*configuration_, c.declaration);
            for (provisioner const& step : steps) {
                auto const state = co_await asio::this_coro::cancellation_state;
                if (state.cancelled() != asio::cancellation_type::none) {
                    found.add(stopped_error(c.target));
                    co_return false;
                }
                auto config = configuration_->evaluate_provisioner(d, step, c.target, self, scope);
                diagnostics problems;
                if (!config) problems = config.error().why();
                else {
                    notify_step(event_kind::provision_started, c.target, step.type, step.type);
                    auto print = [this, target = c.target, type = step.type](std::string_view line) {
                        notify_step(event_kind::provision_output, target, type, line);
                    };
                    provision_request<value_type> request(c.target, step.type, std::move(*config), std::move(print));
                    auto running = run_step(std::move(request));
                    problems = co_await std::move(running);
                    notify_step(problems.has_errors() ? event_kind::provision_failed : event_kind::provision_done,
                        c.target, step.type, {});
                }
                bool const bad = problems.has_errors();
                if (bad && step.continue_on_failure) continue;
                if (bad) configuration_->locate(d, step, problems);
                found.add(with_address(std::move(problems), to_string(c.target)));
                if (bad) co_return false;
            }
        }
        co_return true;
    }

private:
    [[nodiscard]] auto has_side_effects([[maybe_unused]] pending_operation const& operation) const -> bool
    {
        if constexpr (states_side_effects<Provider>) return provider_->has_side_effects(operation);
        else return true;
    }

    // Reports results that violate the contract of providers. The returned object is stored anyway, because it
    // exists.
    void check_result(change<value_type> const& c, operation_kind kind, std::optional<value_type> const& planned,
        applied<value_type>& answer) const
    {
        auto const blame = [&](engine_code code) { answer.problems.add(make_error(code, {to_string(c.target)})); };
        if (kind == operation_kind::destroy && answer.object) blame(codes::object_after_destroy);
        else if (kind != operation_kind::destroy && !answer.object) blame(codes::no_object_after_apply);
        else if (answer.object && !answer.object->wholly_known()) blame(codes::unknown_after_apply);
        else if (answer.object && planned && !answer.legacy_type_system)
            answer.problems.add(check_outcome(*configuration_, declaration_at(*configuration_, c.declaration), c.target,
                plan_outcome::result, *planned, *answer.object));
    }

    [[nodiscard]] static auto stopped_error(address const& target) -> diagnostic
    {
        return make_error(codes::operation_stopped, {to_string(target)}, to_string(target));
    }

    [[nodiscard]] static auto interrupted(operation_kind kind, address const& target, std::string thrown) -> diagnostic
    {
        std::string name = to_string(target);
        std::string verb(to_string(kind));
        if (thrown.empty()) return make_error(codes::operation_interrupted, {std::move(verb), name}, name);
        return make_error(codes::operation_threw, {std::move(verb), name, std::move(thrown)}, name);
    }

    // As `call`: an exception is a failure.
    [[nodiscard]] auto run_step(provision_request<value_type> request) -> task<diagnostics>
    {
        diagnostics problems;
        auto const executor = co_await asio::this_coro::executor;
        std::string const type = request.type;
        std::string const target = to_string(request.target);
        try {
            auto provisioning = provider_->provision(std::move(request));
            auto spawned = asio::co_spawn(executor, std::move(provisioning), asio::use_awaitable);
            problems = co_await std::move(spawned);
        } catch (std::bad_alloc const&) {
            problems.add(make_error(codes::out_of_memory));
            problems.add(make_error(codes::provisioner_interrupted, {type, target}));
        } catch (std::exception const& e) {
            problems.add(make_error(codes::provisioner_threw, {type, target, e.what()}));
        } catch (...) {
            problems.add(make_error(codes::provisioner_interrupted, {type, target}));
        }
        co_return problems;
    }

    void notify_step(event_kind kind, address const& target, std::string const& type, std::string_view text) const
    {
        if (!*observer_) return;
        event<value_type> e;
        e.kind = kind;
        e.target = target;
        e.provisioner = type;
        e.text = text;
        (*observer_)(e);
    }

    // Operations without side effects wait beyond this number of entries, which bounds their memory.
    static constexpr std::size_t max_backlog = 500;

    P const* configuration_;
    Provider* provider_;
    basic_journal<Store>* journal_;
    observer<value_type> const* observer_;
    std::string prefix_;
    std::array<std::size_t, operation_kinds> done_{};  // accessed on the strand of the journal
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_APPLY_OPERATION_RUNNER_HPP
