// SPDX-License-Identifier: BSL-1.0
#include "views/diagnostic_text.hpp"
#include "views/diagnostic_json.hpp"

#include "language/syntax/diagnostic.hpp"
#include "language/syntax/source.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace {

namespace views = iacctl::views;
namespace infra = strider::infra;
namespace language = iacctl::language;

[[nodiscard]] infra::diagnostic diagnostic_with(
    infra::severity level, std::string summary, std::string detail, std::string address = {})
{
    infra::diagnostic out;
    out.level = level;
    out.summary = std::move(summary);
    out.detail = std::move(detail);
    out.address = std::move(address);
    return out;
}

[[nodiscard]] auto at_line_five() -> infra::diagnostic
{
    auto out = diagnostic_with(infra::severity::error, "Invalid index",
        "The given key does not identify an element in this collection value.", "terraform_data.a");
    out.source = {
        "main.tf", 5, 11, "output \"x\"", "  value = local.m[\"b\"]", {"local.m is object with 1 attribute \"a\""}};
    out.source.mark = 10;
    return out;
}

}  // namespace

TEST(DiagnosticText, ShowsNoControlCharactersOfProviders)
{
    auto one = diagnostic_with(infra::severity::warning, "Sum\x1b[2Jmary", "De\u009btail\n\ttab", "t.a[\"\x07\"]");

    for (bool const colour : {false, true}) {
        auto const text = views::diagnostic_text(one, {colour}) + views::compact_diagnostics_text({one}, {colour});
        EXPECT_EQ(text.find("\x1b[2J"), std::string::npos) << text;
        EXPECT_EQ(text.find("\u009b"), std::string::npos) << text;
        EXPECT_EQ(text.find('\a'), std::string::npos) << text;
        EXPECT_NE(text.find("Sum\\x1b[2Jmary"), std::string::npos) << text;
        EXPECT_NE(text.find("\ttab"), std::string::npos) << text;
    }
}

TEST(DiagnosticText, HidesPasswordsOfAddressesInTheSource)
{
    auto one = at_line_five();
    one.source.text = "  source = \"git::https://user:s3cret@example.com/a.git\"";

    auto const text = views::diagnostic_text(one, {});
    auto const json = views::diagnostic_json(one);

    EXPECT_EQ((text + json).find("s3cret"), std::string::npos) << text << json;
    EXPECT_NE(text.find("https://***********@example.com/a.git"), std::string::npos) << text;
}

TEST(DiagnosticText, ShowsOneOfSimilarWarnings)
{
    auto const at = [](std::uint32_t line) {
        auto one = diagnostic_with(infra::severity::warning, "Old words", "Use new ones.");
        one.source = {"main.tf", line, 1, "", "old", {}};
        return one;
    };
    auto const without_place = diagnostic_with(infra::severity::warning, "Old words", "Everywhere.");

    auto const shown = views::consolidated({at(1), at_line_five(), at(2), without_place, at(3)});

    ASSERT_EQ(shown.size(), 3U);
    EXPECT_EQ(shown[0].detail, "Use new ones.\n\n(2 more warnings like this elsewhere)");
    EXPECT_EQ(shown[1].summary, "Invalid index");
    EXPECT_EQ(shown[2].detail, "Everywhere.");
}

TEST(DiagnosticText, ConsolidatesTheRequestedLevels)
{
    auto const at = [](infra::severity level, std::uint32_t line) {
        auto one = diagnostic_with(level, "Old words", "Use new ones.");
        one.source = {"main.tf", line, 1, "", "old", {}};
        return one;
    };
    using enum infra::severity;
    infra::diagnostics const all{at(warning, 1), at(error, 2), at(warning, 3), at(error, 4), at(error, 5)};

    EXPECT_EQ(views::consolidated(all).size(), 4U);
    EXPECT_EQ(views::consolidated(all, {false, false}).size(), 5U);
    auto const both = views::consolidated(all, {true, true});

    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[0].detail, "Use new ones.\n\n(one more warning like this elsewhere)");
    EXPECT_EQ(both[1].detail, "Use new ones.\n\n(2 more errors like this elsewhere)");
}

TEST(DiagnosticText, ShowsOneErrorForAllReferencesToAnUndeclaredName)
{
    auto const at = [](std::uint32_t line, std::string detail, std::string code) {
        auto one = diagnostic_with(infra::severity::error, "Reference to undeclared input variable", std::move(detail));
        one.source = {"main.tf", line, 1, line == 3 ? "output \"o\"" : "", "var.a", {}};
        one.code = std::move(code);
        return one;
    };
    infra::diagnostics const all{at(1, "No a.", "undeclared_input_variable"),
        at(2, "No b.", "undeclared_input_variable"), at(3, "No a.", "undeclared_input_variable"),
        at(4, "No a.", "undeclared_input_variable"), at(5, "No a.", "other"), at(6, "No a.", "other")};

    auto const shown = views::consolidated(all);

    ASSERT_EQ(shown.size(), 4U);
    EXPECT_EQ(shown[0].detail, "No a.\n\nOther references to it:\n  main.tf line 3, in output \"o\"\n  main.tf line 4");
    EXPECT_EQ(shown[1].detail, "No b.");
    EXPECT_EQ(shown[2].source.line, 5U);
    EXPECT_EQ(shown[3].source.line, 6U);
}

