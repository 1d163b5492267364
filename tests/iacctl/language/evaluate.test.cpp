// SPDX-License-Identifier: BSL-1.0
#include "support.hpp"

#include "language/configuration/configuration.hpp"
#include "language/evaluation/repetition.hpp"
#include "language/evaluation/type_constraint.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::language {
namespace {

using testing::evaluated;
using testing::table_scope;

[[nodiscard]] auto world() -> table_scope
{
    return table_scope({
        {"var.list", value::list(type::string(), {value("a"), value("b")})},
        {"var.secret", value("s").with_marks(mark::sensitive)},
        {"var.nothing", value::null(type::string())},
        {"var.later", value::unknown(type::string())},
        {"local.objects",
            value::tuple({value::object({{"n", value(number(1))}}), value::object({{"n", value(number(2))}})})},
    });
}

TEST(Evaluate, SupportsAllOperatorsAndTheirPrecedence)
{
    EXPECT_EQ(evaluated("1 + 2 * 3 - 4 / 2 % 3"), "5");
    EXPECT_EQ(evaluated("1 < 2 && 2 >= 2 || !true"), "true");
    EXPECT_EQ(evaluated("1 == 1 != false"), "true");
    EXPECT_EQ(evaluated("-(1 + 2)"), "-3");
    EXPECT_EQ(evaluated("\"1\" + 1"), "2");
    EXPECT_EQ(evaluated("1 == \"1\""), "false");
    EXPECT_EQ(evaluated("null == null"), "true");
    EXPECT_EQ(evaluated("[1] == tolist([1])"), "false");
}

TEST(Evaluate, EvaluatesOneSideOfALogicalOperatorIfItDecides)
{
    EXPECT_EQ(evaluated("false && [][0] == 1"), "false");
    EXPECT_EQ(evaluated("true || [][0] == 1"), "true");
    EXPECT_EQ(evaluated("[][0] == 1 && false"), "false");
    EXPECT_EQ(evaluated("[][0] == 1 || true"), "true");
    EXPECT_EQ(evaluated("tobool(null) || true"), "true");
    EXPECT_EQ(evaluated("true && false && [][0] == 1"), "false");
    EXPECT_EQ(evaluated("true && [][0] == 1"), "index_in_empty");
    EXPECT_EQ(evaluated("[][0] == 1 || [][0] == 1"), "index_in_empty");
    EXPECT_EQ(evaluated("true || \"text\""), "operand_wrong_type");
}

TEST(Evaluate, RendersTemplatesAndHeredocs)
{
    EXPECT_EQ(evaluated(R"("a${1 + 1}b$${c}\t\u00e9")"), "\"a2b${c}\\t\xC3\xA9\"");
    EXPECT_EQ(evaluated(R"("%{ if true }y%{ else }n%{ endif }")"), "\"y\"");
    EXPECT_EQ(evaluated(R"("%{ for i, x in ["a", "b"] }${i}${x};%{ endfor }")"), "\"0a;1b;\"");
    EXPECT_EQ(evaluated("<<-EOT\n    a\n      b ${1}\n    EOT\n"), R"("a\n  b 1\n")");
    EXPECT_EQ(evaluated("<<EOT\n  %{ if true ~}\n  x\n  %{ endif ~}\nEOT\n"), R"("    x\n  ")");
    EXPECT_EQ(evaluated("\"${[1, 2]}\""), "[1,2]");
}

TEST(Evaluate, RemovesIndentationOfAnyWhiteSpaceByCharacters)
{
    EXPECT_EQ(evaluated("<<-E\n    x\n  \u2003  y\n    E\n"), R"("x\n y\n")");
    EXPECT_EQ(evaluated("<<-E\n \u2003x\n \u2003y\n    E\n"), R"("x\ny\n")");
    EXPECT_EQ(evaluated("<<-E\n\u00a0\u00a0x\n\u00a0\u00a0\u00a0y\n  E\n"), "\"x\\n\u00a0y\\n\"");
    EXPECT_EQ(evaluated("<<-E\n\u3042\n  y\n  E\n"), "\"\u3042\\n  y\\n\"");
    EXPECT_EQ(evaluated("\"a\u00a0${~ 1 ~}\u2003b\""), R"("a1b")");
}

TEST(Evaluate, BuildsTuplesAndObjectsWithFor)
{
    EXPECT_EQ(evaluated("[for x in [1, 2, 3] : x * 2 if x != 2]"), "[2,6]");
    EXPECT_EQ(evaluated("{ for k, v in { a = 1, b = 2 } : v => k }"), R"({"1":"a","2":"b"})");
    EXPECT_EQ(evaluated("{ for x in [\"a\", \"b\", \"a\"] : x => 1... }"), R"({"a":[1,1],"b":[1]})");
    EXPECT_EQ(evaluated("{ \"x y\" = 1, (upper(\"a\")) : 2 }"), R"({"A":2,"x y":1})");
}

TEST(Evaluate, AppliesSplatsAndIndexes)
{
    EXPECT_EQ(evaluated("local.objects[*].n", world()), "[1,2]");
    EXPECT_EQ(evaluated("local.objects.*.n", world()), "[1,2]");
    EXPECT_EQ(evaluated("local.objects.1.n", world()), "2");
    EXPECT_EQ(evaluated("local.objects[1 - 1].n", world()), "1");
    EXPECT_EQ(evaluated("var.nothing[*]", world()), "[]");
    EXPECT_EQ(evaluated("\"x\"[*]"), "[\"x\"]");
}

/// A scope with values of single instances only. It counts the requests for the value of all instances.
class instance_table final : public scope {
public:
    [[nodiscard]] auto resolve(reference const& r, diagnostics&) const -> value override
    {
        ++wholes;
        if (r.kind == reference_kind::count) return value(number(1));
        return value::tuple({value("whole"), value("whole")});
    }
    [[nodiscard]] auto instance(reference const& r) const -> std::optional<value> override
    {
        if (r.key->is(type_kind::string) && r.key->as_string() == "none") return std::nullopt;
        return value::object({{"id", value(r.address_with_key())}});
    }

