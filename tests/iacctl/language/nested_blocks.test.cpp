// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "language/configuration/configuration.hpp"
#include "language/validation/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace iacctl::language {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::table_scope;
using ::testing::UnorderedElementsAre;

/// A type with blocks of every nesting mode, and with blocks in blocks.
class box_schemas final : public schema_source {
public:
    box_schemas()
    {
        auto const leaf =
            std::make_shared<schema>(schema{{{"name", type::string(), true}, {"size", type::number(), false, true}}});
        auto const any = std::make_shared<schema>(schema{{{"of", type::dynamic(), false, true}}});
        auto const rule = std::make_shared<schema>(schema{{{"port", type::number(), false, true}},
            {{"match", nesting::list, leaf}, {"last", nesting::single, leaf}}});
        box_ = schema{{{"id", type::string(), false, false, true}, {"text", type::string(), false, true}},
            {{"one", nesting::single, leaf}, {"group", nesting::group, any}, {"rule", nesting::list, rule, 0, 3},
                {"tag", nesting::set, leaf}, {"named", nesting::map, leaf}, {"loose", nesting::list, any},
                {"free", nesting::map, any}}};
        strict_ = schema{{}, {{"rule", nesting::list, leaf, 2}, {"one", nesting::single, leaf, 1}}};
    }

    [[nodiscard]] auto resource(std::string_view, std::string_view type) const -> schema const* override
    {
        return type == "box" ? &box_ : type == "strict" ? &strict_ : nullptr;
    }
    [[nodiscard]] auto data_source(std::string_view, std::string_view type) const -> schema const* override
    {
        return resource({}, type);
    }
    [[nodiscard]] auto provisioner(std::string_view) const -> schema const* override { return nullptr; }
    [[nodiscard]] auto connection() const -> schema const* override { return nullptr; }

private:
    schema box_;
    schema strict_;
};

auto mistakes_of_boxes(std::map<std::string, std::string> const& files) -> std::vector<std::string>
{
    diagnostics found;
    auto const made = load_configuration(files, found);
    if (!found.has_errors()) validate(made, box_schemas(), found);
    std::vector<std::string> all;
    for (auto const& one : found)
        all.push_back(one.summary + (one.source ? " at " + std::to_string(one.source.line) : ""));
    return all;
}

auto mistakes_in_box(std::string const& content, std::string const& type = "box") -> std::vector<std::string>
{
    return mistakes_of_boxes({{"main.tf", "resource \"" + type + "\" \"a\" {\n" + content + "\n}\n"}});
}

/// One attribute of the box with this content, as JSON; or the errors, or the type of an unknown value.
auto box(std::string const& attribute, std::map<std::string, std::string> const& files, scope const& in) -> std::string
{
    diagnostics found;
    auto const made = load_configuration(files, found);
    box_schemas const schemas;
    auto const& content = made.resources.at("box.a").content;
    check_body(content, *schemas.resource({}, "box"), found);
    if (found.has_errors()) return found[0].summary + ": " + found[0].detail;
    auto const whole = evaluate_body(content, *schemas.resource({}, "box"), in, found);
    if (found.has_errors()) return found[0].summary + ": " + found[0].detail;
    auto const& one = *whole.find(attribute);
    std::string const secret = one.is_sensitive() ? "sensitive " : "";
    if (one.is_unknown()) return secret + "unknown " + type_to_json(one.get_type());
    return secret + (one.wholly_known() ? "" : "partly ") + to_json(one.unmarked_deep());
}

auto box(std::string const& attribute, std::string const& content, scope const& in = table_scope()) -> std::string
{
    return box(attribute, {{"main.tf", "resource \"box\" \"a\" {\n" + content + "\n}\n"}}, in);
}

// nesting

