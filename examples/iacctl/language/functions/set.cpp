// SPDX-License-Identifier: BSL-1.0
#include "function_table.hpp"

#include <algorithm>

namespace iacctl::language::detail {

namespace {

[[nodiscard]] auto common_set(arguments given) -> call_result<type>
{
    std::vector<type> elements;
    for (auto const& one : given) {
        // An empty set of any type is compatible with all others.
        if (one.has_data() && one.size() == 0 && one.get_type().element().is_dynamic()) continue;
        elements.push_back(one.get_type().element());
    }
    if (elements.empty()) return type::set(type::dynamic());
    auto const common = unify(elements);
    if (!common) return call_failure("the elements of the sets have no common type");
    return type::set(*common);
}

/// \pre The set is wholly known.
[[nodiscard]] auto has(value const& set, value const& element) -> bool
{
    auto const same = std::ranges::equal_range(set.elements(), element, set_less);
    return std::ranges::find(same, element) != same.end();
}

enum class combination { united, common, without };

[[nodiscard]] auto combine(arguments given, combination c) -> call_result<value>
{
    auto const result = common_set(given);
    if (!result) return result.error();
    std::vector<value> sets;
    for (auto const& one : given) {
        auto made = converted(one, *result);
        if (!made) return made.error();
        sets.push_back(*std::move(made));
    }
    bool const known = std::ranges::all_of(sets, [](value const& s) { return s.wholly_known(); });
    if (!known && c != combination::united) return value::unknown(*result).refined_not_null();
    std::vector<value> elements(sets[0].elements().begin(), sets[0].elements().end());
    for (auto const& other : std::span(sets).subspan(1)) {
        if (c == combination::united) elements.insert(elements.end(), other.elements().begin(), other.elements().end());
        else std::erase_if(elements, [&](value const& v) { return has(other, v) != (c == combination::common); });
    }
    return value::set(result->element(), std::move(elements));
}

/// All combinations of one element of each set, in lexicographic order.
void multiply(arguments given, std::vector<value>& chosen, std::vector<value>& out)
{
    if (chosen.size() == given.size()) {
        out.push_back(value::tuple(chosen));
        return;
    }
    for (auto const& one : given[chosen.size()].elements()) {
        chosen.push_back(one);
        multiply(given, chosen, out);
        chosen.pop_back();
    }
}

[[nodiscard]] auto product_type(arguments given) -> call_result<type>
{
    if (given.size() < 2) return call_failure("at least two sets or lists are required");
    std::vector<type> elements;
    bool any_set = false;
    for (std::size_t i = 0; i < given.size(); ++i) {
        type const of = given[i].get_type();
        if (of.is_dynamic()) return of;
        any_set = any_set || of.is(type_kind::set);
        if (of.is(type_kind::set) || of.is(type_kind::list)) {
            elements.push_back(of.element());
        } else if (of.is(type_kind::tuple)) {
            auto const common = of.elements().empty() ? std::optional(type::dynamic())
                                                      : unify({of.elements().begin(), of.elements().end()});
            if (!common) return call_failure(i, "its elements have no common type");
            elements.push_back(*common);
        } else {
            return call_failure(i, "a list, set or tuple is required");
        }
    }
    type const tuple = type::tuple(std::move(elements));
    return any_set ? type::set(tuple) : type::list(tuple);
}

[[nodiscard]] auto product(arguments given) -> call_result<value>
{
    auto const result = product_type(given);
    if (!result) return result.error();
    std::vector<value> factors;
    mark marks = mark::none;
    std::size_t total = 1;
    bool known = true;
    for (std::size_t i = 0; i < given.size(); ++i) {
        marks |= given[i].marks();
        known = known && has_known_length(given[i]);
        // A set with an unknown element converts to an unknown list, but its elements are those of the product.
        bool const is_set = given[i].is(type_kind::set);
        auto const& element = result->element().elements()[i];
        auto made = converted(given[i], is_set ? type::set(element) : type::list(element));
        if (!made) return made.error();
        total *= std::max<std::size_t>(made->size(), 1);
        if (total > most_elements) return too_many();
        factors.push_back(*std::move(made));
    }
    if (!known) return value::unknown(*result).with_marks(marks);
    std::vector<value> chosen;
    std::vector<value> all;
    multiply(factors, chosen, all);
    return shaped(*result, std::move(all)).with_marks(marks);
}

}  // namespace

void add_set_functions(function_table& table)
{
    type const any_set = type::set(type::dynamic());
    auto const add = [&](std::string_view name, combination c) {
        return table.add(name, {{"first_set", any_set}}, common_set, [c](arguments given) { return combine(given, c); })
                   .variadic = parameter{"other_sets", any_set};
    };
    add("setunion", combination::united);
    add("setintersection", combination::common);
    table.add("setsubtract", {{"a", any_set}, {"b", any_set}}, common_set,
        [](arguments given) { return combine(given, combination::without); });
    table.add("setproduct", {}, product_type, product).variadic =
        parameter{"sets", type::dynamic(), false, false, true};
}

}  // namespace iacctl::language::detail
