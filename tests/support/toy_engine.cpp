// SPDX-License-Identifier: BSL-1.0
// Runs engines with toy programs in both worlds. Both worlds use one engine type, because its templates take seconds to
// instantiate.
#include <support/toy_world.hpp>
#include <support/world_clock.hpp>

#include <strider/infra/sim/test_engine.hpp>
#include <strider/sim/manual_executor.hpp>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <future>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

/// The default stages, or stages that do not force create_before_destroy on dependencies.
struct toy_stages : infra::default_stages {
    bool forces = true;

    template <infra::program P>
    [[nodiscard]] auto plan_graph(infra::graph_tables<P> const& tables, digraph<infra::node> draft,
        infra::plan_options const& options) const -> result<digraph<infra::node>>
    {
        if (forces) return infra::default_stages::plan_graph(tables, std::move(draft), options);
        return cycle_validation{infra::node_naming<P>{tables, true}}(std::move(draft));
    }
};

auto to_applied(infra::apply_report r) -> toy_applied
{
    bool const ok = r.ok();
    return {std::move(r.problems), std::move(r.state), r.store_error, r.added, r.changed, r.destroyed, r.invoked,
        r.entries, r.commits, r.stopped, ok};
}

class toy_engine {
    using provider_type = infra::sim::provider<world_clock>;
    using store_type = infra::sim::store<world_clock>;
    using execution_type = infra::asio_execution<asio::any_io_executor, world_clock>;

public:
    using engine_type = infra::sim::test_engine<world_clock, toy_stages, asio::any_io_executor>;

    /// Neither this object nor `signal` may outlive the context of the executor, and no work may outlive them.
    toy_engine(asio::any_io_executor const& executor, asio::cancellation_signal& signal, toy_program const& wanted,
        infra::sim::cloud& cloud, infra::sim::durable_state& kept, run_conditions const& how)
        : how_(how),
          signal_(&signal),
          home_(asio::make_strand(executor)),
          provider_(executor, cloud, how.provider, how.latency),
          store_(kept, how.store),
          engine_(
              wanted, provider_, store_, execution_type(executor, how.limits),
              [this](toy_event const& e) { on_event(e); }, toy_stages{{}, how.forces})
    {
        for (auto const& [operation, violation] : how.violations) provider_.violate_contract(operation, violation);
        if (how.objects_in_state) provider_.keep_objects_in_state();
        if (how.lost_memory) provider_.forget_operations();
    }

    /// Starts a coroutine of the engine; `end` is called with its result, on any thread.
    template <class T, class End>
    void start(infra::task<T> work, End end)
    {
        auto handler = [end = std::move(end)](std::exception_ptr const& thrown, T value) mutable {
            if (thrown) std::rethrow_exception(thrown);
            end(std::move(value));
        };
        asio::co_spawn(home_, std::move(work),
            asio::bind_cancellation_slot(signal_->slot(), asio::bind_executor(home_, std::move(handler))));
    }

    [[nodiscard]] auto operator*() -> engine_type& { return engine_; }

    /// Plans and applies, with the lease of the state if it has a duration.
    [[nodiscard]] auto plan_and_apply(infra::plan_options options, std::chrono::milliseconds lease)
        -> infra::task<operator_outcome>
    {
        operator_outcome out;
        for (bool locked = lease.count() == 0; !locked;) {
            auto locking = store_.lock(how_.run, lease);
            locked = co_await std::move(locking);
            if (locked) break;
            world_clock::timer_type timer(home_, std::chrono::milliseconds(100));
            auto waiting = timer.async_wait(asio::use_awaitable);
            co_await std::move(waiting);
        }
        auto planning = engine_.plan(std::move(options));
        auto plan = co_await std::move(planning);
        if (!plan) out.refused = plan.error().why();
        else {
            auto applying = engine_.apply(*plan, how_.run);
            infra::apply_report report = co_await std::move(applying);
            out.applied = to_applied(std::move(report));
        }
        store_.unlock();
        co_return out;
    }

private:
    void on_event(toy_event const& e)
    {
        if (how_.watch) how_.watch(e);
        if (!how_.stop_at || !how_.stop_at(e)) return;
        auto emit = [signal = signal_, type = how_.stop] { signal->emit(type); };
        if (how_.stop_after.count() == 0) return asio::post(home_, std::move(emit));
        auto const timer = std::make_shared<world_clock::timer_type>(home_);
        timer->expires_after(how_.stop_after);
        timer->async_wait(asio::bind_executor(home_, [timer, emit](error_code) { emit(); }));
    }

