// SPDX-License-Identifier: BSL-1.0
#include "schema.hpp"

#include "body_reader.hpp"
#include "convert.hpp"

#include <algorithm>

namespace iacctl::language {

schema_attribute const* schema::find(std::string_view name) const noexcept
{
    auto const found = std::ranges::find(attributes, name, &schema_attribute::name);
    return found == attributes.end() ? nullptr : &*found;
}

type schema::object_type() const
{
    std::vector<type_attribute> all;
    for (auto const& one : attributes) all.push_back({one.name, one.of, false});
    return type::object(std::move(all));
}

void check_body(body const& of, schema const& wanted, diagnostics& found)
{
    body_shape shape;
    for (auto const& one : wanted.attributes) shape.arguments.push_back({one.name, one.required});
    check_body(of, shape, found);
    for (auto const& one : of.attributes) {
        auto const* const known = wanted.find(one.name);
        if (known && known->computed && !known->optional && !known->required)
            found.add(error("Value for unconfigurable attribute",
                "Can't configure a value for \"" + known->name
                    + "\": its value will be decided automatically based on the result of applying this configuration.",
                one.of.range(), one.range));
    }
}

value evaluate_body(body const& of, schema const& wanted, scope const& in, diagnostics& found)
{
    std::vector<value_entry> made;
    made.reserve(wanted.attributes.size());
    for (auto const& one : wanted.attributes) {
        auto const* const given = of.find(one.name);
        if (!given) {
            made.push_back({one.name, value::null(one.of)});
            continue;
        }
        auto const before = found.error_count();
        auto result = evaluate(given->of, in, found);
        if (found.error_count() == before) {
            auto converted = convert(result, one.of);
            if (converted) {
                made.push_back({one.name, *std::move(converted)});
                continue;
            }
            auto wrong = error("Incorrect attribute value type",
                "Inappropriate value for attribute \"" + one.name + "\": " + converted.error().text() + ".",
                given->of.range(), {given->range.file, between(given->name_range.bytes, given->of.range().bytes)});
            wrong.notes = value_notes(given->of, in);
            found.add(std::move(wrong));
        }
        made.push_back({one.name, value::unknown(one.of)});
    }
    return value::object(std::move(made));
}

}  // namespace iacctl::language
