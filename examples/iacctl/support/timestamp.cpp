// SPDX-License-Identifier: BSL-1.0
#include "timestamp.hpp"

#include <array>
#include <charconv>
#include <cstdio>

namespace iacctl {

namespace {

constexpr std::int64_t day_seconds = 86'400;

// Of any month number and day number, however far out of their ranges.
auto days_since_1970(std::int64_t year, std::int64_t month, std::int64_t day) -> std::int64_t
{
    std::int64_t const months = year * 12 + month - 1;
    std::int64_t const y = months >= 0 ? months / 12 : (months - 11) / 12;
    auto const m = static_cast<unsigned>(months - y * 12 + 1);
    std::chrono::sys_days const first =
        std::chrono::year(static_cast<int>(y)) / std::chrono::month(m) / std::chrono::day(1);
    return first.time_since_epoch().count() + day - 1;
}

// Takes digits from the front of a text; nothing if they are not there.
auto take_digits(std::string_view& text, std::size_t count) -> std::optional<std::int64_t>
{
    std::int64_t made = 0;
    if (text.size() < count) return std::nullopt;
    for (char const c : text.substr(0, count)) {
        if (c < '0' || c > '9') return std::nullopt;
        made = made * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return made;
}

auto take_char(std::string_view& text, char wanted) -> bool
{
    if (!text.starts_with(wanted)) return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

auto timestamp::now() -> timestamp
{
    timestamp made;
    made.seconds_ =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
    return made;
}

auto timestamp::parse(std::string_view text) -> std::optional<timestamp>
{
    auto const year = take_digits(text, 4);
    auto const month = take_char(text, '-') ? take_digits(text, 2) : std::nullopt;
    auto const day = take_char(text, '-') ? take_digits(text, 2) : std::nullopt;
    auto const hour = take_char(text, 'T') ? take_digits(text, 2) : std::nullopt;
    auto const minute = take_char(text, ':') ? take_digits(text, 2) : std::nullopt;
    auto const second = take_char(text, ':') ? take_digits(text, 2) : std::nullopt;
    if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
    if (take_char(text, '.')) {
        if (!take_digits(text, 1)) return std::nullopt;
        while (take_digits(text, 1)) {}
    }
    std::int64_t offset = 0;
    if (!take_char(text, 'Z')) {
        bool const west = text.starts_with('-');
        if (!west && !text.starts_with('+')) return std::nullopt;
        text.remove_prefix(1);
        auto const hours = take_digits(text, 2);
        auto const minutes = take_char(text, ':') ? take_digits(text, 2) : std::nullopt;
        if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
        offset = (west ? -1 : 1) * (*hours * 60 + *minutes);
    }
    std::chrono::year_month_day const date(std::chrono::year(static_cast<int>(*year)),
        std::chrono::month(static_cast<unsigned>(*month)), std::chrono::day(static_cast<unsigned>(*day)));
    if (!text.empty() || !date.ok() || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
    timestamp made;
    made.offset_minutes_ = offset;
    made.seconds_ =
        days_since_1970(*year, *month, *day) * day_seconds + *hour * 3600 + *minute * 60 + *second - offset * 60;
    return made;
}

auto timestamp::fields() const -> calendar_fields
{
    std::int64_t const local = seconds_ + offset_minutes_ * 60;
    std::int64_t days = local / day_seconds;
    std::int64_t rest = local % day_seconds;
    if (rest < 0) {
        rest += day_seconds;
        --days;
    }
    std::chrono::year_month_day const date{
        std::chrono::sys_days(std::chrono::days(static_cast<std::chrono::days::rep>(days)))};
    return {static_cast<int>(date.year()), static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
        rest / 3600, rest / 60 % 60, rest % 60};
}

auto timestamp::text() const -> std::string
{
    calendar_fields const f = fields();
    std::array<char, 96> buffer{};
    int size = std::snprintf(buffer.data(), buffer.size(), "%04lld-%02lld-%02lldT%02lld:%02lld:%02lld",
        static_cast<long long>(f.year), static_cast<long long>(f.month), static_cast<long long>(f.day),
        static_cast<long long>(f.hour), static_cast<long long>(f.minute), static_cast<long long>(f.second));
    std::string made(buffer.data(), static_cast<std::size_t>(size));
    if (offset_minutes_ == 0) return made + "Z";
    long long const away = offset_minutes_ < 0 ? -offset_minutes_ : offset_minutes_;
    size = std::snprintf(
        buffer.data(), buffer.size(), "%c%02lld:%02lld", offset_minutes_ < 0 ? '-' : '+', away / 60, away % 60);
    return made.append(buffer.data(), static_cast<std::size_t>(size));
}

auto timestamp::plus(std::chrono::seconds more) const -> timestamp
{
    timestamp made = *this;
    made.seconds_ += more.count();
    return made;
}

auto timestamp::plus_date(std::int64_t years, std::int64_t months, std::int64_t days) const -> timestamp
{
    calendar_fields const f = fields();
    timestamp made = *this;
    made.seconds_ = days_since_1970(f.year + years, f.month + months, f.day + days) * day_seconds + f.hour * 3600
        + f.minute * 60 + f.second - offset_minutes_ * 60;
    return made;
}

auto parse_simple_duration(std::string_view text) -> std::optional<std::chrono::milliseconds>
{
    std::size_t digits = 0;
    while (digits < text.size() && (text[digits] == '.' || (text[digits] >= '0' && text[digits] <= '9'))) ++digits;
    std::string_view const number = text.substr(0, digits);
    std::string_view const unit = text.substr(digits);
    double const scale = unit == "ms" ? 1 : unit == "s" ? 1e3 : unit == "m" ? 6e4 : unit == "h" ? 36e5 : 0;
    auto const point = number.find('.');
    bool const fine = scale > 0 && !number.empty() && point != 0 && point != number.size() - 1
        && (point == std::string_view::npos || number.find('.', point + 1) == std::string_view::npos);
    if (!fine) return std::nullopt;
    double amount = 0;
    auto const [end, error] = std::from_chars(number.data(), number.data() + number.size(), amount);
    // As long as Go's durations can be.
    constexpr double longest = 9.2e15;
    if (error != std::errc() || end != number.data() + number.size() || amount * scale > longest) return std::nullopt;
    return std::chrono::milliseconds(static_cast<std::int64_t>(amount * scale));
}

}  // namespace iacctl
