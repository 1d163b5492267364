// SPDX-License-Identifier: BSL-1.0
#include "timestamp.hpp"

#include "characters.hpp"
#include "formatted.hpp"

#include <array>
#include <cstddef>
#include <cstdlib>

namespace iacctl {

namespace {

namespace chrono = std::chrono;

using kind_type = timestamp_problem::kind_type;
using part_type = timestamp_problem::part_type;

// The numbers of the month and the day may be outside of their ranges.
auto days_since_1970(std::int64_t year, std::int64_t month, std::int64_t day) -> chrono::days
{
    std::int64_t const months = year * 12 + month - 1;
    std::int64_t const y = months >= 0 ? months / 12 : (months - 11) / 12;
    auto const m = static_cast<unsigned>(months - y * 12 + 1);
    chrono::sys_days const first = chrono::year(static_cast<int>(y)) / chrono::month(m) / chrono::day(1);
    return first.time_since_epoch() + chrono::days(static_cast<chrono::days::rep>(day - 1));
}

// Reads the parts of a text from its beginning, until a part is invalid.
class part_reader {
public:
    explicit part_reader(std::string_view text) : rest_(text) {}

    [[nodiscard]] auto problem() const -> std::optional<timestamp_problem> const& { return problem_; }
    [[nodiscard]] auto rest() const -> std::string_view { return rest_; }
    void refuse(kind_type kind, part_type part, char desired = 0)
    {
        if (!problem_) problem_ = {kind, part, rest_, desired};
    }

    auto digits(std::size_t count, part_type part) -> int
    {
        if (rest_.empty()) refuse(kind_type::missing, part);
        int made = 0;
        for (std::size_t i = 0; i < count && !problem_; ++i) {
            if (i >= rest_.size() || !is_digit(rest_[i])) refuse(kind_type::unusable, part);
            else made = made * 10 + (rest_[i] - '0');
        }
        if (!problem_) rest_.remove_prefix(count);
        return made;
    }
    // A single digit in place of two is reported as a separate kind of mistake.
    auto two_digits(part_type part) -> int
    {
        bool const one = !rest_.empty() && is_digit(rest_[0]) && (rest_.size() < 2 || !is_digit(rest_[1]));
        if (one) refuse(kind_type::one_digit, part);
        return digits(2, part);
    }
    void separator(char desired, part_type after)
    {
        if (!rest_.starts_with(desired)) refuse(kind_type::separator, after, desired);
        if (!problem_) rest_.remove_prefix(1);
    }
    auto fraction(bool accepts_comma) -> chrono::nanoseconds
    {
        chrono::nanoseconds made{0};
        bool const begins = rest_.starts_with('.') || (accepts_comma && rest_.starts_with(','));
        if (problem_ || !begins || rest_.size() < 2 || !is_digit(rest_[1])) return made;
        rest_.remove_prefix(1);
        std::int64_t scale = 100'000'000;
        for (; !rest_.empty() && is_digit(rest_.front()); rest_.remove_prefix(1), scale /= 10)
            made += chrono::nanoseconds(scale * (rest_.front() - '0'));
        return made;
    }
    auto offset() -> chrono::minutes
    {
        if (rest_.empty()) refuse(kind_type::missing, part_type::offset);
        if (problem_) return {};
        if (rest_.front() == 'Z') {
            rest_.remove_prefix(1);
            return {};
        }
        bool const shaped = rest_.size() >= 6 && (rest_[0] == '+' || rest_[0] == '-') && is_digits(rest_.substr(1, 2))
            && rest_[3] == ':' && is_digits(rest_.substr(4, 2));
        if (!shaped) {
            refuse(kind_type::unusable, part_type::offset);
            return {};
        }
        auto const hours = (rest_[1] - '0') * 10 + (rest_[2] - '0');
        auto const minutes = (rest_[4] - '0') * 10 + (rest_[5] - '0');
        if (hours > 24) refuse(kind_type::out_of_range, part_type::offset_hour);
        if (minutes > 60) refuse(kind_type::out_of_range, part_type::offset_minute);
        chrono::minutes const size = chrono::hours(hours) + chrono::minutes(minutes);
        bool const west = rest_[0] == '-';
        if (!problem_) rest_.remove_prefix(6);
        return west ? -size : size;
    }

private:
    std::string_view rest_;
    std::optional<timestamp_problem> problem_;
};

}  // namespace

auto timestamp::now() -> timestamp
{
    return of_unix_ms(now_ms());
}

auto timestamp::of_unix_ms(std::int64_t milliseconds) -> timestamp
{
    timestamp made;
    made.seconds_ = chrono::floor<chrono::seconds>(chrono::milliseconds(milliseconds));
    return made;
}

auto timestamp::read(std::string_view text, comma before_fraction)
    -> boost::system::result<timestamp, timestamp_problem>
{
    part_reader from(text);
    int const year = from.digits(4, part_type::year);
    from.separator('-', part_type::year);
    int const month = from.digits(2, part_type::month);
    if (month < 1 || month > 12) from.refuse(kind_type::out_of_range, part_type::month);
    from.separator('-', part_type::month);
    int const day = from.digits(2, part_type::day);
    from.separator('T', part_type::day);
    int const hour = from.two_digits(part_type::hour);
    if (hour > 23) from.refuse(kind_type::out_of_range, part_type::hour);
    from.separator(':', part_type::hour);
    int const minute = from.two_digits(part_type::minute);
    if (minute > 59) from.refuse(kind_type::out_of_range, part_type::minute);
    from.separator(':', part_type::minute);
    int const second = from.digits(2, part_type::second);
    if (second > 59) from.refuse(kind_type::out_of_range, part_type::second);
    timestamp made;
    made.parts_ = from.fraction(before_fraction == comma::accepted);
    made.offset_ = from.offset();
    if (!from.rest().empty()) from.refuse(kind_type::unusable, part_type::end);
    chrono::year_month_day const date{
        chrono::year(year), chrono::month(static_cast<unsigned>(month)), chrono::day(static_cast<unsigned>(day))};
    if (!date.ok()) from.refuse(kind_type::out_of_range, part_type::day);
    if (from.problem()) return *from.problem();
    made.seconds_ = chrono::sys_days(date).time_since_epoch() + chrono::hours(hour) + chrono::minutes(minute)
        + chrono::seconds(second) - made.offset_;
    return made;
}

auto timestamp::parse(std::string_view text) -> std::optional<timestamp>
{
    auto const made = read(text, comma::accepted);
    return made ? std::optional(*made) : std::nullopt;
}

auto timestamp::fields() const -> calendar_fields
{
    auto const local = seconds_ + offset_;
    auto const days = chrono::floor<chrono::days>(local);
    chrono::year_month_day const date{chrono::sys_days(days)};
    chrono::hh_mm_ss const time(local - days);
    return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        time.hours().count(), time.minutes().count(), time.seconds().count(), chrono::weekday(chrono::sys_days(days))};
}

