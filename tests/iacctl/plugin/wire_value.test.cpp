// SPDX-License-Identifier: BSL-1.0
#include "providers/plugin/wire_value.hpp"
#include "base/characters.hpp"
#include "base/encoding.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace iacctl;
using namespace std::string_literals;
using language::mark;
using language::number;
using language::type;
using language::value;
using plugin::from_dynamic_value;
using plugin::from_message_pack;
using plugin::to_message_pack;
using plugin::with_marks_of;
using testing::HasSubstr;
using testing::StartsWith;

auto a_number(char const* text) -> value
{
    return value(*number::parse(text));
}

auto unhex(std::string_view digits) -> std::string
{
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(hex_digit(digits[i]) * 16 + hex_digit(digits[i + 1]));
    return bytes;
}

// A value of a type, and the bytes that go-cty 1.16.3 wrote of it, in hexadecimal.
struct recorded {
    std::string name;
    type of;
    value is;
    std::string bytes;

    friend auto operator<<(std::ostream& out, recorded const& r) -> std::ostream& { return out << r.name; }
};

auto recorded_numbers() -> std::vector<recorded>
{
    std::vector<recorded> made;
    for (auto const& [text, bytes] : std::vector<std::pair<char const*, char const*>>{{"0", "00"}, {"1", "01"},
             {"127", "7f"}, {"128", "cc80"}, {"255", "ccff"}, {"256", "cd0100"}, {"65535", "cdffff"},
             {"65536", "ce00010000"}, {"4294967295", "ceffffffff"}, {"4294967296", "cf0000000100000000"},
             {"9223372036854775807", "cf7fffffffffffffff"},
             {"9223372036854775808", "b339323233333732303336383534373735383038"},
             {"18446744073709551615", "b43138343436373434303733373039353531363135"}, {"-1", "ff"}, {"-32", "e0"},
             {"-33", "d0df"}, {"-128", "d080"}, {"-129", "d1ff7f"}, {"-32768", "d18000"}, {"-32769", "d2ffff7fff"},
             {"-2147483648", "d280000000"}, {"-2147483649", "d3ffffffff7fffffff"},
             {"-9223372036854775808", "d38000000000000000"},
             {"-9223372036854775809", "b42d39323233333732303336383534373735383039"}, {"0.5", "cb3fe0000000000000"},
             {"-1.25", "cbbff4000000000000"}, {"0.1", "a3302e31"}, {"3.14159", "a7332e3134313539"},
             {"1e30", "bf31303030303030303030303030303030303030303030303030303030303030"},
             {"1e-7", "a9302e30303030303031"}, {"1.5p-1030", "cb0000180000000000"},
             {"123456789012345678901234567890.5",
                 "d9203132333435363738393031323334353637383930313233343536373839302e35"},
             {"Inf", "cb7ff0000000000000"}, {"-Inf", "cbfff0000000000000"}})
        made.push_back({"number "s + text, type::number(), a_number(text), bytes});
    made.push_back({"number in double precision", type::number(), value(number(0.1)), "cb3fb999999999999a"});
    return made;
}

auto recorded_unknowns() -> std::vector<recorded>
{
    type const texts = type::list(type::string());
    std::string prefix;
    for (int i = 0; i < 127; ++i) prefix += "x/";
    return {{"unknown list", texts, value::unknown(texts), "d40000"},
        {"unknown text that is not null", type::string(), value::unknown(type::string()).refined_not_null(),
            "c7030c8101c2"},
        {"unknown list that is not null", texts, value::unknown(texts).refined_not_null(), "c7030c8101c2"},
        {"unknown number of any type that is not null", type::dynamic(),
            value::unknown(type::number()).refined_not_null(), "92c408226e756d62657222c7030c8101c2"},
        {"prefix", type::string(), value::unknown_with_prefix("ami-"), "c7090c8201c202a4616d692d"},
        {"prefix of 13 bytes", type::string(), value::unknown_with_prefix("0123456789abc"),
            "c7120c8201c202ad30313233343536373839616263"},
        {"prefix of 254 bytes", type::string(), value::unknown_with_prefix(prefix),
            "c801040c8201c202d9fe" + hex(prefix)}};
}

