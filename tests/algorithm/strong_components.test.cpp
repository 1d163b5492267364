// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/strong_components.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;

auto names(test::text_graph const& g, auto const& component) -> std::string
{
    std::string all;
    for (auto const v : component) all += g[v];
    return all;
}

auto names_of_all(test::text_graph const& g, component_list<draft_vertex_id> const& components)
    -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (std::size_t c = 0; c < components.size(); ++c) all.push_back(names(g, components[c]));
    return all;
}

TEST(StrongComponents, AreSingleVerticesInAnAcyclicGraph)
{
    auto const g = graph("d: b c\nb: a\nc: a");

    auto const components = strong_components(g);

    EXPECT_THAT(names_of_all(g, components), ElementsAre("a", "b", "c", "d"));
}

TEST(StrongComponents, FollowTheirDependencies)
{
    auto const g = graph("a: b\nb: a c\nc: d\nd: c e\ne\nf: a");

    auto const components = strong_components(g);

    EXPECT_THAT(names_of_all(g, components), ElementsAre("e", "cd", "ab", "f"));
}

TEST(StrongComponents, ListTheirVerticesByAscendingId)
{
    auto const g = graph("x: z\ny: x\nz: y");

    auto const components = strong_components(g);

    ASSERT_EQ(components.size(), 1U);
    EXPECT_THAT(components[0], ElementsAre(draft_vertex_id(0), draft_vertex_id(1), draft_vertex_id(2)));
}

TEST(StrongComponents, ReturnTheComponentOfAVertex)
{
    auto const g = graph("a: b\nb: a\nc: a");

    auto const components = strong_components(g);

    EXPECT_TRUE(components.same(find(g, "a"), find(g, "b")));
    EXPECT_FALSE(components.same(find(g, "a"), find(g, "c")));
    EXPECT_EQ(components.of(find(g, "c")), 1U);
}

TEST(StrongComponents, LeaveOutErasedVertices)
{
    auto g = graph("a: b\nb: c\nc: a");
    g.erase_vertex(find(g, "b"));

    auto const components = strong_components(g);

    EXPECT_THAT(names_of_all(g, components), ElementsAre("a", "c"));
}

TEST(StrongComponents, AreNoneInAnEmptyGraph)
{
    EXPECT_EQ(strong_components(digraph<int>()).size(), 0U);
    EXPECT_EQ(component_list<vertex_id>().size(), 0U);
}

TEST(StrongComponents, DoNotRecurseAlongARing)
{
    constexpr std::size_t count = 300'000;
    digraph<char> g;
    for (std::size_t i = 0; i < count; ++i)
        if (auto const v = g.add_vertex('x'); i != 0) g.add_edge(draft_vertex_id(i - 1), depends_on(v));
    std::size_t const open = strong_components(g).size();

    g.add_edge(draft_vertex_id(count - 1), depends_on(draft_vertex_id(0)));

    EXPECT_EQ(open, count);
    EXPECT_EQ(strong_components(g).size(), 1U);
}

TEST(CyclicComponents, AreThoseWithAnEdgeWithin)
{
    auto const g = graph("a: b\nb: a\nc: c\nd: a c");

    auto const cyclic = cyclic_components(g);

    ASSERT_EQ(cyclic.size(), 2U);
    EXPECT_EQ(names(g, cyclic[0]), "ab");
    EXPECT_EQ(names(g, cyclic[1]), "c");
}

}  // namespace
