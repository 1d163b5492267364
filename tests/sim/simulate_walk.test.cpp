// SPDX-License-Identifier: BSL-1.0
#include <strider/sim/simulate_walk.hpp>

#include <strider/algorithm/critical_path.hpp>
#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/resource_pools.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <string>

namespace {

using namespace strider;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

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

}  // namespace