TEST(NestedBlocks, BecomeTheValueOfTheirNesting)
{
    EXPECT_EQ(box("one", "one {\n name = \"x\"\n}"), R"({"name":"x","size":null})");
    EXPECT_EQ(box("group", "group {\n of = [1, \"a\"]\n}"), R"({"of":[1,"a"]})");
    EXPECT_EQ(box("tag", "tag {\n name = \"b\"\n}\ntag {\n name = \"a\"\n}\ntag {\n name = \"b\"\n}"),
        R"([{"name":"a","size":null},{"name":"b","size":null}])");
    EXPECT_EQ(box("named", "named \"k\" {\n name = \"x\"\n size = \"2\"\n}"), R"({"k":{"name":"x","size":2}})");
    EXPECT_EQ(box("loose", "loose {\n of = 1\n}\nloose {\n of = {}\n}"), R"([{"of":1},{"of":{}}])");
    EXPECT_EQ(box("free", "free \"k\" {\n of = true\n}"), R"({"k":{"of":true}})");
    EXPECT_EQ(box("rule", "rule {\n port = 1\n match {\n name = \"x\"\n }\n}\nrule {\n last {\n name = \"z\"\n }\n}"),
        R"([{"last":null,"match":[{"name":"x","size":null}],"port":1},{"last":{"name":"z","size":null},"match":[],"port":null}])");
}

TEST(NestedBlocks, HaveAValueWithoutBlocks)
{
    EXPECT_EQ(box("one", ""), "null");
    EXPECT_EQ(box("group", ""), R"({"of":null})");
    EXPECT_EQ(box("rule", ""), "[]");
    EXPECT_EQ(box("tag", ""), "[]");
    EXPECT_EQ(box("named", ""), "{}");
    EXPECT_EQ(box("loose", ""), "[]");
    EXPECT_EQ(box("free", ""), "{}");
}

TEST(NestedBlocks, GiveObjectsTheTypeOfTheirSchema)
{
    box_schemas const schemas;
    auto const& wanted = *schemas.resource({}, "box");
    diagnostics found;
    std::map<std::string, std::string> const files{{"main.tf", "resource \"box\" \"a\" {}"}};
    auto const made = load_configuration(files, found);
    auto const whole = evaluate_body(made.resources.at("box.a").content, wanted, table_scope(), found);

    for (auto const* const name : {"one", "rule", "tag", "named"})
        EXPECT_EQ(whole.find(name)->get_type(), wanted.object_type().find(name)->of) << name;
    EXPECT_TRUE(wanted.object_type().find("loose")->of.is_dynamic());
}

TEST(NestedBlocks, AreValidatedByTheirOwnSchema)
{
    EXPECT_THAT(mistakes_in_box("other {\n}"), ElementsAre("Unsupported block type at 2"));
    EXPECT_THAT(mistakes_in_box("one = {}"), ElementsAre("Unsupported argument at 2"));
    EXPECT_THAT(mistakes_in_box("text {\n}"), ElementsAre("Unsupported block type at 2"));
    EXPECT_THAT(mistakes_in_box("one {\n size = 1\n}"), ElementsAre("Missing required argument at 2"));
    EXPECT_THAT(mistakes_in_box("rule {\n match {\n  name = \"x\"\n  nope = 1\n }\n}"),
        ElementsAre("Unsupported argument at 5"));
    EXPECT_THAT(mistakes_in_box("rule {\n one {\n }\n}"), ElementsAre("Unsupported block type at 3"));
    EXPECT_THAT(mistakes_in_box("one \"label\" {\n name = \"x\"\n}"), ElementsAre("Extraneous label for one at 2"));
    EXPECT_THAT(mistakes_in_box("named {\n name = \"x\"\n}"), ElementsAre("Missing key for named at 2"));
    EXPECT_THAT(
        mistakes_in_box("one {\n name = \"x\"\n}\none {\n name = \"x\"\n}"), ElementsAre("Duplicate one block at 5"));
    EXPECT_THAT(mistakes_in_box("named \"k\" {\n name = \"x\"\n}\nnamed \"k\" {\n name = \"x\"\n}"),
        ElementsAre("Duplicate named block at 5"));
    EXPECT_THAT(mistakes_in_box("rule {}\nrule {}\nrule {}\nrule {}"), ElementsAre("Too many rule blocks at 5"));
    EXPECT_THAT(mistakes_in_box("rule {\n name = \"x\"\n}", "strict"),
        UnorderedElementsAre("Insufficient rule blocks at 1", "Missing one block at 1"));
    EXPECT_THAT(mistakes_in_box("one {\n name = []\n}"), ElementsAre("Incorrect attribute value type at 3"));
}

// references

