// SPDX-License-Identifier: BSL-1.0
// Walks with a shared ledger under load: coroutines, handles and traced visits on more threads than processors.
// STRIDER_WALK_RUNS multiplies the number of runs.
#include <support/places.hpp>
#include <walk/load.hpp>

#include <strider/walk.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test::ledgers {
namespace {

using pool_executor = asio::thread_pool::executor_type;
using work = std::function<void(vertex_id)>;
enum class kind : std::uint8_t { coroutines, handles, traced };

// Counts events in plain integers: the ledger orders all calls.
struct tally {
    std::size_t* balance;
    std::size_t* events;
    void started(vertex_id, std::uint32_t) const
    {
        ++*balance;
        ++*events;
    }
    void settled(vertex_id, visit_outcome const& outcome, std::uint32_t) const
    {
        if (outcome.is_done() || outcome.status() == visit_status::failed) --*balance;
    }
    void stopping(stop_reason) const {}
};

// One walk of each kind; every third visit ends on another thread.
template <class Handler>
void start(kind how, pool_executor const& executor, shape const& g, work const& act, tally trace, Handler handler)
{
    if (how == kind::coroutines) {
        async_walk(
            executor, g,
            [&act](vertex_id v, std::uint32_t) -> asio::awaitable<void> {
                if (v.index() % 3 == 0) co_await asio::post(asio::use_awaitable);
                act(v);
            },
            walk_options<>{.max_concurrency = 8}, std::move(handler));
    } else if (how == kind::handles) {
        async_walk(
            executor, g,
            [&act, executor](vertex_id v, std::uint32_t, visit_handle done) {
                if (v.index() % 3 != 0) {
                    act(v);
                    return done();
                }
                asio::post(executor, [&act, v, done = std::move(done)]() mutable {
                    try {
                        act(v);
                        done();
                    } catch (...) {
                        done(std::current_exception());
                    }
                });
            },
            walk_options<>{.max_concurrency = 8}, std::move(handler));
    } else {
        walk_options<fifo, tally> options{.max_concurrency = 8, .trace = trace};
        async_walk(executor, g, [&act](vertex_id v, std::uint32_t) { act(v); }, options, std::move(handler));
    }
}

// Waits as long as there is another visit to wait for.
struct waiting {
    explicit waiting(pool_executor const& executor) : home(executor) {}

    template <class Walk>
    auto operator()(Walk const& begin) -> walk_report
    {
        std::promise<walk_report> ended;
        begin(asio::bind_cancellation_slot(
            signal.slot(), asio::bind_executor(home, [this, &ended](error_code, walk_report report) {
                over = true;
                ended.set_value(std::move(report));
            })));
        walk_report report = ended.get_future().get();
        std::promise<void> drained;  // emissions that are still queued refer to this
        asio::post(home, [&] { drained.set_value(); });
        drained.get_future().wait();
        return report;
    }
    void cancel(asio::cancellation_type type)
    {
        asio::post(home, [this, type] {
            if (!over) signal.emit(type);
        });
    }

