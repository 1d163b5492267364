// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm.hpp>
#include <strider/core/reverse_graph.hpp>

#include <support/graph_text.hpp>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

using reverse = reverse_graph<dag<std::string>>;
static_assert(directed_graph<reverse> && acyclic_graph<reverse> && reversible_graph<reverse>);
static_assert(!std::is_constructible_v<reverse, dag<std::string>>);

template <class G>
concept can_be_reversed = requires(G&& g) { reversed(std::forward<G>(g)); };
static_assert(can_be_reversed<dag<std::string>&> && !can_be_reversed<dag<std::string>>);
static_assert(!can_be_reversed<digraph<std::string>&>);

template <class G, class R>
auto values_in(G const& g, R&& ids) -> std::vector<std::string>
{
    return ids | ranges::views::transform([&](vertex_id v) { return g[v]; }) | ranges::to<std::vector>();
}

TEST(ReverseGraph, ExchangesDependentsAndDependencies)
{
    auto const g = freeze(graph("d: b c\nc: a\nb: a")).value();

    auto const r = reversed(g);

    EXPECT_EQ(test::text(r), "a: b c\nb: d\nc: d\nd:\n");
    EXPECT_EQ(r.vertex_count(), 4U);
    EXPECT_EQ(r.edge_count(), 4U);
    EXPECT_EQ(r.dependency_count(find(r, "a")), 2U);
    EXPECT_EQ(r.dependent_count(find(r, "d")), 2U);
    EXPECT_EQ(r.dependent_count(find(r, "a")), 0U);
}

TEST(ReverseGraph, AssignsSmallerIdsToDependencies)
{
    auto const g = freeze(graph("d: b c\nc: a\nb: a")).value();

    auto const r = reversed(g);

    EXPECT_THAT(values_in(r, r.vertices()), ElementsAre("d", "b", "c", "a"));
    for (auto const v : r.vertices())
        for (auto const d : r.dependencies(v)) EXPECT_LT(d, v);
}

TEST(ReverseGraph, ConvertsIds)
{
    auto const g = freeze(graph("b: a\nc")).value();
    auto const r = reversed(g);

    for (auto const v : r.vertices()) {
        EXPECT_EQ(&r[v], &g[r.original(v)]);
        EXPECT_EQ(r.reversed(r.original(v)), v);
    }
}

TEST(ReverseGraph, ContainsTheIdsBelowItsBound)
{
    auto const g = freeze(graph("b: a")).value();
    auto const r = reversed(g);

    EXPECT_EQ(r.id_bound(), 2U);
    EXPECT_TRUE(r.contains(vertex_id(0)));
    EXPECT_TRUE(r.contains(vertex_id(1)));
    EXPECT_FALSE(r.contains(vertex_id(2)));
    EXPECT_FALSE(r.contains(vertex_id(9)));
    EXPECT_FALSE(r.contains(vertex_id()));
}

TEST(ReverseGraph, OfAnEmptyGraphIsEmpty)
{
    dag<std::string> const g;

    EXPECT_THAT(values_in(g, reversed(g).vertices()), IsEmpty());
}

inline constexpr edge_rule reversed_rule{"own rule"};

TEST(ReverseGraph, KeepsOriginsOfEdges)
{
    auto draft = graph("c: a\nb: a");
    draft.add_edge(find(draft, "c"), depends_on(find(draft, "b")), edge_origin(reversed_rule, 3));
    auto const g = freeze(draft).value();
    auto const r = reversed(g);

    auto const edges = r.dependency_edges(find(r, "b")) | ranges::to<std::vector<edge>>();

    ASSERT_EQ(edges.size(), 1U);
    EXPECT_EQ(edges[0], (edge{find(r, "b"), find(r, "c")}));
    EXPECT_EQ(edges[0].origin, edge_origin(reversed_rule, 3));
}

TEST(ReverseGraph, IsAcceptedByViewsAndAlgorithms)
{
    auto const g = freeze(graph("b: a\nc: b\nd: a")).value();
    auto const r = reversed(g);
    auto const b = find(r, "b");

    EXPECT_THAT(values_in(r, r | views::roots | ranges::to<std::vector>()), ElementsAre("a"));
    EXPECT_THAT(values_in(r, r | views::ancestors(b) | ranges::to<std::vector>()), ElementsAre("c"));
    EXPECT_THAT(values_in(r, r | views::descendants(b) | ranges::to<std::vector>()), ElementsAre("a"));
    EXPECT_THAT(values_in(r, r | views::leaves | ranges::to<std::vector>()), UnorderedElementsAre("c", "d"));
    EXPECT_EQ(topological_order(r).value(), r.vertices() | ranges::to<std::vector>());
    EXPECT_EQ(critical_path(r, [](std::string const&) { return 2; })->weight, 6);
    EXPECT_TRUE(equivalent(r, graph("a: b d\nb: c")));
    EXPECT_TRUE(equivalent(freeze(r).value(), r));
}

TEST(ReverseGraph, OfTheReverseIsTheGraph)
{
    auto const g = freeze(graph("d: b c\nc: a\nb: a")).value();
    auto const once = reversed(g);

    auto const twice = reversed(once);

    EXPECT_EQ(twice.vertices() | ranges::to<std::vector>(), g.vertices() | ranges::to<std::vector>());
    EXPECT_EQ(test::text(twice), test::text(g));
}

TEST(ReverseGraph, ListsItsEdgesByDependent)
{
    auto const g = freeze(graph("c: b a\nb: a")).value();
    auto const reverse = reversed(g);

    auto const edges = reverse.edges();

    std::vector<edge> expected;
    for (vertex_id const v : reverse.vertices())
        for (edge const e : reverse.dependency_edges(v)) expected.push_back(e);
    EXPECT_EQ(edges | ranges::to<std::vector>(), expected);
    EXPECT_EQ(edges.size(), 3U);
    EXPECT_EQ((*edges.begin()).origin.made_by(), edge_rules::reference);
}

}  // namespace