    mutable int wholes = 0;
};

TEST(Evaluate, ReadsOneInstanceWithoutBuildingAllOfThem)
{
    instance_table const table;

    EXPECT_EQ(evaluated("toy.a[0].id", table), R"("toy.a[0]")");
    EXPECT_EQ(evaluated("toy.a[1 + 1].id", table), R"("toy.a[2]")");
    EXPECT_EQ(evaluated("data.toy.a[\"x\"].id", table), R"("data.toy.a[\"x\"]")");
    EXPECT_EQ(evaluated("module.m[toy.k[0].id].id", table), R"("module.m[\"toy.k[0]\"]")");
    EXPECT_EQ(evaluated("[for i in [3, 4] : toy.a[i].id]", table), R"(["toy.a[3]","toy.a[4]"])");
    EXPECT_EQ(table.wholes, 0);
}

TEST(Evaluate, ReadsAllInstancesIfNoPlainKeySelectsOne)
{
    instance_table const table;

    EXPECT_EQ(evaluated("toy.a[*]", table), R"(["whole","whole"])");
    EXPECT_EQ(evaluated("length(toy.a)", table), "2");
    EXPECT_EQ(table.wholes, 2);
    EXPECT_EQ(evaluated("toy.a[\"none\"]", table), "index_wrong_type");
    EXPECT_EQ(evaluated("nonsensitive(toy.a[sensitive(1)])", table), "\"whole\"");
}

TEST(Evaluate, ChecksStepsOfSplatsOverEmptyAndUnknownLists)
{
    auto const object = type::object({{"a", type::string(), false}});
    table_scope const scope({{"var.later", value::unknown(type::list(object))}, {"var.none", value::list(object, {})},
        {"var.pair", value::unknown(type::tuple({object, type::string()}))}, {"var.any", value::unknown()}});

    EXPECT_EQ(evaluated("var.later[*].a", scope), R"(unknown ["list","string"])");
    EXPECT_EQ(evaluated("var.none[*].a", scope), "[]");
    EXPECT_EQ(evaluated("var.any[*].a", scope), R"(unknown "dynamic")");
    for (auto const* const list : {"var.later", "var.none", "var.pair"})
        EXPECT_EQ(evaluated(std::string(list) + "[*].nope", scope), "no_such_attribute") << list;
    EXPECT_EQ(evaluated("setproduct([\"a\"], [])[*][1]"), "[]");
    EXPECT_EQ(evaluated("setproduct([\"a\"], [])[*][5]"), "index_out_of_range");
    EXPECT_EQ(evaluated("[][*].nope"), "[]");
}

TEST(Evaluate, PropagatesUnknownsWithTheirType)
{
    EXPECT_EQ(evaluated("\"x${var.later}\"", world()), "unknown \"string\"");
    EXPECT_EQ(evaluated("[var.later, 1]", world()), R"(unknown ["tuple",["string","number"]])");
    EXPECT_EQ(evaluated("length(var.later)", world()), "unknown \"number\"");
    EXPECT_EQ(evaluated("var.later == \"a\" ? 1 : 2", world()), "unknown \"number\"");
    EXPECT_EQ(evaluated("\"x${var.later}\" == null", world()), "false");
    EXPECT_EQ(evaluated("length([var.later])", world()), "1");
}

TEST(Evaluate, PropagatesSensitiveMarks)
{
    for (char const* const text :
        {"\"x${var.secret}\"", "upper(var.secret)", "var.secret == \"s\"", "var.secret == \"s\" ? 1 : 2",
            "length([var.secret]) > 0 ? var.secret : \"\"", "[for c in [1] : c if var.secret == \"s\"]"}) {
        diagnostics found;
        auto const parsed = parse_expression("test", text, found);
        EXPECT_TRUE(evaluate(parsed.root, world(), found).is_sensitive()) << text;
        EXPECT_TRUE(found.empty()) << text;
    }
}

TEST(Evaluate, ReportsWhyAnExpressionHasNoValue)
{
    std::vector<std::pair<std::string, std::string>> const wrong{
        {"1 + \"x\"", "operand_wrong_type"},
        {"-[]", "operand_wrong_type"},
        {"null + 1", "null_operand"},
        {"!null", "null_operand"},
        {"0 / 0", "undefined_result"},
        {"1 / 0 - 1 / 0", "undefined_result"},
        {"\"a${null}\"", "null_in_template"},
        {"\"a${[]}\"", "template_part_without_text"},
        {"\"%{ for x in [[]] }${x}%{ endfor }\"", "template_part_without_text"},
        {"true ? {} : []", "inconsistent_results"},
        {"true ? { a = [1] } : { a = { b = 1 } }", "inconsistent_results"},
        {"null ? 1 : 2", "null_condition"},
        {"[] ? 1 : 2", "condition_wrong_type"},
        {"{ (null) = 1 }", "null_key"},
        {"{ ([]) = 1 }", "key_wrong_type"},
        {"{ a.b = 1 }", "ambiguous_key"},
        {"[for x in null : x]", "loop_over_null"},
        {"[for x in 5 : x]", "loop_over_single_value"},
        {"[for x in [1] : x if null]", "loop_condition_null"},
        {"[for x in [null] : x if x]", "element_condition_null"},
        {"[for x in [1] : x if []]", "loop_condition_wrong_type"},
        {"{ for x in [1, 1] : x => x }", "duplicate_loop_key"},
        {"{ for x in [null] : x => x }", "loop_key_null"},
        {"{ for x in [[]] : x => x }", "loop_key_wrong_type"},
        {"{ a = 1 }.b", "no_such_attribute"},
        {"{ a = 1 }[\"b\"]", "no_such_attribute_by_key"},
        {"{ a = 1 }[0]", "number_as_attribute_name"},
        {"tomap({ a = 1 }).b", "no_such_map_element"},
        {"tomap({ a = 1 })[\"b\"]", "no_such_key"},
        {"tolist([{ a = 1 }]).a", "attribute_of_list"},
        {"toset([{ a = 1 }]).a", "attribute_of_set"},
        {"\"x\".a", "attribute_of_single_value"},
        {"null.a", "attribute_of_null"},
        {"[1][1]", "index_out_of_range"},
        {"[1][5]", "index_out_of_range"},
        {"[][0]", "index_in_empty"},
        {"[1][-1]", "index_negative"},
        {"[1][0.5]", "index_fractional"},
        {"[1][\"x\"]", "index_wrong_type"},
        {"[1][null]", "index_null"},
        {"null[0]", "index_of_null"},
        {"toset([1])[0]", "index_of_set"},
        {"\"x\"[0]", "index_of_single_value"},
        {"tolist(null)[*]", "splat_of_null"},
        {"uper(\"x\")", "unknown_function"},
        {"x::y()", "unknown_function_namespace"},
        {"provider::x::y()", "unknown_provider_function"},
        {"upper([])", "invalid_function_argument"},
        {"upper(null)", "invalid_function_argument"},
        {"element([], 0)", "function_failed"},
        {"sort()", "missing_function_argument"},
        {"sort([], [])", "too_many_function_arguments"},
        {"sort(null...)", "expanded_null"},
        {"sort(5...)", "expanded_wrong_type"},
        {"templatestring(\"x\", {})", "inline_template"},
        {"templatestring(upper(\"x\"), {})", "template_not_a_reference"},
        {"try()", "try_without_expressions"},
        {"try(null.a, [][0])", "try_failed"},
    };
    for (auto const& [text, code] : wrong) EXPECT_EQ(evaluated(text), code) << text;
}

TEST(Evaluate, NamesTheTypesOfResultsWithoutACommonType)
{
    auto const mismatch = [](std::string const& text) {
        diagnostics found;
        auto const parsed = parse_expression("test", text, found);
        static_cast<void>(evaluate(parsed.root, table_scope(), found));
        return found.has_errors() ? found[0].detail.substr(found[0].detail.find(':') + 2) : std::string();
    };

    EXPECT_EQ(mismatch("true ? {} : []"), "the true result is object, and the false one is tuple.");
    EXPECT_EQ(mismatch("true ? { a = { b = [] } } : { a = { b = {} } }"),
        "in the attribute \"a\", in the attribute \"b\", the true result is tuple, and the false one is object.");
}

TEST(Evaluate, BuildsLargeObjectsInLinearTime)
{
    std::string const numbers = "flatten([for i in range(200) : [for j in range(100) : 100 * i + j]])";

    EXPECT_EQ(evaluated("length({for n in " + numbers + " : \"k${n}\" => n})"), "20000");
    EXPECT_EQ(evaluated("length({for n in " + numbers + " : \"k${floor(n / 2)}\" => n...})"), "10000");
}

TEST(Evaluate, RejectsAnUnknownFunctionOnlyIfItIsCalled)
{
    EXPECT_EQ(evaluated("try(toint(\"1\"), 5)"), "5");
    EXPECT_EQ(evaluated("can(toint(\"1\"))"), "false");
    EXPECT_EQ(evaluated("true ? 5 : toint(\"1\")"), "5");
    EXPECT_EQ(evaluated("[for x in [] : toint(x)]"), "[]");
    EXPECT_EQ(evaluated("nosuchfunction(1)"), "unknown_function");
    EXPECT_EQ(evaluated("list(1)"), "removed_list_function");
    EXPECT_EQ(evaluated("map()"), "removed_map_function");
}

TEST(Evaluate, KnowsThePrefixOfAnUnknownText)
{
    table_scope const scope({{"var.id", value::unknown(type::string()).refined_not_null()}});
    auto const of = [&](std::string const& text) { return evaluated(text, scope); };

    EXPECT_EQ(of("startswith(\"pre-${var.id}\", \"pre\")"), "true");
    EXPECT_EQ(of("startswith(\"pre-${var.id}\", \"prx\")"), "false");
    EXPECT_EQ(of("startswith(\"pre-${var.id}\", \"pre-x\")"), "unknown \"bool\"");
    EXPECT_EQ(of("startswith(\"pre${var.id}\", \"pre\")"), "unknown \"bool\"");
    EXPECT_EQ(of("startswith(\"pre${var.id}\", \"pr\")"), "true");
    EXPECT_EQ(of("startswith(format(\"pre-%s\", var.id), \"pre\")"), "true");
    EXPECT_EQ(of("\"pre-${var.id}\" == \"foo\""), "false");
    EXPECT_EQ(of("\"pre-${var.id}\" == \"pre-x\""), "unknown \"bool\"");
    EXPECT_EQ(of("contains([\"pre-${var.id}\"], \"\")"), "false");
    EXPECT_EQ(of("var.id == \"x\""), "unknown \"bool\"");
}

TEST(Evaluate, EvaluatesLongChainsWithoutRecursion)
{
    std::string sum = "0";
    for (int i = 0; i < 2000; ++i) sum += " + 1";

    EXPECT_EQ(evaluated(sum), "2000");
}

TEST(References, FindsReferencesButNotBoundNames)
{
    diagnostics found;
    auto const parsed = parse_expression(
        "test", "[for x in toy.a[0].y : \"${x.z}${var.v}\" if x != local.l] == data.d.e[\"k\"]", found);

    std::vector<std::string> all;
    for (auto const& one : references_of(parsed.root, found)) all.push_back(one.address_with_key());

    EXPECT_TRUE(found.empty());
    EXPECT_EQ(all, (std::vector<std::string>{"toy.a[0]", "var.v", "local.l", "data.d.e[\"k\"]"}));
}

TEST(Repetition, AcceptsWholeNumbersForCount)
{
    auto const count = [](std::string const& text) {
        diagnostics found;
        auto const parsed = parse_expression("test", text, found);
        auto const made = evaluate_count(parsed.root, world(), found);
        return made ? std::to_string(*made) : std::string(found[0].code);
    };

    EXPECT_EQ(count("2"), "2");
    EXPECT_EQ(count("length(var.list)"), "2");
    EXPECT_EQ(count("1.5"), "count_fractional");
    EXPECT_EQ(count("-1"), "count_negative");
    EXPECT_EQ(count("3000000000"), "count_too_large");
    EXPECT_EQ(count("null"), "count_null");
    EXPECT_EQ(count("length(var.later)"), "count_unknown");
    EXPECT_EQ(count("\"x\""), "count_wrong_type");
}

TEST(Repetition, AcceptsMapsAndSetsOfStringsForForEach)
{
    auto const keys = [](std::string const& text) {
        diagnostics found;
        auto const parsed = parse_expression("test", text, found);
        auto const made = evaluate_for_each(parsed.root, world(), found);
        std::string all;
        if (!made) return std::string(found[0].code);
        for (auto const& [key, of] : *made) all += key + "=" + to_json(of) + " ";
        return all;
    };

    EXPECT_EQ(keys("{ b = 1, a = var.later == \"\" }"), "a=null b=1 ");
    EXPECT_EQ(keys("toset(var.list)"), "a=\"a\" b=\"b\" ");
    EXPECT_EQ(keys("var.list"), "for_each_wrong_type");
    EXPECT_EQ(keys("toset([var.secret])"), "for_each_sensitive");
    EXPECT_EQ(keys("toset([var.later])"), "for_each_set_unknown");
    EXPECT_EQ(keys("toset([1])"), "for_each_set_of_others");
    EXPECT_EQ(keys("toset([null, \"a\"])"), "for_each_set_with_null");
    EXPECT_EQ(keys("null"), "for_each_null");
}

TEST(TypeConstraint, ReportsWhyATextIsNotAType)
{
    std::vector<std::pair<std::string, std::string>> const wrong{
        {"5", "not_a_type"},
        {"strng", "unknown_type"},
        {"lst(string)", "unknown_type"},
        {"number(5)", "type_takes_no_arguments"},
        {"set", "element_type_required"},
        {"list()", "element_type_required"},
        {"map(string, string)", "element_type_required"},
        {"object", "attribute_types_required"},
        {"object(string)", "attribute_types_required"},
        {"tuple(string)", "element_types_required"},
        {"object({ \"a\" = string })", "attribute_name_required"},
        {"object({ a = string, a = number })", "duplicate_type_attribute"},
        {"list(optional(string))", "optional_outside_object"},
        {"object({ a = optional() })", "optional_arguments"},
        {"object({ a = optional(number, \"x\") })", "default_wrong_type"},
        {"\"list\"", "quoted_type"},
        {"\"list(string)\"", "quoted_type_hint"},
    };
    for (auto const& [text, code] : wrong) {
        diagnostics found;
        auto const parsed = parse_expression("test", text, found);
        static_cast<void>(parse_type(parsed.root, found));
        ASSERT_EQ(found.size(), 1U) << text;
        EXPECT_EQ(found[0].code, code) << text;
    }
}

TEST(Bodies, ReportUnexpectedContent)
{
    std::vector<std::pair<std::string, std::string>> const wrong{
        {"variable \"a\" {\n  foo = 1\n}\n", "unsupported_argument"},
        {"variable \"a\" {\n  validation = 1\n}\n", "block_written_as_argument"},
        {"variable \"a\" {\n  foo {}\n}\n", "unsupported_block"},
        {"variable \"a\" {\n  default {}\n}\n", "argument_written_as_block"},
        {"output \"a\" {}\n", "missing_argument"},
        {"locals \"a\" {}\n", "unexpected_label"},
        {"variable \"a\" \"b\" {}\n", "too_many_labels"},
        {"resource \"a\" {}\n", "missing_label"},
        {"variable \"a\" {\n  sensitive = null\n}\n", "constant_null"},
        {"variable \"a\" {\n  sensitive = []\n}\n", "constant_wrong_type"},
        {"variable \"a\" {\n  sensitive = var.b\n}\n", "reference_in_constant"},
        {"variable \"a\" {\n  sensitive = tobool(1)\n}\n", "call_in_constant"},
        {"resource \"a\" \"b\" {\n  depends_on = 5\n}\n", "static_list_required"},
        {"resource \"a\" \"b\" {\n  depends_on = [\"a.c\"]\n}\n", "quoted_reference"},
        {"resource \"a\" \"b\" {\n  provisioner \"c\" {\n    when = \"destroy\"\n  }\n}\n", "quoted_keyword"},
    };
    for (auto const& [text, code] : wrong) {
        diagnostics found;
        std::map<std::string, std::string> const files{{"main.tf", text}};
        static_cast<void>(load_configuration(files, found));
        ASSERT_FALSE(found.empty()) << text;
        EXPECT_EQ(found[0].code, code) << text;
    }
}

}  // namespace
}  // namespace iacctl::language
