// SPDX-License-Identifier: BSL-1.0
#include "repetition.hpp"

#include "language/values/convert.hpp"
#include "messages/evaluation.hpp"

#include <limits>

namespace iacctl::language {

namespace {

/// Adds an error, with notes about the values in an expression.
void refuse(diagnostic wrong, expression const& e, scope const& in, note_options notes, diagnostics& found)
{
    wrong.source.notes = value_notes(e, in, notes);
    found.add(std::move(wrong));
}

/// Reports a `count` or `for_each` that is ephemeral, and thus cannot determine the existing objects.
[[nodiscard]] auto refuse_ephemeral_count(expression const& e, value const& given, diagnostics& found) -> bool
{
    if (!given.has_deep(mark::ephemeral)) return false;
    found.add(error(messages::count_ephemeral, e.range()));
    return true;
}

[[nodiscard]] auto refuse_ephemeral_for_each(
    expression const& e, value const& given, scope const& in, diagnostics& found) -> bool
{
    // The values of a map may be ephemeral; only its keys are stored.
    if (!given.is_ephemeral()) return false;
    refuse(error(messages::for_each_ephemeral, e.range()), e, in, {false, false, true}, found);
    return true;
}

}  // namespace

auto evaluate_count(expression const& e, scope const& in, diagnostics& found, unknown_values unknown)
    -> std::optional<std::size_t>
{
    auto const before = found.error_count();
    auto const given = evaluate(e, in, found);
    if (found.error_count() > before) return std::nullopt;
    auto const wrong = [&](messages::message<0> const& why) {
        found.add(error(why, e.range()));
        return std::nullopt;
    };
    if (refuse_ephemeral_count(e, given, found)) return std::nullopt;
    if (given.is_null()) return wrong(messages::count_null);
    auto const converted = convert(given.unmarked(), type::number());
    if (!converted) {
        refuse(error(messages::count_wrong_type, {converted.error().text()}, e.range()), e, in, {}, found);
        return std::nullopt;
    }
    if (converted->is_unknown() && unknown == unknown_values::allowed) return std::nullopt;
    if (converted->is_unknown()) return wrong(messages::count_unknown);
    auto const whole = converted->as_number().as_int64();
    if (!whole) return wrong(messages::count_fractional);
    if (*whole < 0) return wrong(messages::count_negative);
    if (*whole > std::numeric_limits<std::int32_t>::max()) return wrong(messages::count_too_large);
    return static_cast<std::size_t>(*whole);
}

auto evaluate_enabled(expression const& e, scope const& in, diagnostics& found, unknown_values unknown)
    -> std::optional<bool>
{
    auto const before = found.error_count();
    auto const given = evaluate(e, in, found);
    if (found.error_count() > before) return std::nullopt;
    auto const wrong = [&](diagnostic why) {
        refuse(std::move(why), e, in, {}, found);
        return std::nullopt;
    };
    if (given.has_deep(mark::ephemeral)) return wrong(error(messages::enabled_ephemeral, e.range()));
    if (given.has_deep(mark::sensitive)) return wrong(error(messages::enabled_sensitive, e.range()));
    if (given.is_null()) return wrong(error(messages::enabled_null, e.range()));
    auto const converted = convert(given, type::boolean());
    if (!converted) return wrong(error(messages::enabled_wrong_type, {converted.error().text()}, e.range()));
    if (converted->is_unknown() && unknown == unknown_values::allowed) return std::nullopt;
    if (converted->is_unknown()) return wrong(error(messages::enabled_unknown, e.range()));
    return converted->as_bool();
}

auto evaluate_for_each(expression const& e, scope const& in, diagnostics& found, unknown_values unknown)
    -> std::optional<std::vector<value_entry>>
{
    auto const before = found.error_count();
    auto const given = evaluate(e, in, found);
    if (found.error_count() > before) return std::nullopt;
    auto const wrong = [&](diagnostic why, note_options notes = {}) {
        refuse(std::move(why), e, in, notes, found);
        return std::nullopt;
    };
    if (refuse_ephemeral_for_each(e, given, in, found)) return std::nullopt;
    bool const is_set = given.is(type_kind::set);
    if (given.is_sensitive() || (is_set && given.has_deep(mark::sensitive)))
        return wrong(error(messages::for_each_sensitive, e.range()), {false, true, false});
    if (given.is_null()) return wrong(error(messages::for_each_null, e.range()));
    bool const is_map = given.is(type_kind::map) || given.is(type_kind::object);
    bool const fits = is_map || is_set || given.is(type_kind::dynamic);
    bool const keys_known = is_set ? given.wholly_known() : given.is_known();
    if (fits && !keys_known && unknown == unknown_values::allowed) return std::nullopt;
    if (given.is_unknown() && (is_map || given.is(type_kind::dynamic)))
        return wrong(error(messages::for_each_map_unknown, e.range()), {true, false, false});
    if (!is_set && !is_map) {
        bool const has_elements = given.is(type_kind::tuple) || given.is(type_kind::list);
        std::string_view const way = has_elements ? " toset(...) makes a set of a list of strings." : "";
        return wrong(error(messages::for_each_wrong_type, {given.get_type().friendly_name(), way}, e.range()));
    }
    if (is_set && !given.wholly_known())
        return wrong(error(messages::for_each_set_unknown, e.range()), {true, false, false});
    if (is_map) return std::vector<value_entry>(given.entries().begin(), given.entries().end());
    type const element = given.get_type().element();
    if (!element.is(type_kind::string) && !(given.size() == 0 && element.is_dynamic()))
        return wrong(error(messages::for_each_set_of_others, {element.friendly_name()}, e.range()));
    std::vector<value_entry> made;
    for (auto const& one : given.elements()) {
        if (one.is_null()) return wrong(error(messages::for_each_set_with_null, e.range()));
        made.push_back({one.as_string(), one});
    }
    return made;
}

}  // namespace iacctl::language
