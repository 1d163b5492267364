// SPDX-License-Identifier: BSL-1.0
#include "workspace/program/consistency.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace iacctl;
using language::mark;
using language::nesting;
using language::type;
using language::value;
using language::value_entry;
using program::plan_violations;
using program::result_violations;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

auto text(char const* c) -> value
{
    return value(c);
}
auto unknown(type t = type::string()) -> value
{
    return value::unknown(std::move(t));
}
auto texts(std::vector<value> elements) -> value
{
    return value::list(type::string(), std::move(elements));
}
auto a_set(std::vector<value> elements) -> value
{
    return value::set(type::string(), std::move(elements));
}
auto object(std::vector<value_entry> entries) -> value
{
    return value::object(std::move(entries));
}

// A type with required, optional and computed attributes, with a list, a map, a set and a value of any type, and with
// nested blocks.
auto firewall() -> language::schema const&
{
    static auto const rule = std::make_shared<language::schema>(
        language::schema{.attributes = {{.name = "note", .of = type::string(), .computed = true},
                             {.name = "port", .of = type::string(), .required = true},
                             {.name = "token", .of = type::string(), .optional = true, .sensitive = true}}});
    static language::schema const made{.attributes = {{.name = "any", .of = type::dynamic(), .optional = true},
                                           {.name = "id", .of = type::string(), .computed = true},
                                           {.name = "key", .of = type::string(), .optional = true, .sensitive = true},
                                           {.name = "list", .of = type::list(type::string()), .optional = true},
                                           {.name = "map", .of = type::map(type::string()), .optional = true},
                                           {.name = "name", .of = type::string(), .required = true},
                                           {.name = "once", .of = type::string(), .optional = true, .write_only = true},
                                           {.name = "region", .of = type::string(), .optional = true, .computed = true},
                                           {.name = "set", .of = type::set(type::string()), .optional = true}},
        .blocks = {{"by_name", nesting::map, rule}, {"main", nesting::single, rule}, {"rule", nesting::list, rule},
            {"some", nesting::set, rule}}};
    return made;
}

auto rule(value port, value note = {}, value token = {}) -> value
{
    return object({{"note", std::move(note)}, {"port", std::move(port)}, {"token", std::move(token)}});
}
auto rules(std::vector<value> all) -> value
{
    return value::list(firewall().blocks[2].content->object_type(), std::move(all));
}

// An object with the name "web" and these entries. All others are as if not configured.
auto with(std::vector<value_entry> entries) -> value
{
    auto const of_rules = firewall().blocks[0].content->object_type();
    std::vector<value_entry> all{{"name", text("web")}, {"rule", rules({})}, {"by_name", value::map(of_rules, {})},
        {"some", value::set(of_rules, {})}};
    for (auto const& a : firewall().attributes)
        if (a.name != "name") all.push_back({a.name, value::null(a.of)});
    for (value_entry& e : entries) all.push_back(std::move(e));
    return value::object(std::move(all));
}

auto of_plan(value const& asked, value const& planned, std::optional<value> const& prior = {})
{
    return plan_violations(firewall(), prior, asked, planned);
}
auto of_promise(value const& planned, value const& actual)
{
    return result_violations(firewall(), planned, actual);
}

TEST(PlanViolations, IncludePlannedValuesThatDifferFromConfiguredValues)
{
    auto const found = of_plan(with({}), with({{"name", text("db")}}));

    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found[0], AllOf(StartsWith(".name: "), HasSubstr("\"db\""), HasSubstr("\"web\"")));
}

TEST(PlanViolations, ExcludeComputedValuesThatAreNotConfigured)
{
    EXPECT_THAT(of_plan(with({}), with({{"id", unknown()}, {"region", text("north")}})), IsEmpty());
    EXPECT_THAT(of_plan(with({}), with({{"id", text("7")}, {"region", unknown()}})), IsEmpty());
}

