// SPDX-License-Identifier: BSL-1.0
#include "fixtures.hpp"
#include "support.hpp"

#include "language/configuration/configuration.hpp"
#include "language/configuration/module_scope.hpp"
#include "language/configuration/version_constraint.hpp"
#include "language/syntax/format.hpp"
#include "language/syntax/json_syntax.hpp"
#include "language/validation/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace iacctl::language {
namespace {

using ::testing::Contains;
using testing::content_of;
using ::testing::ElementsAre;
using testing::fixtures_root;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::summaries;
using testing::toy_schemas;
using ::testing::UnorderedElementsAre;

using texts = std::map<std::string, std::string>;

/// The diagnostics of loading and validation, as "summary at file:line".
auto places_of_mistakes(texts const& files) -> std::vector<std::string>
{
    diagnostics found;
    auto const made = load_configuration(files, found);
    if (!found.has_errors()) validate(made, toy_schemas(), found);
    std::vector<std::string> all;
    for (auto const& one : found)
        all.push_back(
            one.summary + (one.source ? " at " + one.source.file + ":" + std::to_string(one.source.line) : ""));
    return all;
}

/// The values of the outputs of a root module, if they can be determined without an engine.
auto outputs(texts const& files) -> std::string
{
    diagnostics found;
    auto const made = load_configuration(files, found);
    validate(made, toy_schemas(), found);
    if (found.has_errors()) return found[0].summary + ": " + found[0].detail;
    module_scope const in(made, nullptr, {}, {});
    std::vector<value_entry> all;
    for (auto const& [name, one] : made.outputs) all.push_back({name, evaluate(one.of, in, found)});
    return to_json(value::object(std::move(all)));
}

// JSON syntax

TEST(JsonSyntax, IsEquivalentToTheNativeSyntax)
{
    EXPECT_EQ(outputs({{"main.tf.json", R"json({
        "//": "a comment",
        "locals": [{"a": "x${1 + 1}", "b": "${[1, 2]}"}, {"c": {"k": true, "${local.a}": null}}],
        "variable": {"v": {"type": "list(number)", "default": [1.50, 2], "description": "not ${a} template"}},
        "output": {
    "o" : {"value" : "${local.a}-${local.b[1]}"}, "p" : {"value" : "${local.c}"}}
    })json"}}),
        R"({"o":"x2-2","p":{"k":true,"x2":null}})");
}

TEST(JsonSyntax, AcceptsReferencesAndKeywordsAsStrings)
{
    EXPECT_THAT(places_of_mistakes({{"main.tf.json", R"({"resource": {"toy": {
        "a": {"text": "x", "lifecycle": {"ignore_changes": "all", "create_before_destroy": true}},
        "b": [{"depends_on": ["toy.a"], "lifecycle": {"replace_triggered_by": ["toy.a"], "ignore_changes": ["text"]},
            "provisioner": [{"run": {"command": "x", "when": "destroy", "on_failure": "continue"}}]}]
    }}})"}}),
        IsEmpty());
}

TEST(JsonSyntax, PointsIntoStringsWithEscapes)
{
    EXPECT_THAT(
        places_of_mistakes({{"main.tf.json", "{\"output\": {\"o\": {\n\"value\": \"\\u00e9 ${local.nope}\"}}}"}}),
        ElementsAre("Reference to undeclared local value at main.tf.json:2"));
    EXPECT_THAT(places_of_mistakes({{"main.tf.json", "{\"output\": {\"o\": {\"value\": \"${1 +}\"}}}"}}),
        ElementsAre("Invalid expression at main.tf.json:1"));
}

TEST(JsonSyntax, RejectsTooDeepNesting)
{
    diagnostics found;
    auto const tree = parse_json_file("x.tf.json", std::string(1'000'000, '['), {}, found);

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "json_nested_too_deeply");
    EXPECT_LT(tree->file().region_at(999'999).size(), 2000U);
}

TEST(JsonSyntax, CallsUnknownArgumentsExtraneous)
{
    EXPECT_THAT(places_of_mistakes({{"main.tf.json", "{\"resource\": {\"toy\": {\"a\": {\"sise\": 1}}}}"}}),
        ElementsAre("Extraneous JSON object property at main.tf.json:1"));
}

// Override files

TEST(Overrides, ReplaceArgumentsAndBlocks)
{
    texts const files{
        {"main.tf",
            "locals {\n  a = 1\n  b = 2\n}\nvariable \"v\" {\n  default = \"x\"\n}\noutput \"o\" {\n  value = "
            "\"${local.a}${local.b}\"\n}\n"},
        {"a_override.tf", "locals {\n  a = 10\n}\n"},
        {"override.tf", "output \"o\" {\n  value = \"${local.a}-${local.b}\"\n}\n"},
    };

    EXPECT_EQ(outputs(files), R"({"o":"10-2"})");
}

TEST(Overrides, NeedSomethingToOverride)
{
    EXPECT_THAT(places_of_mistakes({{"main.tf", "\n"}, {"override.tf", R"(locals {
  a = 1
}
variable "v" {
}
output "o" {
  value = 1
}
resource "toy" "a" {
}
moved {
  from = toy.a
  to   = toy.b
}
)"}}),
        UnorderedElementsAre("Missing base local value definition to override at override.tf:2",
            "Missing base variable declaration to override at override.tf:4",
            "Missing base output definition to override at override.tf:6",
            "Missing resource to override at override.tf:9", "Cannot override 'moved' blocks at override.tf:11"));
    EXPECT_THAT(places_of_mistakes({{"main.tf", "output \"o\" {\n  value = 1\n}\n"},
                    {"override.tf", "output \"o\" {\n  depends_on = [toy.a]\n}\n"}}),
        ElementsAre("Unsupported override at override.tf:2"));
}

// Modules

TEST(Modules, ReceiveTheirVariablesFromTheCall)
{
    texts const files{
        {"main.tf", "module \"m\" {\n  source = \"./child\"\n  given = 2\n}\noutput \"o\" {\n  value = module.m\n}\n"},
        {"child/main.tf",
            "variable \"given\" {\n  type = string\n}\nvariable \"preset\" {\n  default = \"p\"\n}\n"
            "module \"inner\" {\n  source = \"../inner\"\n}\n"
            "output \"all\" {\n  value = \"${var.given}${var.preset}${module.inner.x}\"\n}\n"},
        {"inner/main.tf", "output \"x\" {\n  value = path.module\n}\n"},
    };

    EXPECT_EQ(outputs(files), R"({"o":{"all":"2pinner"}})");
}

TEST(Modules, AreCalledWithDeclaredVariables)
{
    EXPECT_THAT(places_of_mistakes({{"main.tf",
                                        "module \"m\" {\n  source = \"./child\"\n  extra = 1\n  n = []\n}\n"
                                        "output \"o\" {\n  value = module.m.nope\n}\n"},
                    {"child/main.tf", "variable \"needed\" {\n}\nvariable \"n\" {\n  type = number\n}\n"}}),
        UnorderedElementsAre("Unsupported argument at main.tf:3", "Missing required argument at main.tf:1",
            "Invalid value for input variable at main.tf:4", "Unsupported attribute at main.tf:7"));
}

TEST(Modules, MustExistAndMustNotBeRecursive)
{
    EXPECT_THAT(places_of_mistakes({{"main.tf", "module \"a\" {\n  source = \"./nope\"\n}\n"}}),
        ElementsAre("Unreadable module directory at main.tf:2"));
    EXPECT_THAT(places_of_mistakes({{"main.tf", "module \"a\" {\n  source = \"foo\"\n}\n"}}),
        ElementsAre("Invalid module source address at main.tf:2"));
    EXPECT_THAT(places_of_mistakes({{"main.tf", "module \"a\" {\n  source = \"./x\"\n}\n"},
                    {"x/main.tf", "module \"b\" {\n  source = \"../x\"\n}\n"}}),
        ElementsAre("Module nested too deeply at x/main.tf:1"));
}

TEST(Modules, RejectMisplacedBlocks)
{
    EXPECT_THAT(places_of_mistakes({{"main.tf", R"(moved {
  from = toy.a
  to   = module.x
}
moved {
  from = a
  to   = toy.b
}
removed {
  from = toy.q[0]
}
import {
  to = foo
  id = "x"
}
check "c" {
}
module "m" {
  source   = "./m"
  count    = 1
  for_each = {}
  locals {
  }
}
)"}}),
        ::testing::IsSupersetOf({"Invalid \"moved\" addresses at main.tf:1", "Invalid address at main.tf:6",
            "Resource instance keys not allowed at main.tf:10", "Invalid import address at main.tf:13",
            "Zero assert blocks at main.tf:16", "Invalid combination of \"count\" and \"for_each\" at main.tf:21",
            "Reserved block type name in module block at main.tf:22"}));
}

// Static checks

TEST(Validate, EvaluatesExpressionsThatCannotSucceed)
{
    EXPECT_THAT(places_of_mistakes({{"main.tf", R"(locals {
  a = abs("x")
  b = local.a + 1
}
resource "toy" "t" {
  size = "many"
  text = each.key
}
resource "toy" "u" {
  size  = toy.t.size + 1
  count = -1
}
)"}}),
        UnorderedElementsAre("Invalid function argument at main.tf:2", "Incorrect attribute value type at main.tf:6",
            "Reference to \"each\" in context without for_each at main.tf:7", "Invalid count argument at main.tf:11"));
    EXPECT_THAT(places_of_mistakes({{"main.tf", "resource \"toy\" \"t\" {\n  size = \"many\"\n}\n"}}),
        ElementsAre("Incorrect attribute value type at main.tf:2"));
}

TEST(Versions, FitIfOneReleaseOfARangeSatisfiesAllConstraints)
{
    for (char const* const one : {"~> 1.15.0", "1.15.6", "= 1.12.2", "~> 1.14.3", ">= 1.13.4, < 1.14",
             ">= 1.12, < 1.14", "= 1.13.2", "!= 1.17.0", "!= 1.11.4", "> 1.11.4, != 1.11.5", ">= 1.0", "~> 1.0",
             "<= 1.11.4", "< 2, > 1.16", "1.17.0", "~> 1.11", "~> 1.17.2", "> 1.17.0", ">= 1.17.0, != 1.17.0"})
        EXPECT_TRUE(fits(terraform_versions, one)) << one;
    for (char const* const one :
        {"< 1.11", "< 1.11.4", "~> 1.10.0", "> 1.18", ">= 1.18", "~> 2.0", ">= 1.13, < 1.12", "= 1.12.0, = 1.13.0"})
        EXPECT_FALSE(fits(terraform_versions, one)) << one;
    EXPECT_TRUE(fits(opentofu_versions, "~> 1.9.0"));
    EXPECT_FALSE(fits(opentofu_versions, ">= 1.14"));
    EXPECT_FALSE(fits(opentofu_versions, "< 1.8"));
    EXPECT_THAT(places_of_mistakes({{"main.tf", "terraform {\n  required_version = \">= 1.12, < 1.14\"\n}\n"},
                    {"other.tofu", "terraform {\n  required_version = \"~> 1.9.0\"\n}\n"}}),
        IsEmpty());
    EXPECT_THAT(places_of_mistakes({{"other.tofu", "terraform {\n  required_version = \"~> 1.7.0\"\n}\n"}}),
        ElementsAre("Incompatible module at other.tofu:2"));
}

TEST(Versions, FollowTheirConstraints)
{
    EXPECT_EQ(satisfies("1.11.4", ">= 1.0, < 2.0"), true);
    EXPECT_EQ(satisfies("1.11.4", "~> 1.11.0"), true);
    EXPECT_EQ(satisfies("1.11.4", "~> 1.10.0"), false);
    EXPECT_EQ(satisfies("1.11.4", "!= 1.11.4"), false);
    EXPECT_EQ(satisfies("1.11.4", "= 1.11.4"), true);
    EXPECT_EQ(satisfies("1.11.4", "~> x"), std::nullopt);
    EXPECT_THAT(places_of_mistakes({{"main.tf", "terraform {\n  required_version = \">= 9\"\n}\n"}}),
        ElementsAre("Unsupported Terraform Core version at main.tf:2"));
}

// Formatting

auto formatted(std::string const& text) -> std::string
{
    diagnostics found;
    return format("x.tf", text, format_rules::conventions, found).text;
}

TEST(Format, FormatsTextCanonically)
{
    EXPECT_EQ(formatted("a=1\nlonger   =  [1,2 , 3]# why\nb = { x=1 }// so\n\nresource toy \"x\" {\nsize=-1\n"
                        "  text = \"${var.a}\"\n  nested { }\n      list=[\n1,\n  2 ]\n}\nc=f( a,b ... )[ 0 ].d\n"),
        "a      = 1\nlonger = [1, 2, 3] # why\nb      = { x = 1 } // so\n\nresource \"toy\" \"x\" {\n  size = -1\n"
        "  text = var.a\n  nested {}\n  list = [\n    1,\n  2]\n}\nc = f(a, b...)[0].d\n");
}

TEST(Format, ModernisesTypesOfVariables)
{
    EXPECT_EQ(
        formatted("variable \"a\" {\n  type = \"string\"\n}\nvariable \"b\" {\n  type = \"map\"\n}\nvariable \"c\" "
                  "{\n  type = list\n}\n"),
        "variable \"a\" {\n  type = string\n}\nvariable \"b\" {\n  type = map(string)\n}\nvariable \"c\" {\n  type = "
        "list(any)\n}\n");
}

TEST(Format, KeepsHeredocsAndComments)
{
    std::string const text = "a = <<EOT\n  x  ${ 1+1 }\n\tEOT\n/* b\n  c */\nd = 1 # e\n";

    EXPECT_EQ(formatted(text), "a = <<EOT\n  x  ${1 + 1}\n\tEOT\n/* b\n  c */\nd = 1 # e\n");
}

TEST(Format, PutsAnExpressionWithACommentBetweenLinesInParentheses)
{
    EXPECT_EQ(formatted("a = \"${ # why\n  b}\"\n"), "a = ( # why\nb)\n");
    EXPECT_EQ(formatted("a = \"${b # why\n}\"\n"), "a = (b # why\n)\n");
    EXPECT_EQ(formatted("a = \"${/* why */ b}\"\n"), "a = /* why */ b\n");
}

TEST(Format, KeepsTheLinesOfSequencesInHeredocs)
{
    for (std::string const text :
        {"a {\n  b   = 1\n  abc = <<-EOT\n    x\n    ${join(\n  \", \",\n    c\n)}\n  EOT\n}\n",
            "a {\n  abc = 1\n  b   = <<EOT\n${join(\n        \",\",\n  [for x in y : \"${f(\n  x)}\"]\n    "
            ")}\nEOT\n}\n",
            "a = <<EOT\n%{ for x in [\n1,\n      2] ~}\n${x}\n%{endfor~}\nEOT\nb = 1\n",
            "a = <<EOT\n${<<IN\n  x ${ 1 }\nIN\n}\nEOT\n", "a = <<EOT\n${ # why\n  1 }\nEOT\n"})
        EXPECT_EQ(formatted(text), text);
    EXPECT_EQ(formatted("a = <<EOT\n${ 1+1 } ${f(\n  1,2)} ${ 2+2 }\nEOT\nbc = [\n1 ]\n"),
        "a = <<EOT\n${1 + 1} ${f(\n  1,2)} ${2 + 2}\nEOT\nbc = [\n1]\n");
}

TEST(Format, DoesNotChangeInvalidText)
{
    diagnostics found;

    EXPECT_EQ(format("x.tf", "a  = (\n", format_rules::conventions, found).text, "a  = (\n");
    EXPECT_TRUE(found.has_errors());
}

TEST(Format, DoesNotJoinAStepAndANumber)
{
    diagnostics found;

    EXPECT_EQ(format("x.tf", "a=5. 0\n", format_rules::conventions, found).text, "a = 5 .0\n");
    EXPECT_EQ(format("x.tf", "a=b.5.c\n", format_rules::conventions, found).text, "a = b.5.c\n");
    EXPECT_FALSE(found.has_errors());
}

// Fixtures

auto fixtures_ending_in(std::string const& suffix) -> std::vector<std::filesystem::path>
{
    std::vector<std::filesystem::path> all;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(fixtures_root))
        if (entry.path().string().ends_with(suffix)) all.push_back(entry.path());
    std::ranges::sort(all);
    return all;
}

/// The configurations of all scenarios: the sections `=== file NAME.tf`.
auto scenario_configurations() -> std::vector<std::string>
{
    auto const folder = std::filesystem::path(__FILE__).parent_path() / "../../golden";
    std::vector<std::string> all;
    for (auto const& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() != ".golden") continue;
        std::istringstream lines(testing::content_of(entry.path()));
        bool inside = false;
        for (std::string line; std::getline(lines, line);) {
            if (line.starts_with("=== ")) {
                inside = line.starts_with("=== file ") && line.ends_with(".tf");
                if (inside) all.emplace_back();
            } else if (inside) {
                all.back() += line + '\n';
            }
        }
    }
    return all;
}

TEST(Scenarios, StayTheSameWhenFormattedTwice)
{
    auto const all = scenario_configurations();
    ASSERT_GT(all.size(), 100U);
    for (auto const& text : all)
        for (std::string const indentation : {"", "    "}) {
            // With another indentation and without alignment, formatting has more to do.
            std::string changed;
            std::istringstream lines(text);
            for (std::string line; std::getline(lines, line);)
                changed += indentation.empty() ? line + '\n' : indentation + line + "  \n";
            diagnostics found;
            auto const once = format("x.tf", changed, format_rules::conventions, found).text;
            if (found.has_errors()) continue;
            EXPECT_EQ(format("x.tf", once, format_rules::conventions, found).text, once);
        }
}

TEST(Fixtures, StayTheSameWhenFormattedTwice)
{
    if (!std::filesystem::exists(fixtures_root)) GTEST_SKIP() << "there is no " << fixtures_root;
    auto const files = fixtures_ending_in(".tf");
    ASSERT_FALSE(files.empty());
    for (auto const& path : files) {
        diagnostics found;
        auto const once = format(path.string(), content_of(path), format_rules::conventions, found).text;
        if (found.has_errors()) continue;
        EXPECT_EQ(format(path.string(), once, format_rules::conventions, found).text, once) << path;
    }
}

TEST(Fixtures, ParseIfTheyAreValid)
{
    if (!std::filesystem::exists(fixtures_root)) GTEST_SKIP() << "there is no " << fixtures_root;
    std::size_t valid = 0;
    for (auto const& path : fixtures_ending_in(".tf")) {
        if (path.string().find("/config-valid-") == std::string::npos) continue;
        ++valid;
        diagnostics found;
        static_cast<void>(parse_file(path.string(), content_of(path), found));
        EXPECT_FALSE(found.has_errors()) << path << ": " << (found.empty() ? "" : found[0].summary);
    }
    EXPECT_GT(valid, 0U);
}

}  // namespace
}  // namespace iacctl::language