    asio::strand<pool_executor> home;
    asio::cancellation_signal signal;
    bool over = false;  // on home
};

struct shared_load {
    kind how;
    std::size_t vertices;
    std::uint32_t count;
};

class ConcurrentLedger : public testing::TestWithParam<shared_load> {
protected:
    shape const g = layers(GetParam().vertices);
    std::size_t balance = 0;
    std::size_t events = 0;
    tally const trace{&balance, &events};
    asio::thread_pool pool{6};
};

TEST_P(ConcurrentLedger, VisitsEachVertexOnceAfterItsDependencies)
{
    checker check(g);
    work const act = [&](vertex_id v) { check(v); };
    std::uint32_t const count = runs(GetParam().count);

    for (std::uint32_t run = 0; run < count; ++run) {
        walk_report const report = waiting(pool.get_executor())(
            [&](auto handler) { start(GetParam().how, pool.get_executor(), g, act, trace, std::move(handler)); });
        ASSERT_EQ(report.done(), g.vertex_count()) << "run " << run;
    }

    EXPECT_EQ(check.wrong(count), 0U);
    EXPECT_EQ(balance, 0U);
    EXPECT_EQ(events, GetParam().how == kind::traced ? g.vertex_count() * count : 0U);
}

TEST_P(ConcurrentLedger, CountsEachVertexOnceIfVisitsThrowAndWalksAreCancelled)
{
    std::uint32_t const count = runs(GetParam().count);

    for (std::uint32_t run = 0; run < count && !HasFailure(); ++run) {
        waiting wait(pool.get_executor());
        std::atomic<std::size_t> visits = 0;
        std::size_t const trouble_at = 1 + run * 7 % g.vertex_count();
        work const act = [&](vertex_id v) {
            visits.fetch_add(1, std::memory_order_relaxed);
            if (v.index() == trouble_at && run % 3 != 0)
                wait.cancel(run % 3 == 1 ? asio::cancellation_type::partial : asio::cancellation_type::terminal);
            if (run % 2 == 0 && v.index() % 97 == trouble_at % 97) throw std::runtime_error("planned");
        };

        walk_report const report =
            wait([&](auto handler) { start(GetParam().how, pool.get_executor(), g, act, trace, std::move(handler)); });

        EXPECT_EQ(report.size(), g.vertex_count());
        EXPECT_EQ(report.done() + report.failed() + report.skipped() + report.cancelled(), g.vertex_count());
        EXPECT_GE(visits, report.done() + report.failed());
        for (auto const& [v, outcome] : report.not_done()) {
            auto const blamed = std::ranges::any_of(g.dependencies(v), [&report](vertex_id d) {
                auto const status = report[d].status();
                return status == visit_status::failed || status == visit_status::skipped;
            });
            EXPECT_EQ(blamed, outcome.status() == visit_status::skipped) << "run " << run;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ConcurrentLedger,
    testing::Values(shared_load{kind::coroutines, 10, 300}, shared_load{kind::handles, 10, 300},
        shared_load{kind::traced, 10, 300}, shared_load{kind::coroutines, 1000, 15},
        shared_load{kind::handles, 1000, 15}, shared_load{kind::traced, 1000, 15},
        shared_load{kind::coroutines, 10'000, 2}, shared_load{kind::handles, 10'000, 2},
        shared_load{kind::traced, 10'000, 2}));

[[nodiscard]] auto without_edges(std::uint32_t count) -> shape
{
    digraph<std::uint32_t> draft;
    for (std::uint32_t i = 0; i < count; ++i) draft.add_vertex(i);
    return freeze(std::move(draft)).value();
}

TEST(AwaitableVisits, ThatDoNotSuspendShareAStrand)
{
    shape const g = without_edges(1000);
    asio::thread_pool pool(1);
    std::vector<asio::any_io_executor> strands;

    walk_report const report = walk(pool.get_executor(), g, [&](vertex_id, std::uint32_t) -> asio::awaitable<void> {
        auto here = co_await asio::this_coro::executor;
        if (std::ranges::find(strands, here) == strands.end()) strands.push_back(std::move(here));
    });

    EXPECT_EQ(report.done(), 1000U);
    EXPECT_LT(strands.size(), 100U);  // a busy machine adds one for each time slice
}

// Visits that end at once follow one another; each strand has a cancellation slot of its own.
template <class Place>
void expect_few_strands(Place place)
{
    shape const g = without_edges(1000);
    asio::thread_pool pool(1);
    std::vector<asio::cancellation_slot> slots;
    auto const add = [&](asio::cancellation_slot slot) {
        if (std::ranges::find(slots, slot) == slots.end()) slots.push_back(slot);
    };

    walk_report report = walk(place(pool.get_executor()), g, [&](vertex_id, std::uint32_t) -> asio::awaitable<void> {
        auto const state = co_await asio::this_coro::cancellation_state;
        add(state.slot());
    });
    EXPECT_EQ(report.done(), 1000U);
    EXPECT_LT(slots.size(), 100U) << "of coroutines";  // a busy machine adds one for each time slice

    slots.clear();
    report = walk(place(pool.get_executor()), g, [&](vertex_id, std::uint32_t, visit_handle handle) {
        add(handle.get_cancellation_slot());
        handle();
    });
    EXPECT_EQ(report.done(), 1000U);
    EXPECT_LT(slots.size(), 100U) << "of handles";
}

TEST(VisitsThatEndAtOnce, NeedFewStrands)
{
    expect_few_strands(directly);
}
TEST(VisitsThatEndAtOnce, NeedFewStrandsOnAStrand)
{
    expect_few_strands(on_strand);
}

// 2000 visits that take no time, and after all of them 40 that take a millisecond each. \return how many of these ran at once at most
template <class Queue, class Visitor>
[[nodiscard]] auto most_long_visits_at_once(visit_granularity granularity, Visitor const& visitor) -> int
{
    digraph<std::uint32_t> draft;
    auto const last = draft.add_vertex(0);
    for (std::uint32_t i = 0; i < 2000; ++i) draft.add_edge(last, depends_on(draft.add_vertex(0)));
    for (std::uint32_t i = 0; i < 40; ++i) draft.add_edge(draft.add_vertex(1), depends_on(last));
    shape const g = freeze(std::move(draft)).value();
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    work const visit = [&](vertex_id v) {
        if (g[v] == 0) return;
        int const now = ++inside;
        for (int known = most; known < now && !most.compare_exchange_weak(known, now);) {}
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --inside;
    };
    asio::thread_pool pool(4);

    walk_report const report =
        walk(pool.get_executor(), g, visitor(visit), walk_options<Queue>{.granularity = granularity});

    EXPECT_EQ(report.done(), g.vertex_count());
    return most;
}

constexpr auto plain_visit = [](work const& visit) { return [&visit](vertex_id v, std::uint32_t) { visit(v); }; };
constexpr auto coroutine_visit = [](work const& visit) {
    return [&visit](vertex_id v, std::uint32_t) -> asio::awaitable<void> {
        visit(v);
        co_return;
    };
};
constexpr auto handle_visit = [](work const& visit) {
    return [&visit](vertex_id v, std::uint32_t, visit_handle handle) {
        visit(v);
        handle();
    };
};

TEST(LongVisitsAfterShortOnes, UseSeveralThreads)
{
    EXPECT_GT(most_long_visits_at_once<fifo>(visit_granularity::adaptive, plain_visit), 1);
    EXPECT_GT(most_long_visits_at_once<ascending_id>(visit_granularity::adaptive, coroutine_visit), 1);
    EXPECT_GT(most_long_visits_at_once<ascending_id>(visit_granularity::adaptive, handle_visit), 1);
}

// Another thread may join the run while the first one waits for a processor, so the smallest number of several runs is
// used.
template <class Queue, class Visitor>
[[nodiscard]] auto fewest_long_visits_at_once(visit_granularity granularity, Visitor const& visitor) -> int
{
    int fewest = most_long_visits_at_once<Queue>(granularity, visitor);
    for (int run = 1; fewest > 1 && run < 20; ++run)
        fewest = std::min(fewest, most_long_visits_at_once<Queue>(granularity, visitor));
    return fewest;
}

TEST(LongVisitsAfterShortOnes, UseOneThreadIfTheGranularityIsFine)
{
    EXPECT_EQ(fewest_long_visits_at_once<fifo>(visit_granularity::fine, plain_visit), 1);
    EXPECT_EQ(fewest_long_visits_at_once<ascending_id>(visit_granularity::fine, coroutine_visit), 1);
    EXPECT_EQ(fewest_long_visits_at_once<ascending_id>(visit_granularity::fine, handle_visit), 1);
}

TEST(AwaitableVisits, ThatSuspendDoNotBlockOthers)
{
    shape const g = without_edges(50);
    for (std::size_t const threads : {1U, 3U}) {
        asio::thread_pool pool(threads);
        std::atomic<int> begun = 0;

        walk_report const report = walk(pool.get_executor(), g, [&](vertex_id, std::uint32_t) -> asio::awaitable<void> {
            ++begun;
            while (begun < 50) co_await asio::post(asio::use_awaitable);
        });

        EXPECT_EQ(report.done(), 50U);
    }
}

TEST(ResourcePoolsByWorkers, DeferPlainVisitsAndBlockNoThread)
{
    digraph<std::uint32_t> draft;
    for (std::uint32_t i = 0; i < 40; ++i) draft.add_vertex(i);
    shape const g = freeze(std::move(draft)).value();
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::atomic<int> others = 0;
    resource_pools const two_of_the_even(
        [](vertex_id v) { return v.index() % 2 == 0 ? resource_pool{.id = 1, .capacity = 2} : resource_pool{}; });
    asio::thread_pool pool(4);

    walk_report const report = walk(
        pool.get_executor(), g,
        [&](vertex_id v, std::uint32_t) {
            if (v.index() % 2 != 0) {
                ++others;
                return;
            }
            int const now = ++inside;
            if (now > most) most = now;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            --inside;
        },
        walk_options<std::remove_const_t<decltype(two_of_the_even)>>{.ready = two_of_the_even});

    EXPECT_EQ(report.done(), 40U);
    EXPECT_EQ(others, 20);
    EXPECT_EQ(most, 2);
}

}  // namespace
}  // namespace strider::test::ledgers
