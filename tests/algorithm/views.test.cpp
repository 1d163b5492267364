// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/views.hpp>
#include <strider/core/dag.hpp>

#include <support/graph_text.hpp>

#include <range/v3/range/concepts.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;
using testing::IsEmpty;

auto names_of(auto const& g, auto&& range) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const v : range) all.push_back(g[v]);
    return all;
}

TEST(DepthFirstView, ReachesEachVertexOnceFromItsStarts)
{
    auto const g = graph("d: b c\nb: a\nc: a\ne: x");
    std::array const starts{find(g, "d"), find(g, "b")};

    EXPECT_THAT(names_of(g, g | views::depth_first(starts)), ElementsAre("d", "b", "a", "c"));
    EXPECT_THAT(names_of(g, views::depth_first(g, starts)), ElementsAre("d", "b", "a", "c"));
}

TEST(DepthFirstView, StartsFromAView)
{
    auto const g = graph("d: b c\nb: a\nc: a\ne: x");

    EXPECT_THAT(names_of(g, g | views::depth_first(g | views::roots)), ElementsAre("d", "b", "a", "c", "e", "x"));
}

TEST(DepthFirstView, SearchesOnlyAsFarAsItIsRead)
{
    auto const g = graph("d: c\nc: b\nb: a");
    std::array const starts{find(g, "d")};

    EXPECT_THAT(names_of(g, g | views::depth_first(starts) | ranges::views::take(2)), ElementsAre("d", "c"));
    EXPECT_THAT(names_of(g, g | views::depth_first(starts) | std::views::take(3)), ElementsAre("d", "c", "b"));
}

TEST(DepthFirstView, EntersEachVertexOfACycleOnce)
{
    auto const g = graph("a: b a\nb: c\nc: a");

    EXPECT_THAT(names_of(g, g | views::depth_first(g | views::vertices)), ElementsAre("a", "b", "c"));
}

TEST(DepthFirstView, StartsANewSearchAtEachBegin)
{
    auto const g = graph("c: b\nb: a");
    auto below = g | views::ancestors(find(g, "c"));

    EXPECT_THAT(names_of(g, below), ElementsAre("b", "a"));
    EXPECT_THAT(names_of(g, below), ElementsAre("b", "a"));
}

TEST(DepthFirstView, IsNotBoundedByTheStackOfTheThread)
{
    constexpr std::size_t count = 1'000'000;
    digraph<char> g;
    for (std::size_t i = 0; i < count; ++i)
        if (auto const v = g.add_vertex('x'); i != 0) g.add_edge(v, depends_on(draft_vertex_id(i - 1)));
    std::size_t left = count - 1;

    for (auto const v : g | views::ancestors(draft_vertex_id(count - 1))) left -= v.index() == left - 1 ? 1U : 0U;

    EXPECT_EQ(left, 0U);
}

TEST(DepthFirstView, FollowsDependentsInTheOtherDirection)
{
    auto const g = graph("d: b c\nb: a\nc: a\ne: b");
    std::array const starts{find(g, "b"), find(g, "c")};

    EXPECT_THAT(
        names_of(g, g | views::depth_first(find(g, "a"), along_dependents)), ElementsAre("a", "b", "d", "e", "c"));
    EXPECT_THAT(names_of(g, views::depth_first(g, starts, along_dependents)), ElementsAre("b", "d", "e", "c"));
    EXPECT_THAT(names_of(g, g | views::depth_first(starts, along_dependencies)), ElementsAre("b", "a", "c"));
}

TEST(PostorderView, PutsEachVertexAfterThoseReachedFromIt)
{
    auto const g = graph("d: b c\nb: a\nc: a\ne: x");
    std::array const starts{find(g, "e"), find(g, "d"), find(g, "b")};

    EXPECT_THAT(names_of(g, g | views::postorder(starts)), ElementsAre("x", "e", "a", "b", "c", "d"));
    EXPECT_THAT(names_of(g, g | views::postorder(find(g, "a"), along_dependents)), ElementsAre("d", "b", "c", "a"));
}

TEST(PostorderView, ContainsEachVertexOfACycleOnce)
{
    auto const g = graph("a: b\nb: c\nc: a");

    EXPECT_THAT(names_of(g, g | views::postorder(find(g, "a"))), ElementsAre("c", "b", "a"));
}

