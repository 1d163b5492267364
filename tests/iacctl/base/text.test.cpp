// SPDX-License-Identifier: BSL-1.0
#include "base/address_text.hpp"
#include "base/characters.hpp"
#include "base/environment.hpp"
#include "base/go_quoted.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/provider_address.hpp"
#include "base/shell_words.hpp"
#include "base/unicode.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

namespace {

using namespace iacctl;
using namespace std::string_literals;

TEST(Characters, HexadecimalDigitsHaveBothCases)
{
    std::string_view const digits = "0123456789abcdef";
    for (int byte = 0; byte < 256; ++byte) {
        char const c = static_cast<char>(static_cast<unsigned char>(byte));
        auto const place = digits.find(ascii_lower_case(c));
        EXPECT_EQ(hex_digit(c), place == std::string_view::npos ? -1 : static_cast<int>(place)) << byte;
        EXPECT_EQ(is_alphanumeric(c), is_letter(c) || is_digit(c));
        EXPECT_EQ(ascii_lower_case(ascii_upper_case(c)) == ascii_lower_case(c), true);
        EXPECT_EQ(ascii_upper_case(c) != ascii_lower_case(c), is_letter(c)) << byte;
    }
    EXPECT_EQ(ascii_lower_case("\u00c4B c"s), "\u00c4b c");
    EXPECT_TRUE(is_digits("0123"));
    EXPECT_FALSE(is_digits(""));
    EXPECT_FALSE(is_digits("1 "));
}

TEST(Utf8, EveryCodePointIsReadAsItIsWritten)
{
    for (char32_t code = 0; code <= 0x10FFFF; ++code) {
        if (code >= 0xD800 && code <= 0xDFFF) continue;
        std::string text;
        append_utf8(text, code);
        auto const read = code_point(text);
        ASSERT_EQ(read.code, code);
        ASSERT_EQ(read.length, text.size());
        ASSERT_FALSE(continues_character(text.front()));
        ASSERT_EQ(character_begin(text + "a", text.size() - 1), 0U);
    }
}

TEST(Utf8, ALineForATerminalHasNoControlCharacters)
{
    EXPECT_EQ(printable("a\tb \u00e9 \u4e16"), "a\tb \u00e9 \u4e16");
    EXPECT_EQ(printable("\x1B[2Ja\x7F\r"), "\uFFFD[2Ja\uFFFD\uFFFD");
    EXPECT_EQ(printable(std::string("a\0b", 3)), "a\uFFFDb");
    EXPECT_EQ(printable("\u009B1m\u00A0"), "\uFFFD1m\u00A0");
    EXPECT_EQ(printable("\xFF\xC2"), "\uFFFD\uFFFD");
}

TEST(Utf8, CharactersConcatenateToTheText)
{
    std::string const text = "a\u00e4\u20ac\U0001F600\xff\xe2\x82z";
    std::string again;
    for (auto const& one : characters(text)) again += one;
    EXPECT_EQ(again, text);
    EXPECT_EQ(characters("a\u00e4\U0001F600").size(), 3U);
    EXPECT_EQ(code_point_count("a\u00e4\U0001F600"), 3U);
    EXPECT_EQ(character_begin("a\u20acb", 3), 1U);
    EXPECT_EQ(character_begin("a\u20acb", 4), 4U);
    EXPECT_EQ(character_begin("ab", 2), 2U);
}

// \source Go, strconv: Quote
TEST(GoQuoted, EscapesWhatCannotBePrinted)
{
    EXPECT_EQ(go_quoted(""), R"("")");
    EXPECT_EQ(go_quoted("a\"b\\c"), R"("a\"b\\c")");
    EXPECT_EQ(go_quoted("\a\b\f\n\r\t\v"), R"("\a\b\f\n\r\t\v")");
    EXPECT_EQ(go_quoted("\0\x1b\x7f"s), R"("\x00\x1b\x7f")");
    EXPECT_EQ(go_quoted("\u00e9\u263a\U0001F600"), "\"\u00e9\u263a\U0001F600\"");
    EXPECT_EQ(go_quoted("\u00a0\u200b\ue000"), R"("\u00a0\u200b\ue000")");
    EXPECT_EQ(go_quoted("\U000e0001"), R"("\U000e0001")");
    EXPECT_EQ(go_quoted("a\xff\xc3z"), R"("a\xff\xc3z")");
    EXPECT_EQ(go_quoted("\ufffd"), "\"\ufffd\"");
}

TEST(ProviderAddress, SourcesAreCompletedInLowerCase)
{
    EXPECT_EQ(provider_address("aws"), "registry.terraform.io/hashicorp/aws");
    EXPECT_EQ(provider_address("Acme/Foo"), "registry.terraform.io/acme/foo");
    EXPECT_EQ(provider_address("example.com/acme/foo"), "example.com/acme/foo");
    for (std::string_view const source : {"aws", "acme/foo", "example.com/acme/foo"}) {
        auto const address = provider_address(source);
        EXPECT_EQ(provider_address(address), address);
        EXPECT_EQ(provider_address(shown_provider(address)), address);
        EXPECT_EQ(is_usual_provider(address), source == "aws");
        EXPECT_TRUE(is_provider_source(source));
    }
    EXPECT_EQ(provider_type("example.com/acme/foo"), "foo");
    for (std::string_view const text : {"", "/", "a/", "/a", "a//b", "a/b/c/d"}) EXPECT_FALSE(is_provider_source(text));
}

TEST(ProviderAddress, NamesOfConfigurationsAreParsed)
{
    auto const whole = provider_configuration_name::parse(R"(module.a.module.b.provider["h/n/t"].west)");
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->module, "module.a.module.b");
    EXPECT_EQ(whole->address, "h/n/t");
    EXPECT_EQ(whole->alias, "west");
    auto const plain = provider_configuration_name::parse(R"(provider["h/n/t"])");
    ASSERT_TRUE(plain);
    EXPECT_TRUE(plain->module.empty() && plain->alias.empty());
    EXPECT_EQ(provider_address_in(R"(provider["h/n/t"].a)"), "h/n/t");
    EXPECT_EQ(provider_address_in("provider.aws"), "provider.aws");
    EXPECT_FALSE(provider_configuration_name::parse(R"(provider["h/n/t")"));
    EXPECT_EQ(local_provider_name("aws.west"), "aws");
    EXPECT_EQ(provider_alias("aws.west"), "west");
    EXPECT_EQ(provider_alias("aws"), "");
}