auto recorded_structures() -> std::vector<recorded>
{
    type const text = type::string();
    type const pair = type::object({{"k", text}, {"n", type::number()}});
    auto const of_pair = [](char const* k, int n) { return value::object({{"k", value(k)}, {"n", value(number(n))}}); };
    std::vector<value> counted;
    std::vector<language::value_entry> flags;
    std::string flag_bytes = "de0010";
    for (int i = 0; i < 16; ++i) {
        counted.emplace_back(number(i));
        flags.push_back({(i < 10 ? "k0" : "k") + std::to_string(i), value(true)});
        flag_bytes += "a3" + hex(flags.back().key) + "c3";
    }
    return {{"true", type::boolean(), value(true), "c3"}, {"false", type::boolean(), value(false), "c2"},
        {"null", text, value::null(text), "c0"}, {"empty text", text, value(""), "a0"},
        {"text of 31 bytes", text, value(std::string(31, 'x')), "bf" + hex(std::string(31, 'x'))},
        {"text of 32 bytes", text, value(std::string(32, 'x')), "d920" + hex(std::string(32, 'x'))},
        {"text of 255 bytes", text, value(std::string(255, 'x')), "d9ff" + hex(std::string(255, 'x'))},
        {"text of 256 bytes", text, value(std::string(256, 'x')), "da0100" + hex(std::string(256, 'x'))},
        {"text of 65535 bytes", text, value(std::string(65535, 'x')), "daffff" + hex(std::string(65535, 'x'))},
        {"text of 65536 bytes", text, value(std::string(65536, 'x')), "db00010000" + hex(std::string(65536, 'x'))},
        {"text that is composed", text, value("cafe\xcc\x81 \xe2\x98\x83 \xf0\x9f\x98\x80"),
            "ae636166c3a920e2988320f09f9880"},
        {"list", type::list(text), value::list(text, {value("a"), value::null(text), value::unknown(text)}),
            "93a161c0d40000"},
        {"empty list", type::list(text), value::list(text, {}), "90"},
        {"set", type::set(text), value::set(text, {value("b"), value("a")}), "92a161a162"},
        {"set of numbers", type::set(type::number()),
            value::set(type::number(), {a_number("10"), a_number("9"), a_number("-1")}), "93ff090a"},
        {"set of objects", type::set(pair), value::set(pair, {of_pair("z", 1), of_pair("a", 2)}),
            "9282a16ba161a16e0282a16ba17aa16e01"},
        {"map", type::map(type::number()), value::map(type::number(), {{"b", a_number("2")}, {"a", a_number("1")}}),
            "82a16101a16202"},
        {"empty map", type::map(type::number()), value::map(type::number(), {}), "80"},
        {"tuple", type::tuple({type::number(), text, type::boolean()}),
            value::tuple({a_number("1"), value("x"), value(true)}), "9301a178c3"},
        {"empty tuple", type::tuple({}), value::tuple({}), "90"},
        {"object", type::object({{"name", text}, {"id", text}, {"count", type::number()}}),
            value::object({{"name", value("web")}, {"id", value::unknown(text)}, {"count", a_number("3")}}),
            "83a5636f756e7403a26964d40000a46e616d65a3776562"},
        {"empty object", type::object({}), value::object({}), "80"},
        {"list of 16", type::list(type::number()), value::list(type::number(), counted),
            "dc0010000102030405060708090a0b0c0d0e0f"},
        {"map of 16", type::map(type::boolean()), value::map(type::boolean(), flags), flag_bytes},
        {"text of any type", type::dynamic(), value("x"), "92c40822737472696e6722a178"},
        {"null of any type", type::dynamic(), value(), "c0"},
        {"null text of any type", type::dynamic(), value::null(text), "92c40822737472696e6722c0"},
        {"unknown value of any type", type::dynamic(), value::unknown(), "d40000"},
        {"unknown text of any type", type::dynamic(), value::unknown(text), "92c40822737472696e6722d40000"},
        {"object of any type", type::dynamic(), value::object({{"a<", a_number("1")}, {"b", value::tuple({})}}),
            "92c4305b226f626a656374222c7b22615c7530303363223a226e756d626572222c2262223a5b227475706c65222c5b5d5d7d5d"
            "82a2613c01a16290"},
        {"object with something of any type", type::object({{"v", type::dynamic()}}),
            value::object({{"v", value::list(type::boolean(), {value(true)})}}),
            "81a17692c40f5b226c697374222c22626f6f6c225d91c3"},
        {"list of any one type", type::list(type::dynamic()), value::list(text, {value("a"), value("b")}),
            "9292c40822737472696e6722a16192c40822737472696e6722a162"}};
}

