// SPDX-License-Identifier: BSL-1.0
#include <strider/walk/async_walk.hpp>
#include <strider/walk/walker.hpp>

#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace strider::test {
namespace {

namespace asio = boost::asio;

auto two_vertices() -> dag<int>
{
    digraph<int> draft;
    draft.add_vertex(0);
    draft.add_vertex(1);
    return freeze(std::move(draft)).value();
}

// Walks with a visitor that ends only when a stop is requested, and cancels the walk while it visits.
template <class Ready>
auto stopped_walk(walk_options<Ready> options, asio::cancellation_type type) -> walk_report
{
    auto const g = two_vertices();
    asio::thread_pool pool(2);
    std::atomic<bool> has_begun = false;
    auto const visit = [&](vertex_id v, int, stop_token stop) -> error_code {
        if (v.index() != 0) return {};
        has_begun = true;
        for (int round = 0; round < 50 && !stop.stop_requested(); ++round)
            std::this_thread::sleep_for(std::chrono::milliseconds(type == asio::cancellation_type::terminal ? 100 : 1));
        return stop.stop_requested() ? error_code(asio::error::operation_aborted) : error_code();
    };
    walker run(pool, g, visit, std::move(options));
    std::thread cancelling([&] {
        while (!has_begun) std::this_thread::yield();
        run.cancel(type);
    });
    walk_report report = run();
    cancelling.join();
    return report;
}

TEST(StopToken, EndsAPlainVisitOfWorkersAtTerminalCancellation)
{
    walk_report const report =
        stopped_walk(walk_options<>{.granularity = visit_granularity::coarse}, asio::cancellation_type::terminal);

    EXPECT_EQ(report[vertex_id(0)].status(), visit_status::cancelled);
    EXPECT_EQ(report.failed(), 0U);
}

TEST(StopToken, EndsAPlainVisitWithAReadyQueueAtTerminalCancellation)
{
    walk_report const report = stopped_walk(walk_options<fifo>{}, asio::cancellation_type::terminal);

    EXPECT_EQ(report[vertex_id(0)].status(), visit_status::cancelled);
    EXPECT_EQ(report.failed(), 0U);
}

TEST(StopToken, DoesNotEndAVisitAtPartialCancellation)
{
    walk_report const report = stopped_walk(walk_options<fifo>{}, asio::cancellation_type::partial);

    EXPECT_EQ(report[vertex_id(0)].status(), visit_status::done);
}

TEST(StopToken, IsNotRequestedWithoutAWalk)
{
    EXPECT_FALSE(stop_token().stop_requested());
}

}  // namespace
}  // namespace strider::test
