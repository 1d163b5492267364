// SPDX-License-Identifier: BSL-1.0
#include "number.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>

#include <array>
#include <atomic>
#include <charconv>
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

// A number may be written with an exponent; beyond this it would only serve to fill the memory.
constexpr int largest_exponent = 20'000;
constexpr int precision = 512;

[[nodiscard]] big_float widen(number const& n)
{
    return n.big() ? n.big()->value : big_float(*n.as_int64());
}

[[nodiscard]] std::optional<number> narrow(big_float const& value)
{
    if (mp::isnan(value)) return std::nullopt;
    if (mp::isfinite(value)) {
        static big_float const low(std::numeric_limits<std::int64_t>::min());
        static big_float const high(std::numeric_limits<std::int64_t>::max());
        if (value >= low && value <= high && mp::trunc(value) == value) return number(value.convert_to<std::int64_t>());
    }
    return number(boost::intrusive_ptr<detail::big_number const>(new detail::big_number(value)));
}

/// A float that is not NaN, so that it has a narrow form.
[[nodiscard]] number narrow_ordered(big_float const& value)
{
    return *narrow(value);
}

[[nodiscard]] big_int power_of_ten(unsigned exponent)
{
    return mp::pow(big_int(10), exponent);
}

/// Rounds numerator / denominator to 512 bits, ties to even.
[[nodiscard]] big_float rounded_quotient(big_int numerator, big_int const& denominator)
{
    if (numerator == 0) return big_float(0);
    auto const bits = [](big_int const& n) { return static_cast<int>(mp::msb(n)) + 1; };
    int const shift = precision + 2 - (bits(numerator) - bits(denominator));
    big_int scaled_denominator = denominator;
    if (shift > 0) numerator <<= static_cast<unsigned>(shift);
    if (shift < 0) scaled_denominator <<= static_cast<unsigned>(-shift);
    big_int quotient;
    big_int rest;
    mp::divide_qr(numerator, scaled_denominator, quotient, rest);
    int const surplus = bits(quotient) - precision;
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

/// Mantissa and exponent with value = mantissa * 2^exponent; the mantissa has exactly 512 bits.
[[nodiscard]] std::pair<big_int, int> dissect(big_float const& positive)
{
    int exponent = 0;
    big_float const fraction = mp::frexp(positive, &exponent);
    return {big_int(mp::ldexp(fraction, precision)), exponent - precision};
}

/// The fewest digits that identify the float among all floats of its precision (Steele and White, Dragon4).
[[nodiscard]] decimal shortest(big_float const& positive)
{
    auto const [mantissa, exponent] = dissect(positive);
    bool const even = !mp::bit_test(mantissa, 0);
    bool const lowest_of_binade = mantissa == big_int(1) << static_cast<unsigned>(precision - 1);
    big_int rest;
    big_int scale;
    big_int up = 1;
    big_int down = 1;
    unsigned const extra = lowest_of_binade ? 2 : 1;
    if (exponent >= 0) {
        rest = mantissa << (static_cast<unsigned>(exponent) + extra);
        scale = big_int(1) << extra;
        down <<= static_cast<unsigned>(exponent);
    } else {
        rest = mantissa << extra;
        scale = big_int(1) << (static_cast<unsigned>(-exponent) + extra);
    }
    up = lowest_of_binade ? big_int(down << 1) : down;

    double const bits = static_cast<double>(exponent) + precision - 1;
    int point = static_cast<int>(bits * 0.30102999566398119521);
    if (point > 0) scale *= power_of_ten(static_cast<unsigned>(point));
    if (point < 0) {
        big_int const factor = power_of_ten(static_cast<unsigned>(-point));
        rest *= factor;
        up *= factor;
        down *= factor;
    }
    // Now rest / scale * 10^point is the value; bring it into [0.1, 1).
    while (even ? rest + up >= scale : rest + up > scale) {
        scale *= 10;
        ++point;
    }
    while ((rest + up) * 10 < scale) {
        rest *= 10;
        up *= 10;
        down *= 10;
        --point;
    }
    decimal result;
    result.point = point;
    for (;;) {
        rest *= 10;
        up *= 10;
        down *= 10;
        big_int digit;
        big_int remaining;
        mp::divide_qr(rest, scale, digit, remaining);
        rest = remaining;
        bool const low = even ? rest <= down : rest < down;
        bool const high = even ? rest + up >= scale : rest + up > scale;
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

[[nodiscard]] std::string positional(decimal const& d, bool negative)
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
[[nodiscard]] big_int scaled_whole(big_float const& positive, int digits)
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

template <class Operation>
[[nodiscard]] std::optional<number> with_floats(number const& a, number const& b, Operation operation)
{
    return narrow(operation(widen(a), widen(b)));
}

}  // namespace

number::number(std::size_t whole)
{
    if (std::in_range<std::int64_t>(whole)) whole_ = static_cast<std::int64_t>(whole);
    else *this = narrow_ordered(big_float(whole));
}

number::number(double finite)
{
    // What came from 64 bits shows no more digits than it takes to tell it apart there.
    std::array<char, 400> text{};
    auto const written = std::to_chars(text.data(), text.data() + text.size(), finite);
    auto const parsed = parse({text.data(), static_cast<std::size_t>(written.ptr - text.data())});
    *this = parsed ? *parsed : narrow_ordered(big_float(finite));
}

std::optional<number> number::parse(std::string_view text)
{
    bool negative = false;
    std::size_t at = 0;
    if (at < text.size() && (text[at] == '-' || text[at] == '+')) negative = text[at++] == '-';
    if (auto const length = text.size() - at; length > 0 && length <= 18) {
        std::int64_t whole = 0;
        auto next = at;
        while (next < text.size() && text[next] >= '0' && text[next] <= '9') whole = whole * 10 + (text[next++] - '0');
        if (next == text.size()) return number(negative ? -whole : whole);
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
    if (at < text.size()) {
        if (text[at] != 'e' && text[at] != 'E') return std::nullopt;
        ++at;
        if (at < text.size() && text[at] == '+') {
            ++at;
            if (at < text.size() && text[at] == '-') return std::nullopt;
        }
        int written = 0;
        auto const [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), written);
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        exponent += written;
    }
    if (digits.empty()) return number();
    if (exponent > largest_exponent || exponent < -largest_exponent || digits.size() > std::size_t{largest_exponent})
        return std::nullopt;
    big_int const whole(digits);
    big_float value = exponent >= 0 ? rounded_quotient(whole * power_of_ten(static_cast<unsigned>(exponent)), 1)
                                    : rounded_quotient(whole, power_of_ten(static_cast<unsigned>(-exponent)));
    if (negative) value = -value;
    return narrow(value);
}

std::optional<number> number::parse_whole(std::string_view text, int base)
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
    return narrow(big_float(whole));
}

bool number::is_whole() const noexcept
{
    return !big_ || (mp::isfinite(big_->value) && mp::trunc(big_->value) == big_->value);
}

bool number::is_infinite() const noexcept
{
    return big_ && mp::isinf(big_->value);
}

int number::sign() const noexcept
{
    if (!big_) return whole_ < 0 ? -1 : whole_ > 0 ? 1 : 0;
    return big_->value < 0 ? -1 : big_->value > 0 ? 1 : 0;
}

std::optional<std::int64_t> number::as_int64() const noexcept
{
    return big_ ? std::nullopt : std::optional(whole_);
}

double number::as_double() const
{
    return big_ ? big_->value.convert_to<double>() : static_cast<double>(whole_);
}

std::string number::text() const
{
    if (!big_) return std::to_string(whole_);
    bool const negative = big_->value < 0;
    if (is_infinite()) return negative ? "-Inf" : "+Inf";
    return positional(shortest(negative ? big_float(-big_->value) : big_->value), negative);
}

std::string number::short_text() const
{
    if (is_infinite()) return text();
    big_float const positive = mp::abs(widen(*this));
    if (positive == 0) return "0";
    int point = shortest(positive).point;
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

std::string number::fixed_text(int digits) const
{
    if (is_infinite()) return text();
    std::string all = scaled_whole(mp::abs(widen(*this)), digits).str();
    auto const fraction = static_cast<std::size_t>(digits);
    if (all.size() <= fraction) all.insert(0, fraction + 1 - all.size(), '0');
    if (fraction > 0) all.insert(all.size() - fraction, ".");
    return sign() < 0 ? "-" + all : all;
}

std::string number::whole_text(int base) const
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

number number::truncated() const
{
    return is_whole() || is_infinite() ? *this : narrow_ordered(mp::trunc(big_->value));
}

number number::floor() const
{
    return is_whole() || is_infinite() ? *this : narrow_ordered(mp::floor(big_->value));
}

number number::ceil() const
{
    return is_whole() || is_infinite() ? *this : narrow_ordered(mp::ceil(big_->value));
}

number number::abs() const
{
    return sign() < 0 ? -*this : *this;
}

number number::operator-() const
{
    if (!big_ && whole_ != std::numeric_limits<std::int64_t>::min()) return number(-whole_);
    return narrow_ordered(-widen(*this));
}

std::optional<number> add(number const& a, number const& b)
{
    std::int64_t whole = 0;
    if (!a.big_ && !b.big_ && !__builtin_add_overflow(a.whole_, b.whole_, &whole)) return number(whole);
    return with_floats(a, b, [](big_float const& x, big_float const& y) { return big_float(x + y); });
}

std::optional<number> subtract(number const& a, number const& b)
{
    std::int64_t whole = 0;
    if (!a.big_ && !b.big_ && !__builtin_sub_overflow(a.whole_, b.whole_, &whole)) return number(whole);
    return with_floats(a, b, [](big_float const& x, big_float const& y) { return big_float(x - y); });
}

std::optional<number> multiply(number const& a, number const& b)
{
    std::int64_t whole = 0;
    if (!a.big_ && !b.big_ && !__builtin_mul_overflow(a.whole_, b.whole_, &whole)) return number(whole);
    return with_floats(a, b, [](big_float const& x, big_float const& y) { return big_float(x * y); });
}

std::optional<number> divide(number const& a, number const& b)
{
    bool const minus_one = !b.big_ && b.whole_ == -1;
    if (!a.big_ && !b.big_ && b.whole_ != 0 && !minus_one && a.whole_ % b.whole_ == 0)
        return number(a.whole_ / b.whole_);
    if (b.sign() == 0) {
        if (a.sign() == 0) return std::nullopt;
        big_float const infinity = std::numeric_limits<big_float>::infinity();
        return narrow(a.sign() < 0 ? big_float(-infinity) : infinity);
    }
    return with_floats(a, b, [](big_float const& x, big_float const& y) { return big_float(x / y); });
}

std::optional<number> remainder(number const& a, number const& b)
{
    if (!a.big_ && !b.big_ && b.whole_ != 0) return number(b.whole_ == -1 ? 0 : a.whole_ % b.whole_);
    // As Terraform has it: nothing is left over of a division by zero but the number itself.
    if (a.is_infinite() || b.is_infinite()) return multiply(a, b);
    if (b.sign() == 0) return a;
    auto const quotient = divide(a, b);
    auto const product = quotient ? multiply(quotient->truncated(), b) : std::nullopt;
    return product ? subtract(a, *product) : std::nullopt;
}

bool operator==(number const& a, number const& b) noexcept
{
    if (!a.big_ && !b.big_) return a.whole_ == b.whole_;
    return a.big_ && b.big_ && (a.big_ == b.big_ || a.big_->value == b.big_->value);
}

std::strong_ordering operator<=>(number const& a, number const& b) noexcept
{
    if (!a.big_ && !b.big_) return a.whole_ <=> b.whole_;
    int const order = widen(a).compare(widen(b));
    return order <=> 0;
}

}  // namespace iacctl::language
