// SPDX-License-Identifier: BSL-1.0
// Runs engines with planted faults. One engine for all faults, because its templates take seconds to instantiate.
#include <planted/engine.hpp>
#include <planted/policies.hpp>
#include <support/world_clock.hpp>

#include <strider/infra.hpp>
#include <strider/sim/manual_executor.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_executor.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <list>
#include <memory>
#include <utility>

namespace strider::test {
namespace {

/// The lock of a workspace. Operators wait for it in virtual time.
class workspace_lock {
public:
    explicit workspace_lock(asio::any_io_executor const& executor) : timer_executor_(executor) {}

    /// \return false if another operator holds it for a minute, such as one whose provider hangs
    [[nodiscard]] auto acquire() -> infra::task<bool>
    {
        for (int waits = 0; held_; ++waits) {
            if (waits == 120) co_return false;
            world_clock::timer_type timer(timer_executor_);
            timer.expires_after(std::chrono::milliseconds(500));
            auto const token = asio::as_tuple(asio::use_awaitable);
            auto waiting = timer.async_wait(token);
            co_await std::move(waiting);
        }
        held_ = true;
        co_return true;
    }
    void release() { held_ = false; }

private:
    asio::any_io_executor timer_executor_;
    bool held_ = false;
};

class planted_operator {
    using provider_type = planted_provider<world_clock>;
    using store_type = planted_store<world_clock>;
    using executor_type = asio::any_io_executor;
    using execution_type = planted_execution<executor_type, world_clock>;
    using engine_type = infra::basic_engine<planted_program, provider_type, store_type, execution_type, planted_stages>;

public:
    planted_operator(executor_type const& executor, operator_order const& order, infra::sim::cloud& cloud,
        infra::sim::durable_state& kept, workspace_lock& lock, planted_fault fault, operator_report& report)
        : order_(&order),
          fault_(fault),
          lock_(&lock),
          cloud_(&cloud),
          report_(&report),
          home_(asio::make_strand(executor)),
          wanted_(order.program, fault),
          of_plan_(executor, cloud, order.of_plan.provider, order.of_plan.latency, fault, notes_),
          of_apply_(executor, cloud, order.of_apply.provider, order.of_apply.latency, fault, notes_),
          store_(kept, order.of_apply.store, fault),
          stop_at_(order.of_apply.stop_at),
          planner_(wanted_, of_plan_, store_, execution_type(executor, order.of_plan.limits, fault), {},
              planted_stages(fault, report.changes)),
          applier_(
              wanted_, of_apply_, store_, execution_type(executor, order.of_apply.limits, fault),
              [this](toy_event const& e) { on_event(e); }, planted_stages(fault, report.changes))
    {
        for (auto const& [operation, violation] : order.of_plan.violations)
            of_plan_.violate_contract(operation, violation);
        for (auto const& [operation, violation] : order.of_apply.violations)
            of_apply_.violate_contract(operation, violation);
        if (order.of_plan.lost_memory) of_plan_.forget_operations();
    }

    void start()
    {
        auto ended = [this](std::exception_ptr const& thrown) {
            if (thrown) std::rethrow_exception(thrown);
            report_->ended = true;
        };
        asio::co_spawn(
            home_, run(), asio::bind_cancellation_slot(signal_.slot(), asio::bind_executor(home_, std::move(ended))));
    }