TEST(DiagnosticText, NamesTheBlockOfTheFirstLine)
{
    auto one = at_line_five();
    one.source.line = 1;

    EXPECT_THAT(views::diagnostic_text(one), ::testing::HasSubstr("on main.tf line 1, in output \"x\":"));
}

TEST(DiagnosticText, ShowsAddressPlaceSourceAndValues)
{
    EXPECT_EQ(views::diagnostic_text(at_line_five()), R"(
Error: Invalid index

  with terraform_data.a,
  on main.tf line 5, in output "x":
   5:   value = local.m["b"]
    │           ^
    ├────────────────
    │ local.m is object with 1 attribute "a"

The given key does not identify an element in this collection value.
)");
}

TEST(DiagnosticText, MarksThePlaceInItsFirstLine)
{
    auto const marked = [](std::string const& text, language::byte_range bytes, language::byte_range around = {}) {
        language::source_file const file("main.tf", text);
        infra::diagnostic error;
        error.summary = "Wrong";
        error.source = language::excerpt_of(
            {&file, bytes}, around.end > 0 ? language::source_range{&file, around} : language::source_range());
        auto shown = views::diagnostic_text(error);
        return shown.substr(shown.find(":\n") + 2);
    };

    EXPECT_EQ(marked("a = b.c\n", {4, 7}), "   1: a = b.c\n    │     ^^^\n\n");
    EXPECT_EQ(marked("\ta = b\n", {5, 6}), "   1: \ta = b\n    │ \t    ^\n\n") << "a tab is as wide as above";
    EXPECT_EQ(marked("a = b\n", {5, 5}), "   1: a = b\n    │      ^\n\n") << "behind the last character";
    EXPECT_EQ(marked("a = b\n", {0, 5}), "   1: a = b\n\n") << "a whole line needs no mark";
    EXPECT_EQ(marked("\u65E5 = \u672C.x\n", {6, 11}), "   1: \u65E5 = \u672C.x\n    │      ^^^^\n\n")
        << "these characters take two columns each";
    EXPECT_EQ(marked("f(\n\n  1,\n  x)\n", {11, 12}, {0, 13}), "   4:   x)\n    │   ^\n\n");
    EXPECT_EQ(marked("a = [b,\n  c]\n", {4, 12}), "   1: a = [b,\n    │     ^^^\n   2:   c]\n\n");
}

TEST(DiagnosticText, NamesTheBlockAroundThePlace)
{
    language::source_file file("main.tf", "locals {\n  a = 1\n  b = local.c\n}\n");
    file.add_region({0, 35}, "locals");
    infra::diagnostic error;
    error.summary = "Reference to undeclared local value";
    error.source = language::excerpt_of({&file, {25, 32}});

    auto const text = views::diagnostic_text(error);

    EXPECT_THAT(text, testing::HasSubstr("on main.tf line 3, in locals:\n   3:   b = local.c\n"));
}

TEST(DiagnosticText, HasABoxWithColour)
{
    auto text = views::diagnostic_text(at_line_five(), {true, 78, false});
    for (auto at = text.find('\033'); at != std::string::npos; at = text.find('\033'))
        text.erase(at, text.find('m', at) + 1 - at);

    EXPECT_EQ(text, R"(╷
│ Error: Invalid index
│ 
│   with terraform_data.a,
│   on main.tf line 5, in output "x":
│    5:   value = local.m["b"]
│     │           ^
│     ├────────────────
│     │ local.m is object with 1 attribute "a"
│ 
│ The given key does not identify an element in this collection value.
╵
)");
}

TEST(DiagnosticText, WrapsTheDetailOnly)
{
    auto const text = views::diagnostic_text(
        diagnostic_with(infra::severity::warning, "S", std::string(9, 'a') + " " + std::string(9, 'b')),
        {false, 15, false});

    EXPECT_EQ(text, "\nWarning: S\n\naaaaaaaaa\nbbbbbbbbb\n");
}

TEST(DiagnosticsText, PutsWarningsFirstAndCanBeCompact)
{
    auto const warning = diagnostic_with(infra::severity::warning, "Careful", "Long story.");

    auto const both = views::diagnostics_text({at_line_five(), warning});
    auto const compact = views::compact_diagnostics_text({warning});

    EXPECT_LT(both.find("Warning: Careful"), both.find("Error: Invalid index"));
    EXPECT_EQ(compact, "\nWarnings:\n\n- Careful\n\nWithout -compact-warnings, iacctl shows them in full.\n");
    EXPECT_THAT(views::compact_diagnostics_text({warning, at_line_five()}), testing::HasSubstr("Long story."));
}
