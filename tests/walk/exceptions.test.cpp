// SPDX-License-Identifier: BSL-1.0
// Exceptions outside of visitors: of policies, and of allocations. A walk ends with an error nevertheless.
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <walk/failing_allocations.hpp>
#include <walk/worlds.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

auto star(int rays) -> dag<int>
{
    digraph<int> g;
    auto const hub = g.add_vertex(0);
    for (int i = 1; i <= rays; ++i) g.add_edge(g.add_vertex(i), depends_on(hub));
    return freeze(std::move(g)).value();
}

struct outcome_of_walk {
    int calls = 0;
    error_code error;
    walk_report report;
};

// Walks on one thread. An exception of an executor is uncaught.
template <class Visitor, class Options, class Place = decltype(directly)>
auto run_walk(dag<int> const& g, Visitor visitor, Options options, Place place = directly) -> outcome_of_walk
{
    outcome_of_walk end;
    asio::io_context context;
    async_walk(place(context.get_executor()), g, std::move(visitor), std::move(options),
        [&](error_code error, walk_report report) { end = {end.calls + 1, error, std::move(report)}; });
    context.run();
    return end;
}

auto const throwing_limit = [](vertex_id v) -> resource_pool {
    if (v.index() == 3) throw std::runtime_error("no class");
    return {};
};
auto const by_handle = [](vertex_id, int, visit_handle done) { done(visit_outcome()); };

template <class Visitor>
void expect_policy_error(Visitor visitor)
{
    auto const g = star(5);
    walk_options options{.ready = resource_pools(throwing_limit)};

    outcome_of_walk const end = run_walk(g, visitor, options);

    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(end.error, walk_errc::policy_threw);
    ASSERT_TRUE(end.report.exception());
    EXPECT_THROW(std::rethrow_exception(end.report.exception()), std::runtime_error);
    EXPECT_EQ(end.report.size(), 6U);
    EXPECT_EQ(end.report[vertex_id(0)].status(), visit_status::done);
    EXPECT_EQ(end.report[vertex_id(3)].status(), visit_status::cancelled);
}

TEST(ThrowingPolicy, EndsAWalkOfPlainVisitsWithAnError)
{
    expect_policy_error(nothing);
}
TEST(ThrowingPolicy, EndsAWalkOfAwaitableVisitsWithAnError)
{
    expect_policy_error(awaiting_nothing);
}
TEST(ThrowingPolicy, EndsAWalkOfHandleVisitsWithAnError)
{
    expect_policy_error(by_handle);
}

struct throwing_trace {
    void started(vertex_id, std::uint32_t) {}
    void settled(vertex_id v, visit_outcome const&, std::uint32_t)
    {
        if (v.index() == 0) throw std::runtime_error("full");
    }
    void stopping(stop_reason) {}
};

TEST(ThrowingPolicy, OfATraceEndsAWalkOnAStrand)
{
    outcome_of_walk const end = run_walk(star(3), nothing, walk_options<fifo, throwing_trace>{}, on_strand);

    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(end.error, walk_errc::policy_threw);
    EXPECT_EQ(end.report[vertex_id(0)].status(), visit_status::done);
    EXPECT_EQ(end.report.cancelled(), 3U);
}

TEST(ThrowingPolicy, LetsRunningVisitsEndWithoutASignal)
{
    auto const g = frozen("a\nb\nc");
    asio::io_context context;
    std::vector<visit_handle> running;
    outcome_of_walk end;
    bool is_signalled = false;
    async_walk(
        context.get_executor(), g,
        [&](vertex_id, std::string const&, visit_handle handle) { running.push_back(std::move(handle)); },
        walk_options<ascending_id, throwing_trace>{},
        [&](error_code error, walk_report report) { end = {end.calls + 1, error, std::move(report)}; });
    context.poll();
    ASSERT_EQ(running.size(), 3U);
    running[2].get_cancellation_slot().assign([&](asio::cancellation_type_t) { is_signalled = true; });

    running[0]();
    running[1]();
    context.restart();
    context.poll();
    int const calls_while_one_runs = end.calls;
    running[2]();
    context.restart();
    context.poll();

    EXPECT_FALSE(is_signalled);
    EXPECT_EQ(calls_while_one_runs, 0);
    EXPECT_EQ(end.calls, 1);
    EXPECT_EQ(end.error, walk_errc::policy_threw);
    EXPECT_EQ(end.report.done(), 3U);
}

// Makes each allocation of a walk fail, one in each run, until a run needs fewer. Walks with strands are excluded,
// because `asio::strand` does not continue when its own allocation has failed.
template <class Visitor, class Options>
void expect_one_end_whatever_allocation_fails(Visitor visitor, Options const& options)
{
    if (!allocations_can_fail) GTEST_SKIP() << "the allocations of a sanitizer cannot be made to fail";
    auto const g = star(100);
    int failed_runs = 0;
    for (long nth = 1; nth < 2000; ++nth) {
        outcome_of_walk end;
        asio::io_context context;
        bool is_begun = true;
        allocations_until_failure = nth;
        try {
            async_walk(context.get_executor(), g, visitor, options,
                [&](error_code error, walk_report report) { end = {end.calls + 1, error, std::move(report)}; });
        } catch (std::bad_alloc const&) {
            is_begun = false;
        }
        ASSERT_NO_THROW(context.run()) << "allocation " << nth;
        bool const none_failed = allocations_until_failure.exchange(0) > 0;
        ASSERT_EQ(end.calls, is_begun ? 1 : 0) << "allocation " << nth;
        if (none_failed) {
            EXPECT_FALSE(end.error);
            break;
        }
        if (!is_begun) continue;
        EXPECT_EQ(end.report.size(), 101U);
        EXPECT_EQ(end.report.done() + end.report.failed() + end.report.skipped() + end.report.cancelled(), 101U);
        if (end.error) ++failed_runs;
    }
    EXPECT_GT(failed_runs, 0);
}

TEST(FailingAllocation, EndsAWalkByWorkers)
{
    expect_one_end_whatever_allocation_fails(nothing, walk_options<>{.threads = 2});
}
TEST(FailingAllocation, EndsAWalkWithAQueue)
{
    expect_one_end_whatever_allocation_fails(nothing, walk_options<fifo>{});
}

TEST(FailingAllocation, LeavesAWalkerReadyForTheNextRun)
{
    if (!allocations_can_fail) GTEST_SKIP() << "the allocations of a sanitizer cannot be made to fail";
    auto const g = star(100);
    asio::thread_pool pool(2);
    int count = 0;
    walker walks(pool.get_executor(), g,
        [&](vertex_id, int) -> visit_outcome {
            ++count;
            return visit_outcome::unchanged();
        },
        {.max_concurrency = 1});
    for (long nth = 1; nth < 40; ++nth) {
        allocations_until_failure = nth;
        walk_report const report = walks.run();
        allocations_until_failure = 0;
        EXPECT_EQ(report.size(), 101U);
        count = 0;
        EXPECT_EQ(walks.run().done(), 101U) << "after allocation " << nth;
        EXPECT_EQ(count, 101);
    }
}

}  // namespace
}  // namespace strider::test