    void note()
    {
        for (auto const& n : notes_.configurations)
            report_->configurations.push_back({n.name, n.operations, n.succeeded});
        for (auto const& n : notes_.provisions) report_->provisions.push_back({n.name, n.operations, n.succeeded});
        for (auto const& n : notes_.calls)
            report_->calls.push_back({n.name, n.operations, n.succeeded, n.interrupted, n.config});
    }

private:
    [[nodiscard]] auto run() -> infra::task<void>
    {
        co_await asio::this_coro::reset_cancellation_state(asio::enable_total_cancellation());
        co_await asio::this_coro::throw_if_cancelled(false);
        bool locks = !order_->saves_plan && !order_->plans_only;
        if (locks) {
            auto acquiring = acquire();
            bool const acquired = co_await std::move(acquiring);
            if (!acquired) co_return;
        }
        auto options = order_->options;
        if (fault_ == planted_fault::ignore_requested_replacement) options.replace.clear();
        auto planning = planner_.plan(std::move(options));
        auto planned = co_await std::move(planning);
        if (!planned) {
            report_->refusal = planned.error().why();
        } else {
            report_->plan = *std::move(planned);
            if (fault_ == planted_fault::hide_deferred) report_->plan->deferred.clear();
        }
        if (report_->plan && !order_->plans_only) {
            if (fault_ == planted_fault::release_lock_twice) lock_->release();
            if (order_->saves_plan) {
                world_clock::timer_type timer(home_);
                timer.expires_after(std::chrono::seconds(order_->of_apply.seed % 2));
                auto const token = asio::as_tuple(asio::use_awaitable);
                auto waiting = timer.async_wait(token);
                co_await std::move(waiting);
                if (fault_ != planted_fault::apply_saved_plan_without_lock) {
                    auto acquiring = acquire();
                    bool const acquired = co_await std::move(acquiring);
                    if (!acquired) co_return;
                    locks = true;
                }
            }
            toy_plan performed = *report_->plan;
            corrupt_plan(fault_, performed);
            auto applying = applier_.apply(performed, order_->of_apply.run);
            infra::apply_report done = co_await std::move(applying);
            bool const ok = done.ok();
            report_->applied = toy_applied{std::move(done.problems), std::move(done.state), done.store_error,
                done.added, done.changed, done.destroyed, done.invoked, done.entries, done.commits, done.stopped, ok};
        }
        store_.close();
        if (!locks) co_return;
        report_->released_after = cloud_->log().size();
        lock_->release();
    }
    [[nodiscard]] auto acquire() -> infra::task<bool>
    {
        auto acquiring = lock_->acquire();
        bool const acquired = co_await std::move(acquiring);
        if (acquired) report_->locked_after = cloud_->log().size();
        co_return acquired;
    }

    void on_event(toy_event const& e)
    {
        if (e.invoked != nullptr) note(e);
        if (!stop_at_ || !stop_at_(e)) return;
        asio::post(home_, [this] { signal_.emit(order_->of_apply.stop); });
    }

    // Invocations of one action by one event of a caller differ in their places.
    void note(toy_event const& e)
    {
        auto& all = report_->invocations;
        if (e.kind == infra::event_kind::action_started) all.push_back({*e.invoked, cloud_->now()});
        if (e.kind != infra::event_kind::action_done && e.kind != infra::event_kind::action_failed) return;
        auto const begun = std::find_if(all.rbegin(), all.rend(), [&](invocation_note const& n) {
            return n.planned.target == e.invoked->target && n.planned.caller == e.invoked->caller
                && n.planned.event == e.invoked->event && n.planned.trigger == e.invoked->trigger
                && n.planned.position == e.invoked->position;
        });
        begun->end = cloud_->now();
        begun->ended = true;
        begun->succeeded = e.kind == infra::event_kind::action_done;
    }

    operator_order const* order_;
    planted_fault fault_;
    workspace_lock* lock_;
    infra::sim::cloud const* cloud_;
    operator_report* report_;
    asio::cancellation_signal signal_;
    asio::strand<executor_type> home_;
    planted_program wanted_;
    provider_notes notes_;
    provider_type of_plan_;
    provider_type of_apply_;
    store_type store_;
    std::function<bool(toy_event const&)> stop_at_;
    engine_type planner_;
    engine_type applier_;
};

}  // namespace

auto run_operators(std::vector<operator_order> const& all, infra::sim::cloud& cloud, infra::sim::durable_state& kept,
    std::uint64_t seed, std::optional<std::uint64_t> crash_after, planted_fault fault) -> operators_report
{
    operators_report report;
    report.of.resize(all.size());
    strider::sim::manual_context world(seed);
    workspace_lock lock(world.get_executor());
    std::list<planted_operator> operators;
    for (std::size_t i = 0; i < all.size(); ++i)
        operators.emplace_back(world.get_executor(), all[i], cloud, kept, lock, fault, report.of[i]).start();
    // An engine that makes no progress, or endless progress, would not end.
    constexpr std::uint64_t many = 2'000'000;
    std::uint64_t const end = crash_after.value_or(many);
    while (world.steps() < end && world.run_one()) {}
    report.steps = world.steps();
    report.crashed = crash_after.has_value() && world.steps() >= *crash_after;
    world.drop();
    for (planted_operator& o : operators) o.note();
    return report;
}

}  // namespace strider::test
