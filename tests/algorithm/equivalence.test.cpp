// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/equivalence.hpp>

#include <support/graph_text.hpp>

#include <gtest/gtest.h>

namespace {

using namespace strider;
using test::graph;

TEST(Equivalent, IgnoresIdsAndOrder)
{
    EXPECT_TRUE(equivalent(graph("c: a b\nb: a"), graph("a\nb: a\nc: b a")));
}

TEST(Equivalent, DetectsAMissingEdgeVertexOrDirection)
{
    auto const g = graph("c: a b\nb: a");

    EXPECT_FALSE(equivalent(g, graph("c: a b\nb")));
    EXPECT_FALSE(equivalent(g, graph("c: a b\nb: a\nd")));
    EXPECT_FALSE(equivalent(g, graph("c: a b\na: b")));
    EXPECT_FALSE(equivalent(g, graph("d: a b\nb: a")));
}

TEST(Equivalent, CountsVerticesWithOneKey)
{
    digraph<int> one;
    digraph<int> two;
    one.add_vertex(1);
    two.add_vertex(1);
    two.add_vertex(1);

    EXPECT_FALSE(equivalent(one, two));
    EXPECT_TRUE(equivalent(two, two));
}

TEST(Equivalent, ComparesByKey)
{
    auto const key = [](std::string const& name) { return name.substr(0, 1); };

    EXPECT_TRUE(equivalent(graph("b1: a1"), graph("b2: a2"), key));
    EXPECT_FALSE(equivalent(graph("b1: a1"), graph("b2: a2")));
}

TEST(EqualReachability, IgnoresRedundantEdges)
{
    EXPECT_TRUE(equal_reachability(graph("c: a b\nb: a"), graph("c: b\nb: a")));
    EXPECT_FALSE(equal_reachability(graph("c: a b\nb: a"), graph("c: a b\nb")));
}

TEST(EqualReachability, IgnoresVerticesThatOnlyOneGraphHas)
{
    auto const direct = graph("c: a b\nd: a b");
    auto const joined = graph("c: j\nd: j\nj: a b");

    EXPECT_TRUE(equal_reachability(direct, joined));
    EXPECT_TRUE(equal_reachability(joined, direct));
    EXPECT_FALSE(equal_reachability(direct, graph("c: j\nd: j\nj: a b\nb: a")));
}

TEST(EqualReachability, DistinguishesACycleFromAPath)
{
    EXPECT_TRUE(equal_reachability(graph("a: b\nb: c\nc: a"), graph("a: c\nc: b\nb: a")));
    EXPECT_FALSE(equal_reachability(graph("a: b\nb: c\nc: a"), graph("a: b\nb: c")));
}

}  // namespace
