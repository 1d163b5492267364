// SPDX-License-Identifier: BSL-1.0
#include "planned_schema.hpp"

#include "providers/plugin/proposed_new.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace iacctl;
using language::nesting;
using language::number;
using language::type;
using language::value;
using plugin::planned_data;
using plugin::proposed_new;
using plugin::test::object;
using plugin::test::planned_schema;
using plugin::test::pool;

// An object with these attributes and blocks; all others are as in a configuration that does not set them.
auto with(std::vector<language::value_entry> entries) -> value
{
    return object(pool(), std::move(entries));
}
auto rule(value name, value id = value::null(type::string())) -> value
{
    return object(planned_schema("rule"), {{"name", std::move(name)}, {"id", std::move(id)}});
}
auto text(char const* c) -> value
{
    return value(c);
}
auto many(char const* name, std::vector<language::value_entry> all) -> value
{
    auto const of = planned_schema("rule").object_type();
    std::vector<value> elements;
    for (auto const& e : all) elements.push_back(e.of);
    auto const kind = pool().object_type().find(name)->of.kind();
    if (kind == language::type_kind::map) return value::map(of, std::move(all));
    return kind == language::type_kind::list ? value::list(of, std::move(elements))
                                             : value::set(of, std::move(elements));
}
auto several(char const* name, std::vector<value> all) -> value
{
    std::vector<language::value_entry> entries;
    for (value& v : all) entries.push_back({"", std::move(v)});
    return many(name, std::move(entries));
}
/// The proposed value of one attribute or of the blocks of a type.
auto proposed(char const* name, value prior, value configured) -> value
{
    return *proposed_new(pool(), with({{name, std::move(prior)}}), with({{name, std::move(configured)}})).find(name);
}
auto of_new(char const* name, value configured) -> value
{
    return *proposed_new(pool(), value::null(pool().object_type()), with({{name, std::move(configured)}})).find(name);
}
auto const unknown = value::unknown(type::string());

TEST(ProposedNew, UsesConfiguredValuesOfAttributesThatAreNotComputed)
{
    EXPECT_EQ(proposed("plain", text("was"), text("now")), text("now"));
    EXPECT_EQ(proposed("plain", text("was"), value::null(type::string())), value::null(type::string()));
    EXPECT_EQ(proposed("plain", text("was"), unknown), unknown);
}

TEST(ProposedNew, KeepsPriorValuesOfComputedAttributesThatAreNotConfigured)
{
    EXPECT_EQ(proposed("id", text("was"), value::null(type::string())), text("was"));
    EXPECT_EQ(proposed("region", text("was"), value::null(type::string())), text("was"));
    EXPECT_EQ(proposed("region", text("was"), text("now")), text("now"));
    EXPECT_EQ(proposed("region", text("was"), unknown), unknown);
    EXPECT_EQ(of_new("id", value::null(type::string())), value::null(type::string()));
}

TEST(ProposedNew, OfNoPriorObjectIsTheConfiguration)
{
    auto const configured =
        with({{"plain", text("x")}, {"list_blocks", several("list_blocks", {rule(text("a")), rule(unknown)})},
            {"set_blocks", several("set_blocks", {rule(text("a"))})}, {"group_block", rule(text("g"))}});

    EXPECT_EQ(proposed_new(pool(), value::null(pool().object_type()), configured), configured);
}

TEST(ProposedNew, IsThePriorObjectWithoutConfiguration)
{
    auto const was = with({{"plain", text("x")}});

    EXPECT_EQ(proposed_new(pool(), was, value::null(pool().object_type())), was);
}

class Lists : public testing::TestWithParam<char const*> {};

TEST_P(Lists, AreMatchedByIndex)
{
    auto const was = several(GetParam(), {rule(text("a"), text("1")), rule(text("b"), text("2"))});

    EXPECT_EQ(proposed(GetParam(), was, several(GetParam(), {rule(text("b")), rule(text("c")), rule(text("d"))})),
        several(GetParam(), {rule(text("b"), text("1")), rule(text("c"), text("2")), rule(text("d"))}));
    EXPECT_EQ(proposed(GetParam(), was, several(GetParam(), {})), several(GetParam(), {}));
    EXPECT_EQ(proposed(GetParam(), was, value::unknown(was.get_type())), value::unknown(was.get_type()));
    EXPECT_EQ(proposed(GetParam(), value::null(was.get_type()), several(GetParam(), {rule(text("a"))})),
        several(GetParam(), {rule(text("a"))}));
}

