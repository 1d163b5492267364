// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "language/configuration/configuration.hpp"
#include "language/validation/schema_values.hpp"
#include "language/validation/validate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::language {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::table_scope;

auto nested(std::string name, nesting n, std::shared_ptr<schema const> content) -> schema_attribute
{
    schema_attribute made{.name = std::move(name), .of = {}, .optional = true};
    made.nest(n, std::move(content));
    return made;
}

/// A type with nested attributes of every nesting mode, within each other and in blocks.
auto pool() -> schema const&
{
    static auto const made = [] {
        auto const disk =
            std::make_shared<schema>(schema{{{.name = "key", .of = type::string(), .optional = true, .sensitive = true},
                {.name = "once", .of = type::string(), .optional = true, .write_only = true},
                {.name = "path", .of = type::string(), .computed = true},
                {.name = "size", .of = type::number(), .required = true}}});
        auto const node = std::make_shared<schema>(schema{{nested("boot", nesting::single, disk),
            nested("disks", nesting::list, disk), {.name = "name", .of = type::string(), .optional = true}}});
        auto const zone = std::make_shared<schema>(schema{{nested("spare", nesting::single, disk)}});
        return schema{{{.name = "id", .of = type::string(), .computed = true},
                          {.name = "old", .of = type::string(), .optional = true, .deprecated = true},
                          nested("by_name", nesting::map, node), nested("main", nesting::single, node),
                          nested("set", nesting::set, disk)},
            {{"zone", nesting::list, zone}}};
    }();
    return made;
}

class pool_schemas final : public schema_source {
public:
    [[nodiscard]] auto resource(std::string_view, std::string_view) const -> schema const* override { return &pool(); }
    [[nodiscard]] auto data_source(std::string_view, std::string_view) const -> schema const* override
    {
        return &pool();
    }
    [[nodiscard]] auto provisioner(std::string_view) const -> schema const* override { return nullptr; }
    [[nodiscard]] auto connection() const -> schema const* override { return nullptr; }
};

/// The object that the body of a resource gives, and its errors.
auto pool_made(std::string const& content, scope const& in = table_scope()) -> std::pair<value, std::string>
{
    diagnostics found;
    auto const made = load_configuration({{"main.tf", "resource \"pool\" \"a\" {\n" + content + "\n}\n"}}, found);
    if (found.has_errors()) return {value(), found[0].summary};
    auto const& body = made.resources.at("pool.a").content;
    check_body(body, pool(), found);
    auto whole = evaluate_body(body, pool(), in, found);
    if (!found.has_errors()) refuse_ephemeral(body, pool(), whole, found);
    return {whole, found.has_errors() ? found[0].summary + ": " + found[0].detail : ""};
}

auto pool_attribute(std::string const& name, std::string const& content) -> std::string
{
    auto const [whole, wrong] = pool_made(content);
    return wrong.empty() ? to_json(*whole.find(name)) : wrong;
}

TEST(NestedAttributes, AreObjectsOfTheirAttributes)
{
    EXPECT_EQ(pool_attribute("main", "main = { name = \"x\", disks = [{ size = 1 }] }"),
        R"({"boot":null,"disks":[{"key":null,"once":null,"path":null,"size":1}],"name":"x"})");
    EXPECT_EQ(pool_attribute("by_name", "by_name = { a = {}, b = { name = 7 } }"),
        R"({"a":{"boot":null,"disks":null,"name":null},"b":{"boot":null,"disks":null,"name":"7"}})");
    EXPECT_EQ(pool_attribute("set", "set = [{ size = 1 }, { size = \"1\" }]"),
        R"([{"key":null,"once":null,"path":null,"size":1}])");
    EXPECT_EQ(pool_attribute("main", ""), "null");
    EXPECT_EQ(pool_attribute("zone", "zone {\n spare = { size = 2 }\n}"),
        R"([{"spare":{"key":null,"once":null,"path":null,"size":2}}])");
}

TEST(NestedAttributes, HaveTheTypeOfTheSchema)
{
    auto const unknown =
        value::unknown(type::object({{"disks", type::list(type::object({{"size", type::number()}}))}}));
    for (auto const* content : {"", "main = { disks = [{ size = 1 }] }", "set = []", "by_name = {}"})
        EXPECT_EQ(pool_made(content).first.get_type(), pool().object_type()) << content;
    EXPECT_EQ(pool_made("main = var.u", table_scope({{"var.u", unknown}})).first.get_type(), pool().object_type());
    EXPECT_EQ(
        pool_made("main = var.u", table_scope({{"var.u", value::unknown()}})).first.get_type(), pool().object_type());
}

TEST(NestedAttributes, MustHaveRequiredAttributes)
{
    EXPECT_THAT(pool_attribute("main", "main = { disks = [{ key = \"k\" }] }"),
        AllOf(HasSubstr("main"), HasSubstr("\"size\" is required")));
    EXPECT_THAT(pool_attribute("main", "main = { disks = { size = 1 } }"), HasSubstr("list"));
}

