// SPDX-License-Identifier: BSL-1.0
#include "schema_values.hpp"

#include "language/values/parts.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::language {

namespace {

/// A change of the values of some attributes, wherever they occur in the schema of an object.
struct attribute_change {
    bool (*concerns)(schema_attribute const&);
    value (*change)(value const&);

    /// Returns whether a schema has such attributes.
    [[nodiscard]] auto reaches(schema const& of) const -> bool
    {
        return std::ranges::any_of(of.attributes, [&](auto const& one) {
            return concerns(one) || (one.nested && reaches(*one.nested->content));
        }) || std::ranges::any_of(of.blocks, [&](auto const& one) { return reaches(*one.content); });
    }

    /// Returns whether an object has such attributes; nested ones only if there is a nested object.
    [[nodiscard]] auto reaches(value const& of, schema const& described_by) const -> bool
    {
        auto const is_there = [&](std::string const& name) {
            auto const* const part = of.find(name);
            return part != nullptr && !part->is_null();
        };
        return std::ranges::any_of(described_by.attributes, [&](auto const& one) {
            return concerns(one) || (one.nested && is_there(one.name) && reaches(*one.nested->content));
        }) || std::ranges::any_of(described_by.blocks, [&](auto const& one) {
            return is_there(one.name) && reaches(*one.content);
        });
    }

    [[nodiscard]] auto of_object(value const& of, schema const& described_by) const -> value
    {
        if (!of.is(type_kind::object) || !reaches(of, described_by)) return of;
        return with_parts(of, [&](value const& part, std::size_t position) {
            auto const& name = of.entries()[position].key;
            if (auto const* const attribute = described_by.find(name)) {
                if (concerns(*attribute)) return change(part);
                auto const& nested = attribute->nested;
                return nested ? of_collection(part, nested->how, *nested->content) : part;
            }
            auto const* const block = described_by.find_block(name);
            return block ? of_collection(part, block->how, *block->content) : part;
        });
    }

    [[nodiscard]] auto of_collection(value const& of, nesting how, schema const& described_by) const -> value
    {
        if (how == nesting::single || how == nesting::group) return of_object(of, described_by);
        return with_parts(of, [&](value const& part, std::size_t) { return of_object(part, described_by); });
    }
};

}  // namespace

auto with_sensitive_marks(value const& of, schema const& described_by) -> value
{
    attribute_change const marking{[](schema_attribute const& one) { return one.sensitive; },
        [](value const& part) { return part.with_marks(mark::sensitive); }};
    return marking.of_object(of, described_by);
}

auto without_write_only(value const& of, schema const& described_by) -> value
{
    attribute_change const removal{[](schema_attribute const& one) { return one.write_only; },
        [](value const& part) { return value::null(part.get_type()); }};
    return removal.of_object(of, described_by);
}

auto without_left_out(value const& of, schema const& described_by) -> value
{
    auto const is_left_out = [&](schema_block const& one) {
        auto const* const part = one.left_out_if_null ? of.find(one.name) : nullptr;
        return part != nullptr && part->is_null();
    };
    if (std::ranges::none_of(described_by.blocks, is_left_out)) return of;
    std::vector<value_entry> kept;
    kept.reserve(of.entries().size());
    for (value_entry const& one : of.entries()) {
        auto const* const block = described_by.find_block(one.key);
        if (block == nullptr || !is_left_out(*block)) kept.push_back(one);
    }
    return value::object(std::move(kept)).with_marks(of.marks());
}

auto with_left_out(value const& of, schema const& described_by) -> value
{
    if (!of.has_data() || !of.is(type_kind::object)) return of;
    auto const is_missing = [&](schema_block const& one) {
        return one.left_out_if_null && of.find(one.name) == nullptr;
    };
    if (std::ranges::none_of(described_by.blocks, is_missing)) return of;
    std::vector<value_entry> all(of.entries().begin(), of.entries().end());
    for (schema_block const& one : described_by.blocks)
        if (is_missing(one)) all.push_back({one.name, value::null(one.attribute_type())});
    return value::object(std::move(all)).with_marks(of.marks());
}

}  // namespace iacctl::language
