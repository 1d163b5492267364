// SPDX-License-Identifier: BSL-1.0
#include <strider/sim/simulate_walk.hpp>

#include <strider/algorithm/critical_path.hpp>
#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/resource_limits.hpp>
#include <strider/walk/resource_pools.hpp>
#include <strider/walk/trace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

struct step {
    std::string name;
    milliseconds takes;
};

// a (10) <- b (20), a <- c (30), b and c <- d (40)
auto diamond() -> dag<step>
{
    digraph<step> g;
    auto const a = g.add_vertex({"a", 10ms});
    auto const b = g.add_vertex({"b", 20ms});
    auto const c = g.add_vertex({"c", 30ms});
    auto const d = g.add_vertex({"d", 40ms});
    g.add_edge(b, depends_on(a));
    g.add_edge(c, depends_on(a));
    g.add_edge(d, depends_on(b));
    g.add_edge(d, depends_on(c));
    return freeze(std::move(g)).value();
}

auto const duration_of = [](vertex_id, step const& s) { return s.takes; };

auto vertex_named(dag<step> const& g, std::string const& name) -> vertex_id
{
    for (vertex_id const v : g.vertices())
        if (g[v].name == name) return v;
    return {};
}

TEST(SimulateWalk, TakesAsLongAsTheCriticalPathWithoutALimit)
{
    auto const g = diamond();
    auto const simulated = sim::simulate_walk(g, duration_of);
    EXPECT_EQ(simulated.duration, 80ms);
    EXPECT_EQ(simulated.duration, critical_path(g, [](step const& s) { return s.takes; })->weight);
    EXPECT_EQ(simulated.report.done(), 4U);
}

TEST(SimulateWalk, TakesTheSumOfAllWithALimitOfOne)
{
    EXPECT_EQ(sim::simulate_walk(diamond(), duration_of, walk_options<>{.max_concurrency = 1}).duration, 100ms);
}

TEST(SimulateWalk, RecordsWhenEachVisitStartsAndEnds)
{
    auto const g = diamond();
    auto const simulated = sim::simulate_walk(g, duration_of);
    auto const& c = simulated.times[vertex_named(g, "c")];
    EXPECT_EQ(c.start, 10ms);
    EXPECT_EQ(c.end, 40ms);
}

TEST(SimulateWalk, SkipsTheDependentsOfAFailedVisit)
{
    auto const g = diamond();
    auto const simulated = sim::simulate_walk(g, [](vertex_id, step const& s) {
        return sim::simulated_visit(
            s.takes, s.name == "b" ? visit_outcome::failure(make_error_code(std::errc::io_error)) : visit_outcome());
    });
    EXPECT_EQ(simulated.duration, 40ms);
    EXPECT_EQ(simulated.report.failed(), 1U);
    EXPECT_EQ(simulated.report.skipped(), 1U);
    EXPECT_FALSE(simulated.times[vertex_named(g, "d")].end);
}

TEST(SimulateWalk, ObservesThePoolsAndTheReadyQueueOfTheOptions)
{
    auto const g = diamond();
    auto const one_at_a_time = [](vertex_id) { return resource_pool{0, 1}; };
    auto pools = resource_pools(one_at_a_time);
    EXPECT_EQ(sim::simulate_walk(g, duration_of, walk_options<decltype(pools)>{.ready = pools}).duration, 100ms);
}

TEST(SimulateWalk, EndsAWalkThatWaitsForOthersAtItsTimeout)
{
    auto const g = diamond();
    resource_limits const limits{{1, 0}};
    walk_options options{.ready = resource_pools(limits, [](vertex_id) { return resource_request{1}; })};
    options.timeout = 5s;

    auto const simulated = sim::simulate_walk(g, duration_of, options);

    EXPECT_EQ(simulated.report.cancelled(), 4U);
    EXPECT_EQ(simulated.duration, 5s);
}

TEST(SimulateWalk, DestroysAWalkThatWaitsForOthersWithoutEnd)
{
    auto const g = diamond();
    resource_limits const limits{{1, 0}};
    auto const owner = std::make_shared<int>(0);
    auto const visit = [owner](vertex_id, step const& s) { return s.takes; };

    auto const simulated = sim::simulate_walk(
        g, visit, walk_options{.ready = resource_pools(limits, [owner](vertex_id) { return resource_request{1}; })});

    EXPECT_EQ(simulated.report.size(), 0U);
    EXPECT_EQ(owner.use_count(), 2) << "the visitor of the test is the only other owner";
}

