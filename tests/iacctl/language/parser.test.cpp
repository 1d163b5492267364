// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"
#include "tree_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace iacctl::language {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::summaries;
using testing::table_scope;

[[nodiscard]] auto mistakes(std::string const& text) -> std::vector<std::string>
{
    diagnostics found;
    auto const tree = parse_file("main.tf", text, found);
    return summaries(found);
}

TEST(Parser, ReadsBlocksLabelsAndAttributes)
{
    diagnostics found;

    auto const tree =
        parse_file("main.tf", "a = 1 # one\nb \"x\" y {\n  c = [\n    1, // n\n  ]\n  d { e = 2 }\n}\n", found);

    auto const& root = tree->root();
    ASSERT_TRUE(found.empty());
    ASSERT_EQ(root.blocks.size(), 1U);
    EXPECT_EQ(root.attributes[0].name, "a");
    EXPECT_EQ(root.blocks[0].labels[0].text, "x");
    EXPECT_EQ(root.blocks[0].labels[1].text, "y");
    EXPECT_EQ(root.blocks[0].content.attributes[0].range.text(), "main.tf:3,3-5,4");
    EXPECT_EQ(root.blocks[0].content.blocks[0].type, "d");
}

TEST(Parser, AcceptsByteOrderMarksCarriageReturnsAndUnicodeNames)
{
    EXPECT_THAT(mistakes("\xEF\xBB\xBF"
                         "gr\xC3\xB6\xC3\x9F"
                         "e = 1\r\nb {\r\n}\r\n"),
        ElementsAre());
}

TEST(Parser, ReportsMistakesWithTheSummariesOfTerraform)
{
    EXPECT_THAT(mistakes("a = 1 b = 2\n"), ElementsAre("Missing newline after argument at 1"));
    EXPECT_THAT(mistakes("a = 1, b = 2\n"), ElementsAre("Unexpected comma after argument at 1"));
    EXPECT_THAT(mistakes("a {\n"), ElementsAre("Unclosed configuration block at 1"));
    EXPECT_THAT(mistakes("a\n"), ElementsAre("Argument or block definition required at 1"));
    EXPECT_THAT(mistakes("\"a\" = 1\n"), ElementsAre("Invalid argument name at 1"));
    EXPECT_THAT(mistakes("a = 1.2.3\n"), ElementsAre("Invalid number literal at 1"));
    EXPECT_THAT(mistakes("a = \n"), ElementsAre("Invalid expression at 1"));
    EXPECT_THAT(mistakes("a = 1\na = 2\n"), ElementsAre("Attribute redefined at 2"));
    EXPECT_THAT(mistakes("ab = 1\nbb = 2\nab = 3\n"), ElementsAre("Attribute redefined at 3"));
    EXPECT_THAT(mistakes("a { b = 1, c = 2 }\n"), ElementsAre("Invalid single-argument block definition at 1"));
    EXPECT_THAT(mistakes("a = 'x'\n"), ElementsAre("Invalid character at 1", "Invalid expression at 1"));
    EXPECT_THAT(mistakes("a = \"x"), ElementsAre("Unterminated template string at 1"));
    EXPECT_THAT(mistakes("a = \"%{ endif }\"\n"), ElementsAre("Unexpected endif directive at 1"));
}

TEST(Parser, ReportsIndependentMistakes)
{
    std::string const text = "a {\n  b = [1 2]\n}\nc {\n  d = foo(\n  )\n  e = 1 f\n}\ng = {a 1}\nh = 1\n";

    EXPECT_THAT(mistakes(text),
        ElementsAre(
            "Missing item separator at 2", "Missing newline after argument at 7", "Missing key/value separator at 9"));
}

TEST(Parser, KeepsValidPartsAfterAMistake)
{
    diagnostics found;

    auto const tree = parse_file("main.tf", "a {\n  b = )\n}\nc {\n}\n", found);

    EXPECT_EQ(found.error_count(), 1U);
    EXPECT_EQ(tree->root().blocks.size(), 2U);
}

// The types of the blocks of a file with one syntax error, with the names of their arguments.
[[nodiscard]] auto outline_after_a_mistake(std::string const& text) -> std::string
{
    diagnostics found;
    auto const tree = parse_file("main.tf", text, found);
    EXPECT_EQ(found.error_count(), 1U) << text;
    std::string outline;
    for (auto const& one : tree->root().blocks) {
        outline += std::string(one.type) + '(';
        for (auto const& argument : one.content.attributes) outline += std::string(argument.name) + ' ';
        outline += ") ";
    }
    return outline;
}

TEST(Parser, ReportsAMissingQuoteOnce)
{
    EXPECT_THAT(mistakes("a = \"x\n"), ElementsAre("Invalid multi-line string at 1"));
    EXPECT_THAT(mistakes("a = \"x\nb = 3\nc = \"y\"\n"), ElementsAre("Invalid multi-line string at 1"));
    EXPECT_THAT(mistakes("a = \"x\ny\"\nb = 3\n"), ElementsAre("Invalid multi-line string at 1"));
}