INSTANTIATE_TEST_SUITE_P(OfNestedObjects, Lists, testing::Values("list", "list_blocks"));

class Maps : public testing::TestWithParam<char const*> {};

TEST_P(Maps, AreMatchedByKey)
{
    auto const was = many(GetParam(), {{"x", rule(text("a"), text("1"))}, {"y", rule(text("b"), text("2"))}});

    EXPECT_EQ(proposed(GetParam(), was, many(GetParam(), {{"y", rule(text("c"))}, {"z", rule(text("d"))}})),
        many(GetParam(), {{"y", rule(text("c"), text("2"))}, {"z", rule(text("d"))}}));
    EXPECT_EQ(proposed(GetParam(), was, many(GetParam(), {})), many(GetParam(), {}));
    EXPECT_EQ(proposed(GetParam(), was, value::unknown(was.get_type())), value::unknown(was.get_type()));
}

INSTANTIATE_TEST_SUITE_P(OfNestedObjects, Maps, testing::Values("map", "map_blocks"));

class Sets : public testing::TestWithParam<char const*> {};

TEST_P(Sets, AreMatchedByAttributesThatAreNotComputed)
{
    auto const was = several(GetParam(), {rule(text("a"), text("1")), rule(text("b"), text("2"))});

    EXPECT_EQ(proposed(GetParam(), was, several(GetParam(), {rule(text("b")), rule(text("c"))})),
        several(GetParam(), {rule(text("b"), text("2")), rule(text("c"))}));
    EXPECT_EQ(proposed(GetParam(), was, several(GetParam(), {rule(text("b"), text("9"))})),
        several(GetParam(), {rule(text("b"), text("9"))}));
    EXPECT_EQ(proposed(GetParam(), was, several(GetParam(), {rule(unknown)})), several(GetParam(), {rule(unknown)}));
    EXPECT_EQ(proposed(GetParam(), was, several(GetParam(), {})), several(GetParam(), {}));
}

TEST_P(Sets, UseEachPriorElementOnce)
{
    auto const was = several(GetParam(), {rule(text("a"), text("1")), rule(text("a"), text("2"))});

    EXPECT_EQ(proposed(GetParam(), was, several(GetParam(), {rule(text("a")), rule(text("a"), text("1"))})),
        several(GetParam(), {rule(text("a"), text("1")), rule(text("a"), text("2"))}));
}

INSTANTIATE_TEST_SUITE_P(OfNestedObjects, Sets, testing::Values("set", "set_blocks"));

class Singles : public testing::TestWithParam<char const*> {};

TEST_P(Singles, AreMatchedWithEachOther)
{
    auto const null = value::null(planned_schema("rule").object_type());

    EXPECT_EQ(proposed(GetParam(), rule(text("a"), text("1")), rule(text("b"))), rule(text("b"), text("1")));
    EXPECT_EQ(proposed(GetParam(), null, rule(text("b"))), rule(text("b")));
    EXPECT_EQ(proposed(GetParam(), rule(text("a"), text("1")), value::unknown(null.get_type())),
        value::unknown(null.get_type()));
}

INSTANTIATE_TEST_SUITE_P(OfNestedObjects, Singles, testing::Values("one", "one_block", "group_block"));

TEST(ProposedNew, RemovesSingleBlocksAndNestedAttributesThatAreNotConfigured)
{
    auto const was = rule(text("a"), text("1"));
    auto const null = value::null(was.get_type());

    EXPECT_EQ(proposed("one", was, null), null);
    EXPECT_EQ(proposed("one_block", was, null), null);
}

