// SPDX-License-Identifier: BSL-1.0
#include "language/values/value.hpp"
#include "language/values/convert.hpp"
#include "language/values/stored_form.hpp"

#include <gtest/gtest.h>

#include <compare>
#include <limits>
#include <string>
#include <vector>

namespace iacctl::language {
namespace {

[[nodiscard]] auto text_of(char const* written) -> std::string
{
    auto const parsed = number::parse(written);
    return parsed ? parsed->text() : "none";
}

TEST(Number, PrintsTheShortestTextThatReadsBack)
{
    for (char const* const written :
        {"0", "7", "-7", "0.1", "1.5", "-0.25", "9007199254740993", "123456789012345678901234567890",
            "3.14159265358979", "0.000001", "9223372036854775807", "-9223372036854775808", "18446744073709551616"})
        EXPECT_EQ(text_of(written), written);
    EXPECT_EQ(text_of("1e3"), "1000");
    EXPECT_EQ(text_of("1.50"), "1.5");
    EXPECT_EQ(text_of("0x10"), "none");
    EXPECT_EQ(text_of(""), "none");
}

TEST(Number, AddsDecimalsAsBinaryFloatsOf512Bits)
{
    auto const sum = add(*number::parse("0.1"), *number::parse("0.2"));

    EXPECT_EQ(sum->text(), "0.3");
    EXPECT_EQ(divide(number(1), number(3))->text().substr(0, 12), "0.3333333333");
}

TEST(Number, LeavesTheInlineFormWhenAWholeNumberOverflows)
{
    number const largest(std::numeric_limits<std::int64_t>::max());

    auto const beyond = add(largest, number(1));

    EXPECT_EQ(beyond->text(), "9223372036854775808");
    EXPECT_EQ(*subtract(*beyond, number(1)), largest);
    EXPECT_LT(largest, *beyond);
}

TEST(Number, DividesByZeroToInfinityAndZeroByZeroToNothing)
{
    EXPECT_TRUE(divide(number(1), number(0))->is_infinite());
    EXPECT_FALSE(divide(number(0), number(0)).has_value());
    EXPECT_EQ(remainder(number(-7), number(3))->text(), "-1");
}

TEST(Number, RoundsToItsPrecision)
{
    number const counted(2);
    number const computed(1.0);
    auto const written = *number::parse("1");

    EXPECT_EQ(divide(counted, number(3))->text(), "0.6666666666666666667");
    EXPECT_EQ(divide(computed, number(3.0))->text(), "0.3333333333333333");
    EXPECT_EQ(divide(computed, number(3))->text(), "0.33333333333333333334");
    EXPECT_GT(divide(written, number(3))->text().size(), 150U);
}

TEST(Number, ShowsTheDigitsOfItsPrecision)
{
    number const power(1152921504606846976.0);

    EXPECT_EQ(power.text(), "1152921504606847000");
    EXPECT_EQ(add(power, number(1.0))->text(), "1152921504606847000");
    EXPECT_EQ(add(power, number(1))->text(), "1152921504606846977");
    EXPECT_EQ(power, *number::parse("1152921504606846976"));
}

TEST(Number, EqualsWhatItsTextReadsBackAsWhateverThePrecision)
{
    for (double const computed : {0.1, -0.3, 1e-300, 12345.678, 3.5e-12}) {
        number const real(computed);
        auto const written = *number::parse(real.text());
        EXPECT_EQ(real, written);
        EXPECT_NE(real, *add(written, *multiply(written, *number::parse("1e-100"))));
    }
    number const tenth(0.1);
    // The sum has the value of the double, but the digits of 512 bits.
    EXPECT_NE(tenth, *add(tenth, *number::parse("0")));
    EXPECT_TRUE(std::is_gt(tenth <=> *number::parse("0.1")));
}

TEST(Number, ComparesWholeNumbersByValue)
{
    number const power(18446744073709551616.0);

    EXPECT_EQ(power.text(), "18446744073709550000");
    EXPECT_EQ(power, *number::parse("18446744073709551616"));
    EXPECT_NE(power, *number::parse("18446744073709550000"));
}

TEST(Number, KeepsThePrecisionOfTheDividendInARemainder)
{
    // The quotient is rounded to 53 bits, so the remainder of 2^60 is 0.
    EXPECT_EQ(remainder(number(1152921504606846976.0), number(7))->text(), "0");
    EXPECT_EQ(remainder(number(9007199254740992.0), *number::parse("7"))->text(), "4");
    EXPECT_EQ(remainder(*number::parse("1152921504606846976"), number(7.0))->text(), "1");
    EXPECT_EQ(remainder(*number::parse("1e30"), number(7))->text(), "1");
    EXPECT_EQ(remainder(*number::parse("5.5"), number(3))->text(), "2.5");
    EXPECT_EQ(divide(*remainder(number(1), *number::parse("7")), number(3))->text(), "0.33333333333333333334");
}

TEST(Number, ReadsBinaryExponents)
{
    EXPECT_EQ(text_of("1p3"), "8");
    EXPECT_EQ(text_of("1P+3"), "8");
    EXPECT_EQ(text_of("-1.25p2"), "-5");
    EXPECT_EQ(text_of("1p-3"), "0.125");
    EXPECT_EQ(text_of("0.1p1"), "0.2");
    EXPECT_EQ(text_of("123456789p-5"), "3858024.65625");
    EXPECT_EQ(text_of("-0p3"), "-0");
    for (auto const* const text : {"1p", "p3", "1p+-3", "1e3p2", "1p3e2", "0x1p3", "1p3.5", "1p1000000000"})
        EXPECT_EQ(text_of(text), "none") << text;
}

TEST(Number, MultipliesWithoutLosingBits)
{
    number const power(205891132094649.0);

    EXPECT_EQ(multiply(power, power)->text(), "42391158275216203514294433201");
    EXPECT_EQ(divide(*multiply(number(1.0), number(2.0)), number(3.0))->text(), "0.6666666666666666");
}

TEST(Value, IsTheSameAfterItWasStoredAsText)
{
    for (auto const& one : {*divide(number(2), number(3)), number(1152921504606846976.0), number(0.1), -number(0)})
        EXPECT_EQ(*from_json(to_json(value(one))), value(one)) << one.text();
    EXPECT_NE(number(1152921504606846976.0), *number::parse("1152921504606847000"));
}

TEST(Number, KeepsTheSignOfZero)
{
    auto const minus_zero = -number(0);

    EXPECT_EQ(minus_zero.text(), "-0");
    EXPECT_EQ(minus_zero, number(0));
    EXPECT_EQ((-minus_zero).text(), "0");
    EXPECT_EQ(multiply(number(0), number(-1))->text(), "-0");
    EXPECT_EQ(multiply(minus_zero, number(-1))->text(), "0");
    EXPECT_EQ(add(minus_zero, number(0))->text(), "0");
    EXPECT_EQ(add(minus_zero, minus_zero)->text(), "-0");
    EXPECT_EQ(subtract(number(5), number(5))->text(), "0");
    EXPECT_EQ(remainder(minus_zero, number(5))->text(), "-0");
    EXPECT_EQ(remainder(number(0), number(-5))->text(), "0");
    EXPECT_EQ(divide(number(1), minus_zero)->text(), "-Inf");
    EXPECT_EQ(minus_zero.abs().text(), "0");
    EXPECT_EQ(number::parse("-0.0")->text(), "-0");
    EXPECT_EQ(number::parse("-0.5")->ceil().text(), "0");
    EXPECT_EQ(minus_zero.fixed_text(2), "-0.00");
    EXPECT_EQ(minus_zero.whole_text(10), "0");
}

TEST(Number, ReadsInfinity)
{
    EXPECT_EQ(text_of("Inf"), "+Inf");
    EXPECT_EQ(text_of("-Inf"), "-Inf");
    EXPECT_EQ(text_of("+inf"), "+Inf");
    EXPECT_EQ(text_of("INF"), "none");
    EXPECT_EQ(text_of("Infinity"), "none");
}

TEST(Type, HasTheFriendlyNamesOfMessages)
{
    type const object = type::object({{"a", type::string(), false}});

    EXPECT_EQ(type::list(type::map(type::number())).friendly_name(), "list of map of number");
    EXPECT_EQ(type::list(type::dynamic()).constraint_name(), "list of any single type");
    EXPECT_EQ(object.friendly_name(), "object");
    EXPECT_EQ(type_to_json(type::tuple({type::boolean(), object})), R"(["tuple",["bool",["object",{"a":"string"}]]])");
}

TEST(Type, ReadsItsOwnJson)
{
    type const of = type::object({{"b", type::set(type::string()), true}, {"a", type::dynamic(), false}});

    EXPECT_EQ(*type_from_json(type_to_json(of)), of);
    EXPECT_FALSE(type_from_json("[\"list\"]"));
}

TEST(Value, SortsSetsAndDropsDuplicates)
{
    value const set = value::set(type::string(), {value("b"), value("a"), value("b")});

    EXPECT_EQ(to_json(set), R"(["a","b"])");
}

TEST(Value, MovesMarksOfElementsToTheSet)
{
    value const set = value::set(type::string(), {value("b").with_marks(mark::sensitive)});

    EXPECT_TRUE(set.is_sensitive());
    EXPECT_FALSE(set.elements()[0].is_sensitive());
}

TEST(Value, ReportsNestedMarksAndUnknowns)
{
    value const object =
        value::object({{"b", value::unknown(type::string())}, {"a", value(true).with_marks(mark::sensitive)}});

    EXPECT_FALSE(object.wholly_known());
    EXPECT_FALSE(object.is_sensitive());
    EXPECT_EQ(object.deep_marks(), mark::sensitive);
    EXPECT_EQ(object.unmarked_deep().deep_marks(), mark::none);
    EXPECT_EQ(type_to_json(object.get_type()), R"(["object",{"a":"bool","b":"string"}])");
}

TEST(Value, ComparesTypesOfNulls)
{
    EXPECT_EQ(value::null(type::string()), value::null(type::string()));
    EXPECT_NE(value::null(type::string()), value::null());
    EXPECT_EQ(value("e\xCC\x81"), value("\xC3\xA9"));
}

TEST(Json, KeepsNumbersExactAndEscapesAsTerraformDoes)
{
    std::string const text =
        R"({"a":[9007199254740993,0.1,123456789012345678901234567890,1e400,null,true],"b":"\u003ca\u0026\n\""})";

