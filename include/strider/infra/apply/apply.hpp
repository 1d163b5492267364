// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_APPLY_APPLY_HPP
#define STRIDER_INFRA_APPLY_APPLY_HPP

#include <strider/infra/apply/apply_report.hpp>
#include <strider/infra/apply/change_applier.hpp>
#include <strider/infra/apply/first_entries.hpp>
#include <strider/infra/journal/journal.hpp>
#include <strider/infra/journal/state_store.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/event.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/program/execution.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/program/task.hpp>
#include <strider/walk/async_walk.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Performs a plan in the order of its graph. The begin of every operation is durable before its provider is called,
/// and its end before a provider is called for a dependent.
///
/// One object performs one apply. It must outlive the coroutine, as must plan, program, provider, store and
/// execution.
/// \par Cancellation  partial: starts nothing new and waits; terminal: also cancels running provider calls.
template <program P, provider_for<P> Provider, state_store Store, execution_policy Execution>
class basic_applier {
    using value_type = typename P::value_type;

public:
    /// All references must outlive the applier. \param run  identifies this apply; prefix of its idempotency keys
    basic_applier(P const& configuration, Provider& provider, Store& store, Execution const& execution,
        observer<value_type> observe, std::string run)
        : configuration_(&configuration),
          provider_(&provider),
          store_(&store),
          execution_(&execution),
          observer_(std::move(observe)),
          run_(std::move(run))
    {}

    /// \param start  the current state; \pre it equals the state that the plan was made from
    [[nodiscard]] auto run(basic_plan<value_type> const& plan, snapshot start) -> task<apply_report>
    {
        // A stop must reach the walk, but must not end this coroutine while visits run.
        co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
        co_await asio::this_coro::throw_if_cancelled(false);

        auto const executor = execution_->get_executor();
        basic_journal<Store> journal(executor, *store_, std::move(start));
        change_applier<P, Provider, Store, Execution> work(
            *configuration_, *provider_, *execution_, plan, journal, observer_, run_);

        apply_report report;
        // In a destroy, the first entries remove data that the configurations of providers may read.
        bool const destroys_all = plan.mode == plan_mode::destroy;
        if (destroys_all) report.problems = work.publish_unchanged();
        auto recording = journal.append_all(first_entries(plan));
        error_code const unrecorded = co_await std::move(recording);
        auto const state = co_await asio::this_coro::cancellation_state;
        report.stopped = state.cancelled() != asio::cancellation_type::none;
        if (report.stopped) report.not_started = plan.changes.size();
        if (!unrecorded && !report.stopped) {
            notify_imports(plan);
            work.note_tainted();
            if (!destroys_all) report.problems = work.publish_unchanged();
            auto visitor = [&work](vertex_id v, node const& n) -> task<visit_outcome> { return work.visit(v, n); };
            auto token = asio::as_tuple(asio::use_awaitable);
            auto has_change = [](node const& n) { return n.role == node_role::creator || is_destroyer(n); };
            auto type_of = [&plan, has_change](vertex_id v) -> std::string {
                node const& n = plan.graph[v];
                return has_change(n) ? plan.changes[n.index].target.type() : std::string();
            };
            auto options = execution_->options(std::move(type_of));
            auto walked = async_walk(executor, plan.graph, visitor, options, token);
            auto const [_, outcomes] = co_await std::move(walked);
            auto settling = journal.append_all({});
            co_await std::move(settling);
            // An exception outside of visits cancels the rest: a failure, not a stop.
            report.stopped = outcomes.cancelled() != 0 && !outcomes.exception();
            for (vertex_id const v : plan.graph.vertices())
                if (has_change(plan.graph[v]) && outcomes[v].status() == visit_status::cancelled) ++report.not_started;
            work.collect(report.problems, outcomes);
        }
        report.store_error = journal.error();
        report.state = journal.take_live();
        report.entries = journal.entries();
        report.commits = journal.commits();
        report.added = work.done(operation_kind::create);
        report.changed = work.done(operation_kind::update);
        report.destroyed = work.done(operation_kind::destroy);
        report.invoked = work.invoked();
        co_return report;
    }

private:
    // Emits an event per object that the first entries imported.
    void notify_imports(basic_plan<value_type> const& plan) const
    {
        if (!observer_) return;
        for (auto const& c : plan.changes) {
            if (!c.import_id) continue;
            event<value_type> e;
            e.kind = event_kind::imported;
            e.target = c.target;
            e.text = c.import_name();
            observer_(e);
        }
    }

    P const* configuration_;
    Provider* provider_;
    Store* store_;
    Execution const* execution_;
    observer<value_type> observer_;
    std::string run_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_APPLY_APPLY_HPP