TEST(PlanViolations, IncludeConfiguredValuesThatAreReplacedByComputedOnes)
{
    EXPECT_THAT(of_plan(with({{"region", text("south")}}), with({{"region", text("north")}})),
        ElementsAre(StartsWith(".region: ")));
    EXPECT_THAT(of_plan(with({{"region", text("south")}}), with({{"region", unknown()}})),
        ElementsAre(StartsWith(".region: ")));
}

TEST(PlanViolations, IncludeValuesThatAreNeitherConfiguredNorComputed)
{
    EXPECT_THAT(of_plan(with({}), with({{"list", texts({text("a")})}})), ElementsAre(StartsWith(".list: ")));
}

TEST(PlanViolations, ExcludeUnchangedValues)
{
    auto const before = with({{"name", text("WEB")}});

    EXPECT_THAT(of_plan(with({}), with({{"name", text("WEB")}}), before), IsEmpty());
    EXPECT_THAT(of_plan(with({}), with({{"name", text("Web")}}), before), ElementsAre(HasSubstr("\"WEB\"")));
}

TEST(PlanViolations, ExcludeMarksAndTypesOfNull)
{
    auto const asked = with({{"map", value()}, {"name", text("web").with_marks(mark::sensitive)}});

    EXPECT_THAT(of_plan(asked, with({{"map", value::null(type::map(type::string()))}})), IsEmpty());
}

TEST(PlanViolations, IncludeUnknownPartsThatArePlannedAsKnown)
{
    EXPECT_THAT(of_plan(with({{"name", unknown()}}), with({{"name", text("db")}})), ElementsAre(StartsWith(".name: ")));
    EXPECT_THAT(of_plan(with({{"name", unknown()}}), with({{"name", unknown()}})), IsEmpty());
}

TEST(PlanViolations, DoNotShowSecrets)
{
    auto const by_schema = of_plan(with({{"key", text("abc")}}), with({{"key", text("xyz")}}));
    auto const by_mark = of_plan(
        with({{"list", texts({text("abc").with_marks(mark::sensitive)})}}), with({{"list", texts({text("xyz")})}}));

    EXPECT_THAT(by_schema, ElementsAre(AllOf(StartsWith(".key: "), Not(HasSubstr("abc")), Not(HasSubstr("xyz")))));
    EXPECT_THAT(by_mark, ElementsAre(AllOf(StartsWith(".list: "), Not(HasSubstr("abc")), Not(HasSubstr("xyz")))));
}

TEST(PlanViolations, IncludeStoredWriteOnlyValues)
{
    EXPECT_THAT(of_plan(with({{"once", text("x")}}), with({{"once", text("x")}})), ElementsAre(StartsWith(".once: ")));
    EXPECT_THAT(of_plan(with({{"once", text("x")}}), with({})), IsEmpty());
}

TEST(PlanViolations, IncludePartsOfBlocks)
{
    auto const asked = with({{"rule", rules({rule(text("80")), rule(text("81"))})}});

    EXPECT_THAT(
        of_plan(asked, with({{"rule", rules({rule(text("80"), unknown()), rule(text("81"), text("x"))})}})), IsEmpty());
    EXPECT_THAT(of_plan(asked, with({{"rule", rules({rule(text("80")), rule(text("82"))})}})),
        ElementsAre(StartsWith(".rule[1].port: ")));
    EXPECT_THAT(of_plan(asked, with({{"rule", rules({rule(text("80"))})}})), ElementsAre(StartsWith(".rule: 1 ")));
    EXPECT_THAT(of_plan(asked, with({{"rule", value::unknown()}})), ElementsAre(StartsWith(".rule: ")));
    EXPECT_THAT(of_plan(with({{"main", rule(text("80"))}}), with({})), ElementsAre(StartsWith(".main: ")));
    EXPECT_THAT(of_plan(with({}), with({{"main", rule(text("80"))}})), ElementsAre(StartsWith(".main: ")));
}

