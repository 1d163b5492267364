// SPDX-License-Identifier: BSL-1.0
#include "repetition.hpp"

#include "language/values/convert.hpp"

#include <limits>

namespace iacctl::language {

namespace {

constexpr auto for_each_target = "Alternatively, you could use the -target planning option to first apply only the "
                                 "resources that the for_each value "
                                 "depends on, and then apply a second time to fully converge.";

void refuse(expression const& of, scope const& in, char const* summary, std::string detail, note_options notes,
    diagnostics& found)
{
    auto wrong = error(summary, std::move(detail), of.range());
    wrong.notes = value_notes(of, in, notes);
    found.add(std::move(wrong));
}

/// Reports a `count` or `for_each` that is ephemeral, and so cannot decide which objects exist.
[[nodiscard]] bool refuse_ephemeral_count(expression const& of, value const& given, diagnostics& found)
{
    if (!given.has_deep(mark::ephemeral)) return false;
    found.add(error("Invalid count argument",
        "The given \"count\" is derived from an ephemeral value, which means that Terraform cannot persist it between "
        "plan/apply rounds. Use only non-ephemeral values to specify the number of resource instances.",
        of.range()));
    return true;
}

[[nodiscard]] bool refuse_ephemeral_for_each(
    expression const& of, value const& given, scope const& in, diagnostics& found)
{
    // Values of a map may be ephemeral; only its keys are kept.
    if (!given.is_ephemeral()) return false;
    refuse(of, in, "Invalid for_each argument",
        "The given \"for_each\" value is derived from an ephemeral value, which means that Terraform cannot persist it "
        "between plan/apply rounds. Use only non-ephemeral values to specify a resource's instance keys.",
        {false, false, true}, found);
    return true;
}

}  // namespace

std::optional<std::size_t> evaluate_count(
    expression const& of, scope const& in, diagnostics& found, unknown_values unknown)
{
    auto const before = found.error_count();
    auto const given = evaluate(of, in, found);
    if (found.error_count() > before) return std::nullopt;
    auto const wrong = [&](std::string detail) {
        found.add(error("Invalid count argument", std::move(detail), of.range()));
        return std::nullopt;
    };
    auto const unsuitable = [&](std::string const& why) {
        return wrong("The given \"count\" argument value is unsuitable: " + why + ".");
    };
    if (refuse_ephemeral_count(of, given, found)) return std::nullopt;
    if (given.is_null()) return wrong("The given \"count\" argument value is null. An integer is required.");
    auto const converted = convert(given.unmarked(), type::number());
    if (!converted) {
        auto unfit =
            error("Incorrect value type", "Invalid expression value: " + converted.error().text() + ".", of.range());
        unfit.notes = value_notes(of, in);
        found.add(std::move(unfit));
        return std::nullopt;
    }
    if (converted->is_unknown() && unknown == unknown_values::allowed) return std::nullopt;
    if (converted->is_unknown())
        return wrong(
            "The \"count\" value depends on resource attributes that cannot be determined until apply, so "
            "Terraform cannot predict how many instances will be created. To work around this, use the -target "
            "argument to first apply only the resources that the count depends on.");
    auto const whole = converted->as_number().as_int64();
    if (!whole) return unsuitable("value must be a whole number, between -9223372036854775808 and 9223372036854775807");
    if (*whole < 0) return unsuitable("must be greater than or equal to zero");
    if (*whole > std::numeric_limits<std::int32_t>::max())
        return unsuitable("must be less than or equal to 2147483647");
    return static_cast<std::size_t>(*whole);
}

std::optional<std::vector<value_entry>> evaluate_for_each(
    expression const& of, scope const& in, diagnostics& found, unknown_values unknown)
{
    auto const before = found.error_count();
    auto const given = evaluate(of, in, found);
    if (found.error_count() > before) return std::nullopt;
    auto const wrong = [&](std::string detail, note_options notes = {}) {
        refuse(of, in, "Invalid for_each argument", std::move(detail), notes, found);
        return std::nullopt;
    };
    auto const unsuitable = [&](std::string const& why) {
        return wrong("The given \"for_each\" argument value is unsuitable: " + why);
    };
    if (refuse_ephemeral_for_each(of, given, in, found)) return std::nullopt;
    bool const is_set = given.is(type_kind::set);
    if (given.is_sensitive() || (is_set && given.has_deep(mark::sensitive)))
        return wrong(
            "Sensitive values, or values derived from sensitive values, cannot be used as for_each arguments. If "
            "used, the sensitive value could be exposed as a resource instance key.",
            {false, true, false});
    if (given.is_null())
        return unsuitable("the given \"for_each\" argument value is null. A map, or set of strings is allowed.");
    bool const is_map = given.is(type_kind::map) || given.is(type_kind::object);
    bool const fits = is_map || is_set || given.is(type_kind::dynamic);
    bool const keys_known = is_set ? given.wholly_known() : given.is_known();
    if (fits && !keys_known && unknown == unknown_values::allowed) return std::nullopt;
    if (given.is_unknown() && (is_map || given.is(type_kind::dynamic)))
        return wrong(std::string("The \"for_each\" map includes keys derived from resource attributes that cannot be "
                                 "determined until apply, and so Terraform cannot determine the full set of keys that "
                                 "will identify the instances of this resource.\n\nWhen working with unknown values in "
                                 "for_each, it's better to define the map keys statically in your configuration and "
                                 "place apply-time results only in the map values.\n\n")
                + for_each_target,
            {true, false, false});
    if (!is_set && !is_map)
        return unsuitable(
            "the \"for_each\" argument must be a map, or set of strings, and you have provided a value of "
            "type "
            + given.get_type().friendly_name() + ".");
    if (is_set && !given.wholly_known())
        return wrong(std::string("The \"for_each\" set includes values derived from resource attributes that cannot be "
                                 "determined until apply, and so Terraform cannot determine the full set of keys that "
                                 "will identify the instances of this resource.\n\nWhen working with unknown values in "
                                 "for_each, it's better to use a map value where the keys are defined statically in "
                                 "your configuration and where only the values contain apply-time results.\n\n")
                + for_each_target,
            {true, false, false});
    if (is_map) return std::vector<value_entry>(given.entries().begin(), given.entries().end());
    auto const unsuitable_set = [&](std::string const& why) {
        refuse(of, in, "Invalid for_each set argument", "The given \"for_each\" argument value is unsuitable: " + why,
            {}, found);
        return std::nullopt;
    };
    type const element = given.get_type().element();
    if (!element.is(type_kind::string) && !(given.size() == 0 && element.is_dynamic()))
        return unsuitable_set(
            "\"for_each\" supports maps and sets of strings, but you have provided a set containing type "
            + element.friendly_name() + ".");
    std::vector<value_entry> made;
    for (auto const& one : given.elements()) {
        if (one.is_null()) return unsuitable_set("\"for_each\" sets must not contain null values.");
        made.push_back({one.as_string(), one});
    }
    return made;
}

}  // namespace iacctl::language