    auto const read = from_json(text);

    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(to_json(read->find("a")->elements()[0]), "9007199254740993");
    EXPECT_EQ(to_json(read->find("a")->elements()[2]), "123456789012345678901234567890");
    EXPECT_EQ(to_json(read->find("a")->elements()[3]), "1" + std::string(400, '0'));
    EXPECT_EQ(to_json(*read->find("b")), R"("\u003ca\u0026\n\"")");
    EXPECT_EQ(read->find("b")->as_string(), "<a&\n\"");
}

TEST(Json, WrapsValuesOfAnyTypeWithTheirType)
{
    type const wanted = type::object({{"id", type::string(), false}, {"input", type::dynamic(), false}});
    value const of = value::object({{"id", value("x")}, {"input", value::list(type::number(), {value(number(1))})}});

    std::string const text = to_json(of, wanted);

    EXPECT_EQ(text, R"({"id":"x","input":{"value":[1],"type":["list","number"]}})");
    EXPECT_EQ(*from_json(text, wanted), of);
}

TEST(Json, KeepsTheTypeOfANullOfDynamicType)
{
    type const wanted = type::object({{"input", type::dynamic()}, {"output", type::dynamic()}});
    value const of = value::object({{"input", value::null(type::string())}, {"output", value()}});

    std::string const text = to_json(of, wanted);

    EXPECT_EQ(text, R"({"input":{"value":null,"type":"string"},"output":null})");
    EXPECT_EQ(*from_json(text, wanted), of);
}

