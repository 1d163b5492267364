// SPDX-License-Identifier: BSL-1.0
#include "function_table.hpp"
#include "support/characters.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <limits>

namespace iacctl::language::detail {

namespace {

namespace chrono = std::chrono;

/// A moment, with the offset from UTC that it was written with.
struct moment {
    chrono::sys_seconds utc;
    std::int64_t nanoseconds = 0;
    chrono::seconds offset{0};
    bool zulu = true;
};

[[nodiscard]] std::string literal(std::string_view text)
{
    return to_json(value(text));
}

/// Reads RFC 3339 from the left, and says what is wrong with the first part that does not fit.
class timestamp_reader {
public:
    timestamp_reader(std::string_view text, bool strict) : rest_(text), strict_(strict) {}

    [[nodiscard]] call_result<moment> read()
    {
        auto const year = digits(4, "year");
        if (!year) return year.error();
        if (auto const problem = separator('-')) return *problem;
        auto const month = digits(2, "month");
        if (!month) return month.error();
        if (*month < 1 || *month > 12) return wrong("there is no such month");
        if (auto const problem = separator('-')) return *problem;
        auto const day = digits(2, "day of month");
        if (!day) return day.error();
        if (rest_.empty() || rest_.front() != 'T') return wrong("a T must follow the date");
        rest_.remove_prefix(1);
        if (auto const problem = short_digits("hour")) return *problem;
        auto const hour = digits(2, "hour");
        if (!hour) return hour.error();
        if (*hour > 23) return wrong("the hour is 23 at most");
        if (auto const problem = separator(':')) return *problem;
        if (auto const problem = short_digits("minute")) return *problem;
        auto const minute = digits(2, "minute");
        if (!minute) return minute.error();
        if (*minute > 59) return wrong("the minute is 59 at most");
        if (auto const problem = separator(':')) return *problem;
        auto const second = digits(2, "second");
        if (!second) return second.error();
        if (*second > 59) return wrong("the second is 59 at most");
        moment made;
        read_fraction(made);
        if (auto const problem = read_offset(made)) return *problem;
        if (!rest_.empty()) return wrong("it goes on with " + literal(rest_));
        chrono::year_month_day const date{chrono::year(*year), chrono::month(static_cast<unsigned>(*month)),
            chrono::day(static_cast<unsigned>(*day))};
        if (!date.ok()) return wrong("the month has no such day");
        made.utc = chrono::sys_days(date) + chrono::hours(*hour) + chrono::minutes(*minute) + chrono::seconds(*second)
            - made.offset;
        return made;
    }

private:
    [[nodiscard]] static call_failure wrong(std::string const& why)
    {
        return call_failure("this is not a time as in RFC 3339: " + why);
    }
    [[nodiscard]] static call_failure cannot_use(std::string_view text, std::string const& what)
    {
        return wrong("the " + what + " cannot be read from " + literal(text));
    }

    [[nodiscard]] call_result<int> digits(std::size_t count, std::string const& what)
    {
        if (rest_.empty()) return wrong("it ends before the " + what);
        int made = 0;
        for (std::size_t i = 0; i < count; ++i) {
            if (i >= rest_.size() || !is_digit(rest_[i])) return cannot_use(rest_, what);
            made = made * 10 + (rest_[i] - '0');
        }
        rest_.remove_prefix(count);
        return made;
    }

    /// A lone digit where two are wanted has a message of its own.
    [[nodiscard]] std::optional<call_failure> short_digits(std::string const& what) const
    {
        if (!rest_.empty() && is_digit(rest_[0]) && (rest_.size() < 2 || !is_digit(rest_[1])))
            return wrong("the " + what + " needs two digits");
        return std::nullopt;
    }

    [[nodiscard]] std::optional<call_failure> separator(char wanted)
    {
        if (rest_.empty()) return wrong("it ends before a " + literal({&wanted, 1}));
        if (rest_.front() != wanted) return wrong("there is no " + literal({&wanted, 1}) + " before " + literal(rest_));
        rest_.remove_prefix(1);
        return std::nullopt;
    }

    void read_fraction(moment& into)
    {
        bool const comma = !strict_ && rest_.starts_with(',');
        if ((!rest_.starts_with('.') && !comma) || rest_.size() < 2 || !is_digit(rest_[1])) return;
        rest_.remove_prefix(1);
        std::int64_t scale = 100'000'000;
        for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1), scale /= 10)
            into.nanoseconds += scale * (rest_.front() - '0');
    }

