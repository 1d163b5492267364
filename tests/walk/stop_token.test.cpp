// SPDX-License-Identifier: BSL-1.0
#include <strider/walk/async_walk.hpp>
#include <strider/walk/on_executors.hpp>
#include <strider/walk/vertex_cancellation.hpp>
#include <strider/walk/visit_values.hpp>
#include <strider/walk/walker.hpp>

#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
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

struct as_it_is {
    auto operator()(dag<int> const&, auto visit) const { return visit; }
};

// Walks with a visitor that ends only when a stop is requested, and cancels the walk while it visits. `adapt(graph, visit)` returns
// the visitor of the walk. `other`: a pool of its visits, which must end before that of the walk.
template <class Ready, class Adapt = as_it_is>
auto stopped_walk(walk_options<Ready> options, asio::cancellation_type type, Adapt const& adapt = {},
    asio::thread_pool* other = nullptr) -> walk_report
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
    walker walks(pool, g, adapt(g, visit), std::move(options));
    std::thread cancelling([&] {
        while (!has_begun) std::this_thread::yield();
        walks.cancel(type);
    });
    walk_report report = walks.run();
    cancelling.join();
    if (other != nullptr) other->join();
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

TEST(StopToken, EndsAPlainVisitOnAnotherExecutorAtTerminalCancellation)
{
    asio::thread_pool other(1);
    auto const there = [&](dag<int> const&, auto visit) {
        return on_executors([&](vertex_id) { return other.get_executor(); }, std::move(visit));
    };

    walk_report const report = stopped_walk(walk_options<>{}, asio::cancellation_type::terminal, there, &other);

    EXPECT_EQ(report[vertex_id(0)].status(), visit_status::cancelled);
    EXPECT_EQ(report.failed(), 0U);
}

TEST(StopToken, EndsAPlainVisitOfAVertexThatMayBeCancelledAloneAtTerminalCancellation)
{
    std::optional<vertex_cancellation<dag<int>>> cancellation;
    auto const cancellable = [&](dag<int> const& g, auto visit) {
        return cancellation.emplace(g).visitor(std::move(visit));
    };

    for (auto const granularity : {visit_granularity::coarse, visit_granularity::adaptive}) {
        walk_report const report =
            stopped_walk(walk_options<>{.granularity = granularity}, asio::cancellation_type::terminal, cancellable);

        EXPECT_EQ(report[vertex_id(0)].status(), visit_status::cancelled);
        EXPECT_EQ(report.failed(), 0U);
    }
}

// The visitor of the walk, which returns an error code, as one that returns a value or the error.
template <class Visit>
auto valued(Visit visit)
{
    return [visit](vertex_id v, int value, dependency_values<int>, stop_token stop) -> boost::system::result<int> {
        if (error_code const error = visit(v, value, stop)) return error;
        return value;
    };
}

TEST(StopToken, EndsAVisitWithValuesAtTerminalCancellation)
{
    std::optional<visit_values<int>> values;
    auto const with_values = [&](dag<int> const& g, auto visit) {
        return values.emplace(g).visitor(valued(std::move(visit)));
    };

    walk_report const report = stopped_walk(
        walk_options<>{.granularity = visit_granularity::coarse}, asio::cancellation_type::terminal, with_values);

    EXPECT_EQ(report[vertex_id(0)].status(), visit_status::cancelled);
    EXPECT_EQ(report.failed(), 0U);
}

TEST(StopToken, EndsAVisitWithValuesThroughAllAdaptersAtTerminalCancellation)
{
    asio::thread_pool other(1);
    std::optional<value_cache<int>> values;
    std::optional<vertex_cancellation<dag<int>>> cancellation;
    auto const through_all = [&](dag<int> const& g, auto visit) {
        return cancellation.emplace(g).visitor(on_executors(
            [&](vertex_id) { return other.get_executor(); }, values.emplace(g).visitor(valued(std::move(visit)))));
    };

    walk_report const report = stopped_walk(walk_options<>{}, asio::cancellation_type::terminal, through_all, &other);

    EXPECT_EQ(report[vertex_id(0)].status(), visit_status::cancelled);
    EXPECT_EQ(report.failed(), 0U);
}

TEST(StopToken, IsThatOfAVisitByHandle)
{
    auto const by_handle = [](dag<int> const&, auto visit) {
        return [visit](vertex_id v, int value, visit_handle done) {
            visit_outcome const outcome = visit(v, value, done.get_stop_token());
            EXPECT_EQ(done.get_stop_token().stop_requested(), outcome.error() == asio::error::operation_aborted);
            done(outcome);
        };
    };

    walk_report const report = stopped_walk(walk_options<>{}, asio::cancellation_type::terminal, by_handle);

    EXPECT_EQ(report[vertex_id(0)].status(), visit_status::cancelled);
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
