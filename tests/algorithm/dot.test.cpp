// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/dot.hpp>
#include <strider/algorithm/find_cycle.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace strider;
using test::graph;
using testing::HasSubstr;

TEST(Dot, WritesVerticesByIdEachBeforeItsEdges)
{
    auto const g = graph("c: b a\nb: a");

    EXPECT_EQ(to_dot(g), R"(digraph {
  0 [label="c"];
  0 -> 1;
  0 -> 2;
  1 [label="b"];
  1 -> 2;
  2 [label="a"];
}
)");
}

TEST(Dot, WritesNameDirectionAndOrigins)
{
    auto const g = graph("b: a");

    EXPECT_EQ(to_dot(g, {.graph_name = "plan", .rankdir = "LR", .origins = true, .marked = {}}), R"(digraph "plan" {
  rankdir="LR";
  0 [label="b"];
  0 -> 1 [label="reference"];
  1 [label="a"];
}
)");
}

TEST(Dot, MarksThePathOfACycleRed)
{
    auto const g = graph("a: b\nb: a c\nc");

    auto const text = to_dot(g, {.graph_name = {}, .rankdir = {}, .marked = find_cycle(g)});

    EXPECT_THAT(text, HasSubstr(R"(0 -> 1 [color="red"];)"));
    EXPECT_THAT(text, HasSubstr(R"(1 -> 0 [color="red"];)"));
    EXPECT_THAT(text, HasSubstr(R"(1 -> 2;)"));
}

TEST(Dot, MarksEdgesInAnyOrder)
{
    auto const g = graph("a: b c\nb: c\nc");
    auto const edge = [&](char const* dependent, char const* dependency) {
        return draft_edge{test::find(g, dependent), test::find(g, dependency)};
    };

    auto const text =
        to_dot(g, {.graph_name = {}, .rankdir = {}, .marked = {edge("b", "c"), edge("a", "c"), edge("a", "b")}});

    EXPECT_THAT(text, HasSubstr(R"(0 -> 1 [color="red"];)"));
    EXPECT_THAT(text, HasSubstr(R"(0 -> 2 [color="red"];)"));
    EXPECT_THAT(text, HasSubstr(R"(1 -> 2 [color="red"];)"));
}

TEST(Dot, EscapesNames)
{
    digraph<std::string> g;
    g.add_vertex("m[\"k\"].a\\b\nc");

    EXPECT_THAT(to_dot(g), HasSubstr(R"([label="m[\"k\"].a\\b\nc"];)"));
}

TEST(Dot, DistinguishesVerticesOfAnyNames)
{
    digraph<std::string> g;
    auto const first = g.add_vertex("a");
    auto const second = g.add_vertex("a");
    auto const third = g.add_vertex("a #1");
    g.add_edge(second, depends_on(first));
    g.add_edge(third, depends_on(second));

    auto const text = to_dot(g);

    EXPECT_THAT(text, HasSubstr("1 -> 0;"));
    EXPECT_THAT(text, HasSubstr("2 -> 1;"));
    EXPECT_THAT(text, HasSubstr(R"(2 [label="a #1"];)"));
}

TEST(Dot, TakesNamesAndAttributesFromProjections)
{
    digraph<int> g;
    auto const one = g.add_vertex(1);
    auto const two = g.add_vertex(2);
    g.add_edge(two, depends_on(one), edge_origin(edge_rules::reference, 12));

    auto const text = to_dot(
        g, {}, [](int value) { return "v" + std::to_string(value); },
        [](int value) {
            return value == 2 ? dot_attributes{{"shape", "box"}, {"label", "\"two\""}} : dot_attributes{};
        },
        [](draft_edge const& e) { return dot_attributes{{"tooltip", "line " + std::to_string(e.origin.place())}}; });

    EXPECT_EQ(text, R"(digraph {
  0 [label="v1"];
  1 [shape="box", label="\"two\""];
  1 -> 0 [tooltip="line 12"];
}
)");
}

TEST(Dot, QuotesNamesOfAttributesThatAreNoIdentifiers)
{
    digraph<std::string> g;
    g.add_vertex("a");

    auto const text = to_dot(g, {}, {},
        [](auto const&) { return dot_attributes{{"x\"] y", "1"}, {"Node", "2"}, {"", "3"}, {"xlabel", "4"}}; });

    EXPECT_THAT(text, HasSubstr(R"([label="a", "x\"] y"="1", "Node"="2", ""="3", xlabel="4"];)"));
}

TEST(Dot, WritesIncrementally)
{
    auto const g = graph("b: a");
    std::string text;
    std::size_t pieces = 0;

    write_dot(g, [&](std::string_view piece) {
        text += piece;
        ++pieces;
    });

    EXPECT_EQ(text, to_dot(g));
    EXPECT_GT(pieces, 1U);
}

}  // namespace
