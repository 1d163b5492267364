// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/model/address.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using namespace strider::infra;
using testing::ElementsAre;

TEST(Address, IsWrittenAsItIsRead)
{
    for (std::string const text : {"t.a", "t.a[0]", "t.a[-1]", "t.a[12]", R"(t.a["x"])", R"(t.a["a.b[0]"])",
             R"(t.a["\"quoted\" \\ and\nbroken\tlines\r"])", R"(t.a[""])", "data.t.a", "data.t.a[1]", "module.m.t.a",
             "module.m[0].t.a", R"(module.m["k"].module.n.data.t.a["z"])", "module.m.module.n[3].t.a"}) {
        auto const parsed = parse_address(text);

        ASSERT_TRUE(parsed.has_value()) << text;
        EXPECT_EQ(to_string(*parsed), text);
    }
}

TEST(Address, ReadsEscapesOfCharactersInKeys)
{
    auto const name_in = [](std::string const& key) {
        auto const parsed = parse_address("module.m[\"" + key + "\"].t.a");
        return parsed ? *parsed->module().front().key.name() : "no address";
    };

    EXPECT_EQ(name_in(R"(a\u0001b)"), "a\001b");
    EXPECT_EQ(name_in(R"(\u00e9\u20AC\U0001f600)"), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    EXPECT_EQ(name_in(R"(\\u0001)"), R"(\u0001)");
    for (char const* const wrong : {R"(\u)", R"(\u12)", R"(\u12g4)", R"(\ud800)", R"(\U00110000)", R"(\u-123)"})
        EXPECT_EQ(name_in(wrong), "no address") << wrong;
}

TEST(Address, RejectsOtherTexts)
{
    for (std::string const text :
        {"", "t", "t.", ".a", "t.a.b", "t.a[", "t.a[]", "t.a[x]", "t.a[0", "t.a[0]x", R"(t.a["x)",
            R"(t.a["x"])"
            "y",
            R"(t.a["x"y])", "module.m", "module.", "module.m.", "module..t.a", "module.m[.t.a", "data.t", "data.",
            "t.a[99999999999999999999]", "t.a[0][1]"}) {
        auto const parsed = parse_address(text);

        ASSERT_FALSE(parsed.has_value()) << text;
        EXPECT_EQ(parsed.error().code(), graph_errc::invalid_value);
        EXPECT_THAT(parsed.error().message(), testing::HasSubstr("\"" + text + "\""));
    }
}

TEST(Address, DistinguishesADataSourceFromAResourceOfTheTypeData)
{
    auto const a = parse_address("data.t.a").value();

    EXPECT_EQ(a.mode(), resource_mode::data);
    EXPECT_EQ(a.type(), "t");
    EXPECT_EQ(a.name(), "a");
}

