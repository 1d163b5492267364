// SPDX-License-Identifier: BSL-1.0
#include "duration.hpp"

#include "characters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace iacctl {

namespace {

constexpr std::uint64_t longest = std::uint64_t{1}
    << 63U;  // of a negative duration; that of a positive one is smaller by one

constexpr std::array<std::pair<std::string_view, std::uint64_t>, 8> units{{{"ns", 1}, {"us", 1'000}, {"\u00b5s", 1'000},
    {"\u03bcs", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}, {"m", 60'000'000'000}, {"h", 3'600'000'000'000}}};

auto take_digits(std::string_view& text) -> std::string_view
{
    auto const digits = std::ranges::find_if_not(text, is_digit);
    std::string_view const taken = text.substr(0, static_cast<std::size_t>(digits - text.begin()));
    text.remove_prefix(taken.size());
    return taken;
}

// The value of a number in digits; a number above `longest` if the value is larger.
auto whole_number(std::string_view digits) -> std::uint64_t
{
    std::uint64_t made = 0;
    for (char const c : digits) {
        if (made > longest / 10) return longest + 1;
        made = made * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return std::min(made, longest + 1);
}

// The value of the digits after a decimal point, in nanoseconds. Digits that exceed an integer are ignored.
auto fraction_of(std::string_view digits, std::uint64_t unit) -> std::uint64_t
{
    std::uint64_t made = 0;
    double scale = 1;
    for (char const c : digits) {
        if (made > (longest - 1) / 10) break;
        std::uint64_t const next = made * 10 + static_cast<std::uint64_t>(c - '0');
        if (next > longest) break;
        made = next;
        scale *= 10;
    }
    return static_cast<std::uint64_t>(static_cast<double>(made) * (static_cast<double>(unit) / scale));
}

}  // namespace

// \source Go, time.ParseDuration: the accepted texts, and the rounding.
auto parse_duration(std::string_view text) -> boost::system::result<std::chrono::nanoseconds, duration_problem>
{
    duration_problem const invalid;
    bool const negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text == "0") return std::chrono::nanoseconds(0);
    if (text.empty()) return invalid;
    std::uint64_t total = 0;
    while (!text.empty()) {
        std::string_view const whole = take_digits(text);
        std::string_view fraction;
        if (text.starts_with('.')) {
            text.remove_prefix(1);
            fraction = take_digits(text);
        }
        if (whole.empty() && fraction.empty()) return invalid;
        std::uint64_t amount = whole_number(whole);
        if (amount > longest) return invalid;
        auto const unit_end = std::ranges::find_if(text, [](char c) { return c == '.' || is_digit(c); });
        std::string_view const name = text.substr(0, static_cast<std::size_t>(unit_end - text.begin()));
        if (name.empty()) return duration_problem{duration_problem::kind_type::no_unit, {}};
        auto const* const unit = std::ranges::find(units, name, [](auto const& item) { return item.first; });
        if (unit == units.end()) return duration_problem{duration_problem::kind_type::unknown_unit, name};
        text.remove_prefix(name.size());
        if (amount > longest / unit->second) return invalid;
        amount = amount * unit->second + fraction_of(fraction, unit->second);
        if (amount > longest - total) return invalid;
        total += amount;
    }
    if (!negative && total == longest) return invalid;
    // The negation is unsigned, so that it is also defined for the longest duration.
    return std::chrono::nanoseconds(static_cast<std::int64_t>(negative ? ~total + 1 : total));
}

auto parse_simple_duration(std::string_view text) -> std::optional<std::chrono::milliseconds>
{
    std::string_view rest = text;
    bool fine = !take_digits(rest).empty();
    if (rest.starts_with('.')) {
        rest.remove_prefix(1);
        fine = fine && !take_digits(rest).empty();
    }
    if (!fine || (rest != "ms" && rest != "s" && rest != "m" && rest != "h")) return std::nullopt;
    auto const made = parse_duration(text);
    if (!made) return std::nullopt;
    return std::chrono::floor<std::chrono::milliseconds>(*made);
}

}  // namespace iacctl