TEST(Json, ReadsATextOfADeclaredTypeTheSameInAnyOrderOfItsMembers)
{
    auto const declared = type::object({{"a", type::string()}, {"b", type::dynamic()},
        {"c", type::map(type::list(type::number()))}, {"d", type::tuple({type::boolean(), type::dynamic()})},
        {"e", type::set(type::string())}, {"f", type::object({{"x", type::number()}, {"y", type::string(), true}})}});
    auto const sorted = from_json(
        R"({"a":"t","b":{"type":["list","string"],"value":["p","q"]},"c":{"k":[1,2]},"d":[true,{"value":1,"type":"number"}],)"
        R"("e":["z","y"],"f":{"x":3,"y":null}})",
        declared);
    ASSERT_TRUE(sorted);
    EXPECT_EQ(sorted->find("b")->get_type(), type::list(type::string()));
    EXPECT_EQ(sorted->find("d")->elements()[1], value(number(1)));
    EXPECT_EQ(sorted->find("e")->size(), 2U);
    EXPECT_EQ(
        *from_json(R"({"f":{"y":null,"x":3},"e":["z","y"],"d":[true,{"type":"number","value":1}],"c":{"k":[1,2]},)"
                   R"("b":{"value":["p","q"],"type":["list","string"]},"a":"t"})",
            declared),
        *sorted);
    EXPECT_EQ(*from_json(to_json(*sorted, declared), declared), *sorted);
}

