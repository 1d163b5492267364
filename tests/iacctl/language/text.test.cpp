// SPDX-License-Identifier: BSL-1.0
#include "base/json_text.hpp"
#include "base/unicode.hpp"
#include "language/values/storable.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace iacctl::language {
namespace {

TEST(Utf8, IsTextWithoutOverlongFormsAndSurrogates)
{
    for (std::string const fine : {"", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xed\x9f\xbf", "\xf0\x90\x80\x80",
             "\xf4\x8f\xbf\xbf", "eight bytes and \xc3\xa9 after them"})
        EXPECT_TRUE(is_utf8(fine)) << shown_bytes(fine);
    for (std::string const bad : {"\x80", "\xff", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80",
             "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "eight bytes and \xff after them", "cut off after eight \xe2\x82"})
        EXPECT_FALSE(is_utf8(bad)) << shown_bytes(bad);
}

TEST(Utf8, ReportsInvalidBytesAndShowsThem)
{
    std::string const bytes = "a\xc3\xa9\xff\xfe z";

    EXPECT_EQ(utf8_prefix(bytes), 3U);
    EXPECT_EQ(utf8_mistake(bytes), "its byte 4 is not part of a character");
    EXPECT_EQ(shown_bytes(bytes), "a\xc3\xa9\\xff\\xfe z");
    EXPECT_EQ(repaired_utf8(bytes), "a\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd z");
}

TEST(Utf8, IsRequiredInJsonText)
{
    std::string text;

    append_json_string(text, "a\xff<");

    EXPECT_EQ(text, "\"a\xef\xbf\xbd\\u003c\"");
}

TEST(WhiteSpace, IsTrimmedAtBothEnds)
{
    EXPECT_EQ(leading_white_space(" \t\xc2\xa0\xe2\x80\x83x "), " \t\xc2\xa0\xe2\x80\x83");
    EXPECT_EQ(trailing_white_space(" x\xe2\x80\x83 \n"), "\xe2\x80\x83 \n");
    EXPECT_EQ(leading_white_space("x"), "");
    EXPECT_EQ(trailing_white_space(" \xc2\xa0"), " \xc2\xa0");
    EXPECT_EQ(first_graphemes("e\xcc\x81xyz", 2), "e\xcc\x81x");
    EXPECT_EQ(first_graphemes("xyz", 2), "xy");
    EXPECT_EQ(first_graphemes("xy", 5), "xy");
}

TEST(Storable, AcceptsOnlyValuesThatStateCanPreserve)
{
    auto const why = [](value const& given) {
        auto const found = why_not_storable(given);
        return found ? found->text() : "fine";
    };
    auto const in_object = [](value v) { return value::object({{"a", value::tuple({value(true), std::move(v)})}}); };

    EXPECT_EQ(why(in_object(value("text"))), "fine");
    EXPECT_EQ(why(value::unknown()), "fine");
    EXPECT_EQ(why(in_object(value("\xff"))), ".a[1]: text that is not UTF-8: its byte 1 is not part of a character");
    EXPECT_EQ(why(value::map(type::boolean(), {{"x\xff", value(true)}})),
        "a key that is not UTF-8: its byte 2 is not part of a character");
}

}  // namespace
}  // namespace iacctl::language