TEST(ProposedNew, KeepsComputedNestedAttributesUnlessTheyMustHaveBeenConfigured)
{
    auto const nothing = value::null(type::string());
    auto const was_configured = rule(text("a"), text("1"));
    auto const was_computed = rule(nothing, text("1"));
    auto const null = value::null(was_computed.get_type());

    EXPECT_EQ(proposed("one_computed", was_computed, null), was_computed);
    EXPECT_EQ(proposed("one_computed", was_configured, null), null);
    EXPECT_EQ(proposed("one_computed", was_configured, rule(text("b"))), rule(text("b"), text("1")));
    EXPECT_EQ(proposed("only_computed", was_configured, null), was_configured);
}

TEST(ProposedNew, ReachesNestedAttributesInBlocks)
{
    auto const zone = [](value v) {
        return value::list(planned_schema("zone").object_type(), {object(planned_schema("zone"), {{"rule", v}})});
    };

    EXPECT_EQ(
        proposed("zones", zone(rule(text("a"), text("1"))), zone(rule(text("b")))), zone(rule(text("b"), text("1"))));
}

TEST(ProposedNew, MatchesSetsWithListsAndSetsInside)
{
    auto const part = [](std::vector<value> list, std::vector<value> set, value id) {
        return value::set(planned_schema("part").object_type(),
            {object(planned_schema("part"),
                {{"rules", several("list", std::move(list))}, {"marks", value::set(type::string(), std::move(set))},
                    {"id", std::move(id)}})});
    };
    auto const none = value::null(type::string());

    EXPECT_EQ(proposed("parts", part({rule(text("a"), text("1"))}, {text("m")}, text("2")),
                  part({rule(text("a"))}, {text("m")}, none)),
        part({rule(text("a"), text("1"))}, {text("m")}, text("2")));
    // An element with a different list or set is a different element.
    EXPECT_EQ(
        proposed("parts", part({rule(text("a"))}, {text("m")}, text("2")), part({rule(text("b"))}, {text("m")}, none)),
        part({rule(text("b"))}, {text("m")}, none));
    EXPECT_EQ(
        proposed("parts", part({rule(text("a"))}, {text("m")}, text("2")), part({rule(text("a"))}, {text("n")}, none)),
        part({rule(text("a"))}, {text("n")}, none));
    EXPECT_EQ(proposed("parts", part({rule(text("a")), rule(text("b"))}, {text("m")}, text("2")),
                  part({rule(text("a"))}, {text("m")}, none)),
        part({rule(text("a"))}, {text("m")}, none));
}

TEST(ProposedNew, KeepsBlocksOfAnyTypeApart)
{
    auto const any = [](value v) { return object(planned_schema("any"), {{"of", std::move(v)}}); };
    auto const configured = value::tuple({any(text("a")), any(value(number(1)))});

    EXPECT_EQ(proposed("any_blocks", value::tuple({any(value(true))}), configured), configured);
}

TEST(WithOpenBlocks, HasNullInPlaceOfComputedBlocksThatAreNotConfigured)
{
    auto open = pool();
    for (language::schema_block& one : open.blocks)
        one.computed = one.how != language::nesting::single && one.how != language::nesting::group;

    auto const configured = with({{"list_blocks", several("list_blocks", {rule(text("a"))})}});
    auto const made = plugin::with_open_blocks(open, configured);

    EXPECT_EQ(*made.find("list_blocks"), *configured.find("list_blocks"));
    for (language::schema_block const& one : open.blocks)
        if (one.computed && one.name != "list_blocks") EXPECT_TRUE(made.find(one.name)->is_null()) << one.name;
    EXPECT_EQ(plugin::with_open_blocks(pool(), configured), configured);
}

TEST(PlannedData, HasUnknownComputedValues)
{
    auto const made = planned_data(pool(),
        with({{"plain", text("x")}, {"list_blocks", several("list_blocks", {rule(text("a"))})},
            {"map", many("map", {{"k", rule(text("m"))}})}}));

    EXPECT_EQ(*made.find("plain"), text("x"));
    EXPECT_EQ(*made.find("id"), unknown);
    EXPECT_EQ(*made.find("list_blocks"), several("list_blocks", {rule(text("a"), unknown)}));
    EXPECT_EQ(*made.find("map"), many("map", {{"k", rule(text("m"), unknown)}}));
    EXPECT_EQ(*made.find("one_block"), value::null(planned_schema("rule").object_type()));
}

}  // namespace