class RecordedValue : public testing::TestWithParam<recorded> {};

TEST_P(RecordedValue, IsWrittenAsGoCtyWritesIt)
{
    EXPECT_EQ(hex(to_message_pack(GetParam().is, GetParam().of)), GetParam().bytes);
}

TEST_P(RecordedValue, IsReadFromThoseBytes)
{
    auto const read = from_message_pack(unhex(GetParam().bytes), GetParam().of);

    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read, GetParam().is);
}

INSTANTIATE_TEST_SUITE_P(Numbers, RecordedValue, testing::ValuesIn(recorded_numbers()));
INSTANTIATE_TEST_SUITE_P(Unknowns, RecordedValue, testing::ValuesIn(recorded_unknowns()));
INSTANTIATE_TEST_SUITE_P(Structures, RecordedValue, testing::ValuesIn(recorded_structures()));

auto read(std::string_view bytes, type const& t) -> language::result<value>
{
    return from_message_pack(unhex(bytes), t);
}
auto mistake(std::string_view bytes, type const& t) -> std::string
{
    auto const made = read(bytes, t);
    return made ? "none" : made.error().text();
}

TEST(FromMessagePack, IgnoresUnsupportedRefinements)
{
    type const texts = type::list(type::string());
    value const number = value::unknown(type::number());

    EXPECT_EQ(*read("c70b0c8301c2039201c304920ac3", type::number()), number.refined_not_null());  // from 1 to 10
    EXPECT_EQ(*read("d70c810392a3302e31c2", type::number()), number);  // more than 0.1
    EXPECT_EQ(*read("c7070c8301c205010603", texts), value::unknown(texts).refined_not_null());  // 1 to 3 elements
    EXPECT_EQ(*read("c7050c8106cd012c", type::map(type::string())), value::unknown(type::map(type::string())));
    EXPECT_EQ(*read("c7070c8102a4616d692d", type::string()), value::unknown(type::string()));  // a prefix, or null
    EXPECT_EQ(*read("c7050c8163810102", type::string()), value::unknown(type::string()));  // one of the future
}

TEST(FromMessagePack, ReadsAnUnknownValueThatIsRefinedToNullAsNull)
{
    EXPECT_EQ(*read("c7030c8101c3", type::string()), value::null(type::string()));
}

TEST(FromMessagePack, ReadsNumbersInEveryForm)
{
    EXPECT_EQ(*read("d005", type::number()), a_number("5"));
    EXPECT_EQ(*read("d30000000000000005", type::number()), a_number("5"));
    EXPECT_EQ(*read("cfffffffffffffffff", type::number()), a_number("18446744073709551615"));
    EXPECT_EQ(*read("ca3fc00000", type::number()), a_number("1.5"));
}

TEST(FromMessagePack, RejectsAnotherTypeAndNamesThePlace)
{
    type const rule = type::object({{"ports", type::list(type::number())}});
    type const all = type::map(rule);

    EXPECT_EQ(mistake("a178", type::number()), "number is required");
    EXPECT_EQ(mistake("81a26f6e81a5706f7274739201c3", all), "[\"on\"].ports[1]: number is required");
    EXPECT_EQ(mistake("80", type::list(type::string())), "list of string is required");
    EXPECT_EQ(mistake("9101", type::list(type::string())), "[0]: string is required");
    EXPECT_EQ(mistake("01", type::boolean()), "bool is required");
    EXPECT_EQ(mistake("01", type::dynamic()), "any type is required");
}

TEST(FromMessagePack, RejectsAttributesThatAreMissingOrUnknownAndKeysThatOccurTwice)
{
    type const two = type::object({{"a", type::number()}, {"b", type::number()}});

    EXPECT_THAT(mistake("81a16101", two), HasSubstr("2 attributes"));
    EXPECT_THAT(mistake("82a16101a16302", two), HasSubstr("\"c\" is not supported"));
    EXPECT_THAT(mistake("82a16101a16102", two), HasSubstr("a key occurs twice"));
    EXPECT_THAT(mistake("82a16101a16102", type::map(type::number())), HasSubstr("a key occurs twice"));
    EXPECT_THAT(mistake("810101", type::map(type::number())), HasSubstr("key that is a string"));
    EXPECT_EQ(*read("82a16201a16102", two), value::object({{"a", a_number("2")}, {"b", a_number("1")}}));
    EXPECT_THAT(mistake("9101", type::tuple({type::number(), type::number()})), HasSubstr("2 elements"));
}

