// SPDX-License-Identifier: BSL-1.0
#include <strider/core/dag.hpp>
#include <strider/core/views.hpp>

#include <support/graph_text.hpp>

#include <range/v3/action/sort.hpp>
#include <range/v3/algorithm/max.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ranges>
#include <string>
#include <vector>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;

auto names(auto const& g, auto&& range) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const v : range) all.push_back(g[v]);
    return all;
}

TEST(Views, RootsHaveNoDependents)
{
    auto const g = graph("c: a\nd: a b\ne");

    EXPECT_THAT(names(g, g | views::roots), ElementsAre("c", "d", "e"));
}

TEST(Views, LeavesHaveNoDependencies)
{
    auto const g = graph("c: a\nd: a b\ne");

    EXPECT_THAT(names(g, g | views::leaves), ElementsAre("a", "b", "e"));
}

TEST(Views, PipeAndCallReturnTheSame)
{
    auto const g = graph("c: b a\nd: a");
    auto const a = find(g, "a");
    auto const c = find(g, "c");

    EXPECT_EQ(names(g, g | views::vertices), names(g, views::vertices(g)));
    EXPECT_EQ(names(g, g | views::roots), names(g, views::roots(g)));
    EXPECT_THAT(names(g, g | views::dependencies(c)), ElementsAre("b", "a"));
    EXPECT_THAT(names(g, views::dependencies(g, c)), ElementsAre("b", "a"));
    EXPECT_THAT(names(g, g | views::dependents(a)), ElementsAre("c", "d"));
    EXPECT_THAT(names(g, views::dependents(g, a)), ElementsAre("c", "d"));
}

TEST(Views, ReturnEdgesWithTheirOrigin)
{
    auto const g = graph("b: a");

    draft_edge const e = *(g | views::dependency_edges(find(g, "b"))).begin();

    EXPECT_EQ(e, (draft_edge{find(g, "b"), find(g, "a")}));
    EXPECT_EQ(e.origin.made_by(), edge_rules::reference);
}

TEST(Views, CombineWithRangeV3)
{
    auto const g = graph("c: a\nd: b");

    auto const long_names = g | views::vertices | ranges::views::filter([&](draft_vertex_id v) { return g[v] > "b"; })
        | ranges::views::transform([&](draft_vertex_id v) { return g[v] + "!"; }) | ranges::to<std::vector>();

    EXPECT_THAT(long_names, ElementsAre("c!", "d!"));
}

TEST(Views, CombineWithTheStandardLibrary)
{
    auto const g = graph("c: a\nd: b");

    EXPECT_THAT(names(g, g | views::roots | std::views::take(1)), ElementsAre("c"));
    EXPECT_THAT(names(g, g | views::vertices | std::views::drop(3)), ElementsAre("b"));
}

TEST(Views, AreComposedBeforeThereIsAGraph)
{
    auto const g = graph("c: a\nd: b");
    auto const first_root = views::roots | ranges::views::take(1);
    auto const last_root = views::roots | std::views::drop(1);

    EXPECT_THAT(names(g, g | first_root), ElementsAre("c"));
    EXPECT_THAT(names(g, g | last_root), ElementsAre("d"));
}

TEST(Views, FeedActionsAndAlgorithmsOfRangeV3)
{
    auto const g = graph("c: a\nd: b");
    auto const name = [&](draft_vertex_id v) { return g[v]; };

    auto const sorted = g | views::vertices | ranges::views::transform(name) | ranges::to<std::vector>()
        | ranges::actions::sort(ranges::greater());

    EXPECT_THAT(sorted, ElementsAre("d", "c", "b", "a"));
    EXPECT_EQ(g[ranges::max(g | views::leaves, ranges::less(), name)], "b");
}

TEST(Views, ListAllEdges)
{
    auto const draft = graph("c: a b\nb: a");
    auto const g = freeze(draft).value();
    auto const ends = [](auto const& of, auto const& e) { return of[e.dependent] + of[e.dependency]; };

    std::vector<std::string> of_draft, of_dag;
    for (auto const e : draft | views::edges) of_draft.push_back(ends(draft, e));
    for (auto const e : g | views::edges) of_dag.push_back(ends(g, e));

    EXPECT_THAT(of_draft, ElementsAre("ca", "cb", "ba"));
    EXPECT_THAT(of_dag, ElementsAre("ba", "ca", "cb"));
}

TEST(Views, MapVerticesToReferencesToTheirValues)
{
    auto g = graph("c: a\nd: b");

    for (std::string& value : g | views::leaves | views::values_of(g)) value += "!";

    EXPECT_THAT(g | views::vertices | views::values_of(g) | ranges::to<std::vector<std::string>>(),
        ElementsAre("c", "a!", "d", "b!"));
}

TEST(Views, WorkOnFrozenGraphs)
{
    auto const g = freeze(graph("c: b\nb: a")).value();

    EXPECT_THAT(names(g, g | views::leaves), ElementsAre("a"));
    EXPECT_THAT(names(g, g | views::roots), ElementsAre("c"));
}

TEST(Views, ReturnAllVerticesOfAGraphWithoutEdges)
{
    auto const g = graph("a\nb");

    EXPECT_THAT(names(g, g | views::roots), ElementsAre("a", "b"));
    EXPECT_THAT(names(g, g | views::leaves), ElementsAre("a", "b"));
}

template <class G, class Query>
concept can_be_piped = requires(G&& g, Query query) { std::forward<G>(g) | query; };
template <class G>
concept can_be_asked = requires(G&& g) { views::roots(std::forward<G>(g)); };
template <class G>
concept can_be_asked_of_a_vertex = requires(G&& g) { views::dependents(std::forward<G>(g), draft_vertex_id()); };

using graph_type = digraph<int>;
using roots_type = decltype(views::roots);
using bound_type = decltype(views::dependents(draft_vertex_id()));

static_assert(can_be_piped<graph_type&, roots_type> && can_be_piped<graph_type const&, roots_type>);
static_assert(!can_be_piped<graph_type, roots_type>, "a view would outlive a temporary graph");
static_assert(can_be_piped<graph_type&, bound_type>);
static_assert(!can_be_piped<graph_type, bound_type>, "a view would outlive a temporary graph");
static_assert(can_be_asked<graph_type&> && !can_be_asked<graph_type>);
static_assert(can_be_asked_of_a_vertex<graph_type const&> && !can_be_asked_of_a_vertex<graph_type>);

}  // namespace
