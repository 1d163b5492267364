// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/topological_order.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;

static_assert(detail::lists_all_edges<digraph<int>>, "orders of drafts sort the edges of the whole graph");

auto values(test::text_graph const& g, std::vector<draft_vertex_id> const& order) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const v : order) all.push_back(g[v]);
    return all;
}

TEST(TopologicalOrder, PutsDependenciesFirst)
{
    auto const g = graph("d: b c\nb: a\nc: a");

    auto const order = topological_order(g).value();

    EXPECT_THAT(values(g, order), ElementsAre("a", "b", "c", "d"));
}

TEST(TopologicalOrder, TakesTheSmallestProjectedValueFirst)
{
    auto const g = graph("d: b c\nb: a\nc: a\ne");
    auto const reversed = [](std::string const& name) { return -name[0]; };

    EXPECT_THAT(values(g, topological_order(g, ranges::less()).value()), ElementsAre("a", "b", "c", "d", "e"));
    EXPECT_THAT(values(g, topological_order(g, ranges::greater()).value()), ElementsAre("e", "a", "c", "b", "d"));
    EXPECT_THAT(values(g, topological_order(g, {}, reversed).value()), ElementsAre("e", "a", "c", "b", "d"));
}

TEST(TopologicalOrder, TakesTheSmallestIdAmongEqualValues)
{
    auto const g = graph("d\nb\nc\na: d");

    auto const order = topological_order(g, {}, [](std::string const&) { return 0; }).value();

    EXPECT_THAT(values(g, order), ElementsAre("d", "b", "c", "a"));
}

TEST(TopologicalOrder, TakesTheSmallestIdAmongManyEqualValues)
{
    digraph<int> g;
    for (int i = 0; i < 40; ++i) g.add_vertex(i);

    auto const order = topological_order(g, {}, [](int value) { return value / 20; }).value();

    for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i].index(), i);
}

TEST(TopologicalOrder, WithAProjectionReportsACycle)
{
    auto const order = topological_order(graph("a: b\nb: a"), ranges::less());

    ASSERT_FALSE(order.has_value());
    EXPECT_EQ(order.error().code(), graph_errc::cycle);
}

TEST(TopologicalOrder, ListsVerticesAsTheyBecomeReady)
{
    auto const g = graph("z\ny: z\nx\nw: y\nv: x");

    auto const order = topological_order(g).value();

    EXPECT_THAT(values(g, order), ElementsAre("z", "x", "y", "v", "w"));
}

TEST(TopologicalOrder, LeavesOutErasedVertices)
{
    auto g = graph("c: b\nb: a");
    g.erase_vertex(find(g, "b"));

    auto const order = topological_order(g).value();

    EXPECT_THAT(values(g, order), ElementsAre("c", "a"));
}

TEST(TopologicalOrder, OfAnEmptyGraphIsEmpty)
{
    EXPECT_TRUE(topological_order(digraph<int>()).value().empty());
}

TEST(TopologicalOrder, ReportsTheShortestCycle)
{
    auto const g = graph("a: b\nb: c\nc: a d\nd: c");

    auto const order = topological_order(g);

    ASSERT_FALSE(order.has_value());
    EXPECT_EQ(order.error().code(), graph_errc::cycle);
    EXPECT_EQ(order.error().message(), "the graph has a cycle: c → d (reference) → c (reference)");
    EXPECT_THAT(order.error().path(),
        ElementsAre(draft_edge{find(g, "c"), find(g, "d")}, draft_edge{find(g, "d"), find(g, "c")}));
}

TEST(TopologicalOrder, DoesNotRecurseAlongAChain)
{
    constexpr std::size_t count = 300'000;
    digraph<char> g;
    g.reserve(count, count);
    for (std::size_t i = 0; i < count; ++i) {
        auto const v = g.add_vertex('x');
        if (i != 0) g.add_edge(draft_vertex_id(i - 1), depends_on(v));
    }

    auto const order = topological_order(g).value();

    EXPECT_EQ(order.size(), count);
    EXPECT_EQ(order.front(), draft_vertex_id(count - 1));
    EXPECT_TRUE(is_acyclic(g));
}

TEST(IsAcyclic, IsFalseForASelfEdgeAndForALoop)
{
    EXPECT_TRUE(is_acyclic(graph("b: a\nc: a b")));
    EXPECT_FALSE(is_acyclic(graph("b: a\na: a")));
    EXPECT_FALSE(is_acyclic(graph("b: a\na: b\nc")));
}

}  // namespace