TEST(FromMessagePack, RejectsTextThatIsNotUtf8)
{
    EXPECT_THAT(mistake("a2c328", type::string()), HasSubstr("UTF-8"));
    EXPECT_THAT(mistake("81a1ff01", type::map(type::number())), HasSubstr("UTF-8"));
    EXPECT_THAT(mistake("c7070c8201c202a2c328", type::string()), HasSubstr("cannot be read"));
}

TEST(FromMessagePack, RejectsInvalidNumbers)
{
    EXPECT_THAT(mistake("cb7ff8000000000000", type::number()), HasSubstr("NaN"));
    EXPECT_THAT(mistake("a3317831", type::number()), HasSubstr("number is required"));
    EXPECT_THAT(mistake("a9316539393939393939", type::number()), HasSubstr("number is required"));
}

TEST(FromMessagePack, RejectsBytesThatAreTooFewOrTooMany)
{
    EXPECT_THAT(mistake("", type::string()), HasSubstr("end too early"));
    EXPECT_THAT(mistake("a57878", type::string()), HasSubstr("end too early"));
    EXPECT_THAT(mistake("c1", type::string()), HasSubstr("end too early, or are not MessagePack"));
    EXPECT_THAT(mistake("a178a179", type::string()), HasSubstr("2 more bytes"));
}

TEST(FromMessagePack, RejectsWrongLengthsBeforeAllocation)
{
    EXPECT_EQ(
        mistake("ddffffffff01", type::list(type::number())), "[1]: the bytes end too early, or are not MessagePack");
    EXPECT_THAT(mistake("dfffffffff", type::map(type::number())), HasSubstr("end too early"));
    EXPECT_THAT(mistake("dbffffffff78", type::string()), HasSubstr("end too early"));
    EXPECT_THAT(mistake("c9ffffffff0c", type::string()), HasSubstr("end too early"));
    EXPECT_THAT(mistake("ddffffffff", type::tuple({type::number()})), HasSubstr("1 elements"));
    EXPECT_THAT(mistake("d60c8163ddff", type::string()), HasSubstr("cannot be read"));
}

TEST(FromMessagePack, RejectsRefinementsThatAreTooLargeOrOfAnotherKind)
{
    EXPECT_THAT(mistake("c804010c" + hex(std::string(1025, 'x')), type::string()), HasSubstr("1024"));
    EXPECT_THAT(mistake("c7030c9101c2", type::string()), HasSubstr("cannot be read"));
    EXPECT_THAT(mistake("c7030c810101", type::string()), HasSubstr("cannot be read"));
    EXPECT_THAT(mistake("c7070c8102a4616d692d", type::number()), HasSubstr("cannot be read"));
    EXPECT_THAT(mistake("d5070102", type::string()), HasSubstr("extension 7"));
}

TEST(FromMessagePack, RejectsTypesThatCannotBeRead)
{
    EXPECT_THAT(mistake("92c403226122a178", type::dynamic()), HasSubstr("type of a value cannot be read"));
    EXPECT_THAT(mistake("9201a178", type::dynamic()), HasSubstr("type of a value cannot be read"));
    EXPECT_THAT(mistake("9101", type::dynamic()), HasSubstr("array of its type"));
}

TEST(FromMessagePack, RejectsElementsOfOneCollectionOfDifferentTypes)
{
    EXPECT_THAT(mistake("9292c40822737472696e6722a16192c40622626f6f6c22c3", type::list(type::dynamic())),
        HasSubstr("different types"));
}

