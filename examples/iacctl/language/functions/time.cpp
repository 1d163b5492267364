// SPDX-License-Identifier: BSL-1.0
#include "base/characters.hpp"
#include "base/duration.hpp"
#include "base/formatted.hpp"
#include "base/timestamp.hpp"
#include "function_table.hpp"

#include <array>
#include <chrono>

namespace iacctl::language::detail {

namespace {

namespace chrono = std::chrono;

[[nodiscard]] auto literal(std::string_view text) -> std::string
{
    return to_json(value(text));
}

[[nodiscard]] auto name_of(timestamp_problem::part_type part) -> std::string
{
    using part_type = timestamp_problem::part_type;
    switch (part) {
    case part_type::year: return "year";
    case part_type::month: return "month";
    case part_type::day: return "day of month";
    case part_type::hour: return "hour";
    case part_type::minute: return "minute";
    case part_type::second: return "second";
    default: return "offset from UTC";
    }
}

/// The reason why a part is out of range.
[[nodiscard]] auto limit_of(timestamp_problem::part_type part) -> std::string
{
    using part_type = timestamp_problem::part_type;
    switch (part) {
    case part_type::month: return "there is no such month";
    case part_type::day: return "the month has no such day";
    case part_type::hour: return "the hour is 23 at most";
    case part_type::minute: return "the minute is 59 at most";
    case part_type::second: return "the second is 59 at most";
    case part_type::offset_hour: return "the offset from UTC has too many hours";
    default: return "the offset from UTC has too many minutes";
    }
}

[[nodiscard]] auto reason_of(timestamp_problem const& problem) -> std::string
{
    using kind_type = timestamp_problem::kind_type;
    using part_type = timestamp_problem::part_type;
    switch (problem.kind) {
    case kind_type::missing: return "it ends before the " + name_of(problem.part);
    case kind_type::unusable:
        if (problem.part == part_type::end) return "it continues with " + literal(problem.rest);
        return "the " + name_of(problem.part) + " cannot be read from " + literal(problem.rest);
    case kind_type::one_digit: return "the " + name_of(problem.part) + " needs two digits";
    case kind_type::separator: {
        if (problem.desired == 'T') return "a T must follow the date";
        auto const desired = literal({&problem.desired, 1});
        if (problem.rest.empty()) return "it ends before a " + desired;
        return "there is no " + desired + " before " + literal(problem.rest);
    }
    case kind_type::out_of_range: break;
    }
    return limit_of(problem.part);
}

/// Parses RFC 3339; the error describes the first part that is invalid.
[[nodiscard]] auto read_timestamp(value const& v, timestamp::comma before_fraction) -> call_result<timestamp>
{
    auto const made = timestamp::read(v.as_string(), before_fraction);
    if (!made) return call_failure("this is not a time as in RFC 3339: " + reason_of(made.error()));
    return *made;
}

[[nodiscard]] auto wrong_duration(std::string_view text, duration_problem const& problem) -> call_failure
{
    using kind_type = duration_problem::kind_type;
    switch (problem.kind) {
    case kind_type::no_unit: return call_failure("the duration " + literal(text) + " has a number without a unit");
    case kind_type::unknown_unit:
        return call_failure(
            "the duration " + literal(text) + " has a unit that does not exist, " + literal(problem.unit));
    case kind_type::invalid: break;
    }
    return call_failure(literal(text) + " is not a duration, such as \"1h30m\"");
}

[[nodiscard]] auto timeadd(arguments given) -> call_result<value>
{
    auto const from = read_timestamp(given[0], timestamp::comma::accepted);
    if (!from) return from.error();
    auto const& text = given[1].as_string();
    auto const duration = parse_duration(text);
    if (!duration) return wrong_duration(text, duration.error());
    return value(from->plus(chrono::seconds(0), *duration).text());
}

[[nodiscard]] auto timecmp(arguments given) -> call_result<value>
{
    std::vector<timestamp> both;
    for (std::size_t i = 0; i < 2; ++i) {
        auto const made = read_timestamp(given[i], timestamp::comma::accepted);
        if (!made) return call_failure(i, made.error().message());
        both.push_back(*made);
    }
    if (both[0] == both[1]) return value(number(0));
    return value(number(both[0] < both[1] ? -1 : 1));
}

constexpr std::array<std::string_view, 12> months{"January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> weekdays{
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

/// The text for one verb of a date format, such as "YYYY" or "hh".
[[nodiscard]] auto write_verb(std::string_view verb, timestamp const& t) -> call_result<value>
{
    auto const c = t.fields();
    auto const size = verb.size();
    auto const wrong = [&](std::string const& why) {
        return call_failure(0, literal(verb) + " is not a verb of a date format" + why);
    };
    auto const one_or_two = [&](std::int64_t number, std::string const& why) -> call_result<value> {
        if (size == 1) return value(std::to_string(number));
        if (size == 2) return value(formatted("{:02}", number));
        return wrong("; " + why);
    };
    switch (verb.front()) {
    case 'Y': {
        if (size == 2) return value(formatted("{:02}", c.year % 100));
        if (size == 4) return value(formatted("{:04}", c.year));
        return wrong("; a year is YY or YYYY");
    }
    case 'M': {
        auto const name = months[static_cast<std::size_t>(c.month - 1)];
        if (size == 3) return value(name.substr(0, 3));
        if (size == 4) return value(name);
        return one_or_two(c.month, "a month is M, MM, MMM or MMMM");
    }
    case 'D': return one_or_two(c.day, "a day of the month is D or DD");
    case 'E':
        if (size == 3) return value(weekdays[c.weekday.c_encoding()].substr(0, 3));
        if (size == 4) return value(weekdays[c.weekday.c_encoding()]);
        return wrong("; a day of the week is EEE or EEEE");
    case 'h': return one_or_two(c.hour, "an hour of the 24-hour clock is h or hh");
    case 'H': return one_or_two(c.hour % 12 == 0 ? 12 : c.hour % 12, "an hour of the 12-hour clock is H or HH");
    case 'A':
    case 'a':
        if (size != 2) return wrong("; AM or PM is " + std::string(2, verb.front()));
        return value(verb.front() == 'A' ? (c.hour < 12 ? "AM" : "PM") : (c.hour < 12 ? "am" : "pm"));
    case 'm': return one_or_two(c.minute, "a minute is m or mm");
    case 's': return one_or_two(c.second, "a second is s or ss");
    case 'Z':
        if (size == 1) return value(t.offset().count() == 0 ? "Z" : t.offset_text());
        if (size == 3) return value(t.offset().count() == 0 ? "UTC" : t.offset_text(""));
        if (size == 4) return value(t.offset_text(""));
        if (size == 5) return value(t.offset_text());
        return wrong("; an offset from UTC is Z, ZZZ, ZZZZ or ZZZZZ");
    default: return wrong("");
    }
}

[[nodiscard]] auto formatdate(arguments given) -> call_result<value>
{
    auto const time = read_timestamp(given[1], timestamp::comma::refused);
    if (!time) return call_failure(1, time.error().message());
    std::string_view rest = given[0].as_string();
    std::string out;
    while (!rest.empty()) {
        char const c = rest.front();
        if (rest.starts_with("''")) {
            out += '\'';
            rest.remove_prefix(2);
        } else if (c == '\'') {
            std::size_t at = 1;
            for (;; ++at) {
                if (at >= rest.size()) return call_failure(0, "a part in quotes has no quote at its end");
                if (rest[at] != '\'') {
                    out += rest[at];
                } else if (at + 1 < rest.size() && rest[at + 1] == '\'') {
                    out += '\'';
                    ++at;
                } else {
                    break;
                }
            }
            rest.remove_prefix(at + 1);
        } else if (is_letter(c)) {
            auto const length = std::min(rest.find_first_not_of(c), rest.size());
            auto const written = write_verb(rest.substr(0, length), *time);
            if (!written) return written.error();
            out += written->as_string();
            rest.remove_prefix(length);
        } else {
            out += c;
            rest.remove_prefix(1);
        }
    }
    return value(std::move(out));
}

}  // namespace

void add_time_functions(function_table& table)
{
    parameter const time{"timestamp", type::string()};
    table.add("timeadd", {time, {"duration", type::string()}}, type::string(), timeadd);
    table.add("timecmp", {{"timestamp_a", type::string()}, {"timestamp_b", type::string()}}, type::number(), timecmp);
    table.add("formatdate", {{"format", type::string()}, {"time", type::string()}}, type::string(), formatdate);
    table.add_in("timestamp", {}, type::string(), [](arguments, call_context const& in) -> call_result<value> {
        if (!in.applying) return value::unknown(type::string()).refined_not_null();
        return value(current_time());
    });
    table.add_in("plantimestamp", {}, type::string(), [](arguments, call_context const& in) -> call_result<value> {
        if (in.plan_time.empty()) return value::unknown(type::string());
        return value(in.plan_time);
    });
}

}  // namespace iacctl::language::detail

auto iacctl::language::current_time() -> std::string
{
    return timestamp::now().text();
}