TEST(NestedAttributes, AcceptEphemeralValuesIfTheyAreWriteOnly)
{
    table_scope const in({{"var.e", value("x").with_marks(mark::ephemeral)}});

    EXPECT_EQ(pool_made("main = { disks = [{ size = 1, once = var.e }] }", in).second, "");
    EXPECT_EQ(pool_made("zone {\n spare = { size = 1, once = var.e }\n}", in).second, "");
    EXPECT_THAT(
        pool_made("main = { disks = [{ size = 1, key = var.e }] }", in).second, HasSubstr("\"main.disks[0].key\""));
    EXPECT_THAT(pool_made("by_name = { a = { boot = { size = 1, key = var.e } } }", in).second,
        HasSubstr("\"by_name[\"a\"].boot.key\""));
    EXPECT_THAT(
        pool_made("zone {\n spare = { size = 1, key = var.e }\n}", in).second, HasSubstr("\"zone[0].spare.key\""));
    EXPECT_THAT(pool_made("set = [{ size = 1, once = var.e }]", in).second, HasSubstr("\"set\""));
}

auto pool_mistakes(std::string const& text) -> std::vector<std::string>
{
    diagnostics found;
    auto const made = load_configuration(
        {{"main.tf", "resource \"pool\" \"a\" {\n}\noutput \"o\" {\n value = " + text + "\n}\n"}}, found);
    if (!found.has_errors()) validate(made, pool_schemas(), found);
    return testing::summaries(found);
}

TEST(NestedAttributes, CanBeReferredTo)
{
    EXPECT_THAT(pool_mistakes("pool.a.main.disks[0].size"), IsEmpty());
    EXPECT_THAT(pool_mistakes("pool.a.by_name[\"x\"].boot.path"), IsEmpty());
    EXPECT_THAT(pool_mistakes("pool.a.main.disks[0].seize"), ElementsAre("Unsupported attribute at 4"));
    EXPECT_THAT(pool_mistakes("pool.a.zone[0].spare.seize"), ElementsAre("Unsupported attribute at 4"));
}

TEST(DeprecatedAttributes, CauseAWarningAtReferences)
{
    EXPECT_THAT(pool_mistakes("pool.a.old"), ElementsAre("Deprecated attribute at 4"));
    EXPECT_THAT(pool_mistakes("pool.a.id"), IsEmpty());
}

auto disk(value key, value once) -> value
{
    return value::object({{"key", std::move(key)}, {"once", std::move(once)}, {"path", value::null(type::string())},
        {"size", value(number(1))}});
}

auto whole(value key, value once) -> value
{
    auto const of = pool().find("set")->nested->content->object_type();
    auto const node = pool().find("main")->nested->content->object_type();
    auto const main =
        value::object({{"boot", disk(key, once)}, {"disks", value::list(of, {disk(key, once)})}, {"name", value("x")}});
    return value::object({{"by_name", value::map(node, {{"a", main}})}, {"id", value("i")}, {"main", main},
        {"old", value::null(type::string())}, {"set", value::set(of, {disk(key, value::null(type::string()))})},
        {"zone", value::list(pool().blocks[0].content->object_type(), {value::object({{"spare", disk(key, once)}})})}});
}

TEST(SensitiveAttributes, AreMarkedInNestedAttributesAndBlocks)
{
    auto const null = value::null(type::string());

    auto const marked = with_sensitive_marks(whole(value("k"), null), pool());

    EXPECT_EQ(marked, whole(value("k").with_marks(mark::sensitive), null));
    EXPECT_TRUE(marked.find("set")->is_sensitive());
    EXPECT_FALSE(marked.find("main")->is_sensitive());
    EXPECT_FALSE(marked.find("main")->find("name")->is_sensitive());
    EXPECT_EQ(with_sensitive_marks(whole(null, null), pool()), whole(null.with_marks(mark::sensitive), null));
    EXPECT_EQ(with_sensitive_marks(value::null(pool().object_type()), pool()), value::null(pool().object_type()));
}

TEST(WriteOnlyAttributes, AreRemovedFromNestedAttributesAndBlocks)
{
    auto const null = value::null(type::string());

    EXPECT_EQ(without_write_only(whole(value("k"), value("o")), pool()), whole(value("k"), null));
    EXPECT_EQ(
        without_write_only(whole(value("k"), value("o").with_marks(mark::ephemeral)), pool()), whole(value("k"), null));
    EXPECT_EQ(without_write_only(whole(value("k"), null), pool()).get_type(), pool().object_type());
}

TEST(SchemaAttribute, ReportsNestedSensitiveAttributes)
{
    EXPECT_TRUE(pool().find("main")->has_sensitive());
    EXPECT_FALSE(pool().find("id")->has_sensitive());
}

}  // namespace
}  // namespace iacctl::language
