// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "language/configuration/configuration.hpp"
#include "language/configuration/module_scope.hpp"
#include "language/configuration/variables.hpp"
#include "language/evaluation/repetition.hpp"
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
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::table_scope;
using ::testing::UnorderedElementsAre;

/// A stored type with a write-only attribute and blocks, and an ephemeral type.
class vault_schemas final : public schema_source {
public:
    [[nodiscard]] auto resource(std::string_view, std::string_view type) const -> schema const* override
    {
        return type == "vault" ? &vault_ : nullptr;
    }
    [[nodiscard]] auto data_source(std::string_view, std::string_view type) const -> schema const* override
    {
        return resource({}, type);
    }
    [[nodiscard]] auto ephemeral(std::string_view, std::string_view type) const -> schema const* override
    {
        return type == "token" ? &token_ : nullptr;
    }
    [[nodiscard]] auto provisioner(std::string_view) const -> schema const* override { return &run_; }
    [[nodiscard]] auto connection() const -> schema const* override { return nullptr; }

private:
    schema token_{{{"name", type::string(), false, true}, {"secret", type::string(), false, false, true}}};
    schema run_{{{"command", type::string(), true}}};
    schema vault_{{{"id", type::string(), false, false, true}, {"text", type::dynamic(), false, true},
                      {.name = "secret_wo", .of = type::string(), .optional = true, .write_only = true}},
        {{"rule", nesting::list, std::make_shared<schema>(token_)}}};
};

constexpr auto declared = "variable \"e\" {\n type = string\n default = \"x\"\n ephemeral = true\n}\n";

auto mistakes(std::map<std::string, std::string> const& files) -> std::vector<std::string>
{
    diagnostics found;
    auto const made = load_configuration(files, found);
    if (!found.has_errors()) validate(made, vault_schemas(), found);
    std::vector<std::string> all;
    for (auto const& one : found)
        all.push_back((one.address.empty() ? "" : one.address + ": ") + one.summary
            + (one.source ? " at " + std::to_string(one.source.line) : ""));
    return all;
}

/// The errors in a text that follows the declaration of an ephemeral variable. Line numbers do not count the
/// declaration.
auto mistakes_in(std::string const& text) -> std::vector<std::string>
{
    auto all = mistakes({{"main.tf", std::string(5, '\n') + text}, {"e.tf", declared}});
    for (auto& one : all)
        if (auto const at = one.rfind(" at "); at != std::string::npos)
            one = one.substr(0, at + 4) + std::to_string(std::stoi(one.substr(at + 4)) - 5);
    return all;
}

TEST(Ephemeral, PropagatesToComputedValues)
{
    table_scope const in({{"var.e", value("x").with_marks(mark::ephemeral)}});
    auto const spreads = [&](std::string const& text) {
        diagnostics found;
        auto const parsed = parse_expression("test", text, found);
        auto const made = evaluate(parsed.root, in, found);
        EXPECT_FALSE(found.has_errors()) << text;
        return made.has_deep(mark::ephemeral);
    };

    for (auto const* const text : {"var.e", "\"a-${var.e}\"", "upper(var.e)", "[var.e]", "{a = var.e}", "{(var.e) = 1}",
             "var.e == \"y\"", "var.e == \"x\" ? 1 : 2", "[for x in [var.e] : upper(x)]", "nonsensitive(var.e)",
             "sensitive(var.e)", "try(var.e, 1)", "toset([var.e])", "[var.e][*]"})
        EXPECT_TRUE(spreads(text)) << text;
    for (auto const* const text : {"length([var.e])", "can(var.e)", "ephemeralasnull(var.e)", "issensitive(var.e)",
             "ephemeralasnull({a = var.e, b = [1, var.e]})", "[var.e, 1][1]", "{a = var.e, b = 1}.b"})
        EXPECT_FALSE(spreads(text)) << text;
}

TEST(Ephemeral, BecomesNullOnRequest)
{
    auto const both = mark::ephemeral | mark::sensitive;
    table_scope const in({{"var.e", value("x").with_marks(mark::ephemeral)}, {"var.s", value("x").with_marks(both)},
        {"var.u", value::unknown(type::string()).with_marks(mark::ephemeral)}});

    EXPECT_EQ(testing::evaluated("ephemeralasnull({a = var.e, b = [1, var.e], c = tolist([var.e]), d = \"y\"})", in),
        R"({"a":null,"b":[1,null],"c":[null],"d":"y"})");
    EXPECT_EQ(testing::evaluated("ephemeralasnull(var.u)", in), "unknown \"string\"");
    EXPECT_EQ(testing::evaluated("issensitive(ephemeralasnull(var.s))", in), "true");
    EXPECT_EQ(testing::evaluated("issensitive(var.e)", in), "false");
}

