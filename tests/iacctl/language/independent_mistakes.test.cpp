// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "language/configuration/configuration.hpp"
#include "language/validation/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace iacctl::language {
namespace {

using testing::summaries;
using ::testing::UnorderedElementsAre;

[[nodiscard]] auto mistakes_of(std::map<std::string, std::string> const& texts) -> std::vector<std::string>
{
    diagnostics found;
    auto const made = load_configuration(texts, found);
    validate(made, testing::toy_schemas(), found);
    return summaries(found);
}

TEST(Validate, ReportsIndependentMistakesOfABlock)
{
    struct mistake {
        std::string text;
        std::string summary;
    };
    std::vector<mistake> const in_expressions{{"var.none", "Reference to undeclared input variable"},
        {"local.none", "Reference to undeclared local value"}, {"toy.none.id", "Reference to undeclared resource"},
        {"data.toy.none.id", "Reference to undeclared resource"}, {"module.none.x", "Reference to undeclared module"},
        {"none(1)", "Call to unknown function"}, {"toy.b.none", "Unsupported attribute"}, {"toy", "Invalid reference"},
        {"each.key", "Reference to \"each\" in context without for_each"}, {"self.id", "Invalid \"self\" reference"},
        {"path.none", "Invalid \"path\" attribute"}};
    std::vector<mistake> const in_bodies{{"extra = 1", "Unsupported argument"}, {"extra {}", "Unsupported block type"},
        {"size = \"many\"", "Incorrect attribute value type"}, {"size = other(1)", "Call to unknown function"},
        {"size = var.other", "Reference to undeclared input variable"}, {"count = -1", "Invalid count argument"},
        {"depends_on = [toy.other]", "Reference to undeclared resource"},
        {"provisioner \"run\" {}", "Missing required argument"},
        {"provisioner \"run\" {\n  command = local.other\n}", "Reference to undeclared local value"},
        {"lifecycle {\n  extra = 1\n}", "Unsupported argument"},
        {"lifecycle {\n  ignore_changes = [other]\n}", "Unsupported attribute"}};
    auto const reported = [](std::string const& body) {
        std::vector<std::string> all;
        for (std::string const& one :
            mistakes_of({{"main.tf", "resource \"toy\" \"b\" {}\nresource \"toy\" \"a\" {\n" + body + "\n}\n"}}))
            all.push_back(one.substr(0, one.rfind(" at ")));
        return all;
    };

    for (mistake const& one : in_expressions) {
        for (mistake const& other : in_bodies)
            EXPECT_THAT(
                reported("text = " + one.text + "\n" + other.text), UnorderedElementsAre(one.summary, other.summary))
                << one.text << ", " << other.text;
        for (mistake const& other : in_expressions)
            if (one.text != other.text)
                EXPECT_THAT(reported("text = \"${" + one.text + "}${" + other.text + "}\""),
                    UnorderedElementsAre(one.summary, other.summary))
                    << one.text << ", " << other.text;
    }
}

TEST(Validate, ReportsUnknownFunctionsThatDependOnUndeclaredValues)
{
    for (std::string const& text :
        {"local.a ? none(1) : 2", "local.a && none(1)", "none(local.a)", "[for x in local.a : none(x)]",
            "{ (local.a) = none(1) }", "local.a[none(1)]", "\"%{ if local.a }${none(1)}%{ endif }\""})
        EXPECT_THAT(mistakes_of({{"main.tf", "output \"x\" {\n  value = " + text + "\n}\n"}}),
            UnorderedElementsAre("Reference to undeclared local value at 2", "Call to unknown function at 2"))
            << text;
}

TEST(Validate, ChecksTheOtherArgumentsOfACallOfAModule)
{
    std::map<std::string, std::string> const texts{
        {"main.tf", "module \"m\" {\n  source = \"./m\"\n  a = var.none\n  b = \"x\"\n  c = []\n}\n"},
        {"m/main.tf",
            "variable \"a\" {}\nvariable \"b\" {\n  validation {\n    condition = length(var.b) > 3\n"
            "    error_message = \"Too short.\"\n  }\n}\nvariable \"c\" {\n  type = string\n}\n"}};

    EXPECT_THAT(mistakes_of(texts),
        UnorderedElementsAre("Reference to undeclared input variable at 3", "Invalid value for variable at 4",
            "Invalid value for input variable at 5"));
}

}  // namespace
}  // namespace iacctl::language