TEST(Json, TextIsWrittenAsItWasRead)
{
    for (std::string_view const text : {"null", "true", "[]", "{}", "[1,[2,[]],{}]", R"({"a":[false],"b":{"c":"d"}})",
             "-0.10e+400", "123456789012345678901234567890.5", R"("\u003c\n\"\\")"}) {
        auto const read = parse_json(text);
        ASSERT_TRUE(read) << text << read.error().what();
        EXPECT_EQ(compact_text(*read), text);
        std::string const indented = indented_json(compact_text(*read));
        auto const again = parse_json(indented);
        ASSERT_TRUE(again) << indented;
        EXPECT_EQ(compact_text(*again), text);
    }
}

TEST(Json, ReadsEscapesInAnyPosition)
{
    auto const read = parse_json(R"({"n\u0061me":"a\tb","after":"plain","\"":"é\u00e9é\ud83d\ude00","z":["\\",""]})");
    ASSERT_TRUE(read) << read.error().what();
    ASSERT_EQ(read->members()->size(), 4U);
    EXPECT_EQ(*read->find("name")->text(), "a\tb");
    EXPECT_EQ(*read->find("after")->text(), "plain");
    EXPECT_EQ(*read->find("\"")->text(), "ééé😀");
    EXPECT_EQ(*read->find("z")->elements()->front().text(), "\\");
    EXPECT_EQ(*read->find("z")->elements()->back().text(), "");
    for (std::string_view const text :
        {R"("a)", R"("\)", R"("\x")", R"("\u12")", "\"a\nb\"", "\"\xff\"", R"({"a\q":1})"})
        EXPECT_FALSE(parse_json(text)) << text;
}

