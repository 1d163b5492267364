// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "language/configuration/configuration.hpp"
#include "language/validation/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>

namespace iacctl::language {
namespace {

using ::testing::ElementsAre;
using testing::summaries;
using testing::toy_schemas;
using ::testing::UnorderedElementsAre;

using texts = std::map<std::string, std::string>;

[[nodiscard]] auto configuration_from_texts(texts const& files, diagnostics& found) -> configuration
{
    return load_configuration(files, found);
}

[[nodiscard]] auto load_mistakes(std::string const& text) -> std::vector<std::string>
{
    diagnostics found;
    auto const made = configuration_from_texts({{"main.tf", text}}, found);
    return summaries(found);
}

[[nodiscard]] auto validate_mistakes(std::string const& text) -> std::vector<std::string>
{
    diagnostics found;
    auto const made = configuration_from_texts({{"main.tf", text}}, found);
    validate(made, toy_schemas(), found);
    return summaries(found);
}

TEST(Configuration, ReadsResourcesWithTheirMetaArguments)
{
    diagnostics found;

    auto const made = configuration_from_texts({{"main.tf", R"(
resource "toy" "a" {
  count      = 2
  size       = count.index
  depends_on = [toy.b]
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [size]
    replace_triggered_by  = [toy.b.id]
  }
  provisioner "run" {
    when       = destroy
    on_failure = continue
    command    = self.id
  }
}
resource "toy" "b" {}
)"}},
        found);

    ASSERT_TRUE(found.empty()) << render(found[0]);
    auto const& a = made.resources.at("toy.a");
    EXPECT_TRUE(a.count);
    EXPECT_EQ(a.content.attributes.size(), 1U);
    EXPECT_EQ(a.depends_on[0].address(), "toy.b");
    EXPECT_TRUE(a.lifecycle.create_before_destroy);
    EXPECT_EQ(as_keyword(a.lifecycle.ignore_changes[0]), "size");
    EXPECT_EQ(a.provisioners[0].when, provisioner_time::destroy);
    EXPECT_EQ(a.provisioners[0].on_failure, failure_action::keep_going);
    EXPECT_EQ(a.range.text(), "main.tf:2,1-19");
}

TEST(Configuration, KeepsSettingsAndBackendsWithTheirPlace)
{
    diagnostics found;

    auto const made = configuration_from_texts(
        {{"main.tf",
            "terraform {\n  required_version = \">= 1\"\n  backend \"moon\" {}\n  required_providers {\n"
            "    x = { source = \"a/x\", version = \"~> 2\" }\n  }\n}\n"}},
        found);

    ASSERT_TRUE(found.empty()) << render(found[0]);
    EXPECT_EQ(made.backend->type, "moon");
    EXPECT_EQ(made.backend->range.text(), "main.tf:3,3-17");
    EXPECT_EQ(made.required_versions[0].constraint, ">= 1");
    EXPECT_EQ(made.required_providers.at("x").source, "a/x");
}

TEST(Configuration, ReportsMisplacedArgumentsAndBlocks)
{
    EXPECT_THAT(load_mistakes("resourc \"a\" \"b\" {}\n"), ElementsAre("Unsupported block type at 1"));
    EXPECT_THAT(load_mistakes("resource \"a\" {}\n"), ElementsAre("Missing name for resource at 1"));
    EXPECT_THAT(load_mistakes("resource \"a\" \"b\" \"c\" {}\n"), ElementsAre("Extraneous label for resource at 1"));
    EXPECT_THAT(load_mistakes("resource \"a\" \"b\" {}\nresource \"a\" \"b\" {}\n"),
        ElementsAre("Duplicate resource \"a\" configuration at 2"));
    EXPECT_THAT(load_mistakes("variable \"count\" {}\n"), ElementsAre("Invalid variable name at 1"));
    EXPECT_THAT(load_mistakes("output \"x\" {}\n"), ElementsAre("Missing required argument at 1"));
    EXPECT_THAT(load_mistakes("output \"x\" {\n  value = 1\n  depends_on = toy.a\n}\n"),
        ElementsAre("Invalid expression at 3"));
    EXPECT_THAT(load_mistakes("output \"x\" {\n  value = 1\n  depends_on = [toy.a.id]\n}\n"),
        ElementsAre("Invalid depends_on reference at 3"));
    EXPECT_THAT(load_mistakes("resource \"a\" \"b\" {\n  lifecycle {\n    prevent_destroy = \"perhaps\"\n  }\n}\n"),
        ElementsAre("Unsuitable value type at 3"));
    EXPECT_THAT(load_mistakes("resource \"a\" \"b\" {\n  provisioner \"run\" {\n    when = never\n  }\n}\n"),
        ElementsAre("Invalid \"when\" keyword at 3"));
    EXPECT_THAT(
        load_mistakes("resource \"a\" \"b\" {\n  provisioner \"run\" {\n    when = destroy\n    x = var.y\n  }\n}\n"),
        ElementsAre("Invalid reference from destroy provisioner at 4"));
    EXPECT_THAT(load_mistakes("variable \"x\" {\n  type = number\n  default = \"y\"\n}\n"),
        ElementsAre("Invalid default value for variable at 3"));
    EXPECT_THAT(load_mistakes("variable \"x\" {\n  default = var.y\n}\n"), ElementsAre("Variables not allowed at 2"));
}

TEST(Configuration, ValidatesSettingsOfTheLanguageAndOfProviders)
{
    EXPECT_THAT(load_mistakes("terraform {\n  language = TF2021\n  required_version = null\n}\n"), ElementsAre());
    EXPECT_THAT(load_mistakes("terraform {\n  language = x\n  experiments = []\n}\n"),
        ElementsAre("Unsupported language edition at 2", "Module uses experimental features at 3"));
    EXPECT_THAT(load_mistakes("terraform {\n  backend \"local\" {}\n}\nterraform {\n  cloud {}\n}\n"),
        ElementsAre("Both a backend and cloud configuration are present at 2"));
    EXPECT_THAT(load_mistakes("terraform {\n  required_providers {\n    a = { source = \"x//y\" }\n"
                              "    b = { source = \"b c\" }\n    c = { version = \"new\" }\n    d = { from = 1 }\n"
                              "    e = { configuration_aliases = [e.x, f.y] }\n  }\n  required_providers {}\n}\n"),
        ElementsAre("Invalid provider source string at 3", "Invalid provider type at 4",
            "Invalid version constraint at 5", "Invalid required_providers object at 6",
            "Invalid configuration_aliases value at 7", "Duplicate required providers configuration at 9"));
    EXPECT_THAT(load_mistakes("provider \"a\" {\n  version = \"1\"\n  locals {}\n}\n"),
        ElementsAre("Version constraints inside provider configuration blocks are deprecated at 2",
            "Reserved block type name in provider block at 3"));
    EXPECT_THAT(load_mistakes("resource \"toy\" \"a\" {\n  provider = a.b.c\n}\n"
                              "resource \"toy\" \"b\" {\n  provider = a[0]\n}\n"),
        ElementsAre("Invalid provider configuration reference at 2", "Invalid provider configuration reference at 5"));
}

TEST(Configuration, RequiresConstantNamesOfProviders)
{
    diagnostics found;

    auto const made = configuration_from_texts(
        {{"main.tf",
             "terraform {\n  required_providers {\n    null = { source = \"toy/null\", "
             "configuration_aliases = [null.foo] }\n  }\n}\n"
             "resource \"toy\" \"a\" {\n  provider = null.foo\n}\n"
             "resource \"toy\" \"b\" {\n  provider = true\n}\n"
             "module \"m\" {\n  source = \"./m\"\n  providers = { null = null.foo }\n}\n"},
            {"j.tf.json", R"({"resource": {"toy": {"j": {"provider": "null.foo"}}}})"}, {"m/main.tf", ""}},
        found);

    EXPECT_THAT(summaries(found), ElementsAre());
    EXPECT_EQ(made.resources.at("toy.a").provider, "null.foo");
    EXPECT_EQ(made.resources.at("toy.b").provider, "true");
    EXPECT_THAT(load_mistakes("resource \"toy\" \"a\" {\n  provider = \"null.foo\"\n}\n"),
        ElementsAre("Quoted references are deprecated at 2"));
    EXPECT_EQ(made.resources.at("toy.j").provider, "null.foo");
    EXPECT_THAT(made.required_providers.at("null").aliases, ElementsAre("null.foo"));
    EXPECT_EQ(made.modules.at("m").providers.at(0).in_child, "null");
    EXPECT_EQ(made.modules.at("m").providers.at(0).in_parent, "null.foo");
    EXPECT_THAT(load_mistakes("resource \"toy\" \"a\" {\n  provider = null.foo.bar\n}\n"),
        ElementsAre("Invalid provider configuration reference at 2"));
}

TEST(Configuration, ReadsArgumentsOfEscapeBlocks)
{
    diagnostics found;

    auto const made = configuration_from_texts(
        {{"main.tf",
             "resource \"toy\" \"a\" {\n  _ {\n    count = 1\n  }\n  provisioner \"run\" {\n    _ {\n"
             "      when = 1\n    }\n  }\n}\n"
             "data \"toy\" \"a\" {\n  _ {\n    count = 1\n  }\n}\n"
             "provider \"toy\" {\n  _ {\n    alias = 1\n  }\n}\n"
             "module \"m\" {\n  source = \"./m\"\n  _ {\n    count = 1\n  }\n}\n"},
            {"m/main.tf", ""}},
        found);

    EXPECT_THAT(summaries(found), ElementsAre());
    EXPECT_NE(made.resources.at("toy.a").content.find("count"), nullptr);
    EXPECT_FALSE(made.resources.at("toy.a").count);
    EXPECT_NE(made.resources.at("toy.a").provisioners.at(0).content.find("when"), nullptr);
    EXPECT_NE(made.resources.at("data.toy.a").content.find("count"), nullptr);
    EXPECT_NE(made.providers.at("toy").content.find("alias"), nullptr);
    EXPECT_TRUE(made.modules.at("m").argument("count"));
}

TEST(Configuration, AcceptsOneEscapeBlockOnly)
{
    std::string const twice = "  _ {}\n  _ {}\n";

    EXPECT_THAT(
        load_mistakes("resource \"toy\" \"a\" {\n" + twice + "}\n"), ElementsAre("Duplicate escaping block at 3"));
    EXPECT_THAT(load_mistakes("data \"toy\" \"a\" {\n" + twice + "}\n"), ElementsAre("Duplicate escaping block at 3"));
    EXPECT_THAT(load_mistakes("provider \"toy\" {\n" + twice + "}\n"), ElementsAre("Duplicate escaping block at 3"));
    EXPECT_THAT(load_mistakes("resource \"toy\" \"a\" {\n  provisioner \"run\" {\n" + twice + "  }\n}\n"),
        ElementsAre("Duplicate escaping block at 4"));
    EXPECT_THAT(load_mistakes("resource \"toy\" \"a\" {\n  size = 1\n  _ {\n    size = 2\n  }\n}\n"),
        ElementsAre("Duplicate argument at 4"));
}

TEST(Configuration, RejectsNamesOfProvidersThatEndInADash)
{
    diagnostics found;
    auto const made = configuration_from_texts({{"main.tf", "resource \"aws-_x\" \"a\" {}\n"}}, found);
    check_settings(made, found);

    EXPECT_THAT(summaries(found), ElementsAre("Invalid provider local name at 1"));
    EXPECT_THAT(load_mistakes("provider \"aws-\" {}\n"), ElementsAre("Invalid provider local name at 1"));
    EXPECT_THAT(load_mistakes("resource \"toy\" \"a\" {\n  provider = aws-\n}\n"),
        ElementsAre("Invalid provider local name at 2"));
}

TEST(Configuration, RejectsVariablesAndBlocksInProviderMeta)
{
    EXPECT_THAT(load_mistakes("terraform {\n  provider_meta \"toy\" {\n    a = [1]\n    b = var.x\n    c {}\n  }\n}\n"),
        UnorderedElementsAre("Variables not allowed at 4", "Unexpected \"c\" block at 5"));
}

TEST(Configuration, RejectsTwoBackendsInOneOverrideFile)
{
    auto const mistakes = [](std::string const& text) {
        diagnostics found;
        auto const made =
            configuration_from_texts({{"main.tf", "terraform {\n  backend \"other\" {}\n}\n"},
                                         {"override.tf", "terraform {\n  " + text + " {}\n  " + text + " {}\n}\n"}},
                found);
        return summaries(found);
    };

    EXPECT_THAT(mistakes("cloud"), ElementsAre("Duplicate HCP Terraform configurations at 3"));
    EXPECT_THAT(mistakes("backend \"local\""), ElementsAre("Duplicate backend configuration at 3"));
    EXPECT_THAT(mistakes("cloud {}\n}\nterraform {\n  cloud"),
        ::testing::Contains("Duplicate HCP Terraform configurations at 5"));
    EXPECT_THAT(mistakes("backend \"local\" {}\n}\nterraform {\n  backend \"local\""),
        ::testing::Contains("Duplicate backend configuration at 5"));
}

TEST(Configuration, LetsOtherProgramsHaveArgumentsInCompatibleWith)
{
    EXPECT_THAT(load_mistakes("language {\n  compatible_with {\n    opentofu = \">= 1.12\"\n    other = \"blah\"\n"
                              "    more {}\n  }\n  experiments = []\n}\n"),
        ElementsAre());
    EXPECT_THAT(load_mistakes("language {\n  experiments = [fast]\n}\n"),
        ElementsAre("Module uses experimental features at 2"));
}

TEST(Configuration, LetsOverrideFilesAddRequirements)
{
    diagnostics found;

    auto const made = configuration_from_texts(
        {{"main.tf", "terraform {\n  required_providers {\n    a = \"1\"\n    b = \"1\"\n  }\n}\n"},
            {"override.tf", "terraform {\n  required_providers {\n    b = \"2\"\n    c = \"2\"\n  }\n}\n"}},
        found);

    EXPECT_TRUE(found.empty());
    EXPECT_EQ(made.required_providers.at("a").version, "1");
    EXPECT_EQ(made.required_providers.at("b").version, "2");
    EXPECT_EQ(made.required_providers.at("c").version, "2");
}

TEST(Configuration, LetsBlocksOfOverrideFilesReplaceThoseOfTheirTypeAlsoByDynamicBlocks)
{
    auto const types = [](std::string const& base, std::string const& override) {
        diagnostics found;
        auto const made =
            configuration_from_texts({{"main.tf", "resource \"toy\" \"a\" {\n" + base + "}\n"},
                                         {"override.tf", "resource \"toy\" \"a\" {\n" + override + "}\n"}},
                found);
        EXPECT_TRUE(found.empty());
        std::vector<std::string> blocks;
        for (block const& one : made.resources.at("toy.a").content.blocks) blocks.emplace_back(one.type);
        return blocks;
    };
    std::string const several = "dynamic \"disk\" {\n  for_each = [1]\n  content {}\n}\n";

    EXPECT_THAT(types("disk {}\ndisk {}\nport {}\n", several), ElementsAre("port", "dynamic"));
    EXPECT_THAT(types(several + "port {}\n", "disk {}\n"), ElementsAre("port", "disk"));
    EXPECT_THAT(types(several + several, several), ElementsAre("dynamic"));
    EXPECT_THAT(types(several, "port {}\n"), ElementsAre("dynamic", "port"));
}

TEST(Configuration, ValidatesTheContentOfRemovedAndCheckBlocks)
{
    EXPECT_THAT(load_mistakes("removed {\n  from = toy.a\n  provisioner \"run\" {}\n}\n"),
        ElementsAre("Invalid provisioner block at 3"));
    EXPECT_THAT(load_mistakes("check \"a\" {\n  data \"toy\" \"b\" {\n    count = 1\n    lifecycle {}\n  }\n"
                              "  assert {\n    condition     = data.toy.b\n    error_message = \"No.\"\n  }\n}\n"),
        ElementsAre("Invalid \"count\" attribute at 3", "Invalid lifecycle block at 4"));
}

TEST(Configuration, RejectsDuplicateAndQuotedAttributesInTypes)
{
    EXPECT_THAT(load_mistakes("variable \"a\" {\n  type = object({ \"x y\" = string, a = string, a = number })\n}\n"),
        ElementsAre("Invalid type specification at 2", "Invalid type specification at 2"));
}

TEST(Configuration, DoesNotSuggestArgumentsThatAreSet)
{
    diagnostics found;

    auto const made =
        configuration_from_texts({{"main.tf", "moved {\n  from = a.b\n  to = a.c\n  foo = 1\n}\n"}}, found);

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "unsupported_argument");
    EXPECT_EQ(found[0].detail.find("mean"), std::string::npos);
}

TEST(Configuration, ReportsADirectoryThatCannotBeRead)
{
    diagnostics found;

    auto const made = load_configuration(std::filesystem::path("no") / "such" / "directory", found);

    EXPECT_THAT(summaries(found), ElementsAre("Failed to read module directory"));
    EXPECT_TRUE(made.files.empty());
}

TEST(Configuration, AcceptsQuotedReferencesWithAWarning)
{
    diagnostics found;

    auto const made = configuration_from_texts(
        {{"main.tf", "resource \"toy\" \"a\" {\n  depends_on = [\"toy.b\"]\n}\nresource \"toy\" \"b\" {}\n"}}, found);

    EXPECT_FALSE(found.has_errors());
    EXPECT_THAT(summaries(found), ElementsAre("Quoted references are deprecated at 2"));
    ASSERT_EQ(made.resources.at("toy.a").depends_on.size(), 1U);
    EXPECT_EQ(made.resources.at("toy.a").depends_on[0].address(), "toy.b");
}

TEST(Validate, ReportsUndeclaredReferences)
{
    EXPECT_THAT(validate_mistakes("output \"x\" {\n  value = [var.a, local.b, toy.c.id, data.toy.d.id, module.e.f,\n"
                                  "    count.index, each.key, self.id, path.g, terraform.h]\n}\n"),
        UnorderedElementsAre("Reference to undeclared input variable at 2", "Reference to undeclared local value at 2",
            "Reference to undeclared resource at 2", "Reference to undeclared resource at 2",
            "Reference to undeclared module at 2", "Reference to \"count\" in non-counted context at 3",
            "Reference to \"each\" in context without for_each at 3", "Invalid \"self\" reference at 3",
            "Invalid \"path\" attribute at 3", "Invalid \"terraform\" attribute at 3"));
}

TEST(Validate, ReportsEachMistakeWithItsCode)
{
    struct mistake {
        std::string text;
        std::string_view code;
    };
    auto const in_toy = [](std::string const& body) { return "resource \"toy\" \"a\" {\n" + body + "\n}\n"; };
    auto const in_output = [](std::string const& text) { return "output \"x\" {\n  value = " + text + "\n}\n"; };
    for (mistake const& one : std::vector<mistake>{
             {in_output("var.a"), "undeclared_input_variable"},
             {in_output("data.toy.d.id"), "undeclared_data_source"},
             {in_output("toy.a.id"), "undeclared_resource"},
             {in_output("module.m.x"), "undeclared_module_call"},
             {in_output("count.number"), "unknown_count_attribute"},
             {in_output("each.index"), "unknown_each_attribute"},
             {in_output("terraform.env"), "terraform_env_removed"},
             {in_output("sensitive(1)"), "sensitive_root_output"},
             {in_toy("") + in_output("toy.a[0].id"), "unexpected_instance_key"},
             {in_toy("count = 2") + in_output("toy.a.id"), "missing_instance_key"},
             {in_toy("size = toy.a.size"), "self_reference"},
             {in_toy("count = 2\nsize = length(toy.a)"), "cycle_within_resource"},
             {in_toy("id = \"x\""), "computed_attribute_set"},
             {in_toy("size = \"x\""), "wrong_attribute_type"},
             {in_toy("lifecycle {\n  ignore_changes = [id]\n}"), "redundant_ignore_changes"},
             {in_toy("provisioner \"walk\" {}"), "unknown_provisioner"},
             {"resource \"tox\" \"a\" {}\n", "unknown_resource_type"},
             {"data \"toy\" \"a\" {}\n", "resource_as_data_source"},
             {"data \"toy\" \"a\" {}\n" + in_output("toy.a.id"), "undeclared_resource_but_data"},
             {"locals {\n  a = local.a\n}\n", "self_referring_local"},
             {"terraform {\n  required_version = \">= 99\"\n}\n", "unsupported_language_version"},
             {"language {\n  compatible_with {\n    opentofu = \">= 99\"\n  }\n}\n", "incompatible_module"},
             {"terraform {\n  required_version = \"1.0-beta1\"\n}\n", "prerelease_version_constraint"},
             {"import {\n  to = toy.a\n  id = \"\"\n}\n", "import_id_empty"},
         }) {
        diagnostics found;
        validate(configuration_from_texts({{"main.tf", one.text}}, found), toy_schemas(), found);

        std::vector<std::string_view> codes;
        for (auto const& each : found) codes.push_back(each.code);
        EXPECT_THAT(codes, ::testing::Contains(one.code)) << one.text;
    }
}

/// Summaries of the errors of a file, with their whole ranges.
[[nodiscard]] auto placed_mistakes(std::string const& text) -> std::vector<std::string>
{
    diagnostics found;
    auto const made = configuration_from_texts({{"main.tf", text}}, found);
    validate(made, toy_schemas(), found);
    std::vector<std::string> all;
    for (auto const& one : found) all.push_back(one.summary + " at " + place_text(one.source));
    return all;
}

TEST(Validate, ReportsEmptyActionTriggersAtTheirHeader)
{
    auto const of_events = placed_mistakes("resource \"toy\" \"a\" {\n  lifecycle {\n    action_trigger {\n      "
                                           "events  = [sometime]\n      actions = []\n"
                                           "    }\n  }\n}\n");
    auto const of_data = load_mistakes(
        "data \"toy\" \"a\" {\n  lifecycle {\n    action_trigger {\n      events  = [after_create, after_create]\n"
        "      actions = [action.a.b]\n    }\n  }\n}\n");

    EXPECT_THAT(of_events, ::testing::Contains("No events specified at main.tf:3,5-19"));
    EXPECT_THAT(of_events, ::testing::Contains("No actions specified at main.tf:3,5-19"));
    EXPECT_THAT(of_events, ::testing::Contains("Invalid \"event\" value sometime at main.tf:4,18-26"));
    EXPECT_THAT(of_data, ::testing::Contains("Invalid data resource lifecycle nested block at 3"));
}

TEST(Validate, ReportsADataSourceAsReplaceTriggerOnce)
{
    auto const mistakes_with = [](std::string const& trigger) {
        return placed_mistakes(
            "data \"toy\" \"d\" {\n}\nresource \"toy\" \"a\" {\n  lifecycle {\n    replace_triggered_by = [" + trigger
            + "]\n  }\n}\n");
    };
    std::string const no_such_type = "Invalid data source at main.tf:1,6-11";

    EXPECT_THAT(mistakes_with("data.toy.d"),
        ::testing::ElementsAre(
            no_such_type, "Invalid reference in replace_triggered_by expression at main.tf:5,29-39"));
    EXPECT_THAT(mistakes_with("data.toy.d[0].id"),
        ::testing::ElementsAre(
            no_such_type, "Invalid reference in replace_triggered_by expression at main.tf:5,29-42"));
    EXPECT_THAT(mistakes_with("data.toy.e"),
        ::testing::ElementsAre(no_such_type, "Reference to undeclared resource at main.tf:5,29-39"));
}

TEST(Validate, MarksAllArgumentsThatExcludeEachOther)
{
    auto const with_count =
        placed_mistakes("resource \"toy\" \"a\" {\n  count = 1\n  lifecycle {\n    enabled = true\n  }\n}\n");
    auto const with_for_each =
        placed_mistakes("resource \"toy\" \"a\" {\n  lifecycle {\n    enabled = true\n  }\n  for_each = {}\n}\n");
    auto const with_both = placed_mistakes(
        "resource \"toy\" \"a\" {\n  for_each = {}\n  lifecycle {\n    enabled = true\n  }\n  count = 1\n}\n");

    using ::testing::Contains;
    EXPECT_THAT(with_count, Contains("Invalid combination of \"count\" and \"enabled\" at main.tf:2,3-4,12"));
    EXPECT_THAT(with_for_each, Contains("Invalid combination of \"enabled\" and \"for_each\" at main.tf:3,5-5,11"));
    EXPECT_THAT(
        with_both, Contains("Invalid combination of \"count\", \"enabled\", and \"for_each\" at main.tf:2,3-6,8"));
}

TEST(Validate, MarksTheWholeArgumentOfADestroyProvisionerThatRefersToOthers)
{
    auto const found = placed_mistakes("resource \"toy\" \"a\" {\n  provisioner \"run\" {\n    when    = destroy\n"
                                       "    command = \"${var.a} ${self.id}\"\n  }\n}\n");

    EXPECT_THAT(found, ::testing::Contains("Invalid reference from destroy provisioner at main.tf:4,15-36"));
}

TEST(Validate, SuggestsNamesThatAreClose)
{
    diagnostics found;
    auto const made =
        configuration_from_texts({{"main.tf", "locals {\n  first = 1\n  second = local.frist\n}\n"}}, found);

    validate(made, toy_schemas(), found);

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "undeclared_local_value");
    EXPECT_THAT(found[0].detail, ::testing::HasSubstr(" Did you mean \"first\"?"));
}