TEST(Ephemeral, IsRejectedInStoredValues)
{
    EXPECT_THAT(mistakes_in("resource \"vault\" \"a\" {\n text = var.e\n}"),
        ElementsAre("vault.a: Invalid use of ephemeral value at 2"));
    EXPECT_THAT(mistakes_in("resource \"vault\" \"a\" {\n text = {k = [local.l]}\n}\nlocals {\n l = \"a-${var.e}\"\n}"),
        ElementsAre("vault.a: Invalid use of ephemeral value at 2"));
    EXPECT_THAT(mistakes_in("data \"vault\" \"a\" {\n text = var.e\n}"),
        ElementsAre("data.vault.a: Invalid use of ephemeral value at 2"));
    EXPECT_THAT(mistakes_in("resource \"vault\" \"a\" {\n text = 1\n rule {\n  name = var.e\n }\n}"),
        ElementsAre("vault.a: Invalid use of ephemeral value at 3"));
    EXPECT_THAT(mistakes_in("output \"o\" {\n value = var.e\n}"), ElementsAre("Ephemeral value not allowed at 2"));
    EXPECT_THAT(mistakes_in("resource \"vault\" \"a\" {\n count = length(var.e)\n}"),
        ElementsAre("Invalid count argument at 2"));
    EXPECT_THAT(mistakes_in("resource \"vault\" \"a\" {\n for_each = toset([var.e])\n}"),
        ElementsAre("Invalid for_each argument at 2"));
}

TEST(Ephemeral, NamesTheBlockThatIsStored)
{
    diagnostics found;
    std::map<std::string, std::string> const files{
        {"main.tf", std::string(declared) + "resource \"vault\" \"a\" {\n rule {}\n rule {\n  name = var.e\n }\n}"}};
    validate(load_configuration(files, found), vault_schemas(), found);

    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].code, "ephemeral_value_stored");
    EXPECT_THAT(found[0].detail, HasSubstr("\"rule[1].name\""));
}

TEST(Ephemeral, IsAcceptedInValuesThatAreNotStored)
{
    EXPECT_THAT(mistakes_in("resource \"vault\" \"a\" {\n secret_wo = var.e\n}"), IsEmpty());
    EXPECT_THAT(mistakes_in("resource \"vault\" \"a\" {\n provisioner \"run\" {\n  command = var.e\n }\n}"), IsEmpty());
    EXPECT_THAT(mistakes_in("resource \"vault\" \"a\" {\n for_each = {k = var.e}\n}"), IsEmpty());
    EXPECT_THAT(mistakes_in("output \"o\" {\n value = ephemeralasnull(var.e)\n}"), IsEmpty());
    EXPECT_THAT(
        mistakes_in("resource \"vault\" \"a\" {\n lifecycle {\n  precondition {\n   condition = var.e == \"x\"\n"
                    "   error_message = \"no\"\n  }\n }\n}"),
        IsEmpty());
}

TEST(Ephemeral, PassesModulesOnlyIfTheyDeclareIt)
{
    std::string const module = "variable \"plain\" {\n default = \"\"\n}\nvariable \"e\" {\n default = \"\"\n"
                               " ephemeral = true\n}\noutput \"e\" {\n value = var.plain\n ephemeral = true\n}\n";
    auto const with = [&](std::string const& root, std::string const& more = "") {
        return mistakes({{"main.tf", declared + root}, {"m/main.tf", module + more}});
    };

    EXPECT_THAT(with("module \"m\" {\n source = \"./m\"\n e = var.e\n}"), IsEmpty());
    EXPECT_THAT(
        with("module \"m\" {\n source = \"./m\"\n plain = var.e\n}"), ElementsAre("Ephemeral value not allowed at 8"));
    EXPECT_THAT(with("module \"m\" {\n source = \"./m\"\n}\noutput \"o\" {\n value = module.m.e\n}"),
        ElementsAre("Ephemeral value not allowed at 10"));
    EXPECT_THAT(with("module \"m\" {\n source = \"./m\"\n}", "output \"o\" {\n value = var.e\n}"),
        ElementsAre("Ephemeral value not allowed at 13"));
    EXPECT_THAT(
        with("output \"o\" {\n value = 1\n ephemeral = true\n}"), ElementsAre("Ephemeral output not allowed at 6"));
    EXPECT_THAT(with("module \"m\" {\n source = \"./m\"\n count = length(var.e)\n}"),
        ElementsAre("Invalid count argument at 8"));
}