TEST(NestedBlocks, AreSearchedForReferences)
{
    EXPECT_THAT(mistakes_in_box("rule {\n match {\n  name = local.nope\n }\n}"),
        ElementsAre("Reference to undeclared local value at 4"));
    EXPECT_THAT(mistakes_in_box("rule {\n match {\n  name = box.a.id\n }\n}"),
        ElementsAre("Self-referential block at 4", "Self-referential block at 4"));
    EXPECT_THAT(
        mistakes_in_box("rule {\n match {\n  name = nope()\n }\n}"), ElementsAre("Call to unknown function at 4"));
}

TEST(NestedBlocks, AreReferredToAsTheirNestingAllows)
{
    auto const referring = [](std::string const& steps) {
        return mistakes_of_boxes(
            {{"main.tf", "resource \"box\" \"a\" {}\noutput \"o\" {\n value = box.a." + steps + "\n}"}});
    };

    for (auto const* const fine : {"one.name", "group.of.x", "rule", "rule[0].match[1].size", "rule[*].port", "tag",
             "named.k.name", "named[\"k\"].name", "rule[0].last.name"})
        EXPECT_THAT(referring(fine), IsEmpty()) << fine;
    EXPECT_THAT(referring("nope"), ElementsAre("Unsupported attribute at 3"));
    EXPECT_THAT(referring("one.nope"), ElementsAre("Unsupported attribute at 3"));
    EXPECT_THAT(referring("rule.port"), ElementsAre("Invalid operation at 3"));
    EXPECT_THAT(referring("rule[0].nope"), ElementsAre("Unsupported attribute at 3"));
    EXPECT_THAT(referring("tag[0]"), ElementsAre("Cannot index a set value at 3"));
    EXPECT_THAT(referring("rule[0][1]"), ElementsAre("Invalid index operation at 3"));
    EXPECT_THAT(referring("text.nope"), ElementsAre("Unsupported attribute at 3"));
}

TEST(NestedBlocks, CanBeNamedByIgnoreChanges)
{
    EXPECT_THAT(mistakes_in_box("lifecycle {\n ignore_changes = [rule, rule[0].port, one.name]\n}"), IsEmpty());
    EXPECT_THAT(
        mistakes_in_box("lifecycle {\n ignore_changes = [rule[0].nope]\n}"), ElementsAre("Unsupported attribute at 3"));
}

// dynamic blocks

TEST(DynamicBlocks, GenerateABlockForEachElement)
{
    table_scope const in(
        {{"local.names", *from_json(R"(["x","y"])")}, {"local.sizes", *from_json(R"({"a":1,"b":2})")}});

    EXPECT_EQ(box("rule",
                  "dynamic \"rule\" {\n for_each = local.names\n content {\n port = rule.key\n"
                  " match {\n name = rule.value\n }\n }\n}",
                  in),
        R"([{"last":null,"match":[{"name":"x","size":null}],"port":0},{"last":null,"match":[{"name":"y","size":null}],"port":1}])");
    EXPECT_EQ(box("named",
                  "dynamic \"named\" {\n for_each = local.sizes\n iterator = it\n labels = [\"l-${it.key}\"]\n"
                  " content {\n name = it.key\n size = it.value\n }\n}",
                  in),
        R"({"l-a":{"name":"a","size":1},"l-b":{"name":"b","size":2}})");
    EXPECT_EQ(box("tag",
                  "dynamic \"tag\" {\n for_each = toset(local.names)\n content {\n name = tag.key\n }\n}\n"
                  "tag {\n name = \"w\"\n}",
                  in),
        R"([{"name":"w","size":null},{"name":"x","size":null},{"name":"y","size":null}])");
    EXPECT_EQ(box("one", "dynamic \"one\" {\n for_each = []\n content {\n name = \"x\"\n }\n}", in), "null");
}

TEST(DynamicBlocks, CanBeNestedAndReferToOuterIterators)
{
    EXPECT_EQ(box("rule",
                  "dynamic \"rule\" {\n for_each = [[1, 2], [3]]\n content {\n dynamic \"match\" {\n"
                  " for_each = rule.value\n content {\n name = \"${rule.key}/${match.key}\"\n size = match.value\n"
                  " }\n }\n }\n}"),
        R"([{"last":null,"match":[{"name":"0/0","size":1},{"name":"0/1","size":2}],"port":null},)"
        R"({"last":null,"match":[{"name":"1/0","size":3}],"port":null}])");
}

