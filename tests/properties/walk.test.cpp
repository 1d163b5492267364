// SPDX-License-Identifier: BSL-1.0
// Laws of every walk, on random graphs, on four threads and on a manual executor, by workers and on a strand, with failures and
// cancellations. STRIDER_WALK_GRAPHS is the number of graphs (default 300), STRIDER_WALK_SEED the first seed (default
// 1).
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <iostream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

// The behaviour of one vertex in a random walk.
struct behaviour {
    sim::fault fault = sim::fault::none;
    asio::cancellation_type emits = asio::cancellation_type::none;
};
using random_graph = dag<behaviour>;
// A queue with which plain visits have a ledger.
struct own_order : ascending_id {};
using ledger_options = walk_options<own_order>;

enum class manner : std::uint8_t { plain, awaitable, handle, by_workers };

struct scenario {
    explicit scenario(std::uint64_t seed_) : seed(seed_)
    {
        std::mt19937_64 random(seed);
        auto const below = [&](std::uint64_t bound) { return random() % bound; };
        std::size_t const count = 2 + below(499);
        std::uint64_t const failures = below(3) == 0 ? 0 : below(60);  // in a thousand
        bool const cancels = below(3) == 0;
        digraph<behaviour> draft;
        std::vector<draft_vertex_id> ids;
        for (std::size_t i = 0; i < count; ++i) {
            behaviour b;
            if (below(1000) < failures) b.fault = below(2) == 0 ? sim::fault::fails : sim::fault::throws;
            ids.push_back(draft.add_vertex(b));
        }
        if (cancels) {
            constexpr asio::cancellation_type types[] = {asio::cancellation_type::partial,
                asio::cancellation_type::terminal, asio::cancellation_type::total, asio::cancellation_type::all};
            draft[ids[below(count)]].emits = types[below(4)];
            draft[ids[below(count)]].emits = types[below(4)];
        }
        std::uint64_t const degree = 1 + below(6);
        std::uint64_t const reach = 1 + below(count);
        for (std::size_t i = 1; i < count; ++i)
            for (std::uint64_t e = below(degree + 1); e > 0; --e)
                draft.add_edge(ids[i], depends_on(ids[i - 1 - below(std::min<std::uint64_t>(i, reach))]));
        graph = freeze(std::move(draft)).value();
        options.max_concurrency = static_cast<std::uint32_t>(1 + below(12));
        options.stop_on_first_failure = below(5) == 0;
        std::uint64_t const kind = below(6);
        how = kind < 3 ? static_cast<manner>(kind) : manner::by_workers;
        on_strand = how == manner::plain || (how != manner::by_workers && below(2) == 0);
        workers.max_concurrency = options.max_concurrency;
        workers.stop_on_first_failure = options.stop_on_first_failure;
        workers.granularity = kind == 3 ? visit_granularity::coarse
            : kind == 4                 ? visit_granularity::adaptive
                                        : visit_granularity::fine;
    }

    std::uint64_t seed;
    random_graph graph;
    ledger_options options;
    walk_options<> workers;
    manner how = manner::plain;
    bool on_strand = true;  // the ledger is on a strand, if there is one
};

struct ending {
    std::atomic<int> calls{0};
    error_code error;
    walk_report report;
};

// The data that visits share; `home` is the executor of the handler, on which cancellation is emitted.
template <class Executor>
struct run_state {
    run_state(scenario const& s, Executor const& executor) : record(s.graph), home(executor) {}

    void act(behaviour const& b)
    {
        if (b.emits != asio::cancellation_type::none) {
            asio::post(home, [this, type = b.emits] {
                if (end.calls == 0) signal.emit(type);
                emitted = true;
            });
            // Visits are short: without this, the walk would end before it is cancelled.
            for (int round = 0; round < 100 && waits && !emitted; ++round)
                std::this_thread::sleep_for(std::chrono::microseconds(10));
        }
        if (b.fault == sim::fault::throws) throw std::runtime_error("planned");
    }

    sim::recorder<random_graph> record;
    asio::strand<Executor> home;
    asio::cancellation_signal signal;
    std::atomic<bool> emitted{false};
    bool waits = false;  // a visit that cancels the walk continues only after the emission
    ending end;
};

[[nodiscard]] auto result_of(behaviour const& b) -> error_code
{
    return b.fault == sim::fault::fails ? error_code(asio::error::connection_refused) : error_code();
}