TEST(Validate, ChecksResourceBodiesAgainstTheirSchema)
{
    EXPECT_THAT(validate_mistakes("resource \"toy\" \"a\" {\n  siz = 1\n  more {}\n  id = \"x\"\n}\n"),
        UnorderedElementsAre(
            "Unsupported argument at 2", "Unsupported block type at 3", "Value for unconfigurable attribute at 4"));
    EXPECT_THAT(validate_mistakes("resource \"toy\" \"a\" {\n  provisioner \"run\" {\n  }\n}\n"),
        ElementsAre("Missing required argument at 2"));
    EXPECT_THAT(validate_mistakes("resource \"other\" \"a\" {}\n"), ElementsAre("Invalid resource type at 1"));
    EXPECT_THAT(validate_mistakes("resource \"toy\" \"a\" {}\noutput \"x\" {\n  value = toy.a.nope\n}\n"),
        ElementsAre("Unsupported attribute at 3"));
}

TEST(Validate, ReportsMistakesInOrderForAnyNumberOfThreads)
{
    std::string text;
    std::vector<std::string> expected;
    for (int line = 1; line <= 12'000; ++line) {
        bool const wrong = line % 1000 == 1;
        text +=
            "resource \"toy\" \"r" + std::to_string(100'000 + line) + "\" { " + (wrong ? "siz" : "size") + " = 1 }\n";
        if (wrong) expected.push_back("Unsupported argument at " + std::to_string(line));
    }

    EXPECT_EQ(validate_mistakes(text), expected);
}

TEST(Validate, ReportsHowToCallFunctionsOfProviders)
{
    diagnostics found;
    auto const made = configuration_from_texts(
        {{"main.tf", "output \"a\" {\n  value = x::y()\n}\noutput \"b\" {\n  value = provider::x::y()\n}\n"}}, found);

    validate(made, toy_schemas(), found);

    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].code, "unknown_function_namespace");
    EXPECT_EQ(found[1].code, "unknown_provider_function");
}