TEST(Json, IntegersMustFit)
{
    auto const read = [&](std::string_view text) { return *parse_json(text); };
    EXPECT_EQ(read("18446744073709551615").natural(), UINT64_MAX);
    EXPECT_EQ(read("-9223372036854775808").integer(), INT64_MIN);
    for (std::string_view const text : {"18446744073709551616", "-1", "1.0", "1e2", R"("1")", "null"})
        EXPECT_FALSE(read(text).natural()) << text;
}

TEST(Json, DocumentWithAnotherFormHasTheFirstDifferenceAsItsError)
{
    auto const read = [](json const& j) {
        return j.at("a").as_text() + std::to_string(j.at("b").at(1).as_natural<std::uint8_t>());
    };
    auto const error = [&](std::string_view text) { return std::string(read_document(text, read).error().what()); };

    EXPECT_EQ(read_document(R"({"a":"x","b":[null,255]})", read).value(), "x255");
    EXPECT_EQ(error(R"({"b":[]})"), "\"a\" is missing");
    EXPECT_EQ(error(R"({"a":1,"b":[]})"), "a text is expected");
    EXPECT_EQ(error(R"({"a":"","b":[0]})"), "a list is too short");
    EXPECT_EQ(error(R"({"a":"","b":[0,256]})"), "a number is out of range");
    EXPECT_EQ(error(R"({"a":"","b":{}})"), "a list is expected");
    EXPECT_EQ(error("[\n"), "line 2: the text ends too early");
}

TEST(Json, MembersThatAreSetStaySorted)
{
    auto document = parse_json(R"({"b":1,"d":[]})").value();

    document.set("c", json(true));
    document.set("a", json());
    document.set("b", json(std::string("x")));
    document.at("d").as_elements().push_back(json(false));

    EXPECT_EQ(compact_text(document), R"({"a":null,"b":"x","c":true,"d":[false]})");
    EXPECT_THROW(document.at("d").set("a", json()), json_error);
}

TEST(Json, LevelsAreLimited)
{
    EXPECT_TRUE(parse_json("[[[]]]", 2));
    EXPECT_FALSE(parse_json("[[[]]]", 1));
}

TEST(Environment, ReturnsVariablesThatAreSet)
{
    ::setenv("IACCTL_TEST_SET", "a=b", 1);
    ::unsetenv("IACCTL_TEST_UNSET");
    EXPECT_EQ(environment_variable("IACCTL_TEST_SET"), "a=b");
    EXPECT_EQ(environment_variable("IACCTL_TEST_UNSET"), "");
    std::pair<std::string_view, std::string_view> const wanted("IACCTL_TEST_SET", "a=b");
    EXPECT_EQ(std::ranges::count(environment(), wanted), 1);
}

TEST(ShellWords, AreSplitAndUnquotedAsByAShell)
{
    using testing::ElementsAre;
    using testing::Optional;
    EXPECT_THAT(split_shell_words("  a\tb\nc "), Optional(ElementsAre("a", "b", "c")));
    EXPECT_THAT(split_shell_words(R"(-var='a=b c' "x\"y\\z" '' \ q)"),
        Optional(ElementsAre("-var=a=b c", R"(x"y\z)", "", " q")));
    EXPECT_THAT(split_shell_words(R"("a\b" 'a\b')"), Optional(ElementsAre(R"(a\b)", R"(a\b)")));
    EXPECT_THAT(split_shell_words(""), Optional(ElementsAre()));
    EXPECT_FALSE(split_shell_words("a 'b"));
    EXPECT_FALSE(split_shell_words("a \"b"));
}

TEST(ShellWords, OneWordIsSplitIntoItself)
{
    using testing::ElementsAre;
    using testing::Optional;
    EXPECT_EQ(shell_word("../a-b_1.tfstate"), "../a-b_1.tfstate");
    for (std::string const word : {"", "a b", "it's", "$HOME", "~", "*", "a\\", "\""})
        EXPECT_THAT(split_shell_words(shell_word(word)), Optional(ElementsAre(word))) << word;
}

TEST(AddressText, LosesTheKeysOfInstances)
{
    EXPECT_EQ(without_instance_keys("module.m[\"a]\\\"[\"].data.t.n[3]"), "module.m.data.t.n");
    EXPECT_EQ(without_instance_keys("t.n"), "t.n");
    EXPECT_EQ(without_instance_keys("output o"), "output o");
}

}  // namespace
