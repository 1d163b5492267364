// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_APPLY_CHANGE_APPLIER_HPP
#define STRIDER_INFRA_APPLY_CHANGE_APPLIER_HPP

#include <strider/infra/apply/action_invoker.hpp>
#include <strider/infra/apply/final_planner.hpp>
#include <strider/infra/apply/operation_runner.hpp>
#include <strider/infra/apply/output_recorder.hpp>
#include <strider/infra/apply/unchanged.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/infra/graph/walk_failures.hpp>
#include <strider/infra/journal/journal.hpp>
#include <strider/infra/journal/state_store.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/checks.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/plan/data_reader.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/ephemeral.hpp>
#include <strider/infra/program/evaluation_scope.hpp>
#include <strider/infra/program/execution.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/outputs.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/provider_configuration.hpp>
#include <strider/infra/program/requests.hpp>
#include <strider/infra/program/rules.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Visits the vertices of an apply graph: calls providers, and records operations in the journal.
///
/// Visits share the scope and the journal; each stores its findings in a slot of its own.
template <program P, provider_for<P> Provider, state_store Store, execution_policy Execution>
class change_applier {
    using value_type = typename P::value_type;
    using journal_type = basic_journal<Store>;
    using runner = operation_runner<P, Provider, Store>;
    using settled = typename runner::settled;

    struct findings {
        diagnostics problems;
        std::vector<unread_data> unread;  // of data of a check
    };

public:
    /// All references must outlive the applier. \param run  identifies this apply; prefix of its idempotency keys
    change_applier(declaration_index<P> declared, Provider& provider, Execution const& execution,
        basic_plan<value_type> const& plan, journal_type& journal, observer<value_type> const& observe, std::string run)
        : declared_(std::move(declared)),
          configuration_(&declared_.configuration()),
          provider_(&provider),
          execution_(&execution),
          plan_(&plan),
          journal_(&journal),
          run_(*configuration_, provider, journal, observe, std::move(run)),
          reader_(*configuration_, provider, observe,
              [executor = execution.get_executor()] {
                  return std::chrono::nanoseconds(Execution::clock_type::now(executor).time_since_epoch());
              }),
          scope_(declared_.names()),
          outputs_(*configuration_, plan),
          again_(declared_, provider, scope_),
          invoker_(declared_, provider, plan, observe, scope_),
          found_(plan.graph.vertex_count())
    {
        for (vertex_id const v : plan.graph.vertices()) {
            node const& n = plan.graph[v];
            if (n.role != node_role::creator) continue;
            std::size_t const of = plan.changes[n.index].declaration;
            if (is_of_check(*configuration_, declaration(of))) check_data_.emplace(of, v);
        }
    }

    /// Records which objects are tainted at the start. \pre no append is in progress
    void note_tainted()
    {
        for (auto const& [target, record] : journal_->live().resources)
            if (record.current && record.current->tainted) tainted_.emplace(target, record.current->unfinished);
    }

    /// Publishes the objects that do not change, and expands the declarations of those that will be created. \pre no
    /// append is in progress
    [[nodiscard]] auto publish_unchanged() -> diagnostics
    {
        return infra::publish_unchanged(declared_, *plan_, journal_->live(), scope_);
    }
    /// Performs the part of a vertex in the apply; vertices without work succeed at once.
    [[nodiscard]] auto visit(vertex_id v, node const& n) -> task<visit_outcome>
    {
        switch (n.role) {
        case node_role::declaration: return visit_declaration(found_[v.index()], n);
        case node_role::creator: return visit_creator(found_[v.index()], plan_->changes[n.index]);
        case node_role::destroyer:
        case node_role::deposed_destroyer:
            return visit_destroyer(found_[v.index()], plan_->changes[n.index], n.role == node_role::deposed_destroyer);
        case node_role::invocation: return visit_invocation(found_[v.index()], plan_->invocations[n.index]);
        default: return nothing();
        }
    }
    /// Moves all findings to `problems`, in order of vertices, then adds the failures of the walk. Call it once.
    void collect(diagnostics& problems, walk_report const& report)
    {
        for (findings& f : found_) problems.add(std::move(f.problems));
        graph_tables<P> const tables(declared_, plan_->changes, plan_->mode, plan_->invocations);
        detail::append_walk_failures(problems, report, codes::operation_failed,
            [&](vertex_id v) { return node_naming<P>(tables).name(plan_->graph[v]); });
    }
    /// The number of operations of a kind that succeeded and are durable. \pre no append is in progress
    [[nodiscard]] auto done(operation_kind kind) const -> std::size_t { return run_.done(kind); }
    /// The number of actions that succeeded.
    [[nodiscard]] auto invoked() const -> std::size_t { return invoker_.invoked(); }

private:
    [[nodiscard]] auto declaration(std::size_t i) const -> decltype(auto) { return declared_[i]; }
    [[nodiscard]] static auto failed() -> visit_outcome
    {
        return visit_outcome::failure(make_error_code(walk_errc::vertex_failed));
    }
    [[nodiscard]] static auto failed(findings& found, failure const& why) -> visit_outcome
    {
        found.problems.add(why.why());
        return failed();
    }
    [[nodiscard]] static auto nothing() -> task<visit_outcome> { co_return visit_outcome(); }