TEST(DynamicBlocks, AreUnknownIfTheirElementsAreUnknown)
{
    table_scope const in({{"local.u", value::unknown()}, {"local.list", value::unknown(type::list(type::string()))}});
    auto const text = [](std::string const& type, std::string const& each, std::string const& content) {
        return "dynamic \"" + type + "\" {\n for_each = " + each + "\n content {\n" + content + "\n }\n}";
    };

    EXPECT_EQ(box("tag", text("tag", "local.u", "name = tag.value"), in),
        R"(unknown ["set",["object",{"name":"string","size":"number"}]])");
    EXPECT_EQ(box("loose", text("loose", "local.list", "of = loose.value"), in), R"(unknown "dynamic")");
    EXPECT_EQ(box("one", text("one", "local.list", "name = one.value"), in), R"(partly {"name":null,"size":null})");
    EXPECT_EQ(box("tag", text("tag", "[local.u]", "name = tag.value"), in), R"(partly [{"name":null,"size":null}])");
}

TEST(DynamicBlocks, PropagateTheMarksOfTheirElements)
{
    table_scope const in({{"local.s", from_json(R"(["x"])")->with_marks(mark::sensitive)}});

    EXPECT_EQ(box("rule", "dynamic \"rule\" {\n for_each = local.s\n content {\n port = rule.key\n }\n}", in),
        R"(sensitive [{"last":null,"match":[],"port":0}])");
}

TEST(DynamicBlocks, AreValidatedWithoutTheirValues)
{
    auto const with = [](std::string const& inside, std::string const& type = "rule") {
        return mistakes_in_box("dynamic \"" + type + "\" {\n" + inside + "\n}");
    };

    EXPECT_THAT(with("for_each = []\ncontent {\n}", "nope"), ElementsAre("Unsupported block type at 2"));
    EXPECT_THAT(with("for_each = []\ncontent {\n}", "text"), ElementsAre("Unsupported block type at 2"));
    EXPECT_THAT(with("content {\n}"), ElementsAre("Missing required argument at 2"));
    EXPECT_THAT(with("for_each = []"), ElementsAre("Missing dynamic content block at 2"));
    EXPECT_THAT(
        with("for_each = []\ncontent {\n}\ncontent {\n}"), ElementsAre("Extraneous dynamic content block at 6"));
    EXPECT_THAT(with("for_each = []\ncontent {\nnope = 1\n}"), ElementsAre("Unsupported argument at 5"));
    EXPECT_THAT(with("for_each = []\nlabels = []\ncontent {\n}"), ElementsAre("Unsupported argument at 4"));
    EXPECT_THAT(with("for_each = []\niterator = \"x\"\ncontent {\n}"), ElementsAre("Invalid expression at 4"));
    EXPECT_THAT(with("for_each = []\niterator = a.b\ncontent {\n}"), ElementsAre("Invalid dynamic iterator name at 4"));
    EXPECT_THAT(with("for_each = {}\nlabels = []\ncontent {\nname = \"x\"\n}", "named"),
        ElementsAre("Insufficient dynamic block labels at 4"));
    EXPECT_THAT(with("for_each = {}\nlabels = [1, 2]\ncontent {\nname = \"x\"\n}", "named"),
        ElementsAre("Extraneous dynamic block label at 4"));
    EXPECT_THAT(with("for_each = null\ncontent {\n}"), ElementsAre("Invalid dynamic for_each value at 3"));
    EXPECT_THAT(with("for_each = 5\ncontent {\n}"), ElementsAre("Invalid dynamic for_each value at 3"));
    EXPECT_THAT(with("for_each = {a = 1}\nlabels = [null]\ncontent {\nname = \"x\"\n}", "named"),
        ElementsAre("Invalid dynamic block label at 4"));
    EXPECT_THAT(with("for_each = [1, 2]\ncontent {\nname = \"x\"\n}", "one"), ElementsAre("Duplicate one block at 2"));
    EXPECT_THAT(
        mistakes_in_box("dynamic {\n for_each = []\n content {}\n}"), ElementsAre("Missing type for dynamic at 2"));
    EXPECT_THAT(
        mistakes_in_box(
            "dynamic \"rule\" {\n for_each = []\n content {\n name = \"x\"\n }\n}\none {\n name = \"x\"\n}", "strict"),
        ElementsAre("Insufficient rule blocks at 1"));
}

