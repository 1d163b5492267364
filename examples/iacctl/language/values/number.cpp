// SPDX-License-Identifier: BSL-1.0
#include "number.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

namespace iacctl::language {

namespace mp = boost::multiprecision;
using big_float = mp::number<mp::cpp_bin_float<512, mp::digit_base_2>, mp::et_off>;
using big_int = mp::number<mp::cpp_int_backend<>, mp::et_off>;

namespace detail {

struct big_number {
    explicit big_number(big_float number) : value(std::move(number)) {}

    big_float value;
    mutable std::atomic<unsigned> references{0};
};

void intrusive_ptr_add_ref(big_number const* counted) noexcept
{
    counted->references.fetch_add(1, std::memory_order_relaxed);
}

void intrusive_ptr_release(big_number const* counted) noexcept
{
    if (counted->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete counted;
}

}  // namespace detail

namespace {

// Limits the exponent of a written number, as a larger one would only exhaust the memory.
constexpr int largest_exponent = 20'000;
constexpr int full_width = number::full_precision;

[[nodiscard]] auto widen(number const& n) -> big_float
{
    return n.big() ? n.big()->value : big_float(*n.as_int64());
}

/// The number of bits of a whole number as a float.
[[nodiscard]] auto bits_of(std::uint64_t magnitude) noexcept -> unsigned
{
    return magnitude == 0
        ? 0U
        : static_cast<unsigned>(std::bit_width(magnitude)) - static_cast<unsigned>(std::countr_zero(magnitude));
}

[[nodiscard]] auto magnitude(std::int64_t whole) noexcept -> std::uint64_t
{
    return whole < 0 ? ~static_cast<std::uint64_t>(whole) + 1 : static_cast<std::uint64_t>(whole);
}

/// Rounds to a number of bits, ties to even.
[[nodiscard]] auto rounded(big_float const& value, unsigned precision) -> big_float
{
    if (precision >= number::full_precision || !mp::isfinite(value) || value == 0) return value;
    int exponent = 0;
    big_float const scaled = mp::ldexp(mp::frexp(value, &exponent), static_cast<int>(precision));
    big_float whole = mp::floor(scaled);
    big_float const rest = scaled - whole;
    if (rest > 0.5 || (rest == 0.5 && mp::fmod(whole, big_float(2)) != 0)) ++whole;
    return mp::ldexp(whole, exponent - static_cast<int>(precision));
}

[[nodiscard]] auto narrow(big_float const& exact, unsigned precision) -> std::optional<number>
{
    if (mp::isnan(exact)) return std::nullopt;
    auto const value = rounded(exact, precision);
    if (mp::isfinite(value)) {
        static big_float const low(std::numeric_limits<std::int64_t>::min());
        static big_float const high(std::numeric_limits<std::int64_t>::max());
        if (value >= low && value <= high && mp::trunc(value) == value)
            return number(value.convert_to<std::int64_t>(), precision);
    }
    return number(boost::intrusive_ptr<detail::big_number const>(new detail::big_number(value)), precision);
}

/// A float that is not NaN, in its inline form if it has one.
[[nodiscard]] auto narrow_ordered(big_float const& value, unsigned precision) -> number
{
    return *narrow(value, precision);
}

[[nodiscard]] auto power_of_ten(unsigned exponent) -> big_int
{
    return mp::pow(big_int(10), exponent);
}

/// Rounds numerator / denominator to 512 bits, ties to even.
[[nodiscard]] auto rounded_quotient(big_int numerator, big_int const& denominator) -> big_float
{
    if (numerator == 0) return big_float(0);
    auto const bits = [](big_int const& n) { return static_cast<int>(mp::msb(n)) + 1; };
    int const shift = full_width + 2 - (bits(numerator) - bits(denominator));
    big_int scaled_denominator = denominator;
    if (shift > 0) numerator <<= static_cast<unsigned>(shift);
    if (shift < 0) scaled_denominator <<= static_cast<unsigned>(-shift);
    big_int quotient;
    big_int rest;
    mp::divide_qr(numerator, scaled_denominator, quotient, rest);
    int const surplus = bits(quotient) - full_width;
    big_int const low = quotient & ((big_int(1) << static_cast<unsigned>(surplus)) - 1);
    big_int const half = big_int(1) << static_cast<unsigned>(surplus - 1);
    quotient >>= static_cast<unsigned>(surplus);
    bool const above = low > half || (low == half && rest != 0);
    bool const tie = low == half && rest == 0;
    if (above || (tie && mp::bit_test(quotient, 0))) ++quotient;
    return mp::ldexp(big_float(quotient), surplus - shift);
}

struct decimal {
    std::string digits;  // without leading or trailing zeros; empty for zero
    int point = 0;       // value = 0.digits * 10^point
};

/// Mantissa and exponent with value = mantissa * 2^exponent; the mantissa has exactly `precision` bits.
[[nodiscard]] auto dissect(big_float const& positive, int precision = full_width) -> std::pair<big_int, int>
{
    int exponent = 0;
    big_float const fraction = mp::frexp(positive, &exponent);
    return {big_int(mp::ldexp(fraction, precision)), exponent - precision};
}

/// The minimum number of bits for a float.
[[nodiscard]] auto bits_of(big_float const& value) -> unsigned
{
    if (!mp::isfinite(value) || value == 0) return 0;
    return static_cast<unsigned>(full_width) - static_cast<unsigned>(mp::lsb(dissect(mp::abs(value)).first));
}

/// The fewest digits within half a unit in the last place of the float (Steele and White, Dragon4). As in Go's math/big,
/// the interval is symmetric also for powers of two, though the next lower float is nearer than half of that.
[[nodiscard]] auto shortest(big_float const& positive, int precision) -> decimal
{
    auto const [mantissa, exponent] = dissect(positive, precision);
    bool const even = !mp::bit_test(mantissa, 0);
    big_int rest;
    big_int scale;
    big_int half = 1;  // of a unit
    if (exponent >= 0) {
        rest = mantissa << (static_cast<unsigned>(exponent) + 1U);
        scale = 2;
        half <<= static_cast<unsigned>(exponent);
    } else {
        rest = mantissa << 1U;
        scale = big_int(1) << (static_cast<unsigned>(-exponent) + 1U);
    }

    double const bits = static_cast<double>(exponent) + precision - 1;
    int point = static_cast<int>(bits * 0.30102999566398119521);
    if (point > 0) scale *= power_of_ten(static_cast<unsigned>(point));
    if (point < 0) {
        big_int const factor = power_of_ten(static_cast<unsigned>(-point));
        rest *= factor;
        half *= factor;
    }
    // Now rest / scale * 10^point is the value; bring it into [0.1, 1).
    while (even ? rest + half >= scale : rest + half > scale) {
        scale *= 10;
        ++point;
    }
    while ((rest + half) * 10 < scale) {
        rest *= 10;
        half *= 10;
        --point;
    }
    decimal result;
    result.point = point;
    for (;;) {
        rest *= 10;
        half *= 10;
        big_int digit;
        big_int remaining;
        mp::divide_qr(rest, scale, digit, remaining);
        rest = remaining;
        bool const low = even ? rest <= half : rest < half;
        bool const high = even ? rest + half >= scale : rest + half > scale;
        int value = digit.convert_to<int>();
        if (!low && !high) {
            result.digits.push_back(static_cast<char>('0' + value));
            continue;
        }
        if (high && (!low || rest * 2 > scale || (rest * 2 == scale && value % 2 != 0))) ++value;
        result.digits.push_back(static_cast<char>('0' + value));
        return result;
    }
}

[[nodiscard]] auto positional(decimal const& d, bool negative) -> std::string
{
    std::string text = negative ? "-" : "";
    auto const length = static_cast<int>(d.digits.size());
    if (d.point <= 0) {
        text += "0.";
        text.append(static_cast<std::size_t>(-d.point), '0');
        return text + d.digits;
    }
    if (d.point >= length) {
        text += d.digits;
        text.append(static_cast<std::size_t>(d.point - length), '0');
        return text;
    }
    auto const whole = static_cast<std::size_t>(d.point);
    return text + d.digits.substr(0, whole) + "." + d.digits.substr(whole);
}

/// |value| * 10^digits as a whole number, ties to even.
[[nodiscard]] auto scaled_whole(big_float const& positive, int digits) -> big_int
{
    if (positive == 0) return 0;
    auto const [mantissa, exponent] = dissect(positive);
    big_int numerator = mantissa;
    big_int denominator = 1;
    if (digits >= 0) numerator *= power_of_ten(static_cast<unsigned>(digits));
    else denominator *= power_of_ten(static_cast<unsigned>(-digits));
    if (exponent >= 0) numerator <<= static_cast<unsigned>(exponent);
    else denominator <<= static_cast<unsigned>(-exponent);
    big_int quotient;
    big_int rest;
    mp::divide_qr(numerator, denominator, quotient, rest);
    rest *= 2;
    if (rest > denominator || (rest == denominator && mp::bit_test(quotient, 0))) ++quotient;
    return quotient;
}

/// The larger precision of two operands.
[[nodiscard]] auto common_precision(number const& a, number const& b) noexcept -> unsigned
{
    return std::max(a.precision(), b.precision());
}

[[nodiscard]] auto fits(std::int64_t whole, unsigned precision) noexcept -> bool
{
    return precision >= 63 || bits_of(magnitude(whole)) <= precision;
}

}  // namespace

auto number::with_zero_sign(bool minus) const noexcept -> number
{
    number made = *this;
    made.minus_zero_ = minus && made.sign() == 0;
    return made;
}

number::number(std::size_t whole)
{
    if (std::in_range<std::int64_t>(whole)) *this = number(static_cast<std::int64_t>(whole));
    else *this = narrow_ordered(big_float(whole), 64);
}

number::number(double ordered)
{
    *this =
        narrow_ordered(big_float(ordered), std::numeric_limits<double>::digits).with_zero_sign(std::signbit(ordered));
}

auto number::parse(std::string_view text) -> std::optional<number>
{
    bool negative = false;
    std::size_t at = 0;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative = text[at++] == '-';
    if (auto const length = text.size() - at; length > 0 && length <= 18) {
        std::int64_t whole = 0;
        auto next = at;
        while (next < text.size() && text[next] >= '0' && text[next] <= '9') whole = whole * 10 + (text[next++] - '0');
        if (next == text.size()) return number(negative ? -whole : whole, full_precision).with_zero_sign(negative);
    }
    if (auto const word = text.substr(at); word == "Inf" || word == "inf") {
        big_float const infinity = std::numeric_limits<big_float>::infinity();
        return narrow(negative ? big_float(-infinity) : infinity, full_precision);
    }
    std::string digits;
    long long exponent = 0;
    bool point = false;
    bool any = false;
    for (; at < text.size(); ++at) {
        char const c = text[at];
        if (c >= '0' && c <= '9') {
            any = true;
            if (!digits.empty() || c != '0') digits.push_back(c);
            if (point) --exponent;
        } else if (c == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (!any) return std::nullopt;
    unsigned power_of_two = 0;
    bool halves = false;
    if (at < text.size()) {
        bool const binary = text[at] == 'p' || text[at] == 'P';
        if (!binary && text[at] != 'e' && text[at] != 'E') return std::nullopt;
        ++at;
        if (at < text.size() && text[at] == '+') {
            ++at;
            if (at < text.size() && text[at] == '-') return std::nullopt;
        }
        int written = 0;
        auto const [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), written);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        if (!binary) exponent += written;
        else if (written > largest_exponent || written < -largest_exponent) return std::nullopt;
        halves = binary && written < 0;
        power_of_two = binary ? static_cast<unsigned>(halves ? -written : written) : 0;
    }
    if (digits.empty()) return number().with_zero_sign(negative);
    if (exponent > largest_exponent || exponent < -largest_exponent || digits.size() > std::size_t{largest_exponent})
        return std::nullopt;
    big_int numerator(digits);
    big_int denominator = 1;
    (exponent >= 0 ? numerator : denominator) *= power_of_ten(static_cast<unsigned>(std::abs(exponent)));
    (halves ? denominator : numerator) <<= power_of_two;
    big_float value = rounded_quotient(std::move(numerator), denominator);
    if (negative) value = -value;
    return narrow(value, full_precision);
}

auto number::parse_whole(std::string_view text, int base) -> std::optional<number>
{
    bool negative = false;
    if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
        negative = text[0] == '-';
        text.remove_prefix(1);
    }
    if (text.empty() || text.size() > std::size_t{largest_exponent}) return std::nullopt;
    big_int whole = 0;
    for (char const c : text) {
        int digit = 99;
        if (c >= '0' && c <= '9') digit = c - '0';
        else if (c >= 'a' && c <= 'z') digit = c - 'a' + 10;
        else if (c >= 'A' && c <= 'Z') digit = base <= 36 ? c - 'A' + 10 : c - 'A' + 36;
        if (digit >= base) return std::nullopt;
        whole = whole * base + digit;
    }
    if (negative) whole = -whole;
    unsigned const width = whole == 0 ? 0 : static_cast<unsigned>(mp::msb(mp::abs(whole))) + 1;
    return narrow(big_float(whole), std::clamp(width, 64U, full_precision));
}

auto number::is_whole() const noexcept -> bool
{
    auto const* const shared = big();
    return !shared || (mp::isfinite(shared->value) && mp::trunc(shared->value) == shared->value);
}

auto number::is_infinite() const noexcept -> bool
{
    return big() && mp::isinf(big()->value);
}

auto number::sign() const noexcept -> int
{
    if (auto const* const shared = big()) return shared->value < 0 ? -1 : 1;
    auto const whole = *std::get_if<0>(&of_);
    return whole < 0 ? -1 : whole > 0 ? 1 : 0;
}

auto number::as_int64() const noexcept -> std::optional<std::int64_t>
{
    auto const* const whole = std::get_if<0>(&of_);
    return whole ? std::optional(*whole) : std::nullopt;
}

auto number::as_double() const -> double
{
    if (minus_zero_) return -0.0;
    return big() ? big()->value.convert_to<double>() : static_cast<double>(*as_int64());
}

auto number::text() const -> std::string
{
    if (minus_zero_) return "-0";
    if (auto const whole = as_int64(); whole && (precision_ >= 63 || magnitude(*whole) >> precision_ == 0))
        return std::to_string(*whole);
    bool const negative = sign() < 0;
    if (is_infinite()) return negative ? "-Inf" : "+Inf";
    return positional(shortest(mp::abs(widen(*this)), static_cast<int>(precision_)), negative);
}

auto number::short_text() const -> std::string
{
    if (is_infinite()) return text();
    big_float const positive = mp::abs(widen(*this));
    if (positive == 0) return is_negative() ? "-0" : "0";
    int point = shortest(positive, full_width).point;
    std::string digits = scaled_whole(positive, 10 - point).str();
    if (digits.size() > 10) ++point;
    digits.resize(10);
    digits.erase(digits.find_last_not_of('0') + 1);
    std::string const minus = sign() < 0 ? "-" : "";
    int const exponent = point - 1;
    if (exponent >= -4 && exponent < 10) return positional({digits, point}, sign() < 0);
    std::string text = minus + digits.substr(0, 1);
    if (digits.size() > 1) text += "." + digits.substr(1);
    std::string power = std::to_string(exponent < 0 ? -exponent : exponent);
    if (power.size() < 2) power.insert(0, "0");
    return text + "e" + (exponent < 0 ? "-" : "+") + power;
}

auto number::fixed_text(int digits) const -> std::string
{
    if (is_infinite()) return text();
    std::string all = scaled_whole(mp::abs(widen(*this)), digits).str();
    auto const fraction = static_cast<std::size_t>(digits);
    if (all.size() <= fraction) all.insert(0, fraction + 1 - all.size(), '0');
    if (fraction > 0) all.insert(all.size() - fraction, ".");
    return is_negative() ? "-" + all : all;
}

auto number::whole_text(int base) const -> std::string
{
    big_int whole(mp::abs(mp::trunc(widen(*this))));
    std::string text;
    do {
        big_int quotient;
        big_int digit;
        mp::divide_qr(whole, big_int(base), quotient, digit);
        text.insert(text.begin(), "0123456789abcdef"[digit.convert_to<unsigned>()]);
        whole = quotient;
    } while (whole != 0);
    return sign() < 0 ? "-" + text : text;
}

auto number::truncated() const -> number
{
    if (is_infinite()) return *this;
    return is_whole() ? with_zero_sign(false) : narrow_ordered(mp::trunc(big()->value), precision_);
}

auto number::floor() const -> number
{
    if (is_infinite()) return *this;
    return is_whole() ? with_zero_sign(false) : narrow_ordered(mp::floor(big()->value), precision_);
}

auto number::ceil() const -> number
{
    if (is_infinite()) return *this;
    return is_whole() ? with_zero_sign(false) : narrow_ordered(mp::ceil(big()->value), precision_);
}

auto number::abs() const -> number
{
    return is_negative() ? -*this : *this;
}

auto number::operator-() const -> number
{
    auto const whole = as_int64();
    if (whole && *whole != std::numeric_limits<std::int64_t>::min())
        return number(-*whole, precision_).with_zero_sign(!minus_zero_);
    return narrow_ordered(-widen(*this), precision_);
}

auto add(number const& a, number const& b) -> std::optional<number>
{
    auto const precision = common_precision(a, b);
    auto const x = a.as_int64();
    auto const y = b.as_int64();
    std::int64_t sum = 0;
    if (x && y && !__builtin_add_overflow(*x, *y, &sum) && fits(sum, precision))
        return number(sum, precision).with_zero_sign(a.minus_zero_ && b.minus_zero_);
    return narrow(widen(a) + widen(b), precision);
}

auto subtract(number const& a, number const& b) -> std::optional<number>
{
    return add(a, -b);
}

auto multiply(number const& a, number const& b) -> std::optional<number>
{
    auto const precision = common_precision(a, b);
    auto const x = a.as_int64();
    auto const y = b.as_int64();
    std::int64_t product = 0;
    bool const minus = a.is_negative() != b.is_negative();
    if (x && y && !__builtin_mul_overflow(*x, *y, &product) && fits(product, precision))
        return number(product, precision).with_zero_sign(minus);
    big_float const exact = widen(a) * widen(b);
    auto const made = narrow(exact, std::max(precision, bits_of(exact)));
    return made ? std::optional(made->with_zero_sign(minus)) : std::nullopt;
}

auto divide(number const& a, number const& b) -> std::optional<number>
{
    auto const precision = common_precision(a, b);
    bool const minus = a.is_negative() != b.is_negative();
    if (b.sign() == 0) {
        if (a.sign() == 0) return std::nullopt;
        big_float const infinity = std::numeric_limits<big_float>::infinity();
        return narrow(minus ? big_float(-infinity) : infinity, precision);
    }
    auto const x = a.as_int64();
    auto const y = b.as_int64();
    if (x && y && *y != -1 && *x % *y == 0 && fits(*x / *y, precision))
        return number(*x / *y, precision).with_zero_sign(minus);
    auto const made = narrow(widen(a) / widen(b), precision);
    return made ? std::optional(made->with_zero_sign(minus)) : std::nullopt;
}

auto remainder(number const& a, number const& b) -> std::optional<number>
{
    // Like Terraform: the remainder of a division by zero is the dividend itself.
    if (a.is_infinite() || b.is_infinite()) return multiply(a, b);
    if (b.sign() == 0) return a;
    // The quotient has the larger precision of the two; each step after it rounds to the precision of `a`.
    auto const precision = a.precision();
    auto const x = a.as_int64();
    auto const y = b.as_int64();
    if (x && y && (precision >= 64 || magnitude(*x) >> precision == 0))
        return number(*y == -1 ? 0 : *x % *y, precision).with_zero_sign(a.minus_zero_ && *y > 0);
    auto const to_precision = [precision](number const& exact) {
        return narrow_ordered(widen(exact), precision).with_zero_sign(exact.minus_zero_);
    };
    auto const quotient = divide(a, b);
    auto const product = quotient ? multiply(to_precision(quotient->truncated()), b) : std::nullopt;
    return product ? subtract(a, to_precision(*product)) : std::nullopt;
}

auto operator==(number const& a, number const& b) -> bool
{
    auto const x = a.as_int64();
    auto const y = b.as_int64();
    if (x || y) return x == y;
    if (a.precision() == b.precision() || (a.is_whole() && b.is_whole())) return a.big()->value == b.big()->value;
    return a.text() == b.text();
}

auto operator<=>(number const& a, number const& b) -> std::weak_ordering
{
    auto const x = a.as_int64();
    auto const y = b.as_int64();
    if (x && y) return *x <=> *y;
    int const order = widen(a).compare(widen(b));
    return order <=> 0;
}

}  // namespace iacctl::language
