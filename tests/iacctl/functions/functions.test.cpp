// SPDX-License-Identifier: BSL-1.0
#include "calls.hpp"
#include "examples.hpp"

#include "language/evaluation/evaluate.hpp"
#include "language/evaluation/functions.hpp"
#include "language/syntax/parser.hpp"
#include "language/values/convert.hpp"
#include "messages/evaluation.hpp"
#include "views/diagnostic_json.hpp"
#include "views/state_text.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {
namespace {

using namespace language;
using namespace functions::test;

/// The value of an expression in the form of the console, or its first error in one line.
auto shown(std::string const& text) -> std::string
{
    diagnostics found;
    auto const parsed = parse_expression("<test>", text, found);
    auto const made = found.has_errors() ? value::unknown() : evaluate(parsed.root, bare_scope(), found);
    if (!found.has_errors()) return views::value_text(made);
    auto line = "Error: " + std::string(found[0].code) + ": " + found[0].detail;
    std::ranges::replace(line, '\n', ' ');
    for (auto at = line.find("  "); at != std::string::npos; at = line.find("  ")) line.erase(at, 1);
    return line;
}

TEST(Functions, ReturnTheDocumentedResults)
{
    for (auto const& one : function_examples) EXPECT_EQ(shown(one.text), one.shown) << one.text;
}

TEST(Functions, ComputeWithThePrecisionOfTheirResults)
{
    EXPECT_EQ(shown("length([1, 2]) / length([1, 2, 3])"), "0.6666666666666666667");
    EXPECT_EQ(shown("index([1, 2, 3], 3) / index([1, 2, 3, 4], 4)"), "0.6666666666666666667");
    EXPECT_EQ(shown("parseint(\"1\", 10) / parseint(\"3\", 10)"), "0.33333333333333333334");
    EXPECT_EQ(shown("range(3)[1] / range(4)[3]"), "0.33333333333333333334");
    EXPECT_EQ(shown("pow(2, 100) - 1"), "1267650600228229401496703205375");
    EXPECT_EQ(shown("pow(10, 23)"), "100000000000000000000000");
    EXPECT_EQ(shown("pow(10, 23) - 1"), "99999999999999991611391");
    EXPECT_EQ(shown("pow(5, 33)"), "116415321826934820000000");
    EXPECT_EQ(shown("log(36, 3)"), "3.261859507142915");
    EXPECT_EQ(shown("log(\"2\", 3)"), "0.6309297535714575");
    EXPECT_EQ(shown("sum([length([1])]) / length([1, 2, 3])"), "0.33333333333333333334");
    EXPECT_EQ(shown("format(\"%d|%v\", pow(2, 60), pow(2, 60))"), "\"1152921504606846976|1.152921504606847e+18\"");
}

TEST(Functions, PrintPowersOfTwoWithTheDigitsOfGo)
{
    EXPECT_EQ(shown("pow(2, 64)"), "18446744073709550000");
    EXPECT_EQ(shown("pow(2, 65)"), "36893488147419100000");
    EXPECT_EQ(shown("pow(2, 100)"), "1267650600228229400000000000000");
    EXPECT_EQ(shown("tostring(pow(2, -24))"), "\"0.00000005960464477539062\"");
    EXPECT_EQ(shown("jsonencode(pow(2, 10))"), "\"1024\"");
}

TEST(Functions, KeepTheMarksOfElementsThatTheyOnlyMove)
{
    EXPECT_EQ(shown("join(\",\", keys(zipmap([\"x\", \"y\"], [sensitive(1), 2])))"), "\"x,y\"");
    EXPECT_EQ(shown("zipmap([\"x\", \"y\"], [sensitive(1), 2]).y"), "2");
    EXPECT_EQ(shown("zipmap([\"x\", \"y\"], [sensitive(1), 2]).x"), "(sensitive value)");
    EXPECT_EQ(shown("zipmap(tolist([\"x\", \"y\"]), tolist([sensitive(1), 2])).y"), "2");
    EXPECT_EQ(shown("zipmap([sensitive(\"x\"), \"y\"], [1, 2])"), "(sensitive value)");
    EXPECT_EQ(shown("zipmap([\"x\"], sensitive([1]))"), "(sensitive value)");
    EXPECT_EQ(shown("chunklist([sensitive(1), 2, 3], 2)[1][0]"), "3");
    EXPECT_EQ(shown("chunklist([sensitive(1), 2, 3], 2)[0][1]"), "2");
    EXPECT_EQ(shown("chunklist([sensitive(1), 2, 3], 2)[0][0]"), "(sensitive value)");
    EXPECT_EQ(shown("chunklist([1], sensitive(1))"), "(sensitive value)");
    EXPECT_EQ(shown("setproduct([sensitive(1), 2], [3])[1][0]"), "2");
    EXPECT_EQ(shown("setproduct([sensitive(1), 2], [3])[0][0]"), "(sensitive value)");
    EXPECT_EQ(shown("setproduct([sensitive(1), 2], [3])[0][1]"), "3");
    EXPECT_EQ(shown("setproduct(sensitive([1, 2]), [3])"), "(sensitive value)");
    EXPECT_EQ(shown("setproduct(toset([1]), [sensitive(2)])"), "(sensitive value)");
}

TEST(Functions, KeepTheSignOfZero)
{
    EXPECT_EQ(shown("tostring(-0)"), "\"-0\"");
    EXPECT_EQ(shown("format(\"%s|%v|%d|%f|%e|%x|%05d\", 0 * -1, -0, -0, -0, -0, -0, -0)"),
        "\"-0|-0|0|-0.000000|-0.000000e+00|0|00000\"");
    EXPECT_EQ(shown("jsonencode(-0)"), "\"-0\"");
    EXPECT_EQ(shown("1 / -0"), "-Inf");
    EXPECT_EQ(shown("parseint(\"-0\", 10)"), "0");
    EXPECT_EQ(shown("length(toset([0, -0]))"), "2");
    EXPECT_EQ(shown("index([0], -0)"), "0");
}

TEST(Functions, RejectInfiniteNumbersInJson)
{
    auto const refused = shown("jsonencode({ x = 1 / 0 })");
    EXPECT_TRUE(refused.starts_with("Error: ")) << refused;
    EXPECT_NE(refused.find(".x: a number that is infinite"), std::string::npos) << refused;
}

TEST(Functions, CountCharactersWithoutTheRuleForIndicConjuncts)
{
    EXPECT_EQ(shown("length(\"नमस्ते\")"), "4");
    EXPECT_EQ(shown("substr(\"क्षa\", 0, 1)"), "\"क्\"");
    EXPECT_EQ(shown("strrev(\"क्षa\")"), "\"aषक्\"");
    EXPECT_EQ(shown("format(\"%5s|\", \"क्ष\")"), "\"   क्ष|\"");
    EXPECT_EQ(shown("length(\"👨‍👩‍👧‍👦🇩🇪🇫🇷e\u0301\\r\\n각\")"), "6");
}

TEST(Functions, AcceptASubstringThatBeginsBeforeTheStart)
{
    EXPECT_EQ(shown("substr(\"abc\", -5, -1)"), "\"abc\"");
    EXPECT_EQ(shown("substr(\"abc\", -5, 2)"), "\"ab\"");
    EXPECT_EQ(shown("substr(\"abc\", -3, 0)"), "\"abc\"");
    EXPECT_EQ(shown("substr(\"abc\", -2, 0)"), "\"bc\"");
    EXPECT_EQ(shown("substr(\"abc\", 0, 0)"), "\"\"");
    EXPECT_EQ(shown("substr(\"abc\", 1, 9223372036854775807)"), "\"bc\"");
}

TEST(Functions, KeepAllNewlinesOfYaml)
{
    for (auto const* const text : {"\\n", "x\\n\\n", "\\n\\n", "\\n x\\n\\n", "x", "x\\n", "\\n\\n\\n"})
        EXPECT_EQ(shown("yamldecode(yamlencode({a = \"" + std::string(text) + "\", b = [\"" + text + "\"]})) == {a = \""
                      + text + "\", b = [\"" + text + "\"]}"),
            "true")
            << text;
    EXPECT_EQ(shown("yamlencode({a = \"\\n\"}) == \"\\\"a\\\": |2+\\n\\n\""), "true");
}

TEST(Functions, RejectTabsThatIndentYaml)
{
    for (auto const* const text : {"\\tb", "- \\tb", "a:\\n\\tb", "\\ta: b"})
        EXPECT_TRUE(shown("yamldecode(\"" + std::string(text) + "\")").find("indented with a tab") != std::string::npos)
            << text;
    EXPECT_TRUE(shown("yamldecode(\"\\t\")").starts_with("Error: "));
    EXPECT_EQ(shown("yamldecode(\"a:\\tb\").a"), "\"b\"");
    EXPECT_EQ(shown("yamldecode(\"a\\n\\tb\")"), "\"a b\"");
    EXPECT_EQ(shown("yamldecode(\"[\\ta, b]\")[0]"), "\"a\"");
}

TEST(Functions, UseTheLastOfEqualKeysOfYamlWhetherMergedOrWritten)
{
    EXPECT_EQ(shown("yamldecode(\"d: 2\\n<<: {d: 3}\").d"), "3");
    EXPECT_EQ(shown("yamldecode(\"<<: {d: 3}\\nd: 2\").d"), "2");
    EXPECT_EQ(shown("yamldecode(\"<<: {d: 3}\\n<<: {d: 4}\").d"), "4");
}

TEST(Functions, MergeMappingsAndListsOfMappingsOfYaml)
{
    auto const decoded = [](std::string const& yaml) { return shown("jsonencode(yamldecode(\"" + yaml + "\"))"); };
    EXPECT_EQ(decoded("<<: [{d: 3}]"), R"("{\"d\":3}")");
    EXPECT_EQ(decoded("{a: &a {x: 1, y: 1}, b: &b {y: 2, z: 2}, c: {<<: [*a, *b], z: 3}}.c"),
        decoded("{a: {x: 1, y: 1}, b: {y: 2, z: 2}, c: {x: 1, y: 2, z: 3}}.c"));
    EXPECT_EQ(decoded("a: &a {x: 1}\\nb: {<<: [*a, {y: 2}]}"), decoded("a: {x: 1}\\nb: {x: 1, y: 2}"));
    EXPECT_EQ(decoded("z: 0\\n<<: []"), R"("{\"z\":0}")");
    EXPECT_EQ(decoded("!!merge any: {x: 1}"), R"("{\"x\":1}")");
    EXPECT_EQ(shown("yamldecode(\"[<<]\")[0]"), "\"<<\"");
    for (auto const* const wrong : {"<<: [1]", "<<: [[{d: 3}]]", "<<: 1", "<<: [{d: 3}, null]", "- !!merge x"})
        EXPECT_TRUE(decoded(wrong).starts_with("Error: ")) << wrong;
}

TEST(Functions, RejectRegularExpressionsWithTooManyLevels)
{
    auto const nested = [](std::size_t levels) {
        return "regex(\"" + std::string(levels, '(') + "a" + std::string(levels, ')') + "\", \"a\")";
    };
    EXPECT_FALSE(shown(nested(1000)).starts_with("Error: "));
    EXPECT_NE(shown(nested(1001)).find("more than 1000 levels"), std::string::npos);
    EXPECT_NE(shown(nested(100'000)).find("more than 1000 levels"), std::string::npos);
    for (std::string const unnested : {"\\\\(", "[(]", "[](]", "[^](]", "[\\\\](]", "\\\\Q((\\\\E", "(a)"}) {
        std::string pattern;
        for (int i = 0; i < 1001; ++i) pattern += unnested;
        EXPECT_EQ(shown("length(regexall(\"" + pattern + "\", \"\"))"), "0") << unnested;
    }
}

TEST(Functions, RejectNullWhilePlanningEvenIfOtherArgumentsAreUnknown)
{
    auto const unknown = value::unknown(type::string());
    auto const null = value::null(type::string());
    auto const strings = value::list(type::string(), {unknown, null});
    auto const numbers = value::list(type::number(), {value::unknown(type::number()), value::null(type::number())});
    std::pair<char const*, std::vector<value>> const wrong[] = {{"format", {value("%s %s"), unknown, null}},
        {"format", {value("%s"), value()}}, {"format", {value("%d %s"), value(), value::unknown()}},
        {"formatlist", {value("%s"), value()}}, {"formatlist", {value("%s %s"), value::tuple({unknown}), value()}},
        {"formatlist", {value("%s"), strings}}, {"join", {value(","), strings}}, {"sort", {strings}},
        {"sum", {numbers}}, {"zipmap", {strings, strings}},
        {"transpose", {value::map(type::list(type::string()), {{"a", strings}})}}};
    for (auto const& [name, given] : wrong) {
        auto const made = call(*find_function(name), given, now);
        ASSERT_FALSE(made) << name;
        EXPECT_NE(
            made.error().message().find(std::string_view(name) == "sum" ? "not a number" : "null"), std::string::npos)
            << name << ": " << made.error().message();
    }
    EXPECT_EQ(shown("format(\"%v\", null)"), "\"null\"");
    EXPECT_TRUE(shown("format(\"%s\", one([]))").starts_with("Error: "));
    EXPECT_FALSE(call(*find_function("element"), std::array{value::tuple({}), value::unknown(type::number())}, now));
}

TEST(Functions, FindNullInACollection)
{
    EXPECT_EQ(shown("contains([\"a\", null], null)"), "true");
    EXPECT_EQ(shown("contains([\"a\"], null)"), "false");
    EXPECT_EQ(shown("contains([], null)"), "false");
    EXPECT_EQ(shown("contains(toset([\"a\", null]), null)"), "true");
    EXPECT_TRUE(shown("contains(null, null)").starts_with("Error: "));
    auto const unknown = value::list(type::string(), {value::unknown(type::string())});
    auto const made = call(*find_function("contains"), std::array{unknown, value()}, now);
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->is_unknown());
    EXPECT_EQ(made->get_type(), type::boolean());
}

TEST(Functions, RejectRegularExpressionsForSingleBytes)
{
    EXPECT_TRUE(shown(R"(regex("\\C", "é"))").starts_with("Error: "));
    EXPECT_TRUE(shown(R"(replace("é", "/a|\\C/", "x"))").starts_with("Error: "));
    EXPECT_EQ(shown(R"(regex("\\\\C", "a\\C") == "\\C")"), "true");
    EXPECT_EQ(shown(R"(regex("\\Q\\C\\E", "a\\C") == "\\C")"), "true");
}

TEST(Functions, ReturnUnknownValuesThatAreNotNull)
{
    auto const unknown = value::unknown(type::string());
    auto const strings = value::list(type::string(), {unknown, value("a")});
    value const lists[] = {strings, strings, strings};
    value const map = value::map(type::list(type::string()), {{"a", strings}});

    for (auto const& made :
        {call(*find_function("coalesce"), {&unknown, 1}, now), call(*find_function("distinct"), {lists, 1}, now),
            call(*find_function("matchkeys"), lists, now), call(*find_function("transpose"), {&map, 1}, now)}) {
        ASSERT_TRUE(made);
        EXPECT_TRUE(made->is_unknown());
        EXPECT_TRUE(made->is_definitely_not_null());
    }
}

TEST(Functions, RejectTheSameArgumentsAsTerraform)
{
    EXPECT_TRUE(shown("signum(2.5)").starts_with("Error: "));
    EXPECT_TRUE(shown("signum(1e30)").starts_with("Error: "));
    EXPECT_EQ(shown("signum(-3)"), "-1");
    EXPECT_TRUE(shown("transpose({a = null})").starts_with("Error: "));
    EXPECT_TRUE(shown("join(\",\", toset([1, null, {}]))").starts_with("Error: "));
    EXPECT_TRUE(shown("distinct([null, {}])").starts_with("Error: "));
    EXPECT_EQ(shown("tonumber(\"Inf\")"), "+Inf");
    EXPECT_EQ(shown("cidrsubnet(\"::ffff:10.0.0.0/104\", 8, 1)"), "\"10.1.0.0/16\"");
}

TEST(Functions, CountInMappedIPv4NetworksLikeTerraform)
{
    EXPECT_EQ(shown("cidrhost(\"::ffff:10.0.0.0/104\", 5)"), "\"0:5::ffff:a00:0\"");
    EXPECT_EQ(shown("cidrhost(\"::ffff:10.0.0.0/104\", 0)"), "\"10.0.0.0\"");
    EXPECT_EQ(shown("cidrhost(\"::ffff:10.0.0.0/104\", -1)"), "\"ff:ffff::ffff:a00:0\"");
    EXPECT_EQ(shown("cidrhost(\"::ffff:10.0.0.0/128\", -1)"), "\"10.0.0.0\"");
    EXPECT_EQ(shown("cidrnetmask(\"::ffff:10.0.0.0/120\")"), "\"ffff:ffff:ffff:ffff:ffff:ffff:ffff:ff00\"");
    EXPECT_TRUE(shown("cidrnetmask(\"::/64\")").starts_with("Error: "));
    for (auto const* const network : {"::ffff:10.0.0.0/104", "::/24", "0.0.0.0/8", "0.0.0.0/0"})
        EXPECT_TRUE(shown("cidrsubnets(\"" + std::string(network) + "\", 8)").starts_with("Error: ")) << network;
    EXPECT_EQ(shown("cidrsubnets(\"fd00::/16\", 32)[0]"), "\"fd00::/48\"");
    EXPECT_EQ(shown("join(\" \", cidrsubnets(\"fd00::/16\", 33, 48, 112))"),
        "\"fd00::/49 fd00:0:0:8000::/64 fd00:0:0:8001::/128\"");
    EXPECT_TRUE(shown("cidrsubnets(\"fd00::/16\", 113)").starts_with("Error: "));
    EXPECT_TRUE(shown("cidrsubnets(\"10.0.0.0/8\", 25)").starts_with("Error: "));
}

TEST(Functions, ReturnALargerNetworkForANegativeNumberOfBits)
{
    EXPECT_EQ(shown("cidrsubnet(\"192.168.208.0/24\", -1, 0)"), "\"192.168.208.0/23\"");
    EXPECT_EQ(shown("cidrsubnet(\"192.168.209.0/24\", -1, 0)"), "\"192.168.209.0/23\"");
    EXPECT_EQ(shown("cidrsubnet(\"192.168.209.0/24\", -2, 1)"), "\"192.168.213.0/22\"");
    EXPECT_EQ(shown("cidrsubnet(\"10.1.2.0/24\", -8, 3)"), "\"10.3.2.0/16\"");
    EXPECT_EQ(shown("cidrsubnet(\"10.1.2.0/24\", -24, 0)"), "\"10.1.2.0/0\"");
    EXPECT_EQ(shown("cidrsubnet(\"fd00:1:2:3::/64\", -16, 1)"), "\"fd00:1:3:3::/48\"");
    for (auto const* const wrong : {"\"10.1.2.0/24\", -25, 0", "\"0.0.0.0/0\", -1, 0", "\"10.1.2.0/24\", -1, -1",
             "\"10.1.2.0/24\", -24, 1", "\"10.1.2.0/24\", -9223372036854775808, 0"})
        EXPECT_TRUE(shown("cidrsubnet(" + std::string(wrong) + ")").starts_with("Error: ")) << wrong;
}

TEST(Functions, WriteIPv6AddressesLikeTerraform)
{
    EXPECT_EQ(shown("cidrhost(\"::/64\", 196613)"), "\"::3:5\"");
    EXPECT_EQ(shown("cidrsubnet(\"::/96\", 8, 2)"), "\"::200:0/104\"");
    EXPECT_EQ(shown("cidrhost(\"::/64\", 0)"), "\"::\"");
    EXPECT_EQ(shown("cidrhost(\"1::/16\", 5)"), "\"1::5\"");
    EXPECT_EQ(shown("cidrsubnet(\"1:0:0:2::/64\", 16, 5)"), "\"1:0:0:2:5::/80\"");
    EXPECT_EQ(shown("cidrsubnet(\"1:0:3:0::/64\", 16, 5)"), "\"1:0:3:0:5::/80\"");
}

TEST(Functions, MarkTheResultOfCoalesceIfAnyArgumentIsSensitive)
{
    EXPECT_EQ(shown("coalesce(sensitive(\"\"), \"a\")"), "(sensitive value)");
    EXPECT_EQ(shown("coalesce(\"a\", sensitive(\"b\"))"), "(sensitive value)");
    EXPECT_EQ(shown("coalesce(\"\", \"b\")"), "\"b\"");
}

TEST(Functions, ReportResultsThatExceedALimit)
{
    auto const wide = std::string("format(\"%100000s\", \"\")");
    auto const many = std::string("split(\"\", format(\"%5000s\", \"\"))");
    for (auto const& text : {"join(" + wide + ", " + many + ")", "formatlist(\"%100000s\", " + many + ")",
             "replace(join(\"\", " + many + "), \"/./\", " + wide + ")",
             "format(join(\"\", [for i in " + many + " : \"%100000[1]s\"]), \"\")"})
        EXPECT_NE(shown(text).find("256 MiB"), std::string::npos) << shown(text).substr(0, 200);
    EXPECT_NE(shown("regexall(join(\"\", [for i in range(20) : format(\"%60000s\", \"\")]), \"a\")").find("1 MiB"),
        std::string::npos);
    EXPECT_NE(shown("jsondecode(format(\"%1001s\", \"\"))").find("Error"), std::string::npos);
    EXPECT_NE(shown("jsondecode(replace(format(\"%1002s\", \"\"), \" \", \"[\"))").find("more than 1000 levels"),
        std::string::npos);
}

TEST(Functions, StopADirectiveOfATemplateAtTheLimit)
{
    std::string const wide = "format(\"%100000s\", \"\")";
    // An element after the limit would be an error of its own.
    auto const text = "[for w in [" + wide + "] : \"%{ for i, x in split(\"\", " + wide
        + ") }${i < 3000 ? w : tonumber(\"x\")}%{ endfor }\"]";

    EXPECT_NE(shown(text).find("256 MiB"), std::string::npos) << shown(text).substr(0, 200);
}

TEST(Functions, ReadRegularFilesOnly)
{
    auto const directory = std::filesystem::temp_directory_path() / ("functions-" + std::to_string(::getpid()));
    std::filesystem::create_directory(directory);
    auto const pipe = (directory / "pipe").string();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::ofstream(directory / "text") << "hello";

    EXPECT_EQ(shown("file(\"" + (directory / "text").string() + "\")"), "\"hello\"");
    for (auto const& name : {pipe, std::string("/dev/zero")})
        for (std::string const call : {"file", "filebase64", "filesha256", "filemd5"})
            EXPECT_NE(shown(call + "(\"" + name + "\")").find("cannot be read"), std::string::npos) << call << name;
    std::filesystem::resize_file(directory / "text", (std::uintmax_t{256} << 20U) + 1);
    EXPECT_NE(shown("filemd5(\"" + (directory / "text").string() + "\")").find("256 MiB"), std::string::npos);
    EXPECT_NE(shown("templatefile(\"" + pipe + "\", {})").find("cannot be read"), std::string::npos);
    std::filesystem::remove_all(directory);
}

TEST(ProviderFunctions, WriteAndReadValuesOfVariables)
{
    auto const run = [](char const* name, value given) -> value {
        auto const made = call(*find_builtin_function(name), std::array{std::move(given)}, call_context());
        return made ? *made : value("failed: " + made.error().message());
    };
    auto const nested = value::object({{"g", value(number(1))}, {"hij", value("y\n${1}\x01")}});
    auto const given = value::object({{"a", value(number(1))}, {"bcd", value(true)},
        {"e", value::tuple({value(number(1)), value::null()})}, {"f", nested}});
    auto const text = "a   = 1\nbcd = true\ne   = [1, null]\nf = {\n  g   = 1\n  hij = \"y\\n$${1}\\u0001\"\n}\n";

    EXPECT_EQ(run("encode_tfvars", given), value(text));
    EXPECT_EQ(run("decode_tfvars", value(text)), given);
    EXPECT_EQ(run("encode_expr", nested), value("{\n  g   = 1\n  hij = \"y\\n$${1}\\u0001\"\n}"));
    EXPECT_EQ(run("encode_expr", value::tuple({})), value("[]"));
    EXPECT_TRUE(run("encode_expr", value::tuple({value::unknown()})).is_unknown());
    EXPECT_TRUE(run("encode_expr", value("a").with_marks(mark::sensitive)).is_sensitive());
    EXPECT_TRUE(run("encode_tfvars", value::object({{"a b", value("x")}})).as_string().starts_with("failed: "));
    EXPECT_TRUE(run("decode_tfvars", value("a = upper(\"x\")")).as_string().starts_with("failed: "));
    EXPECT_TRUE(run("decode_tfvars", value("a {}")).as_string().starts_with("failed: "));
    EXPECT_EQ(find_function("encode_expr"), nullptr);
}

TEST(Functions, HaveAnExampleEach)
{
    auto const& names = function_names();

    ASSERT_FALSE(names.empty());
    std::set<std::string_view> without_example(names.begin(), names.end());
    for (auto const& one : function_examples) {
        std::string_view const text = one.text;
        without_example.erase(text.substr(0, text.find('(')));
    }
    // Functions that depend on files, on the time or on chance have separate tests.
    EXPECT_EQ(without_example,
        (std::set<std::string_view>{"filebase64sha256", "filebase64sha512", "filesha1", "filesha256", "filesha512",
            "plantimestamp", "timestamp", "uuid"}));
}

TEST(Functions, AreDescribed)
{
    for (auto const name : function_names()) EXPECT_FALSE(description_of(name).empty()) << name;
    EXPECT_FALSE(description_of("trim.cutset").empty());
    EXPECT_TRUE(description_of("trim.str").empty());

    EXPECT_EQ(signature_of("chunklist").result, type::list(type::list(type::dynamic())));
    EXPECT_EQ(signature_of("contains").result, type::dynamic());
    EXPECT_EQ(signature_of("length").result, type::number());
}

TEST(Functions, AreShownWithTheirSignatureWhereACallFails)
{
    diagnostics found;
    auto const parsed = parse_expression("<test>", "max(1, \"x\")", found);
    static_cast<void>(evaluate(parsed.root, bare_scope(), found));

    auto const shown_as = views::validation_json(found);

    auto without_space = shown_as;
    std::erase_if(without_space, [](char c) { return c == ' ' || c == '\n'; });
    EXPECT_NE(without_space.find(R"("function_call":{"called_as":"max","signature":{"name":"max","params":[],)"
                                 R"("variadic_param":{"name":"numbers","type":"number"},"return_type":"number"}})"),
        std::string::npos)
        << shown_as;
}

TEST(Functions, ReturnKnownResultsOnlyIfUnknownArgumentsCannotChangeThem)
{
    for (auto const& one : calls()) {
        auto const known = call(*one.called, one.given, now);
        ASSERT_TRUE(known) << one.text;
        for (std::size_t i = 0; i < one.given.size(); ++i) {
            auto given = one.given;
            given[i] = value::unknown(given[i].get_type()).refined_not_null();
            auto const made = call(*one.called, given, now);

            ASSERT_TRUE(made) << one.text << " with argument " << i << " unknown: " << made.error().message();
            EXPECT_TRUE(!made->wholly_known() || *made == *known) << one.text << " with argument " << i << " unknown";
        }
    }
}

/// Returns whether an unknown value may turn out to be that one.
auto may_become(value const& planned, value const& known) -> bool
{
    if (planned.is_unknown()) return !(planned.is_definitely_not_null() && known.is_null());
    if (planned.is(type_kind::set) && !planned.wholly_known()) return known.is(type_kind::set);
    if (planned.is_null() || known.is_null()) return planned.is_null() && known.is_null();
    if (planned.kind() != known.kind() || planned.size() != known.size()) return false;
    if (planned.kind() < type_kind::list) return planned == known;
    return std::ranges::equal(planned.elements(), known.elements(), may_become)
        && std::ranges::equal(planned.entries(), known.entries(),
            [](value_entry const& a, value_entry const& b) { return a.key == b.key && may_become(a.of, b.of); });
}

TEST(Functions, OfASetWithUnknownElementsPlanWhatTheyReturnWhenItIsKnown)
{
    for (auto const& one : calls())
        for (std::size_t i = 0; i < one.given.size(); ++i) {
            auto const& parameter = *one.called->parameter_at(i);
            auto const set_of = [&](value const& first, value const& second) {
                return *convert(value::set(second.get_type(), {first, second}), parameter.of);
            };
            bool const is_collection = one.given[i].is(type_kind::set) || one.given[i].is(type_kind::list);
            auto const elements = one.given[i].elements();
            if (!(is_collection || one.given[i].is(type_kind::tuple)) || elements.empty()) continue;
            value const element = elements.front().unmarked_deep();
            if (!element.has_data()) continue;
            auto given = one.given;
            given[i] = set_of(value::unknown(element.get_type()), element);
            auto const planned = call(*one.called, given, now);
            for (auto const& other : {element, elements.back().unmarked_deep()}) {
                if (other.get_type() != element.get_type()) continue;
                given[i] = set_of(other, element);
                auto const made = call(*one.called, given, now);
                if (!made) continue;

                ASSERT_TRUE(planned) << one.text << " with argument " << i << ": " << planned.error().message();
                EXPECT_TRUE(may_become(*planned, *made))
                    << one.text << " with argument " << i << ": " << to_json(*planned) << " became " << to_json(*made);
            }
        }
}

TEST(Functions, MarkResultsOfSensitiveArguments)
{
    std::set<std::string_view> const exempt{"assumeequal", "nonsensitive", "issensitive", "lookup", "merge"};
    for (auto const& one : calls()) {
        if (exempt.contains(one.called->name)) continue;
        for (std::size_t i = 0; i < one.given.size(); ++i) {
            auto given = one.given;
            given[i] = given[i].with_marks(mark::sensitive);
            auto const made = call(*one.called, given, now);

            ASSERT_TRUE(made) << one.text;
            EXPECT_NE(made->deep_marks(), mark::none) << one.text << " with argument " << i << " sensitive";
        }
    }
}

TEST(Functions, RejectNullUnlessTheyAcceptIt)
{
    for (auto const& one : calls())
        for (std::size_t i = 0; i < one.given.size(); ++i) {
            if (one.called->parameter_at(i)->allow_null) continue;
            auto given = one.given;
            given[i] = value::null(given[i].get_type());
            auto const made = call(*one.called, given, now);

            ASSERT_FALSE(made) << one.text << " with argument " << i << " null";
            EXPECT_EQ(made.error().message(), "it is null") << one.text;
        }
}

TEST(Functions, JsonOfAPartlyKnownValueHasAKnownFirstCharacter)
{
    auto const begin = [](value const& v) {
        return std::string(call(*find_function("jsonencode"), std::array{v}, now)->known_prefix());
    };
    EXPECT_EQ(begin(value::tuple({value::unknown()})), "[");
    EXPECT_EQ(begin(value::unknown(type::string()).refined_not_null()), "\"");
    EXPECT_EQ(begin(value::unknown(type::map(type::string())).refined_not_null()), "{");
    EXPECT_EQ(begin(value::unknown(type::string())), "");
    EXPECT_EQ(begin(value::unknown()), "");
}

TEST(Functions, ThatDependOnTheTimeAreUnknownUntilApplied)
{
    call_context const planning{false, "2024-02-29T12:00:00Z", false};
    for (auto const* const name : {"timestamp", "uuid"}) {
        EXPECT_TRUE(call(*find_function(name), {}, planning)->is_unknown()) << name;
        EXPECT_TRUE(call(*find_function(name), {}, now)->has_data()) << name;
    }
    EXPECT_TRUE(call(*find_function("bcrypt"), std::array{value("x")}, planning)->is_unknown());
    EXPECT_EQ(call(*find_function("plantimestamp"), {}, planning)->as_string(), "2024-02-29T12:00:00Z");
    EXPECT_EQ(call(*find_function("uuid"), {}, now)->as_string().size(), 36U);
}

TEST(Functions, HashPasswordsSoThatTheyCanBeVerified)
{
    auto const made = call(*find_function("bcrypt"), std::array{value("secret"), value(number(4))}, now);

    ASSERT_TRUE(made);
    EXPECT_TRUE(made->as_string().starts_with("$2a$04$"));
    EXPECT_EQ(made->as_string().size(), 60U);
}

}  // namespace
}  // namespace iacctl