    run_conditions how_;
    asio::cancellation_signal* signal_;
    asio::strand<asio::any_io_executor> home_;
    provider_type provider_;
    store_type store_;
    engine_type engine_;
};

/// Runs the coroutine that `ask(engine)` returns. Empty if the world ended before the coroutine.
template <class T, class Ask>
auto run_simulated(toy_program const& wanted, infra::sim::cloud& cloud, infra::sim::durable_state& kept,
    run_conditions const& how, Ask ask) -> std::optional<T>
{
    std::optional<T> out;
    strider::sim::manual_context world(how.seed);
    asio::cancellation_signal signal;
    toy_engine e(world.get_executor(), signal, wanted, cloud, kept, how);
    e.start(ask(*e), [&out](T value) { out.emplace(std::move(value)); });
    std::uint64_t const end = how.crash_after.value_or(UINT64_MAX);
    while (world.steps() < end && world.run_one()) {}
    world.drop();
    return out;
}

template <class T, class Ask>
auto run_on_threads(toy_program const& wanted, infra::sim::cloud& cloud, infra::sim::durable_state& kept,
    run_conditions const& how, Ask ask) -> std::optional<T>
{
    std::promise<T> out;
    asio::thread_pool world(4);
    asio::cancellation_signal signal;
    toy_engine e(world.get_executor(), signal, wanted, cloud, kept, how);
    e.start(ask(*e), [&out](T value) { out.set_value(std::move(value)); });
    world.join();
    return out.get_future().get();
}

}  // namespace

auto plan_simulated(toy_program const& wanted, infra::plan_options const& options, infra::sim::cloud& cloud,
    infra::sim::durable_state& kept, run_conditions const& how)
    -> std::optional<strider::result<toy_plan, infra::failure>>
{
    return run_simulated<strider::result<toy_plan, infra::failure>>(
        wanted, cloud, kept, how, [&](auto& engine) { return engine.plan(options); });
}

auto plan_on_threads(toy_program const& wanted, infra::plan_options const& options, infra::sim::cloud& cloud,
    infra::sim::durable_state& kept, run_conditions const& how)
    -> std::optional<strider::result<toy_plan, infra::failure>>
{
    return run_on_threads<strider::result<toy_plan, infra::failure>>(
        wanted, cloud, kept, how, [&](auto& engine) { return engine.plan(options); });
}

auto apply_simulated(toy_program const& wanted, toy_plan const& plan, infra::sim::cloud& cloud,
    infra::sim::durable_state& kept, run_conditions const& how) -> std::optional<toy_applied>
{
    auto report = run_simulated<infra::apply_report>(
        wanted, cloud, kept, how, [&](auto& engine) { return engine.apply(plan, how.run); });
    if (!report) return std::nullopt;
    return to_applied(std::move(*report));
}

auto apply_together(toy_program const& wanted, infra::plan_options const& options, infra::sim::cloud& cloud,
    infra::sim::durable_state& kept, std::vector<run_conditions> const& how, std::chrono::milliseconds lease)
    -> std::vector<operator_outcome>
{
    std::vector<operator_outcome> out(how.size());
    strider::sim::manual_context world(how.at(0).seed);
    std::deque<asio::cancellation_signal> signals(how.size());
    std::deque<toy_engine> engines;
    for (std::size_t i = 0; i < how.size(); ++i) {
        toy_engine& e = engines.emplace_back(world.get_executor(), signals[i], wanted, cloud, kept, how[i]);
        e.start(e.plan_and_apply(options, lease), [&out, i](operator_outcome value) { out[i] = std::move(value); });
    }
    std::uint64_t const end = how[0].crash_after.value_or(UINT64_MAX);
    while (world.steps() < end && world.run_one()) {}
    world.drop();
    return out;
}

auto apply_on_threads(toy_program const& wanted, toy_plan const& plan, infra::sim::cloud& cloud,
    infra::sim::durable_state& kept, run_conditions const& how) -> std::optional<toy_applied>
{
    auto report = run_on_threads<infra::apply_report>(
        wanted, cloud, kept, how, [&](auto& engine) { return engine.apply(plan, how.run); });
    return to_applied(std::move(*report));
}

}  // namespace strider::test