TEST(PlanViolations, IncludeComputedBlocksOnlyIfTheyAreConfigured)
{
    auto open = firewall();
    for (language::schema_block& one : open.blocks) one.computed = true;
    auto const of_open = [&](value const& asked, value const& planned) {
        return plan_violations(open, std::nullopt, asked, planned);
    };
    auto const of_rules = open.blocks[0].content->object_type();

    EXPECT_THAT(of_open(with({}), with({{"rule", rules({rule(text("80"))})}, {"main", rule(text("80"))}})), IsEmpty());
    EXPECT_THAT(
        of_open(with({}), with({{"some", unknown(type::set(of_rules))}, {"main", unknown(of_rules)}})), IsEmpty());
    EXPECT_THAT(
        of_open(with({}), with({{"rule", value::null(type::list(of_rules))}})), ElementsAre(StartsWith(".rule: ")));
    EXPECT_THAT(of_open(with({{"rule", rules({rule(text("80"))})}}), with({{"rule", unknown(type::list(of_rules))}})),
        ElementsAre(StartsWith(".rule: ")));
    EXPECT_THAT(of_open(with({{"rule", rules({rule(text("80"))})}}), with({{"rule", rules({rule(text("81"))})}})),
        ElementsAre(StartsWith(".rule[0].port: ")));
}

TEST(ResultViolations, IncludeComputedBlocksThatBecameNull)
{
    auto open = firewall();
    for (language::schema_block& one : open.blocks) one.computed = true;
    auto const of_rules = type::list(open.blocks[0].content->object_type());
    auto const planned = with({{"rule", unknown(of_rules)}});

    EXPECT_THAT(result_violations(open, planned, with({{"rule", rules({rule(text("80"))})}})), IsEmpty());
    EXPECT_THAT(
        result_violations(open, planned, with({{"rule", value::null(of_rules)}})), ElementsAre(StartsWith(".rule: ")));
}

TEST(PlanViolations, IncludeBlocksWithOtherKeys)
{
    auto const named = [](char const* name) {
        return with({{"by_name", value::map(firewall().blocks[0].content->object_type(), {{name, rule(text("80"))}})}});
    };

    EXPECT_THAT(
        of_plan(named("a"), named("b")), ElementsAre(StartsWith(".by_name[\"b\"]: "), StartsWith(".by_name[\"a\"]: ")));
}

TEST(PlanViolations, IncludeValuesOfOtherTypes)
{
    EXPECT_THAT(of_plan(with({}), with({{"region", value(language::number(7))}})), ElementsAre(HasSubstr("number")));
}

TEST(ResultViolations, IncludeKnownValuesThatChanged)
{
    auto const found = of_promise(with({{"id", text("7")}}), with({{"id", text("8")}}));

    ASSERT_EQ(found.size(), 1U);
    EXPECT_THAT(found[0], AllOf(StartsWith(".id: "), HasSubstr("\"7\""), HasSubstr("\"8\"")));
    EXPECT_THAT(of_promise(with({}), with({{"id", text("8")}})), ElementsAre(StartsWith(".id: ")));
    EXPECT_THAT(of_promise(with({{"id", text("7")}}), with({})), ElementsAre(StartsWith(".id: ")));
}

TEST(ResultViolations, ExcludeUnknownValuesThatGotAnyValueOfTheirType)
{
    EXPECT_THAT(of_promise(with({{"id", unknown()}}), with({{"id", text("8")}})), IsEmpty());
    EXPECT_THAT(of_promise(with({{"id", unknown()}}), with({})), IsEmpty());
    EXPECT_THAT(of_promise(with({{"any", unknown(type::dynamic())}}), with({{"any", texts({})}})), IsEmpty());
    EXPECT_THAT(
        of_promise(with({{"list", texts({unknown(), text("b")})}}), with({{"list", texts({text("a"), text("b")})}})),
        IsEmpty());
}

