// SPDX-License-Identifier: BSL-1.0
#include "base/timestamp.hpp"
#include "base/duration.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace iacctl;
using namespace std::chrono_literals;
using kind_type = timestamp_problem::kind_type;
using part_type = timestamp_problem::part_type;

auto at(std::string_view text) -> timestamp
{
    auto const made = timestamp::parse(text);
    EXPECT_TRUE(made) << text;
    return made.value_or(timestamp());
}

TEST(Timestamp, TextIsPreserved)
{
    for (std::string_view const text : {"1970-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "0000-01-01T00:00:00Z",
             "9999-12-31T23:59:59Z", "2026-11-22T08:30:00+05:30", "2026-11-22T08:30:00-11:00"})
        EXPECT_EQ(at(text).text(), text);
}

TEST(Timestamp, EverySecondHasItsOwnText)
{
    // Times from 1822 to 2117, in steps of a prime number of seconds.
    for (std::int64_t second = -4'650'000'000; second < 4'650'000'000; second += 999'983) {
        auto const made = timestamp::of_unix_ms(second * 1000);
        ASSERT_EQ(made.unix_seconds(), second);
        ASSERT_EQ(at(made.text()), made) << made.text();
    }
}

TEST(Timestamp, HasTheFormOfHeadersInUtc)
{
    EXPECT_EQ(timestamp::parse("1994-11-06T09:49:37+01:00")->http_text(), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(timestamp::parse("2026-12-31T23:59:59Z")->http_text(), "Thu, 31 Dec 2026 23:59:59 GMT");
}

TEST(Timestamp, LeapYearsHaveOneMoreDay)
{
    EXPECT_EQ(at("2000-02-29T00:00:00Z").plus(24h).text(), "2000-03-01T00:00:00Z");
    EXPECT_EQ(at("2024-02-28T00:00:00Z").plus(24h).text(), "2024-02-29T00:00:00Z");
    for (std::string_view const text : {"1900-02-29T00:00:00Z", "2023-02-29T00:00:00Z", "2024-02-30T00:00:00Z",
             "2024-04-31T00:00:00Z", "2024-01-00T00:00:00Z", "2024-01-32T00:00:00Z"})
        EXPECT_EQ(timestamp::read(text, timestamp::comma::refused).error().part, part_type::day) << text;
}

TEST(Timestamp, OffsetsDenoteTheSameTime)
{
    EXPECT_EQ(at("2024-01-01T00:00:00Z"), at("2024-01-01T01:00:00+01:00"));
    EXPECT_EQ(at("2024-01-01T00:00:00Z"), at("2023-12-31T14:00:00-10:00"));
    EXPECT_LT(at("2024-01-01T00:00:00+00:01"), at("2024-01-01T00:00:00Z"));
    EXPECT_EQ(at("2024-01-01T00:00:00+00:00").text(), "2024-01-01T00:00:00Z");
    EXPECT_EQ(at("2024-01-01T00:00:00-00:00").text(), "2024-01-01T00:00:00Z");
    EXPECT_EQ(at("2024-01-01T00:00:00+05:45").offset_text(""), "+0545");
    EXPECT_EQ(at("2024-01-01T00:00:00-09:30").plus(36h).text(), "2024-01-02T12:00:00-09:30");
}

TEST(Timestamp, PartsOfASecondCountButAreNotWritten)
{
    EXPECT_LT(at("2024-01-01T00:00:00Z"), at("2024-01-01T00:00:00.000000001Z"));
    EXPECT_EQ(at("2024-01-01T00:00:00.5Z"), at("2024-01-01T00:00:00.500000000999Z"));
    EXPECT_EQ(at("2024-01-01T00:00:00.5Z"), at("2024-01-01T00:00:00,5Z"));
    EXPECT_EQ(at("2024-01-01T00:00:00.999Z").text(), "2024-01-01T00:00:00Z");
    EXPECT_EQ(at("2024-01-01T00:00:00.999Z").plus(0s, 1ms).text(), "2024-01-01T00:00:01Z");
    EXPECT_EQ(at("2024-01-01T00:00:00Z").plus(0s, -1ns).text(), "2023-12-31T23:59:59Z");
    EXPECT_EQ(at("2024-01-01T00:00:00Z").plus(0s, -1ns).plus(0s, 1ns), at("2024-01-01T00:00:00Z"));
    EXPECT_FALSE(timestamp::read("2024-01-01T00:00:00,5Z", timestamp::comma::refused));
}

TEST(Timestamp, DatesThatDoNotExistOverflow)
{
    auto const last = at("2023-01-31T10:00:00+02:00");
    EXPECT_EQ(last.plus_date(0, 1, 0).text(), "2023-03-03T10:00:00+02:00");
    EXPECT_EQ(last.plus_date(1, 1, 0).text(), "2024-03-02T10:00:00+02:00");
    EXPECT_EQ(last.plus_date(0, -2, 0).text(), "2022-12-01T10:00:00+02:00");
    EXPECT_EQ(last.plus_date(0, 0, -31).text(), "2022-12-31T10:00:00+02:00");
    EXPECT_EQ(at("2024-02-29T00:00:00Z").plus_date(1, 0, 0).text(), "2025-03-01T00:00:00Z");
    for (std::int64_t months = -50; months < 50; ++months)
        EXPECT_EQ(at("2000-06-15T00:00:00Z").plus_date(0, months, 0),
            at("2000-06-15T00:00:00Z").plus_date(months, -11 * months, 0));
}

TEST(Timestamp, FieldsIncludeTheWeekday)
{
    auto const f = at("2024-02-29T23:04:05-03:00").fields();
    EXPECT_EQ((std::vector{f.year, f.month, f.day, f.hour, f.minute, f.second}),
        (std::vector<std::int64_t>{2024, 2, 29, 23, 4, 5}));
    EXPECT_EQ(f.weekday, std::chrono::Thursday);
    EXPECT_EQ(at("1969-12-31T23:59:59Z").fields().weekday, std::chrono::Wednesday);
}

TEST(Timestamp, CompactTextIsInUtc)
{
    EXPECT_EQ(at("2024-01-01T00:30:00+01:00").compact_text(), "20231231T233000Z");
}

TEST(Timestamp, MillisecondsBeforeTheEpochAreEarlier)
{
    EXPECT_EQ(timestamp::of_unix_ms(-1).text(), "1969-12-31T23:59:59Z");
    EXPECT_EQ(timestamp::of_unix_ms(999).text(), "1970-01-01T00:00:00Z");
    EXPECT_LE(timestamp::now(), timestamp::of_unix_ms(now_ms()));
}

TEST(Timestamp, FirstInvalidPartIsNamed)
{
    struct expected {
        std::string_view text;
        kind_type kind;
        part_type part;
        std::string_view rest;
    };
    for (auto const& one : std::vector<expected>{
             {"", kind_type::missing, part_type::year, ""},
             {"x", kind_type::unusable, part_type::year, "x"},
             {"123", kind_type::unusable, part_type::year, "123"},
             {"2024", kind_type::separator, part_type::year, ""},
             {"2024/01", kind_type::separator, part_type::year, "/01"},
             {"2024-", kind_type::missing, part_type::month, ""},
             {"2024-13-01T", kind_type::out_of_range, part_type::month, "-01T"},
             {"2024-01-01 00:00:00Z", kind_type::separator, part_type::day, " 00:00:00Z"},
             {"2024-01-01T0:00:00Z", kind_type::one_digit, part_type::hour, "0:00:00Z"},
             {"2024-01-01T24:00:00Z", kind_type::out_of_range, part_type::hour, ":00:00Z"},
             {"2024-01-01T00:60:00Z", kind_type::out_of_range, part_type::minute, ":00Z"},
             {"2024-01-01T00:00:60Z", kind_type::out_of_range, part_type::second, "Z"},
             {"2024-01-01T00:00:00", kind_type::missing, part_type::offset, ""},
             {"2024-01-01T00:00:00.Z", kind_type::unusable, part_type::offset, ".Z"},
             {"2024-01-01T00:00:00+1:00", kind_type::unusable, part_type::offset, "+1:00"},
             {"2024-01-01T00:00:00+25:00", kind_type::out_of_range, part_type::offset_hour, "+25:00"},
             {"2024-01-01T00:00:00-01:61", kind_type::out_of_range, part_type::offset_minute, "-01:61"},
             {"2024-01-01T00:00:00Z ", kind_type::unusable, part_type::end, " "},
         }) {
        auto const made = timestamp::read(one.text, timestamp::comma::refused);
        ASSERT_FALSE(made) << one.text;
        EXPECT_EQ(made.error().kind, one.kind) << one.text;
        EXPECT_EQ(made.error().part, one.part) << one.text;
        EXPECT_EQ(made.error().rest, one.rest) << one.text;
    }
}

auto length_of(std::string_view text) -> std::chrono::nanoseconds
{
    auto const made = parse_duration(text);
    EXPECT_TRUE(made) << text;
    return made ? *made : 0ns;
}

// \source Go, time_test.go
TEST(Duration, IsReadAsGoReadsIt)
{
    EXPECT_EQ(length_of("0"), 0ns);
    EXPECT_EQ(length_of("-0"), 0ns);
    EXPECT_EQ(length_of("5s"), 5s);
    EXPECT_EQ(length_of("+5s"), 5s);
    EXPECT_EQ(length_of("-5.5s"), -5500ms);
    EXPECT_EQ(length_of("5.s"), 5s);
    EXPECT_EQ(length_of(".5s"), 500ms);
    EXPECT_EQ(length_of("1.004s"), 1004ms);
    EXPECT_EQ(length_of("10ns"), 10ns);
    EXPECT_EQ(length_of("11us"), 11us);
    EXPECT_EQ(length_of("12\u00b5s"), 12us);
    EXPECT_EQ(length_of("12\u03bcs"), 12us);
    EXPECT_EQ(length_of("3h30m"), 3h + 30min);
    EXPECT_EQ(length_of("10.5s4m"), 4min + 10500ms);
    EXPECT_EQ(length_of("-2m3.4s"), -(2min + 3400ms));
    EXPECT_EQ(length_of("39h9m14.425s"), 39h + 9min + 14425ms);
    EXPECT_EQ(length_of("52763797000ns"), 52763797000ns);
    EXPECT_EQ(length_of("0.3333333333333333333h"), 20min);
    EXPECT_EQ(length_of("9007199254740993ns"), 9007199254740993ns);
    EXPECT_EQ(length_of("0.100000000000000000000h"), 6min);
    EXPECT_EQ(length_of("0.9223372036854775807h").count(), 3320413933267);
}

TEST(Duration, LongestOnesAreExact)
{
    EXPECT_EQ(length_of("9223372036854775807ns"), std::chrono::nanoseconds::max());
    EXPECT_EQ(length_of("-9223372036854775808ns"), std::chrono::nanoseconds::min());
    EXPECT_EQ(length_of("9223372036.854775807s"), std::chrono::nanoseconds::max());
    for (std::string_view const text : {"9223372036854775808ns", "9223372036854775.808us", "9223372036s9223372036s",
             "-9223372036854775809ns", "-9223372036854775808ns1ns", "-9223372036854775808ns9223372036854775808ns",
             "3000000h", "99999999999999999999ns"})
        EXPECT_EQ(parse_duration(text).error().kind, duration_problem::kind_type::invalid) << text;
}

TEST(Duration, InvalidTextsAreRejected)
{
    using kind = duration_problem::kind_type;
    for (std::string_view const text : {"", "-", "+", "--1s", "s", ".", "-.", ".s", "+.s", "1h x", "1 s", " 1s"}) {
        auto const made = parse_duration(text);
        ASSERT_FALSE(made) << text;
    }
    EXPECT_EQ(parse_duration("3").error().kind, kind::no_unit);
    EXPECT_EQ(parse_duration("1h3").error().kind, kind::no_unit);
    EXPECT_EQ(parse_duration("00").error().kind, kind::no_unit);
    auto const day = parse_duration("1d12h");
    EXPECT_EQ(day.error().kind, kind::unknown_unit);
    EXPECT_EQ(day.error().unit, "d");
    EXPECT_EQ(parse_duration("1S").error().unit, "S");
}

TEST(Duration, SimpleOnesHaveOneNumberAndUnit)
{
    EXPECT_EQ(parse_simple_duration("30s"), 30000ms);
    EXPECT_EQ(parse_simple_duration("1.5h"), 90min);
    EXPECT_EQ(parse_simple_duration("0.03s"), 30ms);
    EXPECT_EQ(parse_simple_duration("100ms"), 100ms);
    for (std::string_view const text :
        {"", "0", "1", "s", ".5s", "5.s", "1.2.3s", "-1s", "+1s", "1h30m", "1us", "1ns", "1 s", "1d", "3000000h"})
        EXPECT_FALSE(parse_simple_duration(text)) << text;
}

}  // namespace
