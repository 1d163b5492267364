// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/redundant_edges.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;
using testing::IsEmpty;

// Removes the redundant edges, and returns their number.
auto reduce(auto& g, reduction_options const& options) -> std::size_t
{
    auto const redundant = redundant_edges(g, options).value();
    for (auto const& e : redundant) g.erase_edge(e.dependent, depends_on(e.dependency));
    return redundant.size();
}

// Both methods of the reduction: searches without a limit, and bit sets only.
class TransitiveReduction : public testing::TestWithParam<std::size_t> {
protected:
    [[nodiscard]] static auto options() -> reduction_options { return {.scans_per_edge = GetParam()}; }
    [[nodiscard]] static auto reduced(std::string_view text) -> std::string
    {
        auto g = graph(text);
        reduce(g, options());
        return test::text(g);
    }
};
INSTANTIATE_TEST_SUITE_P(BySearch, TransitiveReduction, testing::Values(std::numeric_limits<std::size_t>::max()));
INSTANTIATE_TEST_SUITE_P(ByBitSets, TransitiveReduction, testing::Values(std::size_t{0}));
INSTANTIATE_TEST_SUITE_P(ByDefault, TransitiveReduction, testing::Values(reduction_options().scans_per_edge));

TEST_P(TransitiveReduction, RemovesTheShortcutOfATriangle)
{
    EXPECT_EQ(reduced("1: 2 3\n2: 3"), "1: 2\n2: 3\n3:\n");
}

TEST_P(TransitiveReduction, LeavesAChainOfACompleteOrder)
{
    EXPECT_EQ(reduced("1: 2 3 4\n2: 3 4\n3: 4"), "1: 2\n2: 3\n3: 4\n4:\n");
}

TEST_P(TransitiveReduction, KeepsADiamond)
{
    EXPECT_EQ(reduced("d: b c\nb: a\nc: a"), "a:\nb: a\nc: a\nd: b c\n");
}

TEST_P(TransitiveReduction, SeesPathsThroughManyVertices)
{
    EXPECT_EQ(reduced("e: d a x\nd: c\nc: b\nb: a\nx: y\ny: a"), "a:\nb: a\nc: b\nd: c\ne: d x\nx: y\ny: a\n");
}

TEST_P(TransitiveReduction, ListsRedundantEdgesWithTheirOrigin)
{
    auto g = graph("c: a b\nb: a");

    auto const redundant = redundant_edges(g, options()).value();

    ASSERT_THAT(redundant, ElementsAre(draft_edge{find(g, "c"), find(g, "a")}));
    EXPECT_EQ(redundant.front().origin.made_by(), edge_rules::reference);
    EXPECT_EQ(g.edge_count(), 3U);
}

TEST_P(TransitiveReduction, CountsTheRemovedEdges)
{
    auto g = graph("1: 2 3 4\n2: 3 4\n3: 4");

    EXPECT_EQ(reduce(g, options()), 3U);
    EXPECT_EQ(reduce(g, options()), 0U);
}

TEST_P(TransitiveReduction, RejectsACycleAndLeavesTheGraphUnchanged)
{
    auto g = graph("a: b c\nb: c\nc: a");
    auto const before = test::text(g);

    auto const gone = redundant_edges(g, options());

    ASSERT_FALSE(gone.has_value());
    EXPECT_EQ(gone.error().code(), graph_errc::cycle);
    EXPECT_EQ(gone.error().path().size(), 2U);
    EXPECT_EQ(test::text(g), before);
}

TEST_P(TransitiveReduction, RemovesNothingWithoutEdges)
{
    EXPECT_THAT(redundant_edges(digraph<int>(), options()).value(), IsEmpty());
    EXPECT_THAT(redundant_edges(graph("a\nb"), options()).value(), IsEmpty());
}

TEST_P(TransitiveReduction, UsesSeveralBlocksOfColumns)
{
    constexpr std::size_t count = 2000;
    digraph<int> g;
    for (std::size_t i = 0; i < count; ++i) {
        auto const v = g.add_vertex(0);
        for (std::size_t back = 1; back <= std::min<std::size_t>(i, 5); ++back)
            g.add_edge(v, depends_on(draft_vertex_id(i - back)));
    }

    auto const gone = reduce(g, options());

    EXPECT_EQ(g.edge_count(), count - 1);
    EXPECT_EQ(gone, 4 + 3 + 2 + 1 + (count - 5) * 4 - 10 + 6);
    for (std::size_t i = 1; i < count; ++i)
        EXPECT_TRUE(g.has_edge(draft_vertex_id(i), depends_on(draft_vertex_id(i - 1))));
}

TEST_P(TransitiveReduction, HandlesEdgesToHubs)
{
    constexpr std::size_t hubs = 100;
    constexpr std::size_t chain = 300;
    digraph<int> g;
    for (std::size_t h = 0; h < hubs; ++h) g.add_vertex(0);
    draft_vertex_id before;
    for (std::size_t i = 0; i < chain; ++i) {
        auto const v = g.add_vertex(1);
        if (before) g.add_edge(v, depends_on(before));
        for (std::size_t h = 0; h < hubs; ++h)
            if ((i + h) % 2 == 0) g.add_edge(v, depends_on(draft_vertex_id(h)));
        before = v;
    }

    reduce(g, options());

    EXPECT_EQ(g.edge_count(), chain - 1 + hubs);
}

// An acyclic graph in which some vertices are dependencies of most others.
auto random_graph(std::mt19937& chance, std::size_t size, std::size_t most_hubs) -> digraph<int>
{
    auto const below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(chance); };
    digraph<int> g;
    std::size_t const hubs = 1 + below(most_hubs);
    for (std::size_t i = 0; i < size; ++i) {
        auto const v = g.add_vertex(0);
        for (std::size_t k = i == 0 ? 0 : below(4); k > 0; --k) g.add_edge(v, depends_on(draft_vertex_id(below(i))));
        for (std::size_t h = 0; h < std::min(i, hubs); ++h)
            if (below(3) != 0) g.add_edge(v, depends_on(draft_vertex_id(h)));
    }
    return g;
}

TEST_P(TransitiveReduction, RemovesTheEdgesThatALongerPathReplaces)
{
    for (unsigned seed = 1; seed <= 9; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 chance(seed);
        // The last one has more dependencies to decide than fit into one block.
        auto const g = seed < 9 ? random_graph(chance, 20 * seed, 20 * seed) : random_graph(chance, 1300, 5);
        // A vertex is behind another one if a dependency of that one reaches it.
        std::vector<std::vector<char>> reaches(g.id_bound(), std::vector<char>(g.id_bound()));
        std::vector<draft_edge> expected;
        for (auto const v : g.vertices()) {
            auto& mine = reaches[v.index()];
            for (auto const d : g.dependencies(v))
                for (std::size_t i = 0; i < mine.size(); ++i) mine[i] |= reaches[d.index()][i];
            for (draft_edge const e : g.dependency_edges(v))
                if (mine[e.dependency.index()] != 0) expected.push_back(e);
            for (auto const d : g.dependencies(v)) mine[d.index()] = 1;
        }

        ASSERT_EQ(redundant_edges(g, options()).value(), expected);
    }
}

}  // namespace