    [[nodiscard]] std::optional<call_failure> read_offset(moment& into)
    {
        if (rest_.empty()) return wrong("it ends before the offset from UTC");
        if (rest_.front() == 'Z') {
            rest_.remove_prefix(1);
            return std::nullopt;
        }
        auto const whole = rest_;
        bool const shaped = rest_.size() >= 6 && (rest_[0] == '+' || rest_[0] == '-') && is_digit(rest_[1])
            && is_digit(rest_[2]) && rest_[3] == ':' && is_digit(rest_[4]) && is_digit(rest_[5]);
        if (!shaped) return cannot_use(whole, "offset from UTC");
        auto const hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
        auto const minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
        if (hours > 24 || minutes > 60)
            return wrong(
                hours > 24 ? "the offset from UTC has too many hours" : "the offset from UTC has too many minutes");
        auto const size = chrono::hours(hours) + chrono::minutes(minutes);
        into.offset = rest_[0] == '-' ? -chrono::seconds(size) : chrono::seconds(size);
        into.zulu = into.offset.count() == 0;
        rest_.remove_prefix(6);
        return std::nullopt;
    }

    std::string_view rest_;
    bool strict_;
};

[[nodiscard]] std::string offset_text(moment const& of, std::string_view between)
{
    auto const minutes = std::abs(of.offset.count()) / 60;
    return fmt::format("{}{:02}{}{:02}", of.offset.count() < 0 ? '-' : '+', minutes / 60, between, minutes % 60);
}

struct calendar {
    chrono::year_month_day date;
    chrono::weekday weekday;
    int hour;
    int minute;
    int second;
};

[[nodiscard]] calendar calendar_of(moment const& of)
{
    auto const local = of.utc + of.offset;
    auto const day = chrono::floor<chrono::days>(local);
    auto const seconds = (local - day).count();
    return {chrono::year_month_day(day), chrono::weekday(day), static_cast<int>(seconds / 3600),
        static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60)};
}

[[nodiscard]] std::string rfc3339(moment const& of)
{
    auto const c = calendar_of(of);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}", static_cast<int>(c.date.year()),
        static_cast<unsigned>(c.date.month()), static_cast<unsigned>(c.date.day()), c.hour, c.minute, c.second,
        of.zulu ? "Z" : offset_text(of, ":"));
}

/// A duration such as "1.5h" or "-2h5m" in nanoseconds.
[[nodiscard]] call_result<std::int64_t> read_duration(std::string_view text)
{
    auto const invalid = [&] { return call_failure(literal(text) + " is not a duration, such as \"1h30m\""); };
    auto rest = text;
    bool const negative = rest.starts_with('-');
    if (negative || rest.starts_with('+')) rest.remove_prefix(1);
    if (rest == "0") return std::int64_t{0};
    if (rest.empty()) return invalid();
    long double total = 0;
    while (!rest.empty()) {
        long double amount = 0;
        std::size_t length = 0;
        for (; length < rest.size() && is_digit(rest[length]); ++length) amount = amount * 10 + (rest[length] - '0');
        bool any = length > 0;
        if (length < rest.size() && rest[length] == '.') {
            long double scale = 0.1L;
            for (++length; length < rest.size() && is_digit(rest[length]); ++length, scale /= 10, any = true)
                amount += scale * (rest[length] - '0');
        }
        if (!any) return invalid();
        rest.remove_prefix(length);
        std::size_t unit_length = 0;
        while (unit_length < rest.size() && rest[unit_length] != '.' && !is_digit(rest[unit_length])) ++unit_length;
        auto const unit = rest.substr(0, unit_length);
        if (unit.empty()) return call_failure("the duration " + literal(text) + " has a number without a unit");
        long double size = 0;
        if (unit == "ns") size = 1;
        else if (unit == "us" || unit == "\u00b5s" || unit == "\u03bcs") size = 1e3L;
        else if (unit == "ms") size = 1e6L;
        else if (unit == "s") size = 1e9L;
        else if (unit == "m") size = 60e9L;
        else if (unit == "h") size = 3600e9L;
        else return call_failure("the duration " + literal(text) + " has a unit that does not exist, " + literal(unit));
        total += amount * size;
        if (total > 9223372036854775807.0L) return invalid();
        rest.remove_prefix(unit_length);
    }
    auto const made = static_cast<std::int64_t>(total + 0.5e-6L);
    return negative ? -made : made;
}