TEST(Validate, AcceptsFunctionsOfTheBuiltInProviderIfItIsRequired)
{
    auto const mistakes_with = [](std::string const& required) {
        diagnostics found;
        auto const made = configuration_from_texts(
            {{"main.tf",
                "terraform {\n  required_providers {\n    " + required
                    + "\n  }\n}\noutput \"a\" {\n  value = provider::own::encode_expr([1])\n}\n"}},
            found);
        validate(made, toy_schemas(), found);
        return summaries(found);
    };

    EXPECT_THAT(mistakes_with("own = {\n      source = \"terraform.io/builtin/terraform\"\n    }"), ElementsAre());
    EXPECT_THAT(mistakes_with("own = {\n      source = \"a/b\"\n    }"), ElementsAre("Unknown provider function at 9"));
    EXPECT_THAT(mistakes_with(""), ElementsAre("Unknown provider function at 7"));
}

TEST(Validate, IgnoresFunctionsThatAreNotCalled)
{
    EXPECT_THAT(validate_mistakes("output \"x\" {\n  value = try(toint(\"1\"), 5)\n}\n"), ElementsAre());
    EXPECT_THAT(validate_mistakes("output \"x\" {\n  value = [for x in [] : toint(x)]\n}\n"), ElementsAre());
    EXPECT_THAT(
        validate_mistakes("output \"x\" {\n  value = toint(\"1\")\n}\n"), ElementsAre("Call to unknown function at 2"));
}

