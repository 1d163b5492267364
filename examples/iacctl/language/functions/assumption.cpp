// SPDX-License-Identifier: BSL-1.0
#include "base/unicode.hpp"
#include "function_table.hpp"
#include "language/evaluation/operations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] auto not_upheld() -> call_failure
{
    return {0, "the assumption does not hold"};
}

/// Returns the second value, unless the first one is known to differ from it.
[[nodiscard]] auto assumed_equal(arguments given) -> call_result<value>
{
    type const desired = given[1].get_type();
    auto const actual = convert(given[0], desired);
    if (!actual)
        return call_failure(0,
            "a value of type " + given[0].get_type().friendly_name() + " does not convert to " + desired.friendly_name()
                + ", the type of the assumed value");
    // The result is the second value, without the marks of the first one.
    if (equal(*actual, given[1]) == false) return not_upheld();
    return given[1];
}

[[nodiscard]] auto assumed_not_null(arguments given) -> call_result<value>
{
    value const& one = given[0];
    if (one.get_type().is_dynamic())
        return call_failure(0, "its type is not known; set the type with the function \"convert\"");
    if (one.is_null()) return not_upheld();
    return one.refined_not_null();
}

/// Returns the string, unless it is known to have another prefix. An unknown string keeps the prefix only if it cannot
/// be null.
[[nodiscard]] auto assumed_prefix(arguments given) -> call_result<value>
{
    value const& text = given[0];
    if (given[1].is_unknown()) return value::unknown(type::string());
    if (text.is_null()) return text;
    std::string_view const desired = given[1].as_string();
    if (text.has_data()) return text.as_string().starts_with(desired) ? call_result<value>(text) : not_upheld();
    std::string_view const known = text.known_prefix();
    auto const settled = settled_prefix(desired);
    auto const common = std::min(known.size(), settled.size());
    if (known.substr(0, common) != settled.substr(0, common)) return not_upheld();
    if (!text.is_definitely_not_null() || settled.size() <= known.size()) return text;
    return value::unknown_with_prefix(settled);
}

/// Returns the collection, unless its length is known to be out of bounds. An unknown list of an exact length gets
/// unknown elements.
[[nodiscard]] auto assumed_length(value const& v, std::size_t least, std::size_t most) -> call_result<value>
{
    type const kind = v.get_type();
    if (v.is_null()) return v;
    if (least > most) return not_upheld();
    if (v.has_data()) {
        // Unknown elements of a set may turn out to be equal.
        std::size_t const lowest =
            v.is(type_kind::set) && !v.wholly_known() ? std::min<std::size_t>(v.size(), 1) : v.size();
        return v.size() < least || lowest > most ? call_result<value>(not_upheld()) : v;
    }
    if (!v.is_definitely_not_null() || least != most || least > most_elements) return v;
    if (least == 0 && kind.is(type_kind::map)) return value::map(kind.element(), {});
    bool const certain = least == 0 || kind.is(type_kind::list) || (kind.is(type_kind::set) && least == 1);
    if (!certain || kind.is(type_kind::map)) return v;
    return shaped(kind, std::vector<value>(least, value::unknown(kind.element())));
}

enum class length_bounds { both, lower, upper };

void add_length(function_table& table, std::string_view name, type const& kind, length_bounds which)
{
    parameter const least{"min_length", type::number(), false, true};
    parameter const most{"max_length", type::number(), false, true};
    std::vector<parameter> parameters{{"value", kind, true, true}};
    if (which != length_bounds::upper) parameters.push_back(least);
    if (which != length_bounds::lower) parameters.push_back(most);
    auto const same_type = [](arguments given) -> call_result<type> { return given[0].get_type(); };
    table.add(name, std::move(parameters), same_type, [which](arguments given) -> call_result<value> {
        std::vector<std::size_t> limits;
        for (std::size_t i = 1; i < given.size(); ++i) {
            if (given[i].is_unknown()) return value::unknown(given[0].get_type());
            auto const whole = given[i].as_number().as_int64();
            if (!whole || *whole == std::numeric_limits<std::int64_t>::max()) return call_failure(i, not_whole);
            limits.push_back(static_cast<std::size_t>(std::max<std::int64_t>(*whole, 0)));
            if (*whole < 0 && which != length_bounds::lower && i + 1 == given.size()) return not_upheld();
        }
        return assumed_length(given[0], which == length_bounds::upper ? 0 : limits.front(),
            which == length_bounds::lower ? std::numeric_limits<std::size_t>::max() : limits.back());
    });
}

}  // namespace

void add_assumption_functions(function_table& table)
{
    parameter const any{"value", type::dynamic(), true, true};
    auto const of_first = [](arguments given) -> call_result<type> { return given[0].get_type(); };
    auto const of_second = [](arguments given) -> call_result<type> { return given[1].get_type(); };
    table.add("assumeequal",
        {{"actual_value", type::dynamic(), true, true, true}, {"expected_value", type::dynamic(), true, true, true}},
        of_second, assumed_equal);
    table.add("assumenotnull", {any}, of_first, assumed_not_null);
    table.add("assumestringprefix", {{"value", type::string(), true, true}, {"prefix", type::string(), false, true}},
        type::string(), assumed_prefix);
    type const list = type::list(type::dynamic());
    type const set = type::set(type::dynamic());
    type const map = type::map(type::dynamic());
    add_length(table, "assumelistlength", list, length_bounds::both);
    add_length(table, "assumelistlengthmax", list, length_bounds::upper);
    add_length(table, "assumelistlengthmin", list, length_bounds::lower);
    add_length(table, "assumemaplength", map, length_bounds::both);
    add_length(table, "assumemaplengthmax", map, length_bounds::upper);
    add_length(table, "assumemaplengthmin", map, length_bounds::lower);
    add_length(table, "assumesetlength", set, length_bounds::both);
    add_length(table, "assumesetlengthmax", set, length_bounds::upper);
    add_length(table, "assumesetlengthmin", set, length_bounds::lower);
}

}  // namespace iacctl::language::detail
