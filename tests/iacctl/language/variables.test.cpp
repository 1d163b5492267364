// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "language/configuration/configuration.hpp"
#include "language/configuration/variables.hpp"
#include "language/validation/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

namespace iacctl::language {
namespace {

using texts = std::map<std::string, std::string>;

/// The value of the variable `v`, or the code of the first error.
[[nodiscard]] auto given(std::string const& declaration, variable_inputs inputs) -> std::string
{
    diagnostics found;
    auto const made = load_configuration(texts{{"main.tf", declaration}}, found);
    inputs.directory = "does-not-exist";
    auto const values = collect_variables(made, inputs, found);
    return found.has_errors() ? std::string(found[0].code) : to_json(values.values.at("v"));
}

[[nodiscard]] auto assignment(std::string text) -> variable_inputs
{
    variable_inputs inputs;
    inputs.options.push_back({variable_option::option_kind::assignment, std::move(text)});
    return inputs;
}

TEST(Variables, ReadsTextForPrimitiveTypesAndExpressionsForOthers)
{
    EXPECT_EQ(given("variable \"v\" {\n  type = string\n}\n", assignment("v=[1]")), "\"[1]\"");
    EXPECT_EQ(given("variable \"v\" {\n  type = list(number)\n}\n", assignment("v=[1, \"2\"]")), "[1,2]");
    EXPECT_EQ(
        given("variable \"v\" {\n  type = number\n}\n", assignment("v=x")), "unsuitable_variable_value_from_outside");
    EXPECT_EQ(given("variable \"v\" {\n}\n", {}), "missing_variable_value");
    EXPECT_EQ(given("variable \"v\" {\n  default = 1\n}\n", assignment("w=1")), "undeclared_variable_in_option");
}

TEST(Variables, ReportsAMisspeltOptionWithoutTheMissingValueThatItCauses)
{
    diagnostics found;
    auto const made =
        load_configuration(texts{{"main.tf", "variable \"region\" {\n}\nvariable \"size\" {\n}\n"}}, found);
    auto inputs = assignment("regoin=a");
    inputs.directory = "does-not-exist";

    (void)collect_variables(made, inputs, found);

    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].code, "undeclared_variable_in_option");
    EXPECT_EQ(found[1].code, "missing_variable_value");
    EXPECT_THAT(found[1].detail, ::testing::HasSubstr("\"size\""));
}

TEST(Variables, RejectsBytesThatAreNotText)
{
    std::string const text = "variable \"v\" {\n  type = string\n}\n";
    std::string const list = "variable \"v\" {\n  type = list(string)\n}\n";
    std::string const refused = "variable_value_not_text";
    variable_inputs inputs;
    inputs.environment = {{"TF_VAR_v", "a\xff"}};

    EXPECT_EQ(given(text, assignment("v=a\xff")), refused);
    EXPECT_EQ(given(text, assignment("v=[\xed\xa0\x80]")), refused);
    EXPECT_EQ(given(list, assignment("v=[\"\xff\"]")), refused);
    EXPECT_EQ(given(text, inputs), refused);
    EXPECT_EQ(given(text, assignment("v=\xc3\xa9")), "\"\xc3\xa9\"");
}

TEST(Variables, RejectsFilesThatAreNotText)
{
    auto const directory = std::filesystem::path(::testing::TempDir()) / "language_variables_bytes";
    std::filesystem::create_directories(directory);
    for (auto const& [name, content] : texts{{"a.tfvars", "v = \"\xff\"\n"}, {"b.tfvars", "v = <<E\n\xff\nE\n"},
             {"d.tfvars.json", "{\"v\": \"\xff\"}"}}) {
        std::ofstream(directory / name) << content;
        diagnostics found;
        auto const made = load_configuration(texts{{"main.tf", "variable \"v\" {\n}\n"}}, found);
        variable_inputs inputs;
        inputs.directory = "does-not-exist";
        inputs.options.push_back({variable_option::option_kind::file, (directory / name).string()});

        static_cast<void>(collect_variables(made, inputs, found));

        EXPECT_TRUE(found.has_errors()) << name;
    }
    std::filesystem::remove_all(directory);
}

TEST(Variables, FillsDefaultsOfOptionalAttributes)
{
    std::string const declaration =
        "variable \"v\" {\n  type = object({ a = string, b = optional(number, 7), c = optional(list(string)) })\n}\n";

    EXPECT_EQ(given(declaration, assignment("v={a = 1}")), R"({"a":"1","b":7,"c":null})");
    EXPECT_EQ(given(declaration, assignment("v={a = 1, b = null, c = [true]}")), R"({"a":"1","b":7,"c":["true"]})");
}

TEST(Variables, PrefersLaterSources)
{
    auto const directory = std::filesystem::path(::testing::TempDir()) / "language_variables";
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "terraform.tfvars") << "b = 2\nc = 2\nd = 2\n";
    std::ofstream(directory / "z.auto.tfvars") << "c = 3\nd = 3\n";
    diagnostics found;
    auto const made = load_configuration(
        texts{{"main.tf", "variable \"a\" {\n}\nvariable \"b\" {\n}\nvariable \"c\" {\n}\nvariable \"d\" {\n}\n"}},
        found);
    auto inputs = assignment("d=4");
    inputs.environment = {{"TF_VAR_a", "1"}, {"TF_VAR_b", "1"}, {"TF_VAR_zzz", "1"}};
    inputs.directory = directory;

    auto const values = collect_variables(made, inputs, found);

    ASSERT_TRUE(found.empty()) << render(found[0]);
    EXPECT_EQ(to_json(values.values.at("a")), "\"1\"");
    EXPECT_EQ(to_json(values.values.at("b")), "2");
    EXPECT_EQ(to_json(values.values.at("c")), "3");
    EXPECT_EQ(to_json(values.values.at("d")), "\"4\"");
    std::filesystem::remove_all(directory);
}

TEST(Variables, RequiresEphemeralVariablesAgainForASavedPlan)
{
    std::string const declaration = "variable \"v\" {\n  ephemeral = true\n}\n";
    auto inputs = assignment("v=1");
    inputs.planned = true;

    EXPECT_EQ(given(declaration, inputs), "\"1\"");
    inputs.options.clear();
    EXPECT_EQ(given(declaration, inputs), "missing_ephemeral_variable_value");
}

TEST(Variables, ChecksTheirValidationRules)
{
    diagnostics found;
    auto const made = load_configuration(texts{{"main.tf",
                                             "variable \"v\" {\n  default = 5\n  validation {\n    condition = var.v > "
                                             "9\n    error_message = \"Too small.\"\n  }\n}\n"}},
        found);
    testing::table_scope const scope({{"var.v", value(number(5))}});

    check_validations(made.variables.at("v"), scope, found);

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "failed_validation");
    EXPECT_EQ(found[0].detail, "Too small.\n\nThe rule is at main.tf:3,3-13.");
}

}  // namespace
}  // namespace iacctl::language
