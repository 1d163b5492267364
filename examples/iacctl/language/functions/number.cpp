// SPDX-License-Identifier: BSL-1.0
#include "function_table.hpp"

#include <cmath>
#include <numbers>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] auto finite(double computed) -> call_result<value>
{
    if (std::isnan(computed)) return call_failure("the result is not a number");
    return value(number(computed));
}

/// The natural logarithm, bit for bit as Terraform computes it.
///
/// \source FreeBSD, msun/src/e_log.c: reduction to [sqrt(1/2), sqrt(2)), and a polynomial in (f / (2 + f))^2
[[nodiscard]] auto natural_logarithm(double number) -> double
{
    if (!(number > 0) || std::isinf(number)) return std::log(number);
    int exponent = 0;
    double mantissa = std::frexp(number, &exponent);
    if (mantissa < std::numbers::sqrt2 / 2) {
        mantissa *= 2;
        --exponent;
    }
    double const f = mantissa - 1;
    double const k = exponent;
    double const s = f / (2 + f);
    double const s2 = s * s;
    double const s4 = s2 * s2;
    double const odd = s2
        * (6.666666666666735130e-01
            + s4 * (2.857142874366239149e-01 + s4 * (1.818357216161805012e-01 + s4 * 1.479819860511658591e-01)));
    double const even =
        s4 * (3.999999999940941908e-01 + s4 * (2.222219843214978396e-01 + s4 * 1.531383769920937332e-01));
    double const half_square = 0.5 * f * f;
    return k * 6.93147180369123816490e-01
        - ((half_square - (s * (half_square + (odd + even)) + k * 1.90821492927058770002e-10)) - f);
}

/// A power, bit for bit as Terraform computes it for a whole exponent: by squaring and multiplying the mantissa with
/// one rounding per step. The C library is more exact.
[[nodiscard]] auto power(double base, double exponent) -> double
{
    static constexpr double most = 9223372036854775808.0;
    double whole = 0;
    double fraction = std::modf(std::abs(exponent), &whole);
    bool const special = base == 0 || base == 1 || exponent == 0 || exponent == 1 || std::abs(exponent) == 0.5
        || !std::isfinite(base) || !std::isfinite(exponent) || whole >= most || (fraction != 0 && base < 0);
    if (special) return std::pow(base, exponent);
    double mantissa = 1;
    int scale = 0;
    if (fraction != 0) {
        if (fraction > 0.5) {
            fraction -= 1;
            whole += 1;
        }
        mantissa = std::exp(fraction * natural_logarithm(base));
    }
    int step = 0;
    double square = std::frexp(base, &step);
    for (auto left = static_cast<std::int64_t>(whole); left != 0; left >>= 1) {
        if (std::abs(step) > 1 << 12) {
            scale += step;  // far too large or too small
            break;
        }
        if (left % 2 != 0) {
            mantissa *= square;
            scale += step;
        }
        square *= square;
        step *= 2;
        if (square < 0.5) {
            square += square;
            --step;
        }
    }
    return exponent < 0 ? std::ldexp(1 / mantissa, -scale) : std::ldexp(mantissa, scale);
}

[[nodiscard]] auto extreme(arguments given, bool largest) -> call_result<value>
{
    if (given.empty()) return call_failure("at least one number is required");
    value const* best = &given[0];
    for (auto const& one : given) {
        bool const better = largest ? one.as_number() > best->as_number() : one.as_number() < best->as_number();
        if (better) best = &one;
    }
    return *best;
}

