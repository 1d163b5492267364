// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/find_cycle.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::IsEmpty;

TEST(FindCycle, FindsNoneInAnAcyclicGraph)
{
    EXPECT_THAT(find_cycle(graph("c: a b\nb: a")), IsEmpty());
    EXPECT_THAT(find_cycles(digraph<int>()), IsEmpty());
}

TEST(FindCycle, ReturnsAClosedPathOfEdges)
{
    auto const g = graph("x: b\na: b\nb: c\nc: a y");

    auto const path = find_cycle(g);

    EXPECT_EQ(path_text(g, path), "b -> c (reference) -> a (reference) -> b (reference)");
}

TEST(FindCycle, ReturnsTheShortestCycle)
{
    auto const g = graph("a: b\nb: c\nc: d\nd: e\ne: a\nd: c");

    auto const path = find_cycle(g);

    EXPECT_EQ(path_text(g, path), "c -> d (reference) -> c (reference)");
}

TEST(FindCycle, PrefersASelfLoop)
{
    auto const g = graph("a: b\nb: a b");

    auto const path = find_cycle(g);

    EXPECT_EQ(path_text(g, path), "b -> b (reference)");
}

TEST(FindCycle, BeginsAtTheSmallestIdOfTheCycle)
{
    auto const g = graph("z: y\ny: x\nx: z");

    auto const path = find_cycle(g);

    EXPECT_EQ(path.front().dependent, find(g, "z"));
    EXPECT_EQ(path.back().dependency, find(g, "z"));
}

inline constexpr edge_rule declared{"depends_on"};
inline constexpr edge_rule turned{"create_before_destroy"};

TEST(FindCycle, KeepsTheOriginOfEachEdge)
{
    digraph<std::string> g;
    auto const a = g.add_vertex("a");
    auto const b = g.add_vertex("b");
    g.add_edge(a, depends_on(b), edge_origin(declared, 4));
    g.add_edge(b, depends_on(a), edge_origin(turned, 5));

    auto const path = find_cycle(g);

    ASSERT_EQ(path.size(), 2U);
    EXPECT_EQ(path[0].origin, edge_origin(declared, 4));
    EXPECT_EQ(path[1].origin, edge_origin(turned, 5));
    EXPECT_EQ(path_text(g, path), "a -> b (depends_on) -> a (create_before_destroy)");
}

TEST(FindCycles, ReturnsOneCycleForEachComponent)
{
    auto const g = graph("a: b\nb: a c\nc: d\nd: c\ne: e");

    auto const cycles = find_cycles(g);

    ASSERT_EQ(cycles.size(), 3U);
    EXPECT_EQ(path_text(g, cycles[0]), "c -> d (reference) -> c (reference)");
    EXPECT_EQ(path_text(g, cycles[1]), "a -> b (reference) -> a (reference)");
    EXPECT_EQ(path_text(g, cycles[2]), "e -> e (reference)");
}

TEST(FindCycles, StaysWithinItsBoundInALargeComponent)
{
    constexpr std::size_t count = 200'000;
    digraph<char> g;
    for (std::size_t i = 0; i < count; ++i) g.add_vertex('x');
    for (std::size_t i = 0; i < count; ++i)
        g.add_edge(draft_vertex_id(i), depends_on(draft_vertex_id((i + 1) % count)));
    g.add_edge(draft_vertex_id(count - 1), depends_on(draft_vertex_id(count - 2)));

    auto const hasty = find_cycle(g, {.scans_per_edge = 0, .scans_at_least = 0});

    EXPECT_EQ(hasty.size(), count);
    EXPECT_EQ(hasty.front().dependent, draft_vertex_id(0));
    EXPECT_EQ(hasty.back().dependency, draft_vertex_id(0));
}

TEST(PathText, OfAnEmptyPathIsEmpty)
{
    EXPECT_EQ(path_text(graph("a"), {}), "");
}

}  // namespace