TEST(Address, HasKeysAsStringLiteralsOfHcl)
{
    std::vector<std::pair<std::string, std::string>> const written{{"plain", R"(t.a["plain"])"},
        {R"(q"b\)", R"(t.a["q\"b\\"])"}, {"l\nc\rt\t", R"(t.a["l\nc\rt\t"])"}, {"a${b}", R"(t.a["a$${b}"])"},
        {"%{b} 5% $", R"(t.a["%%{b} 5% $"])"}, {"$${b}", R"(t.a["$$${b}"])"},
        {"e\x1b[0m\x7f", R"(t.a["e\u001b[0m\u007f"])"}, {"ü\u00a0\u200b漢", R"(t.a["ü\u00a0\u200b漢"])"},
        {"😀\U000e0041", R"(t.a["😀\U000e0041"])"}, {std::string(1, '\0'), R"(t.a["\u0000"])"}};

    for (auto const& [name, text] : written) {
        address const a("t", "a", instance_key(name));
        EXPECT_EQ(to_string(a), text);
        EXPECT_EQ(parse_address(text).value(), a) << text;
    }
}

TEST(Address, EscapesTheFirstAndTheLastOfCharactersWithoutAVisibleForm)
{
    std::vector<std::pair<std::string, std::string>> const written{{"\u2000\u200f\u2010", R"(t.a["\u2000\u200f‐"])"},
        {"\u2027\u2028\u202f", R"(t.a["‧\u2028\u202f"])"},
        {"\U0001d172\U0001d173\U0001d17a", "t.a[\"\U0001d172\\U0001d173\\U0001d17a\"]"},
        {"\U000f0000\U0010fffd", R"(t.a["\U000f0000\U0010fffd"])"}};

    for (auto const& [name, text] : written) {
        address const a("t", "a", instance_key(name));
        EXPECT_EQ(to_string(a), text);
        EXPECT_EQ(parse_address(text).value(), a) << text;
    }
}

TEST(Address, HasVerbatimKeysThatDoNotDependOnHcl)
{
    std::vector<std::pair<std::string, std::string>> const written{{"a${b}", R"(t.a["a${b}"])"},
        {"a$${b}%%{", R"(t.a["a$${b}%%{"])"}, {"e\x1b\u200b", "t.a[\"e\x1b\u200b\"]"}, {R"(q"\)", R"(t.a["q\"\\"])"},
        {"l\nc\rt\t", R"(t.a["l\nc\rt\t"])"}};

    address_parser parser(key_syntax::verbatim);
    for (auto const& [name, text] : written) {
        address const a("t", "a", instance_key(name));
        EXPECT_EQ(to_string(a, key_syntax::verbatim), text);
        EXPECT_EQ(parse_address(text, key_syntax::verbatim).value(), a);
        EXPECT_EQ(parser.parse(text).value(), a);
        address const in({{"m", instance_key(name)}}, resource_mode::data, "t", "a", {});
        EXPECT_EQ(parse_address(to_string(in, key_syntax::verbatim), key_syntax::verbatim).value(), in);
    }
}

TEST(Address, AcceptsAnIntroducerOfATemplateThatIsNotDoubled)
{
    EXPECT_EQ(*parse_address(R"(t.a["a${b%{c"])").value().key().name(), "a${b%{c");
    EXPECT_EQ(*parse_address(R"(t.a["100%"])").value().key().name(), "100%");
    EXPECT_FALSE(parse_address(R"(t.a["$)"));
    EXPECT_FALSE(parse_address(R"(t.a["$"])"
                               "x"));
}

TEST(Address, CopiesBytesOfAKeyThatAreNotUtf8)
{
    for (std::string const name :
        {"\xff", "a\xc3", "\xe2\x82", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
        address const a("t", "a", instance_key(name));
        EXPECT_EQ(to_string(a), "t.a[\"" + name + "\"]");
        EXPECT_EQ(parse_address(to_string(a)).value(), a);
    }
}

TEST(Address, NamesAnObjectAndItsDestructionWithTheKeyOfADeposedOne)
{
    auto const a = parse_address("module.m.t.n[0]").value();

    EXPECT_EQ(object_name(a, ""), "module.m.t.n[0]");
    EXPECT_EQ(object_name(a, "0a1b2c3d"), "module.m.t.n[0] (deposed 0a1b2c3d)");
    EXPECT_EQ(destruction_name(a, ""), "module.m.t.n[0] (destroy)");
    EXPECT_EQ(destruction_name(a, "0a1b2c3d"), "module.m.t.n[0] (destroy deposed 0a1b2c3d)");
}

TEST(Address, IsOrderedByModuleModeTypeNameAndKey)
{
    std::vector<std::string> const sorted{"t.a", "t.a[2]", "t.a[10]", R"(t.a["x"])", "t.b", "u.a", "data.t.a",
        "module.a.t.a", "module.a[0].t.a", "module.a[0].data.t.a", "module.b.t.a"};
    std::vector<address> addresses;
    for (std::string const& text : sorted) addresses.push_back(parse_address(text).value());

    std::reverse(addresses.begin(), addresses.end());
    std::sort(addresses.begin(), addresses.end());

    std::vector<std::string> texts;
    for (address const& a : addresses) texts.push_back(to_string(a));
    EXPECT_EQ(texts, sorted);
}

TEST(Address, OfAConfigurationHasNoKeys)
{
    auto const a = parse_address(R"(module.m[1].module.n["k"].t.a[3])").value();

    EXPECT_EQ(to_string(a.config()), "module.m.module.n.t.a");
    EXPECT_EQ(to_string(a.resource()), R"(module.m[1].module.n["k"].t.a)");
    EXPECT_EQ(a.config(), a.config().config());
}

TEST(Address, OfAnInstanceIsThatOfTheResourceWithAKey)
{
    auto const resource = parse_address("module.m[1].data.t.a").value();
    auto const instance = resource.instance(instance_key(std::int64_t{3}));

    EXPECT_EQ(instance, parse_address("module.m[1].data.t.a[3]").value());
    EXPECT_EQ(instance.resource(), resource);
    EXPECT_TRUE(instance.is_of_resource(parse_address("module.m[1].data.t.a[4]").value()));
    EXPECT_FALSE(instance.is_of_resource(parse_address("module.m[2].data.t.a[3]").value()));
    EXPECT_FALSE(instance.is_of_resource(parse_address("module.m[1].t.a[3]").value()));
    EXPECT_FALSE(instance.is_of_resource(address()));
    EXPECT_EQ(address(), address());
}

TEST(AddressParser, AcceptsTheSameTextsAsParseAddress)
{
    std::vector<std::string> const texts{"t.a[0]", "t.a[1]", "t.a", "t.a[\"k.l[0]\"]", "t.ab[0]", "t.ab.c", "t.ab[0",
        "t.ab[0]x", "module.m[0].t.a[1]", "module.m[0].t.a[2]", "module.m[0].t.a", "module.m[1].t.a[2]", "data.t.a[2]",
        "", "t", "t.a[0]"};

    address_parser parser;
    for (std::string const& text : texts) {
        auto const expected = parse_address(text);
        auto const parsed = parser.parse(text);

        ASSERT_EQ(parsed.has_value(), expected.has_value()) << text;
        if (parsed) EXPECT_EQ(*parsed, *expected) << text;
        if (parsed) EXPECT_EQ(to_string(*parsed), text);
    }
}

TEST(Address, IsInAnotherInstanceOfOneModuleOnlyIfTheNamesAgree)
{
    auto const apart = [](char const* a, char const* b) {
        return in_different_instances_of_one_module(parse_address(a).value(), parse_address(b).value());
    };

    EXPECT_TRUE(apart("module.m[0].t.a", "module.m[1].t.b"));
    EXPECT_TRUE(apart("module.m[0].module.n.t.a", "module.m[1].module.n.t.a"));
    EXPECT_FALSE(apart("module.m[0].t.a", "module.m[0].t.b"));
    EXPECT_FALSE(apart("module.m[0].t.a", "module.n[1].t.a"));
    EXPECT_FALSE(apart("module.m[0].t.a", "module.m[1].module.n.t.a"));
    EXPECT_FALSE(apart("t.a", "t.b"));
}

TEST(InstanceKey, IsNoneAfterAMoveAndTheSameAfterACopy)
{
    for (instance_key const& key :
        {instance_key(std::int64_t{4}), instance_key(std::string("a")), instance_key::unknown()}) {
        SCOPED_TRACE(to_string(key));
        instance_key source = key;
        instance_key target(std::move(source));
        EXPECT_EQ(target, key);
        EXPECT_EQ(source, instance_key());  // NOLINT(bugprone-use-after-move): it is specified

        source = std::move(target);
        EXPECT_EQ(source, key);
        EXPECT_FALSE(target);
        target = source;
        EXPECT_EQ(target, source);
    }
}

TEST(InstanceKey, IsAbsentANumberOrAString)
{
    EXPECT_FALSE(instance_key());
    EXPECT_EQ(*instance_key(std::int64_t{4}).index(), 4);
    EXPECT_EQ(*instance_key(std::string("4")).name(), "4");
    EXPECT_NE(instance_key(std::int64_t{4}), instance_key(std::string("4")));
    EXPECT_LT(instance_key(), instance_key(std::int64_t{-1}));
    EXPECT_LT(instance_key(std::int64_t{99}), instance_key(std::string("")));
}

}  // namespace
