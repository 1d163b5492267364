// SPDX-License-Identifier: BSL-1.0
#include <strider/core/reverse_graph.hpp>
#include <strider/sim/simulate_walk.hpp>
#include <strider/walk.hpp>

#include <support/graph_text.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

namespace strider::test {
namespace {

using testing::ElementsAre;

class ReverseWalk : public testing::Test {
protected:
    auto record(vertex_id v) -> void
    {
        std::lock_guard const lock(mutex);
        visited.push_back(down[v]);
    }

    dag<std::string> const up = freeze(graph("b: a\nc: b\nd: a")).value();
    reverse_graph<dag<std::string>> const down = reversed(up);
    asio::thread_pool pool{2};
    std::mutex mutex;
    std::vector<std::string> visited;
};

TEST_F(ReverseWalk, VisitsDependentsFirst)
{
    auto const report = walk(pool, down, [&](vertex_id v, std::string const&) { record(v); }, {.max_concurrency = 1});

    EXPECT_THAT(visited, ElementsAre("c", "d", "b", "a"));
    EXPECT_EQ(report.done(), 4U);
}

TEST_F(ReverseWalk, SkipsWhatTheFailedVertexNeeds)
{
    auto const visit = [&](vertex_id v, std::string const&) -> asio::awaitable<error_code> {
        record(v);
        co_return down[v] == "c" ? error_code(asio::error::timed_out) : error_code();
    };

    auto const report = walk(pool, down, visit, {.max_concurrency = 1});

    EXPECT_THAT(visited, ElementsAre("c", "d"));
    EXPECT_EQ(report[find(down, "a")].status(), visit_status::skipped);
    EXPECT_EQ(up[down.original(report.root_causes().front())], "c");
}

TEST_F(ReverseWalk, IsAcceptedByWalkersAndReadyQueues)
{
    auto const weight = [](std::string const& name) { return name == "d" ? 5 : 1; };
    walker walks(
        pool, down, [&](vertex_id v, std::string const&) { record(v); },
        walk_options{.max_concurrency = 1, .ready = critical_path_first(down, weight)});

    walks.run();
    walks.run(std::vector{find(down, "d")});

    EXPECT_THAT(visited, ElementsAre("d", "c", "b", "a", "d", "a"));
}

TEST_F(ReverseWalk, IsAcceptedBySimulations)
{
    auto const simulated =
        sim::simulate_walk(down, [](vertex_id, std::string const&) { return std::chrono::seconds(1); });

    EXPECT_EQ(simulated.duration, std::chrono::seconds(3));
}

TEST_F(ReverseWalk, SeesTheWritesOfDependents)
{
    std::string text;
    for (int i = 1; i < 500; ++i) text += "v" + std::to_string(i) + ": v" + std::to_string(i / 2) + "\n";
    auto const g = freeze(graph(text)).value();
    auto const r = reversed(g);
    std::vector<std::size_t> sizes(g.vertex_count());

    auto const report = walk(pool, r, [&](vertex_id v, std::string const&) {
        sizes[v.index()] = 1;
        for (auto const d : r.dependencies(v)) sizes[v.index()] += sizes[d.index()];
    });

    EXPECT_EQ(report.done(), 500U);
    EXPECT_EQ(sizes[find(r, "v0").index()], 500U);
}

}  // namespace
}  // namespace strider::test
