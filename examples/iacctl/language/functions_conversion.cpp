// SPDX-License-Identifier: BSL-1.0
#include "function_table.hpp"

#include <array>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] call_failure cannot_convert(value const& of, type const& to)
{
    type const from = of.get_type();
    if (from.is(type_kind::string) && (to.is(type_kind::boolean) || to.is(type_kind::number))) {
        std::string const what = of.is_sensitive() ? "this sensitive string" : of.has_data() ? to_json(of) : "string";
        if (to.is(type_kind::boolean))
            return {0, "cannot convert " + what + " to bool; only the strings \"true\" or \"false\" are allowed"};
        return {0, "cannot convert " + what + " to number; given string must be a decimal representation of a number"};
    }
    return {0, "cannot convert " + from.friendly_name() + " to " + to.constraint_name()};
}

void add_conversion(function_table& table, std::string_view name, type const& to)
{
    auto returns = [to](arguments given) -> call_result<type> {
        type const from = given[0].get_type();
        if (!convertible(from, to, conversion::unsafe)) return cannot_convert(given[0], to);
        if (given[0].is_unknown())
            if (auto const made = convert(given[0].unmarked(), to)) return made->get_type();
        return to;
    };
    table.add(name, {{"v", type::dynamic(), true, true, true}}, returns, [to](arguments given) -> call_result<value> {
        auto made = convert(given[0], to);
        if (!made) return cannot_convert(given[0], to);
        return *std::move(made);
    });
}

}  // namespace

void add_conversion_functions(function_table& table)
{
    add_conversion(table, "tostring", type::string());
    add_conversion(table, "tonumber", type::number());
    add_conversion(table, "tobool", type::boolean());
    add_conversion(table, "tolist", type::list(type::dynamic()));
    add_conversion(table, "toset", type::set(type::dynamic()));
    add_conversion(table, "tomap", type::map(type::dynamic()));

    auto const same_type = [](arguments given) -> call_result<type> { return given[0].get_type(); };
    parameter const any{"value", type::dynamic(), true, true, true};
    table.add("sensitive", {any}, same_type,
        [](arguments given) -> call_result<value> { return given[0].with_marks(mark::sensitive); });
    table.add(
        "nonsensitive", {any}, same_type, [](arguments given) -> call_result<value> { return given[0].unmarked(); });
    table.add("issensitive", {any}, type::boolean(), [](arguments given) -> call_result<value> {
        // Whether an unknown value will be sensitive is not known either, unless it is so already.
        if (!given[0].is_sensitive() && given[0].is_unknown()) return value::unknown(type::boolean());
        return value(given[0].is_sensitive());
    });
    // No value is ephemeral yet, so all stay as they are.
    table.add("ephemeralasnull", {any}, same_type, [](arguments given) -> call_result<value> { return given[0]; });
}

}  // namespace iacctl::language::detail