TEST(Json, ReadsMissingMembersAsNull)
{
    auto const declared = type::object({{"a", type::string()}, {"b", type::number()}, {"c", type::string()}});
    auto const read = from_json(R"({"b":1})", declared);
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->find("a")->is_null());
    EXPECT_EQ(*read->find("b"), value(number(1)));
    EXPECT_TRUE(read->find("c")->is_null());
    EXPECT_EQ(read->get_type(), declared);
}

TEST(Json, RejectsATextOfAnotherTypeWithThePlace)
{
    auto const declared = type::object({{"a", type::string()}, {"b", type::tuple({type::number()})}});
    EXPECT_EQ(from_json(R"({"a":"t","b":[true]})", declared).error().path(), ".b[0]");
    EXPECT_EQ(from_json(R"({"a":{},"b":[1]})", declared).error().path(), ".a");
    EXPECT_FALSE(from_json(R"({"a":"t","b":[1,2]})", declared));
    EXPECT_FALSE(from_json(R"({"a":"t","b":[null,null]})", declared));
    EXPECT_FALSE(from_json(R"({"a":"t","z":1})", declared));
    EXPECT_EQ(*from_json(R"({"a":1,"b":["2"]})", declared), *from_json(R"({"a":"1","b":[2]})", declared));
}

