// SPDX-License-Identifier: BSL-1.0
#include "views/state_text.hpp"

#include "language/values/value.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

namespace views = iacctl::views;
using iacctl::language::mark;
using iacctl::language::number;
using iacctl::language::type;
using iacctl::language::value;
using strider::infra::parse_address;
using testing::HasSubstr;

[[nodiscard]] auto resource(char const* at, value attributes) -> views::resource_view
{
    views::resource_view out;
    out.address = parse_address(at).value();
    out.attributes = std::move(attributes);
    return out;
}

}  // namespace

TEST(StateText, ShowsObjectsAndOutputsAsValues)
{
    views::state_view view;
    view.resources.push_back(resource("terraform_data.b",
        value::object({{"id", value("2")},
            {"input",
                value::object(
                    {{"from", value("1")}, {"list", value::tuple({value(number(1)), value(true), value()})}})},
            {"triggers_replace", value()}})));
    view.resources.push_back(resource("terraform_data.a", value::object({{"id", value("1")}})));
    view.resources.back().tainted = true;
    view.outputs = {{"b", value::tuple({value(number(1))}), false}, {"a", value("x"), true}};

    EXPECT_EQ(views::state_text(view), R"(# terraform_data.a: (tainted)
resource "terraform_data" "a" {
    id = "1"
}

# terraform_data.b:
resource "terraform_data" "b" {
    id    = "2"
    input = {
        from = "1"
        list = [
            1,
            true,
            null,
        ]
    }
}


Outputs:

a = (sensitive value)
b = [
    1,
]
)");
    EXPECT_EQ(views::state_text({}), "State is empty.\n");
}

TEST(StateText, SeparatesModulesByAnAdditionalEmptyLine)
{
    views::state_view view;
    view.resources.push_back(resource("module.m.t.b", value::object({{"id", value("2")}})));
    view.resources.push_back(resource("t.a", value::object({{"id", value("1")}})));

    EXPECT_THAT(views::state_text(view), HasSubstr("}\n\n\n# module.m.t.b:\n"));
}

TEST(StateList, NamesEveryInstanceOnce)
{
    auto deposed = resource("t.a[1]", value());
    deposed.deposed_key = "0a1b2c3d";

    EXPECT_EQ(views::state_list_text({resource("module.m.t.b", value()), resource("t.a[10]", value()), deposed,
                  resource("t.a[1]", value()), resource("data.t.z", value())}),
        "data.t.z\nt.a[1]\nt.a[10]\nmodule.m.t.b\n");
}

TEST(ValueText, IsAnExpressionOfTheLanguage)
{
    EXPECT_EQ(views::value_text(value("a\"b\n")), "<<EOT\na\"b\n\nEOT");
    EXPECT_EQ(views::value_text(value("tab\t\"\x01")), R"("tab\t\"\x01")");
    EXPECT_EQ(views::value_text(value("EOT\n")), "<<EOT_\nEOT\n\nEOT_");
    EXPECT_EQ(views::value_text(value::list(type::string(), {})), "tolist([])");
    EXPECT_EQ(
        views::value_text(value::set(type::number(), {value(number(2)), value(number(1))})), "toset([\n  1,\n  2,\n])");
    EXPECT_EQ(views::value_text(value::map(type::string(), {{"k", value("x\ny")}})),
        "tomap({\n  \"k\" = <<-EOT\n  x\n  y\n  EOT\n})");
    EXPECT_EQ(views::value_text(value::object({{"a", value::tuple({value(), value::null(type::string())})}})),
        "{\n  \"a\" = [\n    null,\n    tostring(null),\n  ]\n}");
    EXPECT_EQ(views::value_text(value::null(type::list(type::string()))), "tolist(null) /* of string */");
    EXPECT_EQ(views::value_text(value::unknown()), "(known after apply)");
}

TEST(OutputsText, HidesSensitiveValuesUnlessRequested)
{
    views::output_view const secret = {"s", value("x").with_marks(mark::sensitive), true};

    EXPECT_EQ(views::outputs_text({{"z", value(number(1)), false}, secret}), "s = <sensitive>\nz = 1\n");
    EXPECT_EQ(views::output_text(secret), "\"x\"\n");
    EXPECT_EQ(views::raw_output_text(secret).value(), "x");
}

TEST(RawOutput, RejectsValuesThatAreNotStrings)
{
    auto const list = views::raw_output_text({"o", value::tuple({}), false});
    auto const null = views::raw_output_text({"o", value(), false});

    ASSERT_TRUE(list.has_error());
    EXPECT_EQ(list.error().why().front().code, "raw_output_has_parts");
    EXPECT_THAT(list.error().why().front().detail, HasSubstr("\"o\" is tuple."));
    ASSERT_TRUE(null.has_error());
    EXPECT_EQ(null.error().why().front().code, "raw_output_is_null");
    EXPECT_EQ(views::raw_output_text({"o", value(number(7)), false}).value(), "7");
    EXPECT_EQ(views::raw_output_text({"o", value(true), false}).value(), "true");
}