TEST(Parser, ReportsTheBracketThatIsNotClosed)
{
    std::string const next = "resource \"b\" \"b\" {\n  y = 2\n}\n";
    auto const only = [](int line) { return ElementsAre("Bracket is not closed at " + std::to_string(line)); };

    EXPECT_THAT(mistakes("a {\n  x = {\n    y = 1\n}\n\n" + next), only(2));
    EXPECT_THAT(mistakes("a {\n  x = {\n    y = 1\n\n" + next), only(2));
    EXPECT_THAT(mistakes("a {\n  w = 1\n  x {\n    z = {\n      y = 1\n  }\n}\n" + next), only(4));
    EXPECT_THAT(mistakes("a {\n  x = [\n    1,\n    2\n  y = 3\n}\n" + next), only(2));
    EXPECT_THAT(mistakes("a {\n  x = max(\n    1,\n    2\n  y = 3\n}\n" + next), only(2));
}

TEST(Parser, ReportsOtherMistakesBesideClosedBrackets)
{
    EXPECT_THAT(mistakes("a {\nx = {\ny = 1\n}\n}\nb = )\n"), ElementsAre("Invalid expression at 6"));
    EXPECT_THAT(mistakes("a {\n    x = {\n  y = 1\n}\n  }\nb = )\n"), ElementsAre("Invalid expression at 6"));
    EXPECT_THAT(mistakes("b = )\na {\n  x = {\n    y = 1\n}\n"),
        ElementsAre("Invalid expression at 1", "Bracket is not closed at 3"));
}

TEST(Parser, EndsABlockWithoutBraceBeforeTheNextOneOfItsIndentation)
{
    EXPECT_EQ(outline_after_a_mistake("a {\n  x = 1\n\nb {\n  y = 2\n}\nc {\n}\n"), "a(x ) b(y ) c() ");
    EXPECT_EQ(outline_after_a_mistake("a {\n  x = 1\n  d {\n\nb {\n  y = 2\n}\n"), "a(x ) b(y ) ");
    EXPECT_EQ(outline_after_a_mistake("a {\n  d {\n  }\n"), "a() ");
}

TEST(Parser, EndsBracketsThatAreNotClosedBeforeTheEndOfTheirBlock)
{
    EXPECT_EQ(outline_after_a_mistake("a {\n  x = lower(\n}\nb {\n  y = 2\n}\n"), "a(x ) b(y ) ");
    EXPECT_EQ(outline_after_a_mistake("a {\n  x = [1, upper(z[\n}\nb {\n  y = (2)\n}\n"), "a(x ) b(y ) ");
    EXPECT_EQ(outline_after_a_mistake("a {\n  x = \"${lower(}\"\n  z = 1\n}\nb {\n  y = (2)\n}\n"), "a(x z ) b(y ) ");
    EXPECT_EQ(outline_after_a_mistake("a {\n  x = {\n    k = f(\n  }\n  z = 1\n}\n"), "a(x z ) ");
}

TEST(Parser, ReadsArgumentsBesideAnIncompleteReference)
{
    EXPECT_EQ(outline_after_a_mistake("a {\n  x = aws_x.\n  y = 1\n}\nb {\n}\n"), "a(x y ) b() ");
    EXPECT_EQ(outline_after_a_mistake("a {\n  x =\n  y = 1\n}\nb {\n}\n"), "a(x y ) b() ");
    EXPECT_EQ(outline_after_a_mistake("a {\n  x\n  y = 1\n}\nb {\n}\n"), "a(y ) b() ");
    EXPECT_EQ(outline_after_a_mistake("a {\n  \"x\"\n  y = 1\n}\nb {\n}\n"), "a(y ) b() ");
    EXPECT_EQ(outline_after_a_mistake("}\nb {\n}\n"), "b() ");
}

TEST(Parser, ReadsFilesOfManyPiecesOfTokensAsItReadsShortOnes)
{
    std::string const item =
        "resource \"a\" \"b\" {\n  x = \"${f(1, y.z[0])}-\\n\" # c\n  y = { k = [1.5, true] }\n}\n";
    diagnostics found;
    auto const one = parse_file("main.tf", item, found);
    testing::tree_writer writer(testing::tree_writer::form::brackets);
    std::string const expected = writer.written(one->root());
    for (std::size_t const shift : {0U, 1U, 2U, 3U, 5U, 7U, 11U, 13U}) {
        std::string text(shift, '\n');
        for (int i = 0; i < 60; ++i) text += item;

        auto const many = parse_file("main.tf", text, found);

        ASSERT_EQ(many->root().blocks.size(), 60U);
        for (auto const& block : many->root().blocks) {
            body alone;
            alone.blocks.push_back(block);
            ASSERT_EQ(writer.written(alone), expected);
        }
    }
    EXPECT_TRUE(found.empty());
}