TEST(Json, RejectsInvalidOrTooDeepTexts)
{
    EXPECT_FALSE(from_json("{\"a\":}"));
    EXPECT_FALSE(from_json(std::string(100'000, '[')));
}

TEST(Convert, FollowsTheRulesForPrimitives)
{
    EXPECT_EQ(*convert(value("5"), type::number()), value(number(5)));
    EXPECT_EQ(*convert(value(true), type::string()), value("true"));
    EXPECT_EQ(
        convert(value("TRUE"), type::boolean()).error().text(), "a bool is required, such as \"true\" in lower case");
    EXPECT_EQ(convert(value("x"), type::number()).error().text(), "a number is required");
    EXPECT_EQ(convert(value(true), type::number()).error().text(), "number required");
}

TEST(Convert, UnifiesElementsOfACollectionOfAny)
{
    value const tuple = value::tuple({value(number(1)), value("a"), value(true)});

    EXPECT_EQ(to_json(*convert(tuple, type::list(type::dynamic()))), R"(["1","a","true"])");
    EXPECT_EQ(type_to_json(convert(tuple, type::set(type::dynamic()))->get_type()), R"(["set","string"])");
}

TEST(Convert, RejectsNullBesideElementsWithoutACommonType)
{
    auto const any_list = type::list(type::dynamic());
    auto const mixed = value::tuple({value(number(1)), value::null(), value::object({})});
    auto const nested = value::tuple({value::tuple({value::null()}), value::tuple({value::object({})})});

    EXPECT_FALSE(convert(mixed, any_list));
    EXPECT_FALSE(convert(value::tuple({value::null(), value::object({})}), type::set(type::dynamic())));
    EXPECT_FALSE(convert(nested, any_list));
    EXPECT_EQ(
        convert(nested, type::list(any_list)).error().text(), "its values have no common type, which a list requires");
    EXPECT_EQ(
        convert(value::tuple({value::null(), value(number(1))}), any_list)->get_type(), type::list(type::number()));
    EXPECT_EQ(convert(value::tuple({value::null(), value::null()}), any_list)->get_type(), any_list);
}

TEST(Convert, ConvertsNullInAMapToTheTypeOfTheOtherElements)
{
    auto const empty = value::object({});
    auto const one = value::object({{"x", value(number(1))}});
    auto const any_map = type::map(type::dynamic());

    auto const made = convert(value::object({{"a", value::null()}, {"b", empty}}), any_map);

    EXPECT_EQ(made->get_type(), type::map(type::object({})));
    EXPECT_EQ(*made->find("a"), value::null(type::object({})));
    EXPECT_EQ(convert(value::object({{"a", value::null()}, {"b", empty}, {"c", one}}), any_map).error().text(),
        "its values have no common type, which a map requires");
}

TEST(Convert, ChecksElementsOfACollectionOfAnyOneByOne)
{
    auto const mixed = value::set(type::dynamic(), {value(number(1)), value::object({})});

    EXPECT_FALSE(convert(mixed, type::list(type::string())));
}

TEST(Convert, FillsOptionalAttributesWithNullAndNamesMissingOnes)
{
    type const wanted = type::object({{"a", type::string(), false}, {"b", type::number(), true}});

    auto const filled = convert(value::object({{"a", value(number(1))}, {"z", value(true)}}), wanted);
    auto const refused = convert(value::object({{"z", value(true)}}), wanted);

    EXPECT_EQ(to_json(*filled), R"({"a":"1","b":null})");
    EXPECT_EQ(refused.error().text(), "attribute \"a\" is required");
}

TEST(Convert, NamesAMisspeltAttributeBesideTheMissingOne)
{
    type const wanted = type::object(
        {{"region", type::string(), false}, {"size", type::number(), false}, {"zone", type::string(), true}});

    auto const one = convert(value::object({{"regoin", value("a")}, {"size", value(number(1))}}), wanted);
    auto const two = convert(value::object({{"regoin", value("a")}, {"other", value(number(1))}}), wanted);
    auto const inner = convert(
        value::tuple({value::object({{"regoin", value("a")}, {"size", value(number(1))}})}), type::list(wanted));

    EXPECT_EQ(one.error().text(), "attribute \"region\" is required; \"regoin\" may be a misspelling of \"region\"");
    EXPECT_EQ(two.error().text(),
        "attributes \"region\" and \"size\" are required; \"regoin\" may be a misspelling of \"region\"");
    EXPECT_NE(inner.error().text().find("\"regoin\" may be a misspelling of \"region\""), std::string::npos);
}

TEST(Convert, NamesTheElementThatDoesNotFit)
{
    auto const refused = convert(value::tuple({value("1"), value("x")}), type::list(type::number()));

    EXPECT_EQ(refused.error().text(), "[1]: a number is required");
}

TEST(Convert, KeepsMarksAndUnknowns)
{
    value const of = value::tuple({value::unknown(type::string()), value("1").with_marks(mark::sensitive)});

    auto const made = convert(of, type::list(type::number()));

    EXPECT_TRUE(made->elements()[0].is_unknown());
    EXPECT_TRUE(made->elements()[1].is_sensitive());
    EXPECT_EQ(made->elements()[0].get_type(), type::number());
}

TEST(StoredForm, LeavesOutNullAttributesThatTheStoredObjectsDoNotHave)
{
    auto const old = value::object({{"a", value("x")}});
    auto const now = value::object({{"a", value("x")}, {"new", value()}});
    auto const list = [](value const& input) { return value::list(input.get_type(), {input}); };
    auto const map = [](value const& given) { return value::map(given.get_type(), {{"k", given}}); };
    auto const set = [](value const& v) { return value::set(v.get_type(), {v}); };

    EXPECT_EQ(in_stored_form(old, now), old);
    EXPECT_EQ(in_stored_form(value::tuple({old, value(true)}), value::tuple({now, value(true)})),
        value::tuple({old, value(true)}));
    EXPECT_EQ(in_stored_form(list(old), list(now)), list(old));
    EXPECT_EQ(in_stored_form(map(old), map(now)), map(old));
    EXPECT_EQ(in_stored_form(set(old), set(now)), set(old));
    EXPECT_TRUE(in_stored_form(old, now.with_marks(mark::sensitive)).is_sensitive());
}

TEST(StoredForm, IsThatOfTheValueIfItDiffersOtherwise)
{
    auto const old = value::object({{"a", value("x")}});

    for (auto const& now :
        {value::object({{"a", value("x")}, {"new", value("y")}}), value::object({{"a", value("z")}, {"new", value()}}),
            value::object({{"new", value()}}), value::tuple({value("x"), value()}), value::unknown()})
        EXPECT_EQ(in_stored_form(old, now), now);
}

TEST(Unify, ReturnsTheCommonType)
{
    EXPECT_EQ(unify(std::vector{type::number(), type::string()}), type::string());
    EXPECT_EQ(
        unify(std::vector{type::object({{"a", type::number(), false}}), type::object({{"b", type::string(), false}})}),
        type::map(type::string()));
    EXPECT_EQ(unify(std::vector{type::tuple({}), type::object({})}), std::nullopt);
    EXPECT_EQ(
        unify(std::vector{type::list(type::string()), type::tuple({type::number()})}), type::list(type::string()));
}

}  // namespace
}  // namespace iacctl::language