TEST(DynamicBlocks, HaveReferencesExceptToTheirIterators)
{
    auto const with = [](std::string const& inside) {
        return mistakes_in_box("dynamic \"rule\" {\n" + inside + "\n}");
    };

    EXPECT_THAT(with("for_each = rule.value\ncontent {\n}"), ElementsAre("Reference to undeclared resource at 3"));
    EXPECT_THAT(with("for_each = [1]\niterator = it\ncontent {\nport = it.value + rule.value\n}"),
        ElementsAre("Reference to undeclared resource at 6"));
    EXPECT_THAT(with("for_each = [1]\ncontent {\nport = local.nope\n}"),
        ElementsAre("Reference to undeclared local value at 5"));
    EXPECT_THAT(with("for_each = [1]\ncontent {\nport = rule.nope\n}"), ElementsAre("Unsupported attribute at 5"));
    EXPECT_THAT(with("for_each = box.a.rule\ncontent {\n}"),
        ElementsAre("Self-referential block at 3", "Self-referential block at 3"));
}

// data

TEST(DataSources, AreCheckedByTheirSchemaLikeResources)
{
    auto const data = [](std::string const& content) {
        return mistakes_of_boxes({{"main.tf", "data \"box\" \"a\" {\n" + content + "\n}\n"}});
    };

    EXPECT_THAT(data("text = \"x\"\nrule {\n port = 1\n}"), IsEmpty());
    EXPECT_THAT(data("nope = 1"), ElementsAre("Unsupported argument at 2"));
    EXPECT_THAT(data("id = \"x\""), ElementsAre("Value for unconfigurable attribute at 2"));
    EXPECT_THAT(
        data("text = data.box.a.id"), ElementsAre("Self-referential block at 2", "Self-referential block at 2"));
    EXPECT_THAT(
        data("count = 1\nfor_each = {}"), ElementsAre("Invalid combination of \"count\" and \"for_each\" at 3"));
    EXPECT_THAT(data("lifecycle {\n create_before_destroy = true\n}"),
        ElementsAre("Invalid data resource lifecycle argument at 3"));
    EXPECT_THAT(data("lifecycle {\n postcondition {\n  condition = self.id == \"\"\n  error_message = \"x\"\n }\n}"),
        IsEmpty());
    EXPECT_THAT(data("provisioner \"x\" {\n}"), ElementsAre("Unsupported block type at 2"));
    EXPECT_THAT(data("provider = box_x"), ElementsAre("Invalid provider local name at 2"));
    EXPECT_THAT(
        mistakes_of_boxes({{"main.tf", "data \"nope\" \"a\" {\n}\n"}}), ElementsAre("Invalid data source at 1"));
    EXPECT_THAT(mistakes_of_boxes({{"main.tf", "data \"box\" \"a\" {}\ndata \"box\" \"a\" {}\n"}}),
        ElementsAre("Duplicate data \"box\" configuration at 2"));
}

TEST(DataSources, AreReferredToLikeResources)
{
    auto const referring = [](std::string const& text) {
        return mistakes_of_boxes({{"main.tf",
            "data \"box\" \"a\" {}\ndata \"box\" \"n\" {\n count = 2\n}\ndata \"box\" \"m\" {\n for_each = {}\n}\n"
            "locals {\n x = "
                + text + "\n}"}});
    };

    for (auto const* const fine : {"data.box.a.id", "data.box.a", "data.box.n[0].id", "data.box.n[*].id",
             "data.box.m[\"k\"].text", "[for d in data.box.n : d.id]"})
        EXPECT_THAT(referring(fine), IsEmpty()) << fine;
    EXPECT_THAT(referring("data.box.z.id"), ElementsAre("Reference to undeclared resource at 9"));
    EXPECT_THAT(referring("data.box"), ElementsAre("Invalid reference at 9"));
    EXPECT_THAT(referring("data.box.a.nope"), ElementsAre("Unsupported attribute at 9"));
    EXPECT_THAT(referring("data.box.n[0].nope"), ElementsAre("Unsupported attribute at 9"));
    EXPECT_THAT(referring("data.box.a[0].id"), ElementsAre("Unexpected resource instance key at 9"));
    EXPECT_THAT(referring("data.box.n.id"), ElementsAre("Missing resource instance key at 9"));
    EXPECT_THAT(mistakes_of_boxes({{"main.tf",
                    "data \"box\" \"a\" {}\nresource \"box\" \"b\" {\n depends_on = [data.box.a, data.box.z]\n}"}}),
        ElementsAre("Reference to undeclared resource at 3"));
}