TEST(Parser, SkipsThousandsOfNewlines)
{
    std::string const lines(5000, '\n');
    diagnostics found;

    auto const tree =
        parse_file("main.tf", "a = {" + lines + "for x in y : x => x" + lines + "}\nb = )" + lines + "c = 1\n", found);

    EXPECT_THAT(summaries(found), ElementsAre("Invalid expression at 10002"));
    EXPECT_EQ(tree->root().attributes.size(), 3U);
}

TEST(Parser, ReportsInvalidCharactersBeforeMistakesOfTheGrammar)
{
    std::string const text = "a = )\nb = 1\nc = ?\n" + std::string(3000, '\n') + "d = `\n";

    EXPECT_THAT(mistakes(text),
        ElementsAre("Invalid character at 3004", "Invalid expression at 1", "Invalid expression at 3",
            "Invalid expression at 3004"));
}

TEST(Parser, LimitsTheNestingOfExpressions)
{
    for (char const* const open : {"[", "(", "{a=", "!", "-", "f(", "\"${"}) {
        std::string text = "a = ";
        for (int i = 0; i < 20'000; ++i) text += open;

        EXPECT_FALSE(mistakes(text + "\n").empty()) << open;
    }
    std::string blocks;
    for (int i = 0; i < 20'000; ++i) blocks += "a {\n";
    EXPECT_FALSE(mistakes(blocks).empty());
}

TEST(Parser, ReadsManyDirectivesOfATemplateInLinearTime)
{
    std::string text = "a = \"";
    for (int i = 0; i < 50'000; ++i) text += "%{if true}x%{else}y%{endif}";
    diagnostics found;

    auto const tree = parse_file("main.tf", text + "\"\n", found);

    EXPECT_TRUE(found.empty());
    EXPECT_EQ(evaluate(tree->root().attributes[0].of, table_scope(), found).as_string(), std::string(50'000, 'x'));
}

TEST(Parser, LimitsReportsOfTheSameInvalidCharacter)
{
    diagnostics found;

    auto const tree = parse_file("main.tf", std::string(2'000'000, '@'), found);

    EXPECT_LT(found.size(), 30U);
    EXPECT_LT(found[0].source.text.size(), 5000U);
}

TEST(Diagnostic, ShowsThePartOfALongLineAroundTheMistake)
{
    source_file const file(
        "main.tf", "first\n" + std::string(100'000, 'x') + "HERE" + std::string(100'000, 'y') + "\n");

    auto const shown = excerpt_of({&file, {100'006, 100'010}});

    EXPECT_EQ(shown.first_line, 2U);
    EXPECT_EQ(shown.text.substr(shown.mark, 4), "HERE");
    EXPECT_EQ(shown.text.size(), 4096U);
}

TEST(Parser, SurvivesEveryPrefixOfAFile)
{
    std::string const text = "a \"b\" {\n  c = <<-EOT\n    x ${d[*].e ? 1 : \"%{ if f }g%{ endif }\"}\n  EOT\n"
                             "  h = { for k, v in i : k => v... if v > 1 }\n  j = -1.5e3 + !(l.m[\"n\"].0) # o\n}\n";

    for (std::size_t length = 0; length < text.size(); ++length) {
        diagnostics found;
        auto const tree = parse_file("main.tf", text.substr(0, length), found);
        EXPECT_EQ(tree->file().text().size(), length);
    }
    EXPECT_THAT(mistakes(text), ElementsAre());
}

TEST(Diagnostic, PrintsPlaceSourceValuesAndWrappedDetail)
{
    diagnostics found;
    auto const tree = parse_file("main.tf", "output \"x\" {\n  value = local.m[\"b\"]\n}\n", found);
    auto const& attribute = tree->root().blocks[0].content.attributes[0];
    testing::table_scope const scope({{"local.m", value::object({{"a", value(true)}})}});

    static_cast<void>(evaluate(attribute.of, scope, found));

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(render(found[0]),
        "\nError: Invalid index\n\n"
        "  on main.tf line 2, in output \"x\":\n"
        "   2:   value = local.m[\"b\"]\n"
        "    \xE2\x94\x82                  ^^^^^\n"
        "    "
        "\xE2\x94\x9C\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80"
        "\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\xE2\x94\x80\n"
        "    \xE2\x94\x82 local.m is object with 1 attribute \"a\"\n\n"
        "This object has no attribute with this name. [no_such_attribute_by_key]\n");
}

TEST(Diagnostic, WrapsAtSpacesAndLeavesIndentedLines)
{
    static constexpr messages::message<3> long_words{"long_words", "S", "{0} {1}\n  {2}"};

    auto const text = render(error(long_words, {std::string(10, 'a'), std::string(70, 'b'), std::string(90, 'c')}));

    EXPECT_THAT(
        text, HasSubstr(std::string(10, 'a') + "\n" + std::string(70, 'b') + "\n  " + std::string(90, 'c') + "\n"));
}

}  // namespace
}  // namespace iacctl::language