// Starts the walk of a scenario with its kind of visitor.
template <class Executor, class Done>
void start(scenario const& s, Executor const& executor, run_state<Executor>& state, Done done)
{
    using visit = typename sim::recorder<random_graph>::visit;
    auto handler = asio::bind_cancellation_slot(state.signal.slot(),
        asio::bind_executor(state.home, [&state, done](error_code error, walk_report report) mutable {
            state.end.error = error;
            state.end.report = std::move(report);
            if (++state.end.calls == 1) done();
        }));
    auto const plain = [&state](vertex_id v, behaviour const& b) -> error_code {
        visit const guard(state.record, v);
        state.act(b);
        return result_of(b);
    };
    auto const awaited = [&state](vertex_id v, behaviour const& b) -> asio::awaitable<error_code> {
        visit const guard(state.record, v);
        state.act(b);
        if (v.index() % 3 != 0) co_await asio::post(asio::use_awaitable);
        co_return result_of(b);
    };
    auto const handled = [&state, executor](vertex_id v, behaviour const& b, visit_handle handle) {
        visit const guard(state.record, v);
        state.act(b);
        if (v.index() % 3 == 0) return handle(result_of(b));
        asio::post(executor, [&b, handle = std::move(handle)]() mutable { handle(result_of(b)); });
    };
    auto const strand = asio::make_strand(executor);
    auto const walk_async = [&](auto const& on) {
        if (s.how == manner::awaitable) async_walk(on, s.graph, awaited, s.options, std::move(handler));
        else async_walk(on, s.graph, handled, s.options, std::move(handler));
    };
    if (s.how == manner::by_workers) async_walk(executor, s.graph, plain, s.workers, std::move(handler));
    else if (s.how == manner::plain) async_walk(strand, s.graph, plain, s.options, std::move(handler));
    else if (s.on_strand) walk_async(strand);
    else walk_async(executor);
}

template <class Executor>
void expect_laws(scenario const& s, run_state<Executor> const& state)
{
    walk_report const& report = state.end.report;
    ASSERT_EQ(state.end.calls, 1);
    ASSERT_EQ(report.size(), s.graph.vertex_count());
    EXPECT_EQ(report.done() + report.failed() + report.skipped() + report.cancelled(), s.graph.vertex_count());
    EXPECT_EQ(state.end.error, report.error());
    EXPECT_THAT(state.record.violations(), testing::IsEmpty());
    EXPECT_LE(state.record.peak(), s.options.max_concurrency);

    bool stopped = s.options.stop_on_first_failure;
    for (auto const v : s.graph.vertices()) stopped = stopped || s.graph[v].emits != asio::cancellation_type::none;
    EXPECT_TRUE(stopped || report.cancelled() == 0);
    for (auto const v : s.graph.vertices()) {
        bool all_done = true;
        bool blamed = false;
        for (auto const d : s.graph.dependencies(v)) {
            visit_status const status = report[d].status();
            all_done = all_done && status == visit_status::done;
            blamed = blamed || status == visit_status::failed || status == visit_status::skipped;
        }
        visit_status const status = report[v].status();
        EXPECT_TRUE(all_done || !state.record.visited(v)) << v.index();
        EXPECT_EQ(blamed, status == visit_status::skipped) << v.index();
        if (status == visit_status::done) {
            EXPECT_TRUE(state.record.visited(v)) << v.index();
            EXPECT_EQ(s.graph[v].fault, sim::fault::none) << v.index();
        }
        if (status == visit_status::failed) { EXPECT_NE(s.graph[v].fault, sim::fault::none) << v.index(); }
        EXPECT_TRUE(stopped || !all_done || state.record.visited(v)) << v.index();
    }
}

[[nodiscard]] auto setting(char const* name, std::uint64_t otherwise) -> std::uint64_t
{
    char const* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(RandomWalks, HoldOnFourThreadsForRandomGraphs)
{
    std::uint64_t const first = setting("STRIDER_WALK_SEED", 1);
    std::uint64_t const count = setting("STRIDER_WALK_GRAPHS", 300);
    std::cout << "seeds " << first << " to " << first + count - 1 << '\n';
    asio::thread_pool pool(4);
    int by_workers = 0;
    int on_strand = 0;
    int failures = 0;
    int cancellations = 0;
    int successes = 0;

    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        SCOPED_TRACE("STRIDER_WALK_SEED=" + std::to_string(seed) + " STRIDER_WALK_GRAPHS=1");
        scenario const s(seed);
        run_state state(s, pool.get_executor());
        state.waits = s.how == manner::by_workers;
        std::promise<void> done;

        start(s, pool.get_executor(), state, [&] { done.set_value(); });
        done.get_future().wait();
        std::promise<void> drained;  // emissions that are still queued on home refer to the state
        asio::post(state.home, [&] { drained.set_value(); });
        drained.get_future().wait();

        expect_laws(s, state);
        if (HasFailure()) break;
        ++(s.on_strand ? on_strand : by_workers);
        (state.end.report.failed() != 0             ? failures
                : state.end.report.cancelled() != 0 ? cancellations
                                                    : successes) += 1;
    }
    pool.join();
    std::cout << by_workers << " walked by workers, " << on_strand << " on a strand; " << failures << " with failures, "
              << cancellations << " cancelled, " << successes << " with neither\n";
}

TEST(RandomWalks, HoldOnAManualExecutorForRandomGraphsAndInterleavings)
{
    std::uint64_t const first = setting("STRIDER_WALK_SEED", 1);
    std::uint64_t const count = setting("STRIDER_WALK_GRAPHS", 300);

    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        SCOPED_TRACE("STRIDER_WALK_SEED=" + std::to_string(seed) + " STRIDER_WALK_GRAPHS=1");
        sim::manual_context context(seed);
        scenario const s(seed);
        run_state state(s, context.get_executor());

        start(s, context.get_executor(), state, [] {});
        context.run();

        expect_laws(s, state);
        if (HasFailure()) break;
    }
}

}  // namespace
}  // namespace strider::test
