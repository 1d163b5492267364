// SPDX-License-Identifier: BSL-1.0
// The workers of a walk under load: more workers than processors, the same graph thousands of times. STRIDER_WALK_RUNS
// multiplies the number of runs.
#include <walk/load.hpp>

#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/walk/walker.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using load_visitor = std::function<void(vertex_id, std::uint32_t const&)>;
using pool_executor = asio::thread_pool::executor_type;
using load_walker = walker<pool_executor, shape, load_visitor>;

void work_for(std::chrono::nanoseconds time)
{
    auto const end = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < end) {}
}

struct load {
    std::size_t vertices;
    std::uint32_t count;
    visit_granularity granularity;
};

class WalkerUnderLoad : public testing::TestWithParam<load> {};

TEST_P(WalkerUnderLoad, VisitsEachVertexOnceARunAfterItsDependencies)
{
    shape const g = layers(GetParam().vertices);
    std::uint32_t const count = runs(GetParam().count);
    checker check(g);
    asio::thread_pool pool(6);
    load_walker walk(pool.get_executor(), g, [&](vertex_id v, std::uint32_t) { check(v); },
        {.threads = 6, .granularity = GetParam().granularity});

    for (std::uint32_t run = 0; run < count; ++run) ASSERT_EQ(walk.run().done(), g.vertex_count()) << "run " << run;

    EXPECT_EQ(check.wrong(count), 0U);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkerUnderLoad,
    testing::Values(load{10, 500, visit_granularity::coarse}, load{10, 500, visit_granularity::adaptive},
        load{1000, 60, visit_granularity::coarse}, load{1000, 60, visit_granularity::adaptive},
        load{10'000, 8, visit_granularity::coarse}, load{10'000, 8, visit_granularity::adaptive},
        load{1000, 100, visit_granularity::fine}));

TEST(WalkerUnderLoad, StartsMoreWorkersIfVisitsAreLong)
{
    shape const g = layers(1000);
    checker check(g);
    std::uint32_t run = 0;
    asio::thread_pool pool(4);
    load_walker walk(pool.get_executor(), g, [&](vertex_id v, std::uint32_t) {
        check(v);
        if (run % 4 == 3 && v.index() % 300 > 150) work_for(std::chrono::microseconds(2));
    });
    std::uint32_t const count = runs(80);

    for (; run < count; ++run) ASSERT_EQ(walk.run().done(), g.vertex_count()) << "run " << run;

    EXPECT_EQ(check.wrong(count), 0U);
}

class WalkerWithFailures : public testing::TestWithParam<load> {};

TEST_P(WalkerWithFailures, CountsEachVertexOnceIfVisitsThrowAndRunsAreCancelled)
{
    shape const g = layers(GetParam().vertices);
    std::atomic<std::uint32_t> run{0};
    std::vector<std::uint32_t> last(g.vertex_count(), ~0U);  // the run that visited a vertex last
    std::atomic<std::size_t> wrong{0};
    std::atomic<std::size_t> visits{0};
    asio::thread_pool pool(6);
    load_walker walk(pool.get_executor(), g,
        [&](vertex_id v, std::uint32_t) {
            std::uint32_t const now = run;
            for (vertex_id const d : g.dependencies(v))
                if (last[d.index()] != now) wrong.fetch_add(1, std::memory_order_relaxed);
            if (std::exchange(last[v.index()], now) == now) wrong.fetch_add(1, std::memory_order_relaxed);
            visits.fetch_add(1, std::memory_order_relaxed);
            if (now % 2 == 0 && (v.index() * 7 + now) % (g.vertex_count() / 3) == 0)
                throw std::runtime_error("planned");
        },
        {.threads = 6, .granularity = GetParam().granularity});
    std::atomic<bool> over = false;
    std::thread canceller([&] {
        for (std::uint32_t seen = 0; !over; seen = run) {
            std::this_thread::sleep_for(std::chrono::microseconds(100 + 300 * (seen % 7)));
            if (seen % 3 == 0) walk.cancel(asio::cancellation_type::partial);
        }
    });

    for (; run < runs(GetParam().count) && !HasFailure(); ++run) {
        walk_report const report = walk.run();
        EXPECT_EQ(report.size(), g.vertex_count());
        EXPECT_EQ(report.done() + report.failed() + report.skipped() + report.cancelled(), g.vertex_count());
        EXPECT_EQ(report.done() + report.failed(), visits.exchange(0));
        for (auto const& [v, outcome] : report.not_done()) {
            auto const blamed = std::ranges::any_of(g.dependencies(v), [&report](vertex_id d) {
                auto const status = report[d].status();
                return status == visit_status::failed || status == visit_status::skipped;
            });
            EXPECT_EQ(blamed, outcome.status() == visit_status::skipped) << "run " << run;
        }
    }
    over = true;
    canceller.join();

    EXPECT_EQ(wrong, 0U);
}

INSTANTIATE_TEST_SUITE_P(Sizes, WalkerWithFailures,
    testing::Values(load{10, 200, visit_granularity::coarse}, load{10, 200, visit_granularity::adaptive},
        load{1000, 20, visit_granularity::coarse}, load{1000, 20, visit_granularity::adaptive},
        load{10'000, 4, visit_granularity::coarse}, load{10'000, 4, visit_granularity::adaptive}));