TEST(ResultViolations, ExcludeNumbersThatAProviderReadInDoublePrecision)
{
    value const written(*language::number::parse("0.1"));
    value const computed(language::number(0.1));

    EXPECT_THAT(of_promise(with({{"any", written}}), with({{"any", computed}})), IsEmpty());
    EXPECT_THAT(of_plan(with({{"any", written}}), with({{"any", computed}})), IsEmpty());
}

TEST(ResultViolations, IncludeUnknownValuesThatGotAnotherType)
{
    EXPECT_THAT(of_promise(with({{"any", unknown(type::number())}}), with({{"any", text("a")}})),
        ElementsAre(AllOf(StartsWith(".any: "), HasSubstr("number"), HasSubstr("string"))));
    EXPECT_THAT(of_promise(with({{"id", unknown()}}), with({{"id", value(true)}})), ElementsAre(StartsWith(".id: ")));
}

TEST(ResultViolations, IncludeNullsThatThePlanExcludes)
{
    EXPECT_THAT(of_promise(with({{"id", unknown().refined_not_null()}}), with({})), ElementsAre(StartsWith(".id: ")));
}

TEST(ResultViolations, AreReportedWithTheirPath)
{
    auto const any = [](value v) { return with({{"any", object({{"a", value::tuple({std::move(v), text("z")})}})}}); };
    auto const map = [](std::vector<value_entry> entries) {
        return with({{"map", value::map(type::string(), std::move(entries))}});
    };

    EXPECT_THAT(of_promise(any(text("x")), any(text("y"))), ElementsAre(StartsWith(".any[\"a\"][0]: ")));
    EXPECT_THAT(of_promise(map({{"a", text("1")}}), map({{"b", text("1")}})),
        ElementsAre(StartsWith(".map[\"a\"]: "), StartsWith(".map[\"b\"]: ")));
    EXPECT_THAT(of_promise(with({{"list", texts({text("a")})}}), with({{"list", texts({})}})),
        ElementsAre(StartsWith(".list: ")));
    EXPECT_THAT(of_promise(with({{"rule", rules({rule(text("80"))})}}), with({{"rule", rules({rule(text("81"))})}})),
        ElementsAre(StartsWith(".rule[0].port: ")));
}

TEST(ResultViolations, ExcludeMarks)
{
    EXPECT_THAT(of_promise(with({{"name", text("web").with_marks(mark::sensitive)}}), with({})), IsEmpty());
}

TEST(ResultViolations, DoNotShowSecrets)
{
    EXPECT_THAT(of_promise(with({{"key", text("abc")}}), with({{"key", text("xyz")}})),
        ElementsAre(AllOf(StartsWith(".key: "), Not(HasSubstr("abc")), Not(HasSubstr("xyz")))));
    auto const of = firewall().blocks[3].content->object_type();
    auto const some = [&](char const* token) {
        return with({{"some", value::set(of, {rule(text("80"), {}, text(token))})}});
    };
    EXPECT_THAT(
        of_promise(some("abc"), some("xyz")), testing::Each(AllOf(Not(HasSubstr("abc")), Not(HasSubstr("xyz")))));
    EXPECT_THAT(of_promise(some("abc"), some("xyz")), Not(IsEmpty()));
}

TEST(ResultViolations, IncludeElementsOfSetsWithoutAPlannedElement)
{
    auto const promised = [](std::vector<value> planned, std::vector<value> actual) {
        return of_promise(with({{"set", a_set(std::move(planned))}}), with({{"set", a_set(std::move(actual))}}));
    };

    EXPECT_THAT(promised({text("a"), unknown()}, {text("a"), text("b")}), IsEmpty());
    EXPECT_THAT(promised({text("a"), unknown()}, {text("a")}), IsEmpty());  // it turned out to be the same
    EXPECT_THAT(promised({text("a"), unknown()}, {text("b"), text("c")}), ElementsAre(HasSubstr("\"a\"")));
    EXPECT_THAT(promised({text("a"), text("b")}, {text("a")}), ElementsAre(HasSubstr("\"b\"")));
    EXPECT_THAT(promised({text("a"), unknown()}, {text("a"), text("b"), text("c")}), ElementsAre(HasSubstr("3 are")));
}