TEST(DataSources, OfACheckAreLocalToIt)
{
    std::string const check = "check \"c\" {\n data \"box\" \"a\" {\n  text = \"x\"\n }\n assert {\n"
                              "  condition = data.box.a.id == \"\"\n  error_message = \"no\"\n }\n}\n";

    EXPECT_THAT(mistakes_of_boxes({{"main.tf", check}}), IsEmpty());
    EXPECT_THAT(mistakes_of_boxes({{"main.tf", check + "output \"o\" {\n value = data.box.a.id\n}"}}),
        ElementsAre("Reference to scoped resource at 11"));
    EXPECT_THAT(mistakes_of_boxes({{"main.tf", check}, {"a.tf", "data \"box\" \"a\" {}\n"}}),
        ElementsAre("Duplicate data \"box\" configuration at 2"));
}

// JSON syntax

TEST(NestedBlocks, CanBeWrittenInJson)
{
    auto const json = [](std::string const& content) {
        return std::map<std::string, std::string>{{"main.tf.json", R"({"resource": {"box": {"a": )" + content + "}}}"}};
    };
    table_scope const in({{"local.names", *from_json(R"(["x","y"])")}});

    EXPECT_EQ(box("rule", json(R"({"rule": [{"port": 1, "match": {"name": "x"}}]})"), in),
        R"([{"last":null,"match":[{"name":"x","size":null}],"port":1}])");
    EXPECT_EQ(box("named", json(R"({"named": {"k": {"name": "x"}}})"), in), R"({"k":{"name":"x","size":null}})");
    EXPECT_EQ(box("tag", json(R"({"dynamic": {"tag": {"for_each": "${local.names}", "iterator": "it",
                                  "content": {"name": "${it.value}"}}}})"),
                  in),
        R"([{"name":"x","size":null},{"name":"y","size":null}])");
    EXPECT_THAT(
        mistakes_of_boxes(json(R"({"rule": [{"nope": 1}]})")), ElementsAre("Extraneous JSON object property at 1"));
    EXPECT_THAT(mistakes_of_boxes(json(R"({"rule": {"dynamic": {"match": {"for_each": [1],
                                  "content": {"name": "${match.value}${local.nope}"}}}}})")),
        ElementsAre("Reference to undeclared local value at 2"));
}

TEST(DynamicBlocks, ValidateTheirContentOnlyIfTheBlockTypeExists)
{
    auto const tags = [](std::string const& text) {
        return mistakes_of_boxes({{"main.tf",
            "variable \"later\" {}\nresource \"box\" \"a\" {\n  dynamic \"tag\" {\n    for_each = " + text
                + "\n    content {\n      name = \"${tag.value}${var.nope}\"\n    }\n  }\n}\n"}});
    };

    EXPECT_THAT(tags("[]"), IsEmpty());
    EXPECT_THAT(tags("{}"), IsEmpty());
    EXPECT_THAT(tags("var.later"), IsEmpty());
    EXPECT_THAT(tags("box.b"), ElementsAre("Reference to undeclared resource at 4"));
    EXPECT_THAT(tags("[1]"), ElementsAre("Reference to undeclared input variable at 6"));
    EXPECT_THAT(mistakes_of_boxes({{"main.tf.json", R"({"resource": {"box": {"a": {"dynamic": {"tag": {"for_each": [],
        "content": {"name": "${var.nope}"}}}}}}})"}}),
        IsEmpty());
    EXPECT_THAT(mistakes_of_boxes({{"main.tf.json", R"({"resource": {"box": {"a": {"dynamic": {"tag": {"for_each": [1],
        "content": {"name": "${var.nope}"}}}}}}})"}}),
        ElementsAre("Reference to undeclared input variable at 2"));
}

}  // namespace
}  // namespace iacctl::language