    [[nodiscard]] auto visit_declaration(findings& found, node n) -> task<visit_outcome>
    {
        auto const& d = declaration(n.index);
        switch (declared_.kind(n.index)) {
        case declaration_kind::resource: {
            auto expanded = expand(*configuration_, d, scope_);
            if (!expanded) co_return failed(found, expanded.error());
            if (expanded->repetition) scope_.repeat(n.index, std::move(*expanded->repetition));
            break;
        }
        case declaration_kind::check:
            if constexpr (has_checks<P>) {
                found.problems.add(configuration_->assess(d, scope_, unread_data_of(configuration_->data_of(d))));
                if (found.problems.has_errors()) co_return failed();
            }
            break;
        case declaration_kind::provider: {
            auto configuring = configure(*configuration_, *provider_, d, scope_);
            auto config = co_await std::move(configuring);
            if (!config) co_return failed(found, config.error());
            scope_.publish(n.index, std::move(*config));
            break;
        }
        case declaration_kind::ephemeral: {
            auto opening = open_instances(*configuration_, *provider_, d, n.index, scope_);
            found.problems.add(co_await std::move(opening));
            if (found.problems.has_errors()) co_return failed();
            break;
        }
        case declaration_kind::action:
            found.problems.add(expand_action(*configuration_, d, n.index, scope_));
            if (found.problems.has_errors()) co_return failed();
            break;
        case declaration_kind::value:
        case declaration_kind::module:
        case declaration_kind::output: {
            auto value = configuration_->evaluate(d, address(), scope_);
            // A destroy lacks the values that repeat a module. It needs those of single modules, for their providers.
            if (!value && plan_->mode == plan_mode::destroy && declared_.kind(n.index) == declaration_kind::module)
                break;
            if (!value) co_return failed(found, value.error());
            outputs_.record(n.index, *value, *journal_);
            scope_.publish(n.index, std::move(*value));
            break;
        }
        }
        co_return visit_outcome();
    }

