// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/reachability.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;
using testing::IsEmpty;

auto names(test::text_graph const& g, basic_vertex_set<draft_vertex_id> const& set) -> std::string
{
    std::string all;
    for (auto const v : g.vertices())
        if (set.contains(v)) all += g[v];
    return all;
}

auto names(test::text_graph const& g, std::vector<draft_vertex_id> const& list) -> std::string
{
    std::string all;
    for (auto const v : list) all += g[v];
    return all;
}

TEST(Reachable, FollowsDependenciesAndKeepsTheStarts)
{
    auto const g = graph("a\nb: a\nc: b\nd: b\ne");

    auto const found = reachable(g, std::array{find(g, "c"), find(g, "e")}, direction::dependencies);

    EXPECT_EQ(names(g, found), "abce");
}

TEST(Reachable, CanFollowDependents)
{
    auto const g = graph("a\nb: a\nc: b\nd: b\ne");

    auto const found = reachable(g, std::array{find(g, "b")}, direction::dependents);

    EXPECT_EQ(names(g, found), "bcd");
}

TEST(Reachable, FromNoVertexIsEmpty)
{
    auto const g = graph("b: a");

    auto const found = reachable(g, std::vector<draft_vertex_id>(), direction::dependencies);

    EXPECT_EQ(found.size(), 0U);
}

TEST(HasPath, NeedsAPathOfAtLeastOneEdge)
{
    auto const g = graph("a\nb: a\nc: b\nd: d");

    EXPECT_TRUE(has_path(g, find(g, "c"), find(g, "a")));
    EXPECT_FALSE(has_path(g, find(g, "a"), find(g, "c")));
    EXPECT_FALSE(has_path(g, find(g, "a"), find(g, "a")));
    EXPECT_TRUE(has_path(g, find(g, "d"), find(g, "d")));
}

TEST(DependencyClosure, ListsInterestingVerticesThroughOthers)
{
    auto const g = graph("A\nx: A\nB: x\ny: B x\nC: y\nz: C");

    auto const closure = dependency_closure(g, [&](draft_vertex_id v) { return g[v] < "a"; });

    EXPECT_EQ(names(g, closure[find(g, "A")]), "");
    EXPECT_EQ(names(g, closure[find(g, "B")]), "A");
    EXPECT_EQ(names(g, closure[find(g, "C")]), "AB");
    EXPECT_THAT(closure[find(g, "z")], IsEmpty());
}

TEST(DependencyClosure, IsSortedById)
{
    auto const g = graph("d: c b a\na: c");

    auto const closure = dependency_closure(g, [](draft_vertex_id) { return true; });

    EXPECT_THAT(closure[find(g, "d")], ElementsAre(draft_vertex_id(1), draft_vertex_id(2), draft_vertex_id(3)));
}

TEST(DependencyClosure, PutsAVertexOnACycleInItsOwnList)
{
    auto const g = graph("a: b\nb: a c\nc: c d\ne: a\nd");

    auto const closure = dependency_closure(g, [](draft_vertex_id) { return true; });

    EXPECT_EQ(names(g, closure[find(g, "a")]), "abcd");
    EXPECT_EQ(names(g, closure[find(g, "b")]), "abcd");
    EXPECT_EQ(names(g, closure[find(g, "c")]), "cd");
    EXPECT_EQ(names(g, closure[find(g, "e")]), "abcd");
    EXPECT_EQ(names(g, closure[find(g, "d")]), "");
}

TEST(DependencyClosure, ContainsAVertexThatDependsOnNothingButItself)
{
    auto const g = graph("a: a");

    auto const closure = dependency_closure(g, [](draft_vertex_id) { return true; });

    EXPECT_THAT(closure[find(g, "a")], ElementsAre(find(g, "a")));
}

TEST(DependencyClosure, UsesSeveralBlocksOfColumns)
{
    constexpr std::size_t count = 1500;
    digraph<int> g;
    for (std::size_t i = 0; i < count; ++i)
        if (auto const v = g.add_vertex(0); i != 0) g.add_edge(draft_vertex_id(i - 1), depends_on(v));

    auto const closure = dependency_closure(g, [](draft_vertex_id v) { return v.index() % 2 == 0; });

    for (std::size_t i = 0; i < count; i += 2) {
        auto const& list = closure[draft_vertex_id(i)];
        ASSERT_EQ(list.size(), (count - 1 - i) / 2) << i;
        for (std::size_t k = 0; k < list.size(); ++k) ASSERT_EQ(list[k].index(), i + 2 + 2 * k);
    }
}

TEST(DependencyClosure, HasTheInterestingVerticesOfEachSearch)
{
    // More vertices than fit into one block, some of them on cycles.
    std::mt19937 chance(1);
    auto const below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(chance); };
    digraph<int> g;
    for (std::size_t i = 0; i < 700; ++i) g.add_vertex(0);
    for (std::size_t i = 1; i < 700; ++i) {
        g.add_edge(draft_vertex_id(i), depends_on(draft_vertex_id(below(i))));
        if (i % 50 == 0) g.add_edge(draft_vertex_id(below(i)), depends_on(draft_vertex_id(i)));
        if (i % 90 == 0) g.add_edge(draft_vertex_id(i), depends_on(draft_vertex_id(i)));
    }
    auto const is_interesting = [](draft_vertex_id v) { return v.index() % 7 != 0; };

    auto const closure = dependency_closure(g, is_interesting);

    for (auto const v : g.vertices()) {
        std::vector<draft_vertex_id> expected;
        for (auto const d : views::ancestors(g, v))
            if (is_interesting(v) && is_interesting(d)) expected.push_back(d);
        std::sort(expected.begin(), expected.end());
        ASSERT_EQ(closure[v], expected) << v.index();
    }
}

TEST(DependencyClosure, CallsThePredicateOncePerVertex)
{
    auto const g = graph("c: a b\nb: a\nd: c b a");
    std::size_t asked = 0;

    (void)dependency_closure(g, [&](draft_vertex_id) { return ++asked % 2 == 0; });

    EXPECT_EQ(asked, g.vertex_count());
}

}  // namespace
