// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/find_cycle.hpp>
#include <strider/algorithm/reachability.hpp>
#include <strider/algorithm/strong_components.hpp>
#include <strider/algorithm/topological_order.hpp>
#include <strider/algorithm/views.hpp>

#include <support/graph_text.hpp>

#include <range/v3/range/operations.hpp>
#include <range/v3/view/subrange.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

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

TEST(StrongComponents, AreARangeOfTheirVertices)
{
    auto const g = test::graph("b: a\na: c\nc: a");
    auto const components = strong_components(g);

    std::vector<std::size_t> sizes;
    for (auto const component : components) sizes.push_back(component.size());

    EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 1}));
    EXPECT_EQ(std::vector(components[1].begin(), components[1].end()), strong_components(g)[1]);
}

// A graph whose rows end with another type than that of their iterators.
struct graph_with_sentinels {
    using value_type = std::string;
    test::text_graph graph;

    struct last {
        draft_vertex_id const* at;
        friend auto operator==(draft_vertex_id const* position, last end) -> bool { return position == end.at; }
    };
    std::vector<std::vector<draft_vertex_id>> rows = rows_of(graph);

    static auto rows_of(test::text_graph const& g) -> std::vector<std::vector<draft_vertex_id>>
    {
        std::vector<std::vector<draft_vertex_id>> all(g.id_bound());
        for (auto const v : g.vertices())
            for (auto const d : g.dependencies(v)) all[v.index()].push_back(d);
        return all;
    }
    auto vertices() const { return graph.vertices(); }
    auto vertex_count() const { return graph.vertex_count(); }
    auto edge_count() const { return graph.edge_count(); }
    auto id_bound() const { return graph.id_bound(); }
    auto dependencies(draft_vertex_id v) const
    {
        auto const& row = rows[v.index()];
        return ranges::subrange(row.data(), last{row.data() + row.size()});
    }
    auto dependents(draft_vertex_id v) const { return graph.dependents(v); }
    auto dependency_edges(draft_vertex_id v) const { return graph.dependency_edges(v); }
    auto operator[](draft_vertex_id v) const -> std::string const& { return graph[v]; }
};
static_assert(directed_graph<graph_with_sentinels>);

TEST(StrongComponents, AreFoundInAGraphWhoseRowsEndWithASentinel)
{
    graph_with_sentinels const g{test::graph("b: a\na: c\nc: a")};

    EXPECT_EQ(strong_components(g).size(), 2U);
    EXPECT_EQ(cyclic_components(g).size(), 1U);
    EXPECT_EQ(find_cycle(g).size(), 2U);
    EXPECT_EQ(ranges::distance(g | views::depth_first(draft_vertex_id(0))), 3);
    EXPECT_FALSE(is_acyclic(g));
    EXPECT_TRUE(has_path(g, draft_vertex_id(0), draft_vertex_id(2)));
}

TEST(StrongComponents, AreNontrivialAsSets)
{
    auto const g = test::graph("b: a\na: a");

    EXPECT_FALSE(is_nontrivial(g, vertex_set_t<test::text_graph>()));
    EXPECT_FALSE(is_nontrivial(g, vertex_set_t<test::text_graph>(std::vector{draft_vertex_id(0)})));
    EXPECT_TRUE(is_nontrivial(g, vertex_set_t<test::text_graph>(std::vector{draft_vertex_id(1)})));
}

TEST(StrongComponents, AreUsedUntilTheListOfACopyIsDestroyed)
{
    auto const g = test::graph("b: a\na: c\nc: a");
    component_list<draft_vertex_id> copy;

    copy = strong_components(g);
    auto const other = copy;

    EXPECT_EQ(other.size(), 2U);
    EXPECT_TRUE(component_list<draft_vertex_id>().empty());
}

#ifndef NDEBUG
TEST(StrongComponentsDeathTest, RejectANumberOfNoComponent)
{
    component_list<vertex_id> const none;

    EXPECT_DEATH((void)none[0], "the list has the component");
}
#endif

}  // namespace