TEST(ResultViolations, ExcludeUnknownBlocks)
{
    auto const planned = with({{"main", value::unknown()}, {"rule", value::unknown()}});

    EXPECT_THAT(of_promise(planned, with({{"rule", rules({rule(text("80"))})}})), IsEmpty());
    EXPECT_THAT(of_promise(with({{"main", rule(text("80"))}}), with({})), ElementsAre(StartsWith(".main: ")));
}

TEST(ResultViolations, AreFoundInLargeSetsQuickly)
{
    std::vector<value> many;
    for (int i = 0; i < 50'000; ++i) many.emplace_back(std::to_string(i));
    auto other = many;
    other[7] = text("other");

    auto const found = of_promise(with({{"set", a_set(many)}}), with({{"set", a_set(other)}}));

    EXPECT_THAT(found, ElementsAre(HasSubstr("\"7\""), HasSubstr("\"other\"")));
}

// A type with nodes as nested attributes of each nesting mode.
auto pool() -> language::schema const&
{
    static auto const made = [] {
        auto const node = std::make_shared<language::schema>(
            language::schema{{{.name = "id", .of = type::string(), .optional = true, .computed = true},
                {.name = "key", .of = type::string(), .optional = true, .sensitive = true},
                {.name = "name", .of = type::string(), .optional = true}}});
        language::schema whole;
        for (auto const& [name, how] : {std::pair("list", nesting::list), std::pair("map", nesting::map),
                 std::pair("one", nesting::single), std::pair("set", nesting::set)}) {
            language::schema_attribute a{.name = name, .of = {}, .optional = true};
            a.nest(how, node);
            whole.attributes.push_back(a);
            a.name += "_computed";
            a.computed = true;
            whole.attributes.push_back(std::move(a));
        }
        return whole;
    }();
    return made;
}

auto node(value name, value id = {}, value key = {}) -> value
{
    return object({{"id", std::move(id)}, {"key", std::move(key)}, {"name", std::move(name)}});
}
auto nodes_of(nesting n, std::vector<value_entry> all) -> value
{
    auto const of = pool().attributes[0].nested->content->object_type();
    std::vector<value> elements;
    for (value_entry const& e : all) elements.push_back(e.of);
    if (n == nesting::map) return value::map(of, std::move(all));
    return n == nesting::list ? value::list(of, std::move(elements)) : value::set(of, std::move(elements));
}
auto pool_with(char const* name, value v) -> value
{
    std::vector<value_entry> all;
    for (auto const& a : pool().attributes) all.push_back({a.name, value::null(a.of)});
    all.push_back({name, std::move(v)});
    return object(std::move(all));
}
auto of_pool(char const* name, value const& asked, value const& planned, value const& prior = {})
{
    return plan_violations(pool(), prior.is_null() ? std::optional<value>() : pool_with(name, prior),
        pool_with(name, asked), pool_with(name, planned));
}

TEST(PlanViolations, IncludePartsOfNestedAttributes)
{
    auto const list = [](value first) { return nodes_of(nesting::list, {{"", std::move(first)}}); };
    auto const map = [](char const* key, value v) { return nodes_of(nesting::map, {{key, std::move(v)}}); };

    EXPECT_THAT(of_pool("one", node(text("a")), node(text("a"), unknown())), IsEmpty());
    EXPECT_THAT(of_pool("one", node(text("a")), node(text("b"))), ElementsAre(StartsWith(".one.name: ")));
    EXPECT_THAT(of_pool("one", node({}), node(text("b"))), ElementsAre(StartsWith(".one.name: ")));
    EXPECT_THAT(of_pool("list", list(node(text("a"))), list(node(text("a"), text("7")))), IsEmpty());
    EXPECT_THAT(
        of_pool("list", list(node(text("a"))), list(node(text("b")))), ElementsAre(StartsWith(".list[0].name: ")));
    EXPECT_THAT(
        of_pool("list", list(node(text("a"))), nodes_of(nesting::list, {})), ElementsAre(StartsWith(".list: 0")));
    EXPECT_THAT(of_pool("map", map("x", node(text("a"))), map("x", node(text("a"), text("7")))), IsEmpty());
    EXPECT_THAT(of_pool("map", map("x", node(text("a"))), map("x", node(text("b")))),
        ElementsAre(StartsWith(".map[\"x\"].name: ")));
    EXPECT_THAT(of_pool("map", map("x", node({})), map("y", node({}))),
        ElementsAre(StartsWith(".map[\"y\"]: "), StartsWith(".map[\"x\"]: ")));
}

TEST(PlanViolations, IncludeConfiguredNestedAttributesThatAreReplaced)
{
    EXPECT_THAT(of_pool("one", node(text("a")), {}), ElementsAre(StartsWith(".one: ")));
    EXPECT_THAT(of_pool("one", node(text("a")), unknown()), ElementsAre(StartsWith(".one: ")));
    EXPECT_THAT(of_pool("one", unknown(), node(text("a"))), ElementsAre(StartsWith(".one: ")));
    EXPECT_THAT(of_pool("one", {}, node(text("a"))), ElementsAre(StartsWith(".one: ")));
    EXPECT_THAT(of_pool("set", nodes_of(nesting::set, {{"", node({})}}), unknown()), ElementsAre(StartsWith(".set: ")));
}

TEST(PlanViolations, ExcludeComputedAndUnchangedNestedAttributes)
{
    EXPECT_THAT(of_pool("one_computed", {}, node(text("a"))), IsEmpty());
    EXPECT_THAT(of_pool("list_computed", {}, value::unknown()), IsEmpty());
    EXPECT_THAT(of_pool("one", node(text("a")), node(text("A")), node(text("A"))), IsEmpty());
}

TEST(PlanViolations, IncludeOtherCountsOfNestedSets)
{
    auto const set = [](std::vector<value> vs) {
        std::vector<value_entry> all;
        for (value& v : vs) all.push_back({"", std::move(v)});
        return nodes_of(nesting::set, std::move(all));
    };
    auto const two = set({node(text("a")), node(text("b"))});

    EXPECT_THAT(of_pool("set", two, set({node(text("a"), text("7")), node(text("c"))})), IsEmpty());
    EXPECT_THAT(of_pool("set", two, set({node(text("a"))})), ElementsAre(StartsWith(".set: 1 are planned")));
    EXPECT_THAT(of_pool("set", set({node(text("a"))}), set({node(text("a"), unknown()), node(text("a"), unknown())})),
        IsEmpty());
    EXPECT_THAT(of_pool("set", two, set({node(text("a"), unknown())})), ElementsAre(StartsWith(".set: 1 are planned")));
}

TEST(PlanViolations, DoNotShowSecretsInsideOfNestedAttributes)
{
    auto const found = of_pool("one", {}, node(text("a"), {}, text("abc")));

    EXPECT_THAT(found, ElementsAre(AllOf(StartsWith(".one: "), Not(HasSubstr("abc")))));
    EXPECT_THAT(of_pool("one", node({}, {}, text("abc")), node({}, {}, text("xyz"))),
        ElementsAre(AllOf(StartsWith(".one.key: "), Not(HasSubstr("abc")), Not(HasSubstr("xyz")))));
    EXPECT_THAT(result_violations(
                    pool(), pool_with("one", node({}, {}, text("abc"))), pool_with("one", node({}, {}, text("xyz")))),
        ElementsAre(AllOf(StartsWith(".one: "), Not(HasSubstr("abc")), Not(HasSubstr("xyz")))));
}

}  // namespace