TEST(BreadthFirstView, OrdersVerticesByTheirDistance)
{
    auto const g = graph("e: d c\nd: b\nb: a\nc: a");

    EXPECT_THAT(names_of(g, g | views::breadth_first(find(g, "e"))), ElementsAre("e", "d", "c", "b", "a"));
    EXPECT_THAT(
        names_of(g, views::breadth_first(g, find(g, "a"), along_dependents)), ElementsAre("a", "b", "c", "d", "e"));
}

TEST(BreadthFirstView, StartsFromAView)
{
    auto const g = graph("d: b c\nb: a\nc: a\ne: x");

    EXPECT_THAT(names_of(g, g | views::breadth_first(g | views::roots)), ElementsAre("d", "e", "b", "c", "x", "a"));
}

TEST(Ancestors, AreAllDependenciesWithoutTheVertexItself)
{
    auto const g = graph("a\nb: a\nc: b\nd: c");

    EXPECT_THAT(names_of(g, g | views::ancestors(find(g, "c"))), ElementsAre("b", "a"));
    EXPECT_THAT(names_of(g, g | views::descendants(find(g, "b"))), ElementsAre("c", "d"));
}

TEST(Ancestors, ContainTheVertexItselfOnACycle)
{
    auto const g = graph("a: b\nb: a c\nc");

    EXPECT_THAT(names_of(g, g | views::ancestors(find(g, "a"))), ElementsAre("b", "a", "c"));
    EXPECT_THAT(names_of(g, g | views::descendants(find(g, "b"))), ElementsAre("a", "b"));
}

TEST(Layers, ContainVerticesWhoseDependenciesAreInEarlierOnes)
{
    auto const draft = graph("d: b c\nb: a\nc: a\ne: d a\nf");
    auto const g = freeze(draft).value();
    auto const layers = [](auto const& of) {
        std::vector<std::vector<std::string>> all;
        for (auto const layer : of | views::layers) all.push_back(names_of(of, layer));
        return all;
    };

    EXPECT_THAT(
        layers(draft), ElementsAre(ElementsAre("a", "f"), ElementsAre("b", "c"), ElementsAre("d"), ElementsAre("e")));
    EXPECT_EQ(layers(draft), layers(g));
    EXPECT_THAT(layers(graph("")), IsEmpty());
}

TEST(TopologicalView, OrdersDependenciesFirst)
{
    auto const draft = graph("d: b c\nb: a\nc: a");
    auto const g = freeze(draft).value();

    EXPECT_THAT(names_of(draft, draft | views::topological), ElementsAre("a", "b", "c", "d"));
    EXPECT_THAT(names_of(g, g | views::topological), ElementsAre("a", "b", "c", "d"));
}

TEST(TopologicalView, LacksVerticesBehindACycle)
{
    auto const g = graph("a\nb: a c\nc: b\nd: c");

    EXPECT_THAT(names_of(g, g | views::topological), ElementsAre("a"));
}

using draft = digraph<std::string>;
template <class R>
constexpr bool is_single_pass = ranges::input_range<R> && !ranges::forward_range<R> && ranges::view_<R>
    && std::ranges::input_range<R> && std::ranges::viewable_range<R>;
static_assert(is_single_pass<decltype(std::declval<draft const&>() | views::ancestors(draft_vertex_id()))>);
static_assert(is_single_pass<decltype(std::declval<draft const&>() | views::layers)>);
static_assert(is_single_pass<decltype(std::declval<draft const&>() | views::topological)>);
static_assert(ranges::random_access_range<decltype(std::declval<dag<int> const&>() | views::topological)>);

template <class Starts>
concept can_start = requires(draft const& g, Starts&& starts) { g | views::depth_first(std::forward<Starts>(starts)); };
static_assert(can_start<draft_vertex_id> && can_start<std::vector<draft_vertex_id>&>);
static_assert(!can_start<std::vector<draft_vertex_id>>, "the container would end before the view");

template <class G>
concept can_be_searched = requires(G&& g) { std::forward<G>(g) | views::layers; };
static_assert(can_be_searched<draft&> && !can_be_searched<draft>, "a view would outlive a temporary graph");

TEST(DepthFirstView, KeepsTheSearchOfAnIteratorWhenAnotherBegins)
{
    auto const g = graph("c: b a\nb: a");
    auto view = g | views::depth_first(find(g, "c"));

    auto first = view.begin();
    auto second = view.begin();
    ++second;
    ++first;

    EXPECT_EQ(g[*first], "b");
    EXPECT_EQ(g[*second], "b");
    first = {};
    EXPECT_EQ(g[*++second], "a");
}

}  // namespace
