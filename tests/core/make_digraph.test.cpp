// SPDX-License-Identifier: BSL-1.0
#include <strider/core/make_digraph.hpp>

#include <support/graph_text.hpp>

#include <range/v3/view/filter.hpp>
#include <range/v3/view/transform.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;
using texts = std::vector<std::string>;

struct task {
    std::string name;
    texts needs;
};
struct use {
    std::size_t user;
    std::size_t used;
};

auto edges(digraph<std::string> const& g) -> texts
{
    texts all;
    for (auto const e : g.edges()) all.push_back(g[e.dependent] + g[e.dependency]);
    return all;
}

TEST(MakeDigraph, ConnectsPairsOfPositions)
{
    auto const g = make_digraph(texts{"a", "b", "c"}, std::vector<std::pair<int, int>>{{1, 0}, {2, 0}, {1, 0}}).value();

    EXPECT_EQ(test::text(g), "a:\nb: a\nc: a\n");
}

TEST(MakeDigraph, TakesAListOfEdges)
{
    EXPECT_EQ(test::text(make_digraph(texts{"a", "b", "c"}, {{1, 0}, {2, 0}}).value()), "a:\nb: a\nc: a\n");
}

TEST(MakeDigraph, ProjectsStructuresToPositions)
{
    auto const g = make_digraph(texts{"a", "b"}, std::vector<use>{{1, 0}}, &use::user, &use::used).value();

    EXPECT_EQ(test::text(g), "a:\nb: a\n");
}

TEST(MakeDigraph, RejectsAPositionWithoutAValue)
{
    auto const made = make_digraph(texts{"a"}, std::vector<std::pair<int, int>>{{0, 1}});

    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code(), graph_errc::unknown_vertex);
    EXPECT_EQ(made.error().message(), "an edge has position 1; the number of values is 1");
    EXPECT_FALSE(make_digraph(texts{"a"}, std::vector<std::pair<int, int>>{{-1, 0}}).has_value());
}

TEST(MakeDigraph, TakesViewsAndMoveOnlyValues)
{
    std::vector<int> const numbers{1, 2};
    auto boxes = numbers | ranges::views::transform([](int n) { return std::make_unique<int>(n); });
    auto const g = make_digraph(boxes, std::set<std::pair<int, int>>{{1, 0}}).value();

    EXPECT_EQ(g.vertex_count(), 2U);
    EXPECT_EQ(*g[draft_vertex_id(1)], 2);
}

TEST(MakeDigraph, ConnectsValuesThatNameTheirDependencies)
{
    std::vector<task> const tasks{{"app", {"lib", "gui"}}, {"gui", {"lib"}}, {"lib", {}}};

    auto const g = make_digraph(tasks, &task::name, &task::needs).value();

    ASSERT_EQ(g.edge_count(), 3U);
    EXPECT_TRUE(g.has_edge(draft_vertex_id(0), depends_on(draft_vertex_id(2))));
    EXPECT_EQ(g[draft_vertex_id(1)].name, "gui");
}

TEST(MakeDigraph, NamesAnUnknownDependency)
{
    auto const made = make_digraph(std::vector<task>{{"app", {"lib"}}}, &task::name, &task::needs);

    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code(), graph_errc::unknown_vertex);
    EXPECT_EQ(made.error().message(), "app depends on lib, which is the key of no value");
}

TEST(MakeDigraph, ReportsAnUnknownDependencyThatIsNoText)
{
    struct numbered {
        int number;
        std::vector<int> needs;
    };
    auto const made = make_digraph(std::vector<numbered>{{1, {2}}}, &numbered::number, &numbered::needs);

    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().message(), "a dependency is the key of no value");
}

TEST(MakeDigraph, MakesCyclesThatFreezeReportsWithNames)
{
    std::vector<task> const tasks{{"app", {"http"}}, {"http", {"log"}}, {"log", {"http"}}};

    auto const frozen = freeze(make_digraph(tasks, &task::name, &task::needs).value());

    ASSERT_FALSE(frozen.has_value());
    EXPECT_THAT(frozen.error().message(),
        testing::AnyOf("the graph has a cycle: http → log → http", "the graph has a cycle: log → http → log"));
}

TEST(MakeDigraph, NamesADuplicateKey)
{
    auto const made = make_digraph(std::vector<task>{{"app", {}}, {"app", {}}}, &task::name, &task::needs);

    ASSERT_FALSE(made.has_value());
    EXPECT_EQ(made.error().code(), graph_errc::duplicate_vertex);
    EXPECT_EQ(made.error().message(), "two values have the same key: app");
}

TEST(Digraph, AddsTheElementsOfARange)
{
    digraph<std::string> g;
    std::string_view const words[] = {"a", "b", "c"};

    auto const ids =
        g.add_vertices(words | ranges::views::transform([](std::string_view w) { return std::string(w); }));
    g.add_edges(
        std::vector<std::pair<draft_vertex_id, draft_vertex_id>>{{ids[1], ids[0]}, {ids[2], ids[1]}},
        [](auto const& e) { return e.first; }, [](auto const& e) { return e.second; });

    EXPECT_THAT(edges(g), ElementsAre("ba", "cb"));
}

TEST(Digraph, AddsTheEdgesOfAQueryWithTheirOrigins)
{
    auto const from = graph("c: a b\nb: a");
    digraph<std::string> g;
    for (auto const v : from.vertices()) g.add_vertex(from[v]);
    auto const to_a = [&](draft_edge const& e) { return from[e.dependency] == "a"; };

    g.add_edges(from.edges() | ranges::views::filter(to_a));

    EXPECT_EQ(test::text(g), "a:\nb: a\nc: a\n");
    EXPECT_EQ(g.origin(find(g, "c"), depends_on(find(g, "a"))).made_by(), edge_rules::reference);
}

}  // namespace