    [[nodiscard]] auto visit_creator(findings& found, change<value_type> const& c) -> task<visit_outcome>
    {
        if (!meets_conditions(found, c, condition_time::before, value_type())) co_return failed();
        if (c.what == action::no_op)
            co_return meets_conditions(found, c, condition_time::after, *c.after) ? visit_outcome() : failed();

        if (c.what == action::read) {
            auto reading = read_data(found, c);
            co_return co_await std::move(reading);
        }
        bool const updates = c.what == action::update;
        auto planning = again_.plan(found.problems, c);
        auto final_plan = co_await std::move(planning);
        if (!final_plan) co_return failed();
        if (updates && final_plan->after == *final_plan->prior) {  // the unknown values turned out to be unchanged
            run_.record_unchanged(c);
            scope_.publish(c.declaration, c.target, final_plan->after);
            co_return meets_conditions(found, c, condition_time::after, final_plan->after) ? visit_outcome() : failed();
        }
        // With create_before_destroy the prior object leaves state when there is a new one, otherwise before.
        bool const outlived = c.what == action::forget_then_create && c.create_before_destroy;
        if (c.what == action::forget_then_create && !outlived) journal_->take(journal_entry::remove(c.target, {}));
        operation_kind const kind = updates ? operation_kind::update : operation_kind::create;
        bool const deposes = outlived || c.what == action::create_then_destroy;
        auto steps =
            kind == operation_kind::create ? run_.steps_of(c, provision_time::create) : std::vector<provisioner>();
        pending_operation operation = run_.operation_of(c, kind, deposes ? c.deposed_key : std::string());
        operation.provisioned = !steps.empty();
        run_.describe_request(operation, final_plan->after);
        auto const started = Execution::clock_type::now(execution_->get_executor());
        auto beginning = run_.begin(operation, updates ? &*c.before : nullptr);
        bool const begun = co_await std::move(beginning);
        if (!begun) co_return failed();

        apply_request<value_type> request(operation, std::move(final_plan->prior), std::move(final_plan->after),
            std::move(final_plan->desired), std::move(final_plan->private_data));
        auto calling = run_.call(found.problems, c, std::move(request));
        settled outcome = co_await std::move(calling);
        if (outcome.interrupted) co_return failed();
        if (!steps.empty() && !outcome.failed && outcome.object) {
            auto recording = run_.record_unfinished(c, outcome);
            bool const recorded = co_await std::move(recording);
            if (!recorded) co_return failed();
            auto provisioning = run_.provision(found.problems, c, std::move(steps), *outcome.object, scope_);
            outcome.failed = !co_await std::move(provisioning);
        }
        std::optional<object> result;
        if (outcome.object) {
            result = run_.finished(c, outcome);
            result->tainted = outcome.failed && kind == operation_kind::create;
        }
        if (kind == operation_kind::create) invoker_.note_created(c, result);
        bool const bad = outcome.failed || !outcome.object;
        auto const elapsed = Execution::clock_type::now(execution_->get_executor()) - started;
        run_.end(operation, std::move(result), bad, bad ? std::nullopt : outcome.object, elapsed);
        bool const good = outcome.object && meets_conditions(found, c, condition_time::after, *outcome.object);
        if (bad) co_return failed();
        if (outlived) journal_->take(journal_entry::remove(c.target, c.deposed_key));
        scope_.publish(c.declaration, c.target, *outcome.object);
        co_return good ? visit_outcome() : failed();
    }

    // Reads data that could not be read while planning. Their dependencies are durable before.
    [[nodiscard]] auto read_data(findings& found, change<value_type> const& c) -> task<visit_outcome>
    {
        auto config = configuration_->evaluate(declaration(c.declaration), c.target, scope_);
        if (!config) co_return failed(found, config.error());
        auto settling = run_.settle();
        bool const is_durable = co_await std::move(settling);
        if (!is_durable) co_return failed();
        auto reading = reader_.read(found.problems, c, *config);
        auto read = co_await std::move(reading);
        if (!read.value && is_of_check(*configuration_, declaration(c.declaration))) {
            found.unread.push_back(as_unread(c.target, found.problems));
            auto describing = reader_.unread_object(c, std::move(*config));
            auto stored = co_await std::move(describing);
            if (stored) journal_->take(journal_entry::record(c.target, {}, std::move(*stored)));
            co_return visit_outcome();
        }
        if (!read.value) co_return failed();
        journal_entry entry = journal_entry::record(c.target, {}, std::move(read.stored));
        journal_->take(std::move(entry), [this, &c, read](error_code const& error) {
            if (!error) reader_.notify_done(c, read);
        });
        bool const good = meets_conditions(found, c, condition_time::after, *read.value);
        scope_.publish(c.declaration, c.target, std::move(*read.value));
        co_return good ? visit_outcome() : failed();
    }

    // The operations before it, and its own begin, are durable before an action is called.
    [[nodiscard]] auto visit_invocation(findings& found, invocation<value_type> const& one) -> task<visit_outcome>
    {
        std::optional<value_type> caller;
        bool const is_open = invoker_.may_be_no_op(one);
        if (is_open || invoker_.needs_caller(one)) {
            auto finding = caller_of(found.problems, one);
            caller = co_await std::move(finding);
            if (!caller) co_return failed();
        }
        if (is_open && *caller == *plan_->changes[one.change].before) co_return visit_outcome();  // there is no update
        auto invoking = invoker_.invoke(found.problems, one, caller ? &*caller : nullptr, run_);
        if (co_await std::move(invoking)) co_return visit_outcome();
        if (auto tainted = invoker_.tainted(one)) journal_->take(std::move(*tainted));
        co_return failed();
    }