TEST(FromMessagePack, RejectsValuesThatAreNestedTooDeeply)
{
    std::string deep;
    for (int i = 0; i < 100'000; ++i) deep += "92c4092264796e616d696322";

    EXPECT_THAT(mistake(deep, type::dynamic()), HasSubstr("nested too deeply"));

    std::string brackets;
    for (int i = 0; i < 100'000; ++i) brackets += "[\"list\",";
    std::string const bytes = "\x92\xc6"s + std::string("\0\x0c\x35\0", 4) + brackets;
    EXPECT_THAT(from_message_pack(bytes, type::dynamic()).error().text(), HasSubstr("type of a value cannot be read"));
}

TEST(ToMessagePack, WritesNoMarks)
{
    auto const secret = value("x").with_marks(mark::sensitive);

    EXPECT_EQ(hex(to_message_pack(secret, type::string())), "a178");
    EXPECT_EQ(hex(to_message_pack(value::list(type::string(), {secret}), type::list(type::string()))), "91a178");
}

TEST(ToMessagePack, WritesNullForAMissingAttribute)
{
    type const two = type::object({{"a", type::number()}, {"b", type::number()}});

    EXPECT_EQ(hex(to_message_pack(value::object({{"b", a_number("1")}}), two)), "82a161c0a16201");
}

TEST(ToMessagePack, WritesAValueOfAnotherTypeSoThatTheProviderRejectsIt)
{
    auto const refused = [](value const& v, type const& declared) {
        return from_message_pack(to_message_pack(v, declared), declared).has_error();
    };

    EXPECT_TRUE(refused(value::list(type::string(), {value("x")}), type::string()));
    EXPECT_TRUE(refused(value::object({{"a", value("x")}}), type::list(type::string())));
    EXPECT_TRUE(refused(value::tuple({value("x"), value("y")}), type::tuple({type::string()})));
}

TEST(FromDynamicValue, ReadsOneOfTwoEncodings)
{
    EXPECT_EQ(*from_dynamic_value("\xa1x", {}, type::string()), value("x"));
    EXPECT_EQ(*from_dynamic_value({}, "{\"a\":[1]}", type::object({{"a", type::list(type::number())}})),
        value::object({{"a", value::list(type::number(), {a_number("1")})}}));
    EXPECT_EQ(*from_dynamic_value({}, {}, type::string()), value::null(type::string()));
}

TEST(FromDynamicValue, NamesThePlaceOfAMistakeInJson)
{
    auto const made = from_dynamic_value({}, "{\"a\":[true]}", type::object({{"a", type::list(type::number())}}));

    ASSERT_TRUE(made.has_error());
    EXPECT_THAT(made.error().text(), StartsWith(".a[0]: "));
}

TEST(Marks, AreCopiedToTheSamePaths)
{
    auto const secret = [](char const* c) { return value(c).with_marks(mark::sensitive); };
    auto const texts = [](std::vector<value> all) { return value::list(type::string(), std::move(all)); };
    auto const configured = value::object({{"password", secret("p")}, {"list", texts({value("a"), secret("b")})},
        {"set", value::set(type::string(), {secret("x")})}, {"gone", secret("g")}, {"short", texts({secret("s")})}});
    auto const planned = value::object({{"password", value("p")}, {"list", texts({value("a"), value("b"), value("c")})},
        {"set", value::set(type::string(), {value("x"), value("y")})}, {"short", texts({})},
        {"id", value::unknown(type::string())}});

    auto const marked = with_marks_of(planned, configured);

    EXPECT_EQ(marked,
        value::object({{"password", secret("p")}, {"list", texts({value("a"), secret("b"), value("c")})},
            {"set", value::set(type::string(), {value("x"), value("y")}).with_marks(mark::sensitive)},
            {"short", texts({})}, {"id", value::unknown(type::string())}}));
}

TEST(Marks, OfAWholeValueAreCopiedToItsReplacement)
{
    auto const secret = value::list(type::string(), {value("a")}).with_marks(mark::sensitive);

    EXPECT_TRUE(with_marks_of(value::unknown(type::list(type::string())), secret).is_sensitive());
    EXPECT_TRUE(with_marks_of(value::null(type::list(type::string())), secret).is_sensitive());
}

TEST(Marks, OfEphemeralValuesAreOmitted)
{
    auto const both = value::object({{"secret", value("s").with_marks(mark::ephemeral | mark::sensitive)}});
    auto const stored = value::object({{"secret", value::null(type::string())}});

    auto const marked = with_marks_of(stored, both);

    EXPECT_EQ(marked, value::object({{"secret", value::null(type::string()).with_marks(mark::sensitive)}}));
}

}  // namespace