TEST(Configuration, AcceptsConstantNamesOfProviders)
{
    for (auto const* const written : {"null.west", "\"null.west\""}) {
        diagnostics found;
        auto const made = configuration_from_texts({{"main.tf",
                                                       std::string("resource \"toy\" \"a\" {\n  provider = ") + written
                                                           + "\n}\nprovider \"null\" {\n  alias = \"west\"\n}\n"}},
            found);

        EXPECT_FALSE(found.has_errors()) << found[0].summary << found[0].detail;
        EXPECT_EQ(made.resources.at("toy.a").provider, "null.west");
    }
    diagnostics found;
    auto const made = configuration_from_texts(
        {{"main.tf.json", R"({"resource": {"toy": {"a": {"provider": "null.west"}, "b": {"provider": "null"}}}})"}},
        found);
    EXPECT_FALSE(found.has_errors());
    EXPECT_EQ(made.resources.at("toy.a").provider, "null.west");
    EXPECT_EQ(made.resources.at("toy.b").provider, "null");
}

TEST(Configuration, ChecksTheNamesOfLocalValuesInJson)
{
    diagnostics found;
    auto const made = configuration_from_texts(
        {{"main.tf.json", R"({"locals": {"a b": 1, "fine-1": 2, "1x": 3, "${\"k\"}": 4}})"}}, found);

    EXPECT_THAT(summaries(found),
        ElementsAre("Invalid local value name at 1", "Invalid local value name at 1", "Invalid local value name at 1"));
}

TEST(Validate, ChecksInstanceKeys)
{
    std::string const resources = "resource \"toy\" \"one\" {}\nresource \"toy\" \"many\" {\n  count = 2\n}\n";

    EXPECT_THAT(validate_mistakes(resources + "output \"x\" {\n  value = toy.one[0].id\n}\n"),
        ElementsAre("Unexpected resource instance key at 6"));
    EXPECT_THAT(validate_mistakes(resources + "output \"x\" {\n  value = toy.many.id\n}\n"),
        ElementsAre("Missing resource instance key at 6"));
    EXPECT_THAT(
        validate_mistakes(resources + "output \"x\" {\n  value = [toy.many[0].id, toy.many[*].id, toy.one]\n}\n"),
        ElementsAre());
}

TEST(Validate, ValidatesTheNumberOfInstancesIfItIsKnown)
{
    EXPECT_THAT(validate_mistakes("resource \"toy\" \"a\" {\n  count = -1\n}\n"
                                  "resource \"toy\" \"b\" {\n  for_each = [1]\n}\n"
                                  "resource \"toy\" \"c\" {\n  count = \"x\"\n}\n"),
        UnorderedElementsAre(
            "Invalid count argument at 2", "Invalid for_each argument at 5", "Incorrect value type at 8"));
    EXPECT_THAT(validate_mistakes("variable \"v\" {}\nresource \"toy\" \"a\" {\n  count = var.v\n}\n"
                                  "resource \"toy\" \"b\" {\n  for_each = toset([toy.a[0].id])\n}\n"
                                  "resource \"toy\" \"c\" {\n  for_each = { k = toy.b[\"x\"].id }\n}\n"),
        ElementsAre());
}

TEST(Validate, ValidatesTheTypeOfUnknownRepetitions)
{
    std::string const variables = "variable \"l\" {\n  type = list(string)\n}\n"
                                  "variable \"m\" {\n  type = map(string)\n}\n"
                                  "variable \"n\" {\n  type = set(number)\n}\n"
                                  "variable \"s\" {\n  type = string\n}\nvariable \"any\" {}\n";
    auto const repeated = [&](std::string const& by) {
        return validate_mistakes(variables + "resource \"toy\" \"a\" {\n  " + by + "\n}\n");
    };
    auto const called = [&](std::string const& by) {
        diagnostics found;
        auto const made = configuration_from_texts(
            {{"main.tf", variables + "module \"a\" {\n  source = \"./m\"\n  " + by + "\n}\n"}, {"m/main.tf", ""}},
            found);
        validate(made, toy_schemas(), found);
        return summaries(found);
    };

    EXPECT_THAT(repeated("for_each = var.l"), ElementsAre("Invalid for_each argument at 15"));
    EXPECT_THAT(repeated("for_each = var.s"), ElementsAre("Invalid for_each argument at 15"));
    EXPECT_THAT(repeated("count = var.m"), ElementsAre("Incorrect value type at 15"));
    for (auto const* const fine : {"for_each = toset(var.l)", "for_each = var.m", "for_each = var.n",
             "for_each = var.any", "count = var.s", "count = var.any", "count = length(var.l)"})
        EXPECT_THAT(repeated(fine), ElementsAre()) << fine;
    EXPECT_THAT(called("for_each = var.l"), ElementsAre("Invalid for_each argument at 16"));
    EXPECT_THAT(called("count = var.m"), ElementsAre("Incorrect value type at 16"));
    EXPECT_THAT(called("for_each = var.m"), ElementsAre());
}

TEST(Validate, ChecksRulesOfVariablesWithDefaultValues)
{
    auto const mistakes = [](std::string const& arguments) {
        diagnostics found;
        std::string const variable = "variable \"x\" {\n  default = \"bad\"\n  validation {\n"
                                     "    condition = var.x == \"good\"\n    error_message = \"No.\"\n  }\n}\n"
                                     "variable \"y\" {\n  default = \"w\"\n  validation {\n"
                                     "    condition = var.y == var.x\n    error_message = \"No.\"\n  }\n}\n";
        auto const made = configuration_from_texts(
            {{"main.tf", "module \"m\" {\n  source = \"./m\"\n" + arguments + "}\n"}, {"m/main.tf", variable}}, found);
        validate(made, toy_schemas(), found);
        return summaries(found);
    };

    EXPECT_THAT(mistakes(""), ElementsAre("Invalid value for variable at 1"));
    EXPECT_THAT(mistakes("  x = \"worse\"\n"), ElementsAre("Invalid value for variable at 3"));
    EXPECT_THAT(mistakes("  x = \"good\"\n"), ElementsAre());
}

TEST(Validate, IgnoresUnusedProviders)
{
    auto const mistakes = [](texts const& files) {
        diagnostics found;
        auto const made = configuration_from_texts(files, found);
        validate(made, toy_schemas(), found);
        return summaries(found);
    };
    std::string const blocks = "provider \"toy\" {\n  alias = \"used\"\n  x = var.nope\n}\n"
                               "provider \"toy\" {\n  alias = \"idle\"\n  x = var.nope\n}\n"
                               "provider \"toy\" {\n  x = local.nope\n}\n";
    std::string const call = "module \"m\" {\n  source = \"./m\"\n";

    EXPECT_THAT(mistakes({{"main.tf", blocks}}), ElementsAre());
    EXPECT_THAT(mistakes({{"main.tf", blocks + "resource \"toy\" \"a\" {\n  provider = toy.used\n}\n"}}),
        ElementsAre("Reference to undeclared input variable at 3"));
    EXPECT_THAT(mistakes({{"main.tf", blocks + call + "}\n"}, {"m/main.tf", "resource \"toy\" \"a\" {}\n"}}),
        ElementsAre("Reference to undeclared local value at 10"));
    EXPECT_THAT(mistakes({{"main.tf", blocks + call + "  providers = {\n    toy = toy.used\n  }\n}\n"},
                    {"m/main.tf",
                        "terraform {\n  required_providers {\n    toy = {}\n  }\n}\n"
                        "resource \"toy\" \"a\" {}\n"}}),
        ElementsAre("Reference to undeclared input variable at 3"));
}

TEST(Validate, RejectsObjectsThatReferToThemselves)
{
    EXPECT_THAT(validate_mistakes("resource \"toy\" \"a\" {\n  text = toy.a.id\n}\n"),
        ElementsAre("Self-referential block at 2", "Self-referential block at 2"));
    EXPECT_THAT(validate_mistakes("resource \"toy\" \"a\" {\n  count = length(toy.a)\n}\n"),
        ElementsAre("Self-referential block at 2"));
    EXPECT_THAT(validate_mistakes("resource \"toy\" \"a\" {\n  count = 2\n  text = toy.a[*].id[0]\n}\n"),
        ElementsAre("Cycle: toy.a"));
}

TEST(Schema, RejectsComputedArgumentsWithTheSummaryOfTerraform)
{
    auto const mistakes_with = [](std::string const& text, bool built_in) {
        diagnostics found;
        auto const tree = parse_file("main.tf", text, found);
        schema const wanted{
            .attributes = {{.name = "id", .of = type::string(), .computed = true}}, .built_in = built_in};
        check_body(tree->root(), wanted, found);
        return summaries(found);
    };

    EXPECT_THAT(mistakes_with("id = \"x\"\n", false), ElementsAre("Value for unconfigurable attribute at 1"));
    EXPECT_THAT(mistakes_with("id = \"x\"\n", true), ElementsAre("\"id\" attribute is read-only"));
    EXPECT_THAT(mistakes_with("id = null\n", true), ElementsAre());
}

TEST(Schema, EvaluatesBodiesToCompleteObjects)
{
    diagnostics found;
    auto const made =
        configuration_from_texts({{"main.tf", "resource \"toy\" \"a\" {\n  size = \"5\"\n  text = [1]\n}\n"}}, found);
    auto const& body = made.resources.at("toy.a").content;

    auto const object = evaluate_body(body, *toy_schemas().resource({}, "toy"), testing::table_scope(), found);

    EXPECT_EQ(to_json(object), R"({"id":null,"size":5,"text":null})");
    EXPECT_THAT(summaries(found), ElementsAre("Incorrect attribute value type at 3"));
}

/// The dialect of a module and the reason for it, with the codes of all diagnostics.
[[nodiscard]] auto dialect_of(texts const& files) -> std::string
{
    diagnostics found;
    auto const made = configuration_from_texts(files, found);
    auto text = std::string(to_string(made.dialect.follows)) + ", " + made.dialect.reason_text();
    for (auto const& one : found) text += ", " + std::string(one.code);
    return text;
}

TEST(Dialects, AreSelectedByLanguageThenFileEndingThenRequiredVersion)
{
    std::string const none = "Terraform, nothing selects another program";
    std::string const of_opentofu = "language {\n  compatible_with {\n    opentofu = \">= 1.12\"\n  }\n}\n";
    EXPECT_EQ(dialect_of({{"main.tf", ""}}), none);
    EXPECT_EQ(dialect_of({{"main.tf", "terraform {\n  required_version = \">= 1.5\"\n}\n"}}), none);
    EXPECT_EQ(dialect_of({{"main.tf", ""}, {"more.tofu", ""}}), "OpenTofu, the file more.tofu");
    EXPECT_EQ(dialect_of({{"main.tofu.json", "{}"}}), "OpenTofu, the file main.tofu.json");
    EXPECT_EQ(dialect_of({{"main.tf", of_opentofu}}), "OpenTofu, \"language\" at main.tf:3,5-25");
    EXPECT_EQ(dialect_of({{"main.tf", "terraform {\n  language = TF2021\n}\n"}, {"more.tofu", ""}}),
        "Terraform, \"language\" at main.tf:2,3-20");
    EXPECT_EQ(dialect_of({{"main.tf", "terraform {\n  required_version = \">= 1.14\"\n}\n"}}),
        "Terraform, \"required_version\" at main.tf:2,3-31");
    EXPECT_EQ(dialect_of({{"main.tf", "terraform {\n  required_version = \"~> 1.12.0\"\n}\n"}}), none);
    EXPECT_EQ(dialect_of({{"main.tf", "terraform {\n  required_version = \"< 1.11\"\n}\n"}}), none);
}

TEST(Dialects, RejectWordsOfTheOtherProgramOnlyIfOneIsSelected)
{
    std::string const enabled = "resource \"a\" \"b\" {\n  lifecycle {\n    enabled = true\n  }\n}\n";
    std::string const typed = "output \"a\" {\n  type  = string\n  value = \"\"\n}\n";
    std::string const terraform = "terraform {\n  language = TF2021\n}\n";
    EXPECT_EQ(dialect_of({{"main.tf", enabled + typed}}), "Terraform, nothing selects another program");
    EXPECT_EQ(dialect_of({{"main.tf", terraform + enabled}}),
        "Terraform, \"language\" at main.tf:2,3-20, word_of_other_program");
    EXPECT_EQ(dialect_of({{"main.tf", terraform + typed}}), "Terraform, \"language\" at main.tf:2,3-20");
    EXPECT_EQ(dialect_of({{"main.tofu", enabled}}), "OpenTofu, the file main.tofu");
    EXPECT_EQ(dialect_of({{"main.tofu", typed}}), "OpenTofu, the file main.tofu, word_of_other_program");
    EXPECT_EQ(dialect_of({{"main.tofu", "removed {\n  from = a.b\n}\n"}}),
        "OpenTofu, the file main.tofu, removed_without_lifecycle");
}

TEST(Dialects, ReplaceFilesByThoseForOpenTofuWithTheSameBaseName)
{
    diagnostics found;
    auto const made = configuration_from_texts(
        {{"a.tf", "locals {\n  a = 1\n}\n"}, {"a.tofu", "locals {\n  b = 1\n}\n"},
            {"a.tf.json", R"({"locals": {"c": 1}})"}, {"d.tf.json", R"({"locals": {"d": 1}})"},
            {"d.tofu.json", R"({"locals": {"e": 1}})"}, {"f_override.tofu", "locals {\n  b = 2\n}\n"}},
        found);
    std::vector<std::string> names;
    for (auto const& [name, _] : made.locals) names.push_back(name);

    EXPECT_THAT(summaries(found), ElementsAre());
    EXPECT_THAT(names, ElementsAre("b", "c", "e"));
    EXPECT_EQ(made.locals.at("b").range.file->name(), "f_override.tofu");
}

}  // namespace
}  // namespace iacctl::language