[[nodiscard]] auto range(arguments given) -> call_result<value>
{
    static constexpr std::size_t largest = 1024;
    number start(0);
    number end(0);
    std::optional<number> step;
    switch (given.size()) {
    case 1: end = given[0].as_number(); break;
    case 3: step = given[2].as_number(); [[fallthrough]];
    case 2:
        start = given[0].as_number();
        end = given[1].as_number();
        break;
    default: return call_failure("one, two or three numbers are required");
    }
    bool const down = end < start;
    if (!step) step = number(down ? -1 : 1);
    if (down && step->sign() > 0) return call_failure(2, "the end is below the start, so it must be negative");
    if (!down && start != end && step->sign() < 0)
        return call_failure(2, "the end is above the start, so it must be positive");
    std::vector<value> made;
    for (auto at = std::optional(start); at && (down ? *at > end : *at < end); at = add(*at, *step)) {
        if (made.size() >= largest) return call_failure("the result would have more than 1024 numbers, the maximum");
        made.push_back(value(*at));
    }
    return value::list(type::number(), std::move(made));
}

[[nodiscard]] auto sum(arguments given) -> call_result<value>
{
    auto const& list = given[0];
    if (list.kind() < type_kind::list) return call_failure(0, "a list, set or tuple of numbers is required");
    if (!is_sequence(list))
        return call_failure(
            0, "a list, set or tuple is required, not a value of type " + list.get_type().friendly_name());
    if (list.size() == 0) return call_failure(0, "it has no elements");
    std::vector<value> numbers;
    for (auto const& element : list.elements()) {
        auto one = convert(element, type::number());
        if (!one || one->is_null()) return call_failure(0, "one of its elements is not a number");
        numbers.push_back(*std::move(one));
    }
    if (!list.wholly_known()) return value::unknown(type::number()).refined_not_null();
    std::optional<number> total;
    for (auto const& one : numbers) {
        auto const next = total ? add(*total, one.as_number()) : one.as_number();
        if (!next) return call_failure(0, "positive and negative infinity have no sum");
        total = next;
    }
    return value(*total);
}

}  // namespace

void add_number_functions(function_table& table)
{
    parameter const num{"num", type::number()};
    auto const add_unary = [&](std::string_view name, number (*compute)(number const&)) {
        table.add(name, {num}, type::number(),
            [compute](arguments given) -> call_result<value> { return value(compute(given[0].as_number())); });
    };
    add_unary("abs", [](number const& n) { return n.abs(); });
    add_unary("ceil", [](number const& n) { return n.ceil(); });
    add_unary("floor", [](number const& n) { return n.floor(); });
    table.add("signum", {num}, type::number(), [](arguments given) -> call_result<value> {
        auto const whole = given[0].as_number().as_int64();
        if (!whole) return call_failure(not_whole);
        return value(number(given[0].as_number().sign()));
    });
    table.add("pow", {num, {"power", type::number()}}, type::number(), [](arguments given) -> call_result<value> {
        return finite(power(given[0].as_number().as_double(), given[1].as_number().as_double()));
    });
    table.add(
        "log", {num, {"base", type::number()}}, once_typed(type::number()), [](arguments given) -> call_result<value> {
            return finite(natural_logarithm(given[0].as_number().as_double())
                / natural_logarithm(given[1].as_number().as_double()));
        });
    table.add("max", {}, type::number(), [](arguments given) { return extreme(given, true); }).variadic =
        parameter{"numbers", type::number()};
    table.add("min", {}, type::number(), [](arguments given) { return extreme(given, false); }).variadic =
        parameter{"numbers", type::number()};
    table.add("range", {}, type::list(type::number()), range).variadic = parameter{"params", type::number()};
    table.add("sum", {{"list", type::dynamic()}}, once_typed(type::number()), sum);
    table.add("parseint", {{"number", type::dynamic()}, {"base", type::number()}}, once_typed(type::number()),
        [](arguments given) -> call_result<value> {
            if (!given[0].is(type_kind::string))
                return call_failure(
                    0, "a string is required, not a value of type " + given[0].get_type().friendly_name());
            auto const base = given[1].as_number().as_int64();
            if (!base || *base < 2 || *base > 62) return call_failure(1, "a whole number from 2 to 62 is required");
            auto const parsed = number::parse_whole(given[0].as_string(), static_cast<int>(*base));
            if (!parsed)
                return call_failure(0, to_json(given[0]) + " is not a whole number in base " + std::to_string(*base));
            return value(*parsed);
        });
}

}  // namespace iacctl::language::detail
