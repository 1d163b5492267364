// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/find_cycle.hpp>
#include <strider/algorithm/shortest_path.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::IsEmpty;

auto way(test::text_graph const& g, std::vector<std::string_view> const& from, std::vector<std::string_view> const& to)
    -> std::string
{
    std::vector<draft_vertex_id> starts;
    std::vector<draft_vertex_id> ends;
    for (auto const name : from) starts.push_back(find(g, name));
    for (auto const name : to) ends.push_back(find(g, name));
    return path_text(g, shortest_path(g, starts, ends));
}

TEST(ShortestPath, FollowsDependenciesFromTheDependent)
{
    auto const g = graph("d: c\nc: b\nb: a");

    EXPECT_EQ(way(g, {"d"}, {"b"}), "d -> c (reference) -> b (reference)");
    EXPECT_EQ(way(g, {"b"}, {"d"}), "");
}

TEST(ShortestPath, TakesFewestEdges)
{
    auto const g = graph("e: d b\nd: c\nc: a\nb: a");

    EXPECT_EQ(way(g, {"e"}, {"a"}), "e -> b (reference) -> a (reference)");
}

TEST(ShortestPath, BeginsAndEndsAtTheNearestOfMany)
{
    auto const g = graph("d: c\nc: b\nb: a\nx: b");

    EXPECT_EQ(way(g, {"d", "x"}, {"a", "b"}), "x -> b (reference)");
}

TEST(ShortestPath, NeedsAnEdgeEvenFromAVertexToItself)
{
    auto const acyclic = graph("b: a");
    auto const cyclic = graph("b: a\na: b");

    EXPECT_EQ(way(acyclic, {"a"}, {"a"}), "");
    EXPECT_EQ(way(cyclic, {"a"}, {"a"}), "a -> b (reference) -> a (reference)");
}

TEST(ShortestPath, StopsAtAStartThatLiesOnTheWay)
{
    auto const g = graph("d: c\nc: b\nb: a");

    EXPECT_EQ(way(g, {"c", "d"}, {"a"}), "c -> b (reference) -> a (reference)");
}

TEST(ShortestPath, IsEmptyWithoutStartOrEnd)
{
    EXPECT_THAT(
        shortest_path(graph("b: a"), std::vector<draft_vertex_id>(), std::vector<draft_vertex_id>()), IsEmpty());
}

}  // namespace
