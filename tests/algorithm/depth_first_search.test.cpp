// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/depth_first_search.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;

TEST(DepthFirst, LeavesDependenciesBeforeDependents)
{
    auto const g = graph("d: b c\nb: a\nc: a");
    std::vector<std::string> entered;
    std::vector<std::string> left;

    depth_first_search(
        g, g.vertices(), [&](draft_vertex_id v) { entered.push_back(g[v]); },
        [&](draft_vertex_id v) { left.push_back(g[v]); });

    EXPECT_THAT(entered, ElementsAre("d", "b", "a", "c"));
    EXPECT_THAT(left, ElementsAre("a", "b", "c", "d"));
}

TEST(DepthFirst, CanFollowDependents)
{
    auto const g = graph("d: b c\nb: a\nc: a\ne: x");
    std::vector<std::string> entered;

    depth_first_search<direction::dependents>(
        g, std::array{find(g, "a")}, [&](draft_vertex_id v) { entered.push_back(g[v]); });

    EXPECT_THAT(entered, ElementsAre("a", "b", "d", "c"));
}

TEST(DepthFirst, DoesNotPassARejectedVertex)
{
    auto const g = graph("d: c\nc: b\nb: a");
    std::vector<std::string> entered;
    std::vector<std::string> left;

    depth_first_search(
        g, std::array{find(g, "d")},
        [&](draft_vertex_id v) {
            entered.push_back(g[v]);
            return g[v] != "b";
        },
        [&](draft_vertex_id v) { left.push_back(g[v]); });

    EXPECT_THAT(entered, ElementsAre("d", "c", "b"));
    EXPECT_THAT(left, ElementsAre("b", "c", "d"));
}

TEST(DepthFirst, EntersEachVertexOfACycleOnce)
{
    auto const g = graph("a: b a\nb: c\nc: a");
    std::vector<std::string> entered;

    depth_first_search(g, g.vertices(), [&](draft_vertex_id v) { entered.push_back(g[v]); });

    EXPECT_THAT(entered, ElementsAre("a", "b", "c"));
}

TEST(DepthFirst, IsNotBoundedByTheStackOfTheThread)
{
    constexpr std::size_t count = 1'000'000;
    digraph<char> g;
    for (std::size_t i = 0; i < count; ++i)
        if (auto const v = g.add_vertex('x'); i != 0) g.add_edge(v, depends_on(draft_vertex_id(i - 1)));
    std::size_t left = 0;

    depth_first_search(
        g, std::array{draft_vertex_id(count - 1)}, [](draft_vertex_id) {},
        [&](draft_vertex_id v) { left += v.index() == left ? 1U : 0U; });

    EXPECT_EQ(left, count);
}

}  // namespace