    // The object that calls an action: the planned object before its change, the resulting object after it.
    // \return empty after errors
    [[nodiscard]] auto caller_of(diagnostics& problems, invocation<value_type> const& one)
        -> task<std::optional<value_type>>
    {
        auto const& c = plan_->changes[one.change];
        auto const* const slot = is_before(one.event) ? nullptr : scope_[c.declaration].find(c.target);
        if (slot != nullptr && slot->get() != nullptr) co_return *slot->get();
        if (c.after->wholly_known()) co_return *c.after;
        diagnostics found;  // warnings are those of the change
        auto planning = again_.plan(found, c);
        auto planned = co_await std::move(planning);
        if (planned) co_return std::move(planned->after);
        problems.add(std::move(found));
        co_return std::nullopt;
    }

    [[nodiscard]] auto visit_destroyer(findings& found, change<value_type> const& c, bool deposed)
        -> task<visit_outcome>
    {
        std::string const key = deposed ? c.deposed_key : std::string();
        auto const at = tainted_.find(c.target);
        bool const tainted = !deposed && at != tainted_.end();
        bool const unfinished = tainted && at->second;
        // For an unfinished object, provisioners may have done work that the destroy provisioners must undo.
        std::vector<provisioner> steps;
        if (!deposed && c.declaration != no_declaration && (!tainted || unfinished))
            steps = run_.steps_of(c, provision_time::destroy);
        pending_operation operation = run_.operation_of(c, operation_kind::destroy, key);
        operation.provisioned = !steps.empty();
        auto const started = Execution::clock_type::now(execution_->get_executor());
        auto beginning = run_.begin(operation, &*c.before);
        bool const begun = co_await std::move(beginning);
        if (!begun) co_return failed();

        settled outcome;
        auto provisioning = run_.provision(found.problems, c, std::move(steps), *c.before, scope_);
        bool const succeeded = co_await std::move(provisioning);
        if (succeeded) {
            apply_request<value_type> request(operation, c.before, std::nullopt, {}, c.private_data);
            auto calling = run_.call(found.problems, c, std::move(request));
            outcome = co_await std::move(calling);
            if (outcome.interrupted) co_return failed();
        } else outcome.failed = true;
        std::optional<object> result;
        if (outcome.failed && outcome.object) {
            result = run_.finished(c, outcome);
            result->dependencies = c.stored_dependencies;
            result->create_before_destroy = c.stored_create_before_destroy;
            result->tainted = tainted;
            result->unfinished = unfinished;
        }
        auto const elapsed = Execution::clock_type::now(execution_->get_executor()) - started;
        run_.end(operation, std::move(result), outcome.failed, std::nullopt, elapsed);
        co_return outcome.failed ? failed() : visit_outcome();
    }

    // The unread data of a check. The check waits for its data.
    [[nodiscard]] auto unread_data_of(std::optional<std::size_t> declaration) const -> std::vector<unread_data>
    {
        std::vector<unread_data> all;
        auto [at, last] = check_data_.equal_range(declaration.value_or(no_declaration));
        for (; at != last; ++at) {
            auto const& some = found_[at->second.index()].unread;
            all.insert(all.end(), some.begin(), some.end());
        }
        return all;
    }

    [[nodiscard]] auto meets_conditions(
        findings& found, change<value_type> const& c, condition_time when, value_type const& value) const -> bool
    {
        if constexpr (has_conditions<P>)
            if (c.has_conditions)
                found.problems.add(configuration_->check(declaration(c.declaration), c.target, when, value, scope_));
        return !found.problems.has_errors();
    }

    declaration_index<P> declared_;
    P const* configuration_;
    Provider* provider_;
    Execution const* execution_;
    basic_plan<value_type> const* plan_;
    journal_type* journal_;
    runner run_;
    data_reader<P, Provider> reader_;
    evaluation_scope<value_type> scope_;
    output_recorder<P> outputs_;
    final_planner<P, Provider> again_;
    action_invoker<P, Provider> invoker_;
    std::vector<findings> found_;
    std::multimap<std::size_t, vertex_id> check_data_;  // vertices that read data of checks, by declaration
    std::map<address, bool> tainted_;  // current objects tainted at the start; true: unfinished
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_APPLY_CHANGE_APPLIER_HPP
