// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "language/configuration/configuration.hpp"
#include "language/validation/path_text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::language {
namespace {

/// A schema with blocks of each kind, which contain an attribute and a block `inner`.
[[nodiscard]] auto boxes() -> schema
{
    auto const block = [](std::string name, nesting n, schema content) {
        schema_block made;
        made.name = std::move(name);
        made.how = n;
        made.content = std::make_shared<schema const>(std::move(content));
        return made;
    };
    schema const innermost{{{"size", type::number(), false, true}}};
    schema inside = innermost;
    inside.blocks.push_back(block("inner", nesting::list, innermost));
    schema made{{{"tags", type::dynamic(), false, true}, {"list", type::dynamic(), false, true}}};
    made.blocks.push_back(block("one", nesting::single, inside));
    made.blocks.push_back(block("rule", nesting::list, inside));
    made.blocks.push_back(block("part", nesting::set, inside));
    made.blocks.push_back(block("named", nesting::map, inside));
    return made;
}

/// The source of a path in the body of a resource.
[[nodiscard]] auto source_of(std::string const& path, std::string const& body) -> std::string
{
    diagnostics found;
    auto const made = load_configuration({{"main.tf", "resource \"box\" \"a\" {\n" + body + "\n}\n"}}, found);
    auto const steps = parse_path(path);
    auto const at = place_of(steps, made.resources.at("box.a").content, boxes());
    // An empty range is shown as one character.
    return std::string(at.file->text().substr(at.bytes.begin, std::max(at.bytes.end - at.bytes.begin, 1U)));
}

TEST(PlaceOf, IsTheInnermostPartThatIsWritten)
{
    struct row {
        std::string path;
        std::string body;
        std::string_view source;
    };
    std::string const rules =
        "rule {\n size = 1\n}\nrule {\n size = 2\n inner {\n size = 3\n }\n inner {\n size = 4\n }\n}\n";
    std::string const dynamic = "dynamic \"rule\" {\n for_each = local.a\n content {\n size = rule.value\n }\n}\n";
    std::vector<row> const rows{{"tags", "tags = local.t", "local.t"}, {"tags.a", "tags = local.t", "local.t"},
        {"tags[\"b\"]", "tags = {\n a = 1\n b = 2\n}", "2"}, {"tags[\"a b\"]", "tags = {\n \"a b\" = 1\n}", "1"},
        {"tags[\"b\"]", "tags = {\n (\"b\") = 5\n}", "5"},
        {"tags[\"b\"].c[1]", "tags = {\n b = { c = [6, 7] }\n}", "7"}, {"tags[\"z\"]", "tags = { a = 1 }", "{ a = 1 }"},
        {"list[1]", "list = [10, 11, 12]", "11"}, {"list[1]", "list = ([10,\n 11])", "11"},
        {"list[5]", "list = [10]", "[10]"}, {"list[0]", "list = [for x in local.a : x]", "[for x in local.a : x]"},
        {"one.size", "one {\n size = 8\n}", "8"}, {"one.size", "one {\n}", "{"}, {"rule[1].size", rules, "2"},
        {"rule[1].inner[1].size", rules, "4"}, {"rule[7].size", rules, "rule"}, {"rule", rules, "rule"},
        {"rule[0]", rules, "{"}, {"tags", rules, "{"}, {"part.size", "part {\n size = 9\n}", "9"},
        {"part.size", "part {\n size = 1\n}\npart {\n size = 2\n}", "part"},
        {"named[\"b\"].size", "named \"a\" {\n size = 1\n}\nnamed \"b\" {\n size = 2\n}", "2"},
        {"named[\"c\"].size", "named \"a\" {\n size = 1\n}", "named \"a\""}, {"rule[3].size", dynamic, "rule.value"},
        {"rule[0].size", rules + dynamic, "1"}, {"rule[2].size", rules + dynamic, "rule.value"},
        {"rule[1].size", dynamic + rules, "dynamic \"rule\""}, {"other", rules, "{"}, {"[0]", rules, "{"},
        {"", rules, "{"}};

    for (row const& one : rows) EXPECT_EQ(source_of(one.path, one.body), one.source) << one.path << "\n" << one.body;
}

TEST(PlaceOf, FindsPathsAfterTheyWereWritten)
{
    std::vector<std::vector<path_step>> const paths{{"a"}, {"a", "b"}, {"a", 0, "b"}, {"a", "x y\"${z}%{\\\n", 12}};

    for (auto const& path : paths) EXPECT_EQ(parse_path(path_text(path)), path) << path_text(path);
    EXPECT_EQ(path_text(std::vector<path_step>{0, "a"}), "");
    EXPECT_TRUE(parse_path("a[").empty());
    EXPECT_TRUE(parse_path("f(1)").empty());
}

}  // namespace
}  // namespace iacctl::language