TEST(SimulateWalk, GivesTheSameTimesForTheSameSeed)
{
    auto const g = diamond();
    for (std::uint64_t seed : {0U, 1U, 99U}) {
        auto const one = sim::simulate_walk(g, duration_of, walk_options<>{.max_concurrency = 2}, seed);
        auto const again = sim::simulate_walk(g, duration_of, walk_options<>{.max_concurrency = 2}, seed);
        for (vertex_id const v : g.vertices()) EXPECT_EQ(one.times[v].end, again.times[v].end);
    }
}

TEST(SimulateWalk, StoresAnExceptionAsTheOutcomeOfItsVertex)
{
    auto const g = diamond();
    auto const simulated = sim::simulate_walk(g, [](vertex_id, step const& s) -> milliseconds {
        if (s.name == "c") throw std::runtime_error("no duration");
        return s.takes;
    });
    EXPECT_EQ(simulated.report[vertex_named(g, "c")].message(), "no duration");
}

// The sum of all durations, and the longest path.
struct bounds {
    nanoseconds work{};
    nanoseconds path{};
};
auto bounds_of(dag<milliseconds> const& g) -> bounds
{
    bounds result;
    for (vertex_id const v : g.vertices()) result.work += g[v];
    result.path = critical_path(g, [](milliseconds takes) { return takes; })->weight;
    return result;
}

auto const takes = [](vertex_id, milliseconds its) { return its; };

// Each vertex depends on up to `edges` others, and takes 1 to 100 ms.
auto random_graph(std::size_t vertices, std::size_t edges, std::uint64_t seed) -> dag<milliseconds>
{
    std::mt19937_64 random(seed);
    digraph<milliseconds> g;
    for (std::size_t v = 0; v < vertices; ++v) {
        g.add_vertex(milliseconds(1 + random() % 100));
        for (std::size_t e = 0; v != 0 && e < edges; ++e)
            g.add_edge(draft_vertex_id(v), depends_on(draft_vertex_id(random() % v)));
    }
    return freeze(std::move(g)).value();
}

TEST(SimulatedThreads, TakeAtLeastTheCriticalPathAndAtMostTheBoundOfGraham)
{
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        auto const g = random_graph(1 + seed * 7, seed % 4, seed);
        auto const [work, path] = bounds_of(g);
        for (std::uint32_t const threads : {1U, 2U, 3U, 8U, 200U}) {
            auto const simulated = sim::simulate_walk(g, takes, walk_options<>{.threads = threads}, seed);

            EXPECT_EQ(simulated.report.done(), g.vertex_count());
            EXPECT_GE(simulated.duration, path) << "seed " << seed << ", " << threads << " threads";
            EXPECT_LE(simulated.duration, work / threads + path) << "seed " << seed << ", " << threads << " threads";
        }
    }
}

TEST(SimulatedThreads, TakeTheSumOfAllVisitsIfThereIsOne)
{
    auto const g = random_graph(300, 2, 5);

    auto const simulated = sim::simulate_walk(g, takes, walk_options<>{.threads = 1});

    EXPECT_EQ(simulated.duration, bounds_of(g).work);
}

TEST(SimulatedThreads, RunTheSameWalkForTheSameSeed)
{
    auto const g = random_graph(300, 2, 5);
    auto const starts = [&](std::uint64_t seed) {
        auto const equally_long = [](vertex_id, milliseconds) { return 10ms; };
        auto const simulated = sim::simulate_walk(g, equally_long, walk_options<>{.threads = 3}, seed);
        std::vector<nanoseconds> all;
        for (vertex_id const v : g.vertices()) all.push_back(simulated.times[v].start);
        return all;
    };

    for (std::uint64_t const seed : {0U, 1U, 2U}) EXPECT_EQ(starts(seed), starts(seed));
    EXPECT_NE(starts(1), starts(2));
}

TEST(SimulatedThreads, VisitAfterAllDependencies)
{
    auto const g = random_graph(500, 3, 7);

    auto const simulated = sim::simulate_walk(g, takes, walk_options<>{.threads = 4}, 9);

    for (vertex_id const v : g.vertices())
        for (vertex_id const d : g.dependencies(v)) EXPECT_LE(simulated.times[d].end, simulated.times[v].start);
}

// Counts the visits of each worker.
struct count_by_worker {
    std::vector<int>* visits;

    void started(vertex_id, std::uint32_t worker) const { ++visits->at(worker); }
    void settled(vertex_id, visit_outcome const&, std::uint32_t) const {}
    void stopping(stop_reason) const {}
};

