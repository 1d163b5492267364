// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm.hpp>
#include <strider/core/filtered_graph.hpp>

#include <support/graph_text.hpp>

#include <range/v3/range/conversion.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto all = [](auto) { return true; };
template <class G>
using filtered_by_all = filtered_graph<G, decltype(all)>;
static_assert(acyclic_graph<filtered_by_all<dag<int>>> && !acyclic_graph<filtered_by_all<digraph<int>>>);
static_assert(directed_graph<filtered_by_all<digraph<int>>>);
static_assert(directed_graph<filtered_by_all<filtered_by_all<digraph<int>>>>);

template <class G>
concept can_be_filtered = requires(G&& g) { filtered(std::forward<G>(g), all); };
static_assert(can_be_filtered<dag<int>&> && can_be_filtered<digraph<int> const&> && !can_be_filtered<dag<int>>);

// The vertices of a graph without one.
auto without(auto const& g, std::string name)
{
    return filtered(g, [&g, name = std::move(name)](auto v) { return g[v] != name; });
}

TEST(FilteredGraph, HasTheEdgesBetweenItsVertices)
{
    auto const g = graph("d: b c\nc: a\nb: a");

    auto const part = without(g, "c");

    EXPECT_EQ(test::text(part), "a:\nb: a\nd: b\n");
    EXPECT_EQ(part.vertex_count(), 3U);
    EXPECT_EQ(part.edge_count(), 2U);
    EXPECT_EQ(part.dependency_count(find(part, "d")), 1U);
    EXPECT_EQ(part.dependent_count(find(part, "a")), 1U);
    EXPECT_FALSE(part.contains(find(g, "c")));
    EXPECT_TRUE(part.contains(find(g, "b")));
    EXPECT_EQ(part.id_bound(), g.id_bound());
}

TEST(FilteredGraph, KeepsIdsValuesAndOrigins)
{
    auto draft = graph("b: a\nc");
    draft.add_edge(find(draft, "c"), depends_on(find(draft, "b")), edge_origin(edge_rules::reference, 3));
    auto const part = without(draft, "a");
    auto const b = find(draft, "b"), c = find(draft, "c");

    auto const down = part.dependency_edges(c) | ranges::to<std::vector<draft_edge>>();
    auto const up = part.dependent_edges(b) | ranges::to<std::vector<draft_edge>>();

    EXPECT_EQ(&part[b], &std::as_const(draft)[b]);
    EXPECT_THAT(down, ElementsAre(draft_edge{c, b}));
    EXPECT_EQ(down[0].origin, edge_origin(edge_rules::reference, 3));
    EXPECT_EQ(up, down);
    EXPECT_THAT(part.dependency_edges(b) | ranges::to<std::vector<draft_edge>>(), IsEmpty());
    EXPECT_TRUE(part.has_edge(c, depends_on(b)));
    EXPECT_EQ(part.origin(c, depends_on(b)), edge_origin(edge_rules::reference, 3));
}

TEST(FilteredGraph, IsAcceptedByViewsAndAlgorithms)
{
    auto const g = freeze(graph("d: c\nc: b\nb: a\ne: a")).value();
    auto const part = without(g, "b");
    auto const names = [&](auto&& ids) {
        std::vector<std::string> found;
        for (auto const v : ids) found.push_back(g[v]);
        return found;
    };

    EXPECT_THAT(names(part | views::leaves), ElementsAre("a", "c"));
    EXPECT_THAT(names(part | views::descendants(find(part, "a"))), ElementsAre("e"));
    EXPECT_THAT(names(topological_order(part).value()), ElementsAre("a", "c", "e", "d"));
    EXPECT_EQ(critical_path(part)->weight, 2U);
    EXPECT_EQ(strong_components(part).size(), 4U);
    EXPECT_EQ(test::text(freeze(part).value()), "a:\nc:\nd: c\ne: a\n");
}

TEST(FilteredGraph, ListsItsEdgesByDependent)
{
    auto const g = graph("d: c b\nc: a\nb: a");
    auto const part = without(g, "c");

    auto const edges = part.edges();

    auto const b = find(g, "b");
    EXPECT_THAT(
        edges | ranges::to<std::vector>(), ElementsAre(draft_edge{find(g, "d"), b}, draft_edge{b, find(g, "a")}));
    auto const nothing = filtered(g, [](auto) { return false; });
    EXPECT_TRUE(ranges::empty(nothing.edges()));
}

#ifndef NDEBUG
TEST(FilteredGraphDeathTest, RejectsVerticesForWhichThePredicateIsFalse)
{
    auto const g = graph("b: a");
    auto const part = without(g, "a");

    EXPECT_DEATH((void)part[find(g, "a")], "the predicate is true for the vertex");
    EXPECT_DEATH((void)part.dependents(find(g, "a")), "the predicate is true for the vertex");
}
#endif

}  // namespace
