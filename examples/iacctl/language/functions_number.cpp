// SPDX-License-Identifier: BSL-1.0
#include "function_table.hpp"

#include <cmath>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] call_result<value> finite(double computed)
{
    if (std::isnan(computed)) return call_failure("the result is not a number");
    return value(number(computed));
}

[[nodiscard]] call_result<value> extreme(arguments given, bool largest)
{
    if (given.empty()) return call_failure("must pass at least one number");
    value const* best = &given[0];
    for (auto const& one : given) {
        bool const better = largest ? one.as_number() > best->as_number() : one.as_number() < best->as_number();
        if (better) best = &one;
    }
    return *best;
}

[[nodiscard]] call_result<value> range(arguments given)
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
    default: return call_failure("must have one, two, or three arguments");
    }
    bool const down = end < start;
    if (!step) step = number(down ? -1 : 1);
    if (down && step->sign() > 0) return call_failure(2, "end must be greater than start when step is positive");
    if (!down && start != end && step->sign() < 0)
        return call_failure(2, "end must be less than start when step is negative");
    std::vector<value> made;
    for (auto at = std::optional(start); at && (down ? *at > end : *at < end); at = add(*at, *step)) {
        if (made.size() >= largest)
            return call_failure(
                "more than 1024 values were generated; either decrease the difference between start and "
                "end or use a smaller step");
        made.push_back(value(*at));
    }
    return value::list(type::number(), std::move(made));
}

[[nodiscard]] call_result<value> sum(arguments given)
{
    auto const& list = given[0];
    if (list.kind() < type_kind::list) return call_failure(0, "cannot sum noniterable");
    if (!is_sequence(list))
        return call_failure(0, "argument must be list, set, or tuple. Received " + list.get_type().friendly_name());
    if (list.size() == 0) return call_failure(0, "cannot sum an empty list");
    if (!list.wholly_known()) return value::unknown(type::number()).refined_not_null();
    number total(0);
    for (auto const& element : list.elements()) {
        auto const one = convert(element, type::number());
        if (!one || one->is_null()) return call_failure(0, "argument must be list, set, or tuple of number values");
        auto const next = add(total, one->as_number());
        if (!next) return call_failure(0, "can't compute sum of opposing infinities");
        total = *next;
    }
    return value(total);
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
    add_unary("signum", [](number const& n) { return number(n.sign()); });
    table.add("pow", {num, {"power", type::number()}}, type::number(), [](arguments given) -> call_result<value> {
        return finite(std::pow(given[0].as_number().as_double(), given[1].as_number().as_double()));
    });
    table.add(
        "log", {num, {"base", type::number()}}, once_typed(type::number()), [](arguments given) -> call_result<value> {
            return finite(std::log(given[0].as_number().as_double()) / std::log(given[1].as_number().as_double()));
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
                return call_failure(0, "first argument must be a string, not " + given[0].get_type().friendly_name());
            auto const base = given[1].as_number().as_int64();
            if (!base || *base < 2 || *base > 62)
                return call_failure(1, "base must be a whole number between 2 and 62 inclusive");
            auto const parsed = number::parse_whole(given[0].as_string(), static_cast<int>(*base));
            if (!parsed)
                return call_failure(
                    0, "cannot parse " + to_json(given[0]) + " as a base " + std::to_string(*base) + " integer");
            return value(*parsed);
        });
}

}  // namespace iacctl::language::detail