TEST(Ephemeral, CannotSelectInstances)
{
    table_scope const in({{"var.n", value(number(2)).with_marks(mark::ephemeral)},
        {"var.s", value::set(type::string(), {value("a")}).with_marks(mark::ephemeral)}});
    diagnostics found;
    auto const count = parse_expression("test", "var.n", found);
    auto const set = parse_expression("test", "var.s", found);

    EXPECT_FALSE(evaluate_count(count.root, in, found).has_value());
    EXPECT_FALSE(evaluate_for_each(set.root, in, found).has_value());
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].code, "count_ephemeral");
    EXPECT_EQ(found[1].code, "for_each_ephemeral");
    EXPECT_THAT(found[1].source.notes, ElementsAre("var.s has an ephemeral value"));
}

TEST(Ephemeral, IsNotShownByErrorMessages)
{
    diagnostics found;
    std::map<std::string, std::string> const files{{"main.tf",
        "variable \"e\" {\n ephemeral = true\n validation {\n  condition = var.e == \"y\"\n"
        "  error_message = \"bad ${var.e}\"\n }\n}"}};
    auto const made = load_configuration(files, found);
    table_scope const in({{"var.e", value("x").with_marks(mark::ephemeral)}});
    check_validations(made.variables.at("e"), in, found);

    EXPECT_THAT(testing::summaries(found),
        ElementsAre("Error message refers to ephemeral values at 5", "Invalid value for variable at 1"));
    EXPECT_EQ(found[0].code, "ephemeral_error_message");
    EXPECT_THAT(found[1].detail, Not(HasSubstr("bad x")));
}

// ephemeral resources

TEST(EphemeralResources, AreCheckedByTheirSchema)
{
    EXPECT_THAT(mistakes_in("ephemeral \"token\" \"a\" {\n name = var.e\n}"), IsEmpty());
    EXPECT_THAT(mistakes_in("ephemeral \"token\" \"a\" {\n nope = 1\n}"), ElementsAre("Unsupported argument at 2"));
    EXPECT_THAT(mistakes_in("ephemeral \"nope\" \"a\" {\n}"), ElementsAre("Invalid ephemeral resource at 1"));
    EXPECT_THAT(mistakes_in("ephemeral \"token\" \"a\" {\n lifecycle {\n  prevent_destroy = true\n }\n}"),
        ElementsAre("Invalid ephemeral resource lifecycle argument at 3"));
    EXPECT_THAT(mistakes_in("ephemeral \"token\" \"a\" {\n}\nephemeral \"token\" \"a\" {\n}"),
        ElementsAre("Duplicate ephemeral \"token\" configuration at 3"));
    EXPECT_THAT(mistakes_in("ephemeral \"token\" \"a\" {\n name = ephemeral.token.a.secret\n}"),
        ElementsAre("Self-referential block at 2", "Self-referential block at 2"));
}

TEST(EphemeralResources, PropagateTheirMarkToReferences)
{
    std::string const token = "ephemeral \"token\" \"a\" {\n}\n";

    EXPECT_THAT(mistakes_in(token + "resource \"vault\" \"a\" {\n secret_wo = ephemeral.token.a.secret\n}"), IsEmpty());
    EXPECT_THAT(mistakes_in(token + "resource \"vault\" \"a\" {\n text = ephemeral.token.a.secret\n}"),
        ElementsAre("vault.a: Invalid use of ephemeral value at 4"));
    EXPECT_THAT(mistakes_in(token + "resource \"vault\" \"a\" {\n depends_on = [ephemeral.token.a]\n}"), IsEmpty());
    EXPECT_THAT(mistakes_in(token
                    + "locals {\n a = ephemeral.token.b\n b = ephemeral.token\n c = ephemeral\n"
                      " d = ephemeral.token.a.nope\n e = ephemeral.token.a[0]\n}"),
        UnorderedElementsAre("Reference to undeclared resource at 4", "Invalid reference at 5",
            "Invalid reference at 6", "Unsupported attribute at 7", "Unexpected resource instance key at 8"));
}

}  // namespace
}  // namespace iacctl::language