[[nodiscard]] call_result<moment> read_timestamp(value const& of)
{
    return timestamp_reader(of.as_string(), false).read();
}

[[nodiscard]] call_result<value> timeadd(arguments given)
{
    auto made = read_timestamp(given[0]);
    if (!made) return made.error();
    auto const duration = read_duration(given[1].as_string());
    if (!duration) return duration.error();
    auto nanoseconds = made->nanoseconds + *duration % 1'000'000'000;
    auto seconds = *duration / 1'000'000'000;
    if (nanoseconds < 0) {
        nanoseconds += 1'000'000'000;
        --seconds;
    } else if (nanoseconds >= 1'000'000'000) {
        nanoseconds -= 1'000'000'000;
        ++seconds;
    }
    made->utc += chrono::seconds(seconds);
    return value(rfc3339(*made));
}

[[nodiscard]] call_result<value> timecmp(arguments given)
{
    std::vector<moment> both;
    for (std::size_t i = 0; i < 2; ++i) {
        auto const made = read_timestamp(given[i]);
        if (!made) return call_failure(i, made.error().message());
        both.push_back(*made);
    }
    auto const key = [](moment const& of) { return std::pair(of.utc, of.nanoseconds); };
    if (key(both[0]) == key(both[1])) return value(number(0));
    return value(number(key(both[0]) < key(both[1]) ? -1 : 1));
}

constexpr std::array<std::string_view, 12> months{"January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> weekdays{
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};

/// What one verb of a date format gives, such as "YYYY" or "hh".
[[nodiscard]] call_result<value> write_verb(std::string_view verb, moment const& of)
{
    auto const c = calendar_of(of);
    auto const size = verb.size();
    auto const wrong = [&](std::string const& why) {
        return call_failure(0, literal(verb) + " is no part of a date" + why);
    };
    auto const one_or_two = [&](int number, std::string const& why) -> call_result<value> {
        if (size == 1) return value(std::to_string(number));
        if (size == 2) return value(fmt::format("{:02}", number));
        return wrong("; " + why);
    };
    switch (verb.front()) {
    case 'Y': {
        auto const year = static_cast<int>(c.date.year());
        if (size == 2) return value(fmt::format("{:02}", year % 100));
        if (size == 4) return value(fmt::format("{:04}", year));
        return wrong("; a year is YY or YYYY");
    }
    case 'M': {
        auto const month = static_cast<unsigned>(c.date.month());
        if (size == 3) return value(months[month - 1].substr(0, 3));
        if (size == 4) return value(months[month - 1]);
        return one_or_two(static_cast<int>(month), "a month is M, MM, MMM or MMMM");
    }
    case 'D': return one_or_two(static_cast<int>(static_cast<unsigned>(c.date.day())), "a day of the month is D or DD");
    case 'E':
        if (size == 3) return value(weekdays[c.weekday.c_encoding()].substr(0, 3));
        if (size == 4) return value(weekdays[c.weekday.c_encoding()]);
        return wrong("; a day of the week is EEE or EEEE");
    case 'h': return one_or_two(c.hour, "an hour of 24 is h or hh");
    case 'H': return one_or_two(c.hour % 12 == 0 ? 12 : c.hour % 12, "an hour of 12 is H or HH");
    case 'A':
    case 'a':
        if (size != 2) return wrong("; half a day is " + std::string(2, verb.front()));
        return value(verb.front() == 'A' ? (c.hour < 12 ? "AM" : "PM") : (c.hour < 12 ? "am" : "pm"));
    case 'm': return one_or_two(c.minute, "a minute is m or mm");
    case 's': return one_or_two(c.second, "a second is s or ss");
    case 'Z':
        if (size == 1) return value(of.zulu ? "Z" : offset_text(of, ":"));
        if (size == 3) return value(of.offset.count() == 0 ? "UTC" : offset_text(of, ""));
        if (size == 4) return value(offset_text(of, ""));
        if (size == 5) return value(offset_text(of, ":"));
        return wrong("; an offset from UTC is Z, ZZZ, ZZZZ or ZZZZZ");
    default: return wrong("");
    }
}

[[nodiscard]] call_result<value> formatdate(arguments given)
{
    auto const time = timestamp_reader(given[1].as_string(), true).read();
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

[[nodiscard]] std::string now()
{
    moment made;
    made.utc = chrono::floor<chrono::seconds>(chrono::system_clock::now());
    return rfc3339(made);
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

std::string iacctl::language::current_time()
{
    return detail::now();
}