auto timestamp::text() const -> std::string
{
    calendar_fields const f = fields();
    return formatted("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}", f.year, f.month, f.day, f.hour, f.minute, f.second,
        offset_.count() == 0 ? "Z" : offset_text());
}

auto timestamp::compact_text() const -> std::string
{
    timestamp utc = *this;
    utc.offset_ = {};
    calendar_fields const f = utc.fields();
    return formatted("{:04}{:02}{:02}T{:02}{:02}{:02}Z", f.year, f.month, f.day, f.hour, f.minute, f.second);
}

auto timestamp::http_text() const -> std::string
{
    constexpr std::array<std::string_view, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<std::string_view, 12> months{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    timestamp utc = *this;
    utc.offset_ = {};
    calendar_fields const f = utc.fields();
    return formatted("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", days.at(f.weekday.c_encoding()), f.day,
        months.at(static_cast<std::size_t>(f.month - 1)), f.year, f.hour, f.minute, f.second);
}

auto timestamp::offset_text(std::string_view between) const -> std::string
{
    auto const minutes = std::abs(offset_.count());
    return formatted("{}{:02}{}{:02}", offset_.count() < 0 ? '-' : '+', minutes / 60, between, minutes % 60);
}

auto timestamp::plus(chrono::seconds more, chrono::nanoseconds parts) const -> timestamp
{
    timestamp made = *this;
    made.parts_ += parts;
    auto const whole = chrono::floor<chrono::seconds>(made.parts_);
    made.parts_ -= whole;
    made.seconds_ += more + whole;
    return made;
}

auto timestamp::plus_date(std::int64_t years, std::int64_t months, std::int64_t days) const -> timestamp
{
    calendar_fields const f = fields();
    timestamp made = *this;
    made.seconds_ = days_since_1970(f.year + years, f.month + months, f.day + days) + chrono::hours(f.hour)
        + chrono::minutes(f.minute) + chrono::seconds(f.second) - offset_;
    return made;
}

auto now_ms() -> std::int64_t
{
    auto const now = chrono::system_clock::now().time_since_epoch();
    return chrono::floor<chrono::milliseconds>(now).count();
}

auto microsecond_text() -> std::string
{
    auto const now = chrono::floor<chrono::microseconds>(chrono::system_clock::now().time_since_epoch());
    auto const seconds = chrono::floor<chrono::seconds>(now);
    timestamp::calendar_fields const f = timestamp().plus(seconds).fields();
    return formatted("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", f.year, f.month, f.day, f.hour, f.minute, f.second,
        (now - seconds).count());
}

}  // namespace iacctl