TEST(Walker, CancelsTheCurrentRun)
{
    shape const g = layers(300);
    std::function<void()> at_first = [] {};
    asio::thread_pool pool(4);
    load_walker walk(pool.get_executor(), g, [&](vertex_id v, std::uint32_t) {
        if (v.index() == 0) at_first();
    });
    at_first = [&] { walk.cancel(asio::cancellation_type::partial); };
    walk_report const cancelled = walk.run();
    at_first = [] {};
    walk_report const again = walk.run();

    EXPECT_GT(cancelled.cancelled(), 0U);
    EXPECT_EQ(again.done(), g.vertex_count());
}

TEST(Walker, VisitsInAscendingIdIfThereIsOneWorker)
{
    shape const g = layers(200);
    std::vector<std::size_t> order;
    asio::thread_pool pool(1);
    load_walker walk(pool.get_executor(), g, [&](vertex_id v, std::uint32_t) { order.push_back(v.index()); });

    walk.run();

    ASSERT_EQ(order.size(), 200U);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Walker, VisitsOnTheGivenExecutorUnlessTheCallerHelps)
{
    shape const g = layers(10);
    asio::thread_pool pool(1);
    std::thread::id visited_in;
    auto const note = [&](vertex_id, std::uint32_t) { visited_in = std::this_thread::get_id(); };

    load_walker(pool.get_executor(), g, note).run();
    auto const by_default = visited_in;
    load_walker(pool.get_executor(), g, note).run(caller_helps);

    EXPECT_NE(by_default, std::this_thread::get_id());
    EXPECT_EQ(visited_in, std::this_thread::get_id());
}

TEST(Walker, UsesAllThreadsFromTheFirstVisitIfVisitsAreLong)
{
    digraph<std::uint32_t> draft;
    for (std::uint32_t i = 0; i < 4; ++i) draft.add_vertex(i);
    shape const g = freeze(std::move(draft)).value();
    asio::thread_pool pool(4);
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    load_walker walk(pool.get_executor(), g, [&](vertex_id, std::uint32_t) {
        int const now = ++inside;
        if (now > most) most = now;
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
        while (most < 4 && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::microseconds(50));
        --inside;
    });

    walk.run();

    EXPECT_EQ(most, 4);
}

TEST(Walker, YieldsTheThreadsOfTheExecutorPeriodically)
{
    shape const g = layers(2000);
    asio::thread_pool pool(1);
    std::atomic<bool> let_in = false;
    std::size_t visits = 0;
    std::size_t visits_before = 0;
    load_walker walk(pool.get_executor(), g, [&](vertex_id v, std::uint32_t) {
        if (v.index() == 0)
            asio::post(pool, [&] {
                visits_before = visits;
                let_in = true;
            });
        ++visits;
        work_for(std::chrono::microseconds(20));
    });

    walk.run();
    pool.join();

    EXPECT_TRUE(let_in);
    EXPECT_LT(visits_before, 1500U);
}

TEST(Walker, VisitsAllIfItsTimeoutIsTheLongestDuration)
{
    shape const g = layers(100);
    asio::thread_pool pool(2);
    load_walker walk(pool.get_executor(), g, [](vertex_id, std::uint32_t) {},
        {.timeout = std::chrono::steady_clock::duration::max()});

    EXPECT_EQ(walk.run().done(), 100U);
}

TEST(Walker, CancelsVisitsThatHaveNotStartedAtItsDeadline)
{
    shape const g = layers(1000);
    asio::thread_pool pool(2);
    for (auto const share : {visit_granularity::coarse, visit_granularity::adaptive, visit_granularity::fine}) {
        load_walker walk(pool.get_executor(), g,
            [&](vertex_id, std::uint32_t) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); },
            {.timeout = std::chrono::milliseconds(20), .granularity = share});

        walk_report const report = walk.run();

        EXPECT_EQ(report.error(), walk_errc::timed_out);
        EXPECT_EQ(report.error(), boost::system::errc::timed_out);
        EXPECT_GT(report.done(), 0U);
        EXPECT_EQ(report.done() + report.cancelled(), 1000U);
        EXPECT_GT(report.cancelled(), 500U);
    }
}

TEST(Walker, StopsAfterTheFirstFailureIfConfigured)
{
    shape const g = layers(1000);
    asio::thread_pool pool(1);
    std::size_t visits = 0;
    load_walker walk(pool.get_executor(), g,
        [&](vertex_id v, std::uint32_t) {
            ++visits;
            if (v.index() == 500) throw std::runtime_error("planned");
        },
        {.stop_on_first_failure = true});

    walk_report const report = walk.run();

    EXPECT_EQ(visits, 501U);
    EXPECT_EQ(report.done(), 500U);
    EXPECT_EQ(report.failed(), 1U);
    EXPECT_EQ(report.cancelled() + report.skipped(), 499U);
}

TEST(Walker, UsesNoProcessorTimeOneMillisecondAfterARun)
{
    shape const g = layers(1000);
    asio::thread_pool pool(4);
    load_walker walk(pool.get_executor(), g, [](vertex_id, std::uint32_t) { work_for(std::chrono::microseconds(1)); });
    walk.run();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));

    auto const before = std::clock();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    auto const used = std::clock() - before;

    EXPECT_LT(used * 1000 / CLOCKS_PER_SEC, 2);
}

}  // namespace
}  // namespace strider::test
