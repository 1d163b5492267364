// SPDX-License-Identifier: BSL-1.0
#include "function_table.hpp"

#include <array>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] auto cannot_convert(value const& v, type const& to) -> call_failure
{
    type const from = v.get_type();
    if (from.is(type_kind::string) && (to.is(type_kind::boolean) || to.is(type_kind::number))) {
        std::string const what = v.marks() != mark::none || !v.has_data() ? "this string" : to_json(v);
        if (to.is(type_kind::boolean)) return {0, what + " is neither \"true\" nor \"false\""};
        return {0, what + " is not a decimal number"};
    }
    return {0, "a value of type " + from.friendly_name() + " does not convert to " + to.constraint_name()};
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

namespace {

/// The value with null instead of ephemeral parts, and unknown if that is not known.
[[nodiscard]] auto without_ephemeral(value const& v) -> value
{
    if (!v.has_deep(mark::ephemeral)) return v;
    auto const others = v.marks() & mark::sensitive;
    if (v.is_ephemeral())
        return (v.is_unknown() ? value::unknown(v.get_type()) : value::null(v.get_type())).with_marks(others);
    if (!v.entries().empty()) {
        std::vector<value_entry> entries;
        for (auto const& [key, one] : v.entries()) entries.push_back({key, without_ephemeral(one)});
        auto made = v.is(type_kind::map) ? value::map(v.get_type().element(), std::move(entries))
                                         : value::object(std::move(entries));
        return made.with_marks(others);
    }
    std::vector<value> elements;
    for (auto const& one : v.elements()) elements.push_back(without_ephemeral(one));
    auto made = v.is(type_kind::tuple) ? value::tuple(std::move(elements))
                                       : value::list(v.get_type().element(), std::move(elements));
    return made.with_marks(others);
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

    // The evaluator converts, since the second argument is not a value.
    table.add("convert", {{"value", type::dynamic(), true, true, true}, {"type", type::dynamic()}}, type::dynamic(),
        [](arguments) -> call_result<value> { return call_failure("the type is not a type expression"); });

    auto const same_type = [](arguments given) -> call_result<type> { return given[0].get_type(); };
    parameter const any{"value", type::dynamic(), true, true, true};
    table.add("sensitive", {any}, same_type,
        [](arguments given) -> call_result<value> { return given[0].with_marks(mark::sensitive); });
    table.add("nonsensitive", {any}, same_type, [](arguments given) -> call_result<value> {
        return given[0].unmarked().with_marks(given[0].marks() & mark::ephemeral);
    });
    table.add("issensitive", {any}, type::boolean(), [](arguments given) -> call_result<value> {
        // It is also unknown whether an unknown value will be sensitive, unless it is already.
        if (!given[0].is_sensitive() && given[0].is_unknown()) return value::unknown(type::boolean());
        return value(given[0].is_sensitive());
    });
    table.add("ephemeralasnull", {any}, same_type,
        [](arguments given) -> call_result<value> { return without_ephemeral(given[0]); });
}

}  // namespace iacctl::language::detail
