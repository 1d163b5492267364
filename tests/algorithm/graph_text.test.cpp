// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/equivalence.hpp>
#include <strider/algorithm/graph_text.hpp>
#include <strider/core/dag.hpp>

#include <support/graph_text.hpp>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace strider;
using test::find;
using testing::ElementsAre;
using testing::HasSubstr;

auto names(digraph<std::string> const& g) -> std::vector<std::string>
{
    return g.vertices() | ranges::views::transform([&](draft_vertex_id v) { return g[v]; }) | ranges::to<std::vector>();
}

TEST(GraphText, HasALinePerVertexWithItsDependencies)
{
    auto const g = test::graph("lib\nprogram: main lib\nmain: lib");

    EXPECT_EQ(to_text(g).value(), "lib\nprogram: main lib\nmain: lib\n");
}

TEST(GraphText, QuotesNamesThatNeedIt)
{
    digraph<std::string> g;
    for (auto const* const name : {"", "a b", "a:b", "#a", "a#", R"(a"b\c)", R"(a\b)", "a\nb\tc\r\x7f", "é"})
        g.add_vertex(name);
    g.add_vertex(std::string("\0", 1));

    EXPECT_EQ(to_text(g).value(), R"(""
"a b"
"a:b"
"#a"
a#
"a\"b\\c"
a\b
"a\nb\tc\x0d\x7f"
é
"\x00"
)");
    EXPECT_EQ(names(read_text(to_text(g).value()).value()), names(g));
}

TEST(GraphText, UsesNamesOfTheCaller)
{
    digraph<int> g;
    auto const one = g.add_vertex(1);
    g.add_edge(g.add_vertex(2), depends_on(one));

    EXPECT_EQ(to_text(freeze(g).value(), [](int value) { return std::to_string(value); }).value(), "1\n2: 1\n");
}

TEST(GraphText, IsNotWrittenIfTwoVerticesHaveOneName)
{
    digraph<std::string> g;
    g.add_vertex("a");
    g.add_vertex("a");
    std::string text;

    auto const written = write_text(g, [&](std::string_view piece) { text += piece; });

    EXPECT_EQ(written.error().code(), graph_errc::duplicate_vertex);
    EXPECT_EQ(written.error().message(), R"(two vertices have the same name: "a")");
    EXPECT_EQ(text, "");
}

TEST(ReadText, ReadsLinesInAnyOrder)
{
    auto const g = read_text("program: main lib\nmain:lib\nlib:\n").value();

    EXPECT_THAT(names(g), ElementsAre("program", "main", "lib"));
    EXPECT_EQ(test::text(g), "lib:\nmain: lib\nprogram: lib main\n");
}

TEST(ReadText, IgnoresCommentsBlanksAndEmptyLines)
{
    auto const g = read_text("# a graph\r\n\n \t a :b\t \"c d\" # why\r\nb#1\nb\n\"c d\" #\n  # end").value();

    EXPECT_THAT(names(g), ElementsAre("a", "b#1", "b", "c d"));
    EXPECT_EQ(g.edge_count(), 2U);
}

TEST(ReadText, StoresTheLineAsTheOriginOfEdges)
{
    auto const g = read_text("\nb: a a\na\n").value();

    EXPECT_EQ(g.edge_count(), 1U);
    EXPECT_EQ(g.origin(find(g, "b"), depends_on(find(g, "a"))), edge_origin(edge_rules::reference, 2));
}

TEST(ReadText, ReadsNothingFromAnEmptyText)
{
    EXPECT_EQ(read_text("").value().vertex_count(), 0U);
    EXPECT_EQ(read_text("\n#").value().vertex_count(), 0U);
}

TEST(ReadText, LeavesCyclesToFreeze)
{
    auto const g = read_text("a: b\nb: a\n").value();

    EXPECT_EQ(freeze(g).error().code(), graph_errc::cycle);
}

struct invalid_text {
    std::string_view text;
    graph_errc code;
    std::string_view message;
};

TEST(ReadText, StatesPlaceAndExpectationOfAnError)
{
    using enum graph_errc;
    for (auto const& [text, code, message] : std::vector<invalid_text>{
             {"a\n b: a c", unknown_vertex,
                 R"(line 2, column 7: the vertex "c" has no line; expected the name of a vertex that has one)"},
             {"a\nb: a\n  a", duplicate_vertex, R"(line 3, column 3: the vertex "a" already has line 1)"},
             {": a", invalid_value, R"(line 1, column 1: expected the name of a vertex, found ":")"},
             {"a: b: c", invalid_value, R"(line 1, column 5: expected the name of a dependency, found ":")"},
             {"a b", invalid_value, R"(line 1, column 3: expected a colon or the end of the line, found "b")"},
             {"a\"b\"", invalid_value,
                 R"(line 1, column 2: expected a blank, a colon or the end of the line, found "\"")"},
             {"\"a\"b", invalid_value,
                 R"(line 1, column 4: expected a blank, a colon or the end of the line, found "b")"},
             {"\"a\"é", invalid_value,
                 "line 1, column 4: expected a blank, a colon or the end of the line, found a character of more than "
                 "one byte"},
             {"\"a\nb\"", invalid_value, "line 1, column 3: expected a closing quote, found the end of the line"},
             {"x\n\"a", invalid_value, "line 2, column 3: expected a closing quote, found the end of the text"},
             {"\"a\tb\"", invalid_value, R"(line 1, column 3: expected a closing quote, found "\t")"},
             {R"("a\q")", invalid_value, R"(line 1, column 3: expected one of \" \\ \n \t and \xHH, found "\\")"},
             {R"("\x1g")", invalid_value, R"(line 1, column 2: expected one of \" \\ \n \t and \xHH, found "\\")"},
             {"\"\\", invalid_value, R"(line 1, column 2: expected one of \" \\ \n \t and \xHH, found "\\")"},
             {"\x01", invalid_value, R"(line 1, column 1: expected the name of a vertex, found "\x01")"}}) {
        auto const read = read_text(text);
        ASSERT_FALSE(read) << text;
        EXPECT_EQ(read.error().code(), code) << text;
        EXPECT_EQ(read.error().message(), message);
    }
}

TEST(ReadText, ShowsThePartOfALongNameInAnError)
{
    std::string const name(1'000'000, 'x');

    EXPECT_LT(read_text("a: " + name).error().message().size(), 250U);
    EXPECT_THAT(read_text("a: " + name).error().message(), HasSubstr("xxx…"));
}

TEST(ReadText, ShowsOnlyWholeCharactersOfALongName)
{
    for (std::size_t const blanks : {77U, 78U, 79U, 80U}) {
        std::string const name = std::string(blanks, 'x') + "€€€";  // three bytes each

        auto const message = read_text("a: " + name).error().message();

        EXPECT_THAT(message, HasSubstr(blanks == 77 ? "x€…\"" : "x…\"")) << blanks;
    }
}

TEST(ReadText, ReadsOrRejectsAnyBytes)
{
    constexpr std::string_view frequent = "ab:\"\\xn0 \t\r\n#\x01\x7f\xc3";
    std::mt19937_64 random(1);
    std::size_t accepted = 0;
    for (int run = 0; run < 20'000; ++run) {
        std::string text;
        for (auto left = random() % 24; left > 0; --left)
            text += random() % 8 == 0 ? static_cast<char>(random()) : frequent[random() % frequent.size()];
        auto const read = read_text(text);
        if (!read) {
            ASSERT_NE(read.error().code(), graph_errc::cycle);
            ASSERT_THAT(read.error().message(), testing::StartsWith("line "));
            continue;
        }
        ++accepted;
        auto const again = read_text(to_text(*read).value());
        ASSERT_TRUE(again) << text << ": " << again.error().message();
        ASSERT_TRUE(equivalent(*read, *again)) << text;
    }
    EXPECT_GT(accepted, 1000U);
}

TEST(ReadText, ReadsALargeTextInBoundedTime)
{
    std::string text = "hub:";
    for (int i = 0; i < 100'000; ++i) text += " v" + std::to_string(i % 50'000);
    text += '\n';
    for (int i = 0; i < 50'000; ++i) text += "v" + std::to_string(i) + "\n";

    EXPECT_EQ(read_text(text).value().edge_count(), 50'000U);
}

TEST(VerticesAsText, AreReadByNameInTheirOrder)
{
    auto const g = test::graph("a\n\"b: a");
    std::vector const some{find(g, "\"b"), find(g, "a")};

    auto const text = to_text(g, some).value();

    EXPECT_EQ(text, "\"\\\"b\"\na\n");
    EXPECT_EQ(read_vertices(text, g).value(), some);
    EXPECT_THAT(read_vertices("# none\n", g).value(), ElementsAre());
}

TEST(VerticesAsText, MustBeInTheGraph)
{
    auto const g = test::graph("a\nb");

    EXPECT_EQ(read_vertices("a\nc", g).error().message(), R"(line 2, column 1: the graph has no vertex "c")");
    EXPECT_EQ(read_vertices("a\nc", g).error().code(), graph_errc::unknown_vertex);
    EXPECT_EQ(
        read_vertices("a: b", g).error().message(), R"(line 1, column 2: expected the end of the line, found ":")");
}

}  // namespace
