// SPDX-License-Identifier: BSL-1.0
#include "workspace/generated_config.hpp"

#include <gtest/gtest.h>

namespace {

using namespace iacctl;
using language::type;
using language::value;

auto schema() -> language::schema
{
    return {{
        {.name = "computed", .of = type::string(), .computed = true},
        {.name = "enabled", .of = type::boolean(), .optional = true, .computed = true},
        {.name = "name", .of = type::string(), .required = true},
        {.name = "secret", .of = type::string(), .optional = true, .sensitive = true},
        {.name = "tags", .of = type::map(type::string()), .optional = true},
        {.name = "words", .of = type::list(type::string()), .optional = true},
    }};
}

auto text_of(std::vector<language::value_entry> entries, std::string const& id = "i") -> std::string
{
    return workspace::resource_text(
        strider::infra::address("toy", "a"), schema(), value::object(std::move(entries)), id);
}

}  // namespace

TEST(GeneratedConfig, ContainsOnlyConfigurableArguments)
{
    auto const text = text_of({{"computed", value("x")}, {"enabled", value(true)}, {"name", value("n")},
        {"secret", value("s")}, {"tags", value::map(type::string(), {{"a", value("1")}, {"b c", value("2")}})},
        {"words", value::list(type::string(), {value("x"), value("y")})}});

    EXPECT_EQ(text,
        "# __generated__ by iacctl from \"i\"\nresource \"toy\" \"a\" {\n  enabled = true\n  name    = \"n\"\n"
        "  secret  = null # sensitive\n  tags = {\n    a     = \"1\"\n    \"b c\" = \"2\"\n  }\n  words = [\"x\", "
        "\"y\"]\n"
        "}\n");
}

TEST(GeneratedConfig, WritesNullForUnsetArguments)
{
    auto const text = text_of({{"name", value("n")}}, "");

    EXPECT_EQ(text,
        "# __generated__ by iacctl\nresource \"toy\" \"a\" {\n  enabled = null\n  name    = \"n\"\n"
        "  secret  = null # sensitive\n  tags    = null\n  words   = null\n}\n");
}

TEST(GeneratedConfig, PreservesTexts)
{
    EXPECT_NE(text_of({{"name", value("a ${b} \"c\"\n%{d}\\")}}).find(R"(name    = "a $${b} \"c\"\n%%{d}\\")"),
        std::string::npos);
}

TEST(GeneratedConfig, WritesJsonTextsAsExpressions)
{
    EXPECT_NE(text_of({{"name", value(R"({"a":[1,true]})")}}).find("name = jsonencode({\n    a = [1, true]\n  })"),
        std::string::npos);
    EXPECT_NE(text_of({{"name", value(R"({"a": 1})")}}).find(R"(name    = "{\"a\": 1}")"), std::string::npos);
}