TEST(SimulatedThreads, StealFromAnUnbalancedTree)
{
    digraph<milliseconds> draft;  // a path; each vertex of it has one more dependent
    auto before = draft.add_vertex(10ms);
    for (int i = 0; i < 20; ++i) {
        auto const next = draft.add_vertex(10ms);
        draft.add_edge(next, depends_on(before));
        draft.add_edge(draft.add_vertex(10ms), depends_on(before));
        before = next;
    }
    auto const g = freeze(std::move(draft)).value();
    std::vector<int> visits(2);

    auto const simulated = sim::simulate_walk(
        g, takes, walk_options<ascending_id, count_by_worker>{.threads = 2, .trace = {.visits = &visits}});

    EXPECT_LE(simulated.duration, 220ms);
    EXPECT_EQ(visits[0] + visits[1], 41);
    EXPECT_GE(std::min(visits[0], visits[1]), 19);
}

TEST(SimulatedThreads, ShowThatShortVisitsStayWithOneWorkerUnlessTheGranularityIsCoarse)
{
    digraph<milliseconds> draft;
    auto const last = draft.add_vertex(0ms);
    for (int i = 0; i < 1000; ++i) draft.add_edge(last, depends_on(draft.add_vertex(0ms)));
    for (int i = 0; i < 4; ++i) draft.add_edge(draft.add_vertex(10ms), depends_on(last));
    auto const g = freeze(std::move(draft)).value();

    walk_options<> options{.threads = 4};
    EXPECT_GT(sim::simulate_walk(g, takes, options).duration, 10ms);
    options.granularity = visit_granularity::coarse;
    EXPECT_EQ(sim::simulate_walk(g, takes, options).duration, 10ms);
}

TEST(SimulatedThreads, StopAtTheTimeoutInVirtualTime)
{
    auto const g = random_graph(100, 0, 3);

    auto const simulated = sim::simulate_walk(g, takes, walk_options<>{.timeout = 200ms, .threads = 2});

    EXPECT_GT(simulated.report.cancelled(), 0U);
    EXPECT_GT(simulated.report.done(), 0U);
    EXPECT_LE(simulated.duration, 300ms);
    for (vertex_id const v : g.vertices()) {
        EXPECT_EQ(simulated.times[v].end.has_value(), simulated.report[v].is_done());
        EXPECT_LT(simulated.times[v].start, 200ms);
    }
}

TEST(SimulatedThreads, TraceInVirtualTime)
{
    auto const g = diamond();
    timeline const line(&sim::simulated_time);

    auto const simulated =
        sim::simulate_walk(g, duration_of, walk_options<ascending_id, timeline>{.threads = 2, .trace = line});

    for (vertex_id const v : g.vertices()) {
        EXPECT_EQ(line[v].start, simulated.times[v].start);
        EXPECT_EQ(line[v].end, simulated.times[v].end);
    }
}

TEST(SimulatedThreads, Walk100000VerticesWith300Threads)
{
    auto const g = random_graph(100'000, 4, 1);
    auto const [work, path] = bounds_of(g);

    auto const simulated = sim::simulate_walk(g, takes, walk_options<>{.threads = 300});

    EXPECT_EQ(simulated.report.done(), g.vertex_count());
    EXPECT_LE(simulated.duration, work / 300 + path);
}

TEST(SimulateAsyncWalk, TakesAsLongAsTheCriticalPathAndTracesInVirtualTime)
{
    auto const g = diamond();
    timeline const line(&sim::simulated_time);

    auto const simulated =
        sim::simulate_async_walk(g, duration_of, walk_options<ascending_id, timeline>{.trace = line});

    EXPECT_EQ(simulated.duration, 80ms);
    for (vertex_id const v : g.vertices()) EXPECT_EQ(line[v].end, simulated.times[v].end);
    EXPECT_EQ(sim::simulated_time(), 0ms) << "outside of a simulated walk";
}

TEST(SimulateAsyncWalk, HasNoLimitOfThreads)
{
    auto const g = random_graph(1000, 0, 1);

    EXPECT_EQ(sim::simulate_async_walk(g, takes, walk_options<>{.threads = 1}).duration, 100ms);
}

// A queue that cannot be prepared.
struct failing_queue : ascending_id {
    void reset(std::size_t) { throw std::runtime_error("no memory for the queue"); }
};

TEST(SimulateAsyncWalk, LeavesTheSimulatedTimeWhenTheWalkThrows)
{
    auto const g = diamond();

    try {
        auto const walked =
            sim::simulate_async_walk(g, duration_of, walk_options<failing_queue>{.ready = failing_queue()});
        EXPECT_TRUE(walked.report.error());
    } catch (std::runtime_error const&) {}

    EXPECT_EQ(sim::detail::current_world, nullptr);
}

}  // namespace
