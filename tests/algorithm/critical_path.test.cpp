// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/critical_path.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <complex>
#include <cstddef>
#include <string>

namespace {

using namespace strider;
using test::find;
using test::graph;

auto words(test::text_graph const& g, std::vector<draft_vertex_id> const& list) -> std::string
{
    std::string all;
    for (auto const v : list) all += g[v] + " ";
    return all;
}

constexpr auto by_length = [](std::string const& name) { return name.size(); };

TEST(CriticalPath, IsTheLongestChainFromLeafToRoot)
{
    auto const g = graph("d: b c\nb: a\nc: b\nx: a");

    auto const path = critical_path(g).value();

    EXPECT_EQ(words(g, path.vertices), "a b c d ");
    EXPECT_EQ(path.weight, 4U);
}

TEST(CriticalPath, CountsWeightsNotVertices)
{
    auto const g = graph("d: c\nc: b\nb: a\nheavyweight: a");

    auto const path = critical_path(g, by_length).value();

    EXPECT_EQ(words(g, path.vertices), "a heavyweight ");
    EXPECT_EQ(path.weight, 12U);
}

TEST(CriticalPath, TakesTheSmallestIdAmongEquals)
{
    auto const g = graph("a\nb\nd: a b\nc: a b");

    auto const path = critical_path(g).value();

    EXPECT_EQ(words(g, path.vertices), "a d ");
}

TEST(CriticalPath, TakesTheSmallestIdAmongDependentsInAnyOrder)
{
    auto const g = graph("a\nd\nc: a\nd: a");  // the edge of c is the first

    auto const path = critical_path(g).value();

    EXPECT_EQ(words(g, path.vertices), "a d ");
}

TEST(CriticalPath, WorksWithFractions)
{
    auto const g = graph("b: a\nc: a");

    auto const path = critical_path(g, [](std::string const& name) { return name == "c" ? 0.5 : 0.25; }).value();

    EXPECT_EQ(words(g, path.vertices), "a c ");
    EXPECT_DOUBLE_EQ(path.weight, 0.75);
}

TEST(CriticalPath, OfAnEmptyGraphIsEmpty)
{
    auto const path = critical_path(digraph<int>()).value();

    EXPECT_TRUE(path.vertices.empty());
    EXPECT_EQ(path.weight, 0U);
}

TEST(CriticalPath, ReportsACycle)
{
    auto const path = critical_path(graph("a: b\nb: a"));

    ASSERT_FALSE(path.has_value());
    EXPECT_EQ(path.error().code(), graph_errc::cycle);
}

using text_draft = digraph<std::string>;
template <class W>
using to_weight = W (*)(std::string const&);
static_assert(weight_for<to_weight<int>, text_draft> && weight_for<to_weight<std::chrono::milliseconds>, text_draft>);
static_assert(weight_for<std::size_t (std::string::*)() const, text_draft>);
static_assert(!weight_for<to_weight<std::complex<double>>, text_draft> && !weight_for<to_weight<int*>, text_draft>);
static_assert(!weight_for<int (*)(int), text_draft>);

TEST(BottomLevels, SumsAVertexAndItsDependents)
{
    auto const g = graph("ccc: b\nb: a\ndd: a");

    auto const remaining = bottom_levels(g, by_length).value();

    EXPECT_EQ(remaining[find(g, "ccc")], 3U);
    EXPECT_EQ(remaining[find(g, "b")], 4U);
    EXPECT_EQ(remaining[find(g, "dd")], 2U);
    EXPECT_EQ(remaining[find(g, "a")], 5U);
}

TEST(BottomLevels, CallsTheWeightOncePerVertex)
{
    auto const g = graph("d: a b c\nc: a b\nb: a");
    std::size_t asked = 0;

    (void)bottom_levels(g, [&](std::string const&) { return ++asked; });

    EXPECT_EQ(asked, g.vertex_count());
}

}  // namespace
