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
    [[nodiscard]] auto reaches(schema const& s) const -> bool
    {
        return std::ranges::any_of(s.attributes, [&](auto const& element) {
            return concerns(element) || (element.nested && reaches(*element.nested->content));
        }) || std::ranges::any_of(s.blocks, [&](auto const& item) { return reaches(*item.content); });
    }

    /// Returns whether an object has such attributes; nested ones only if there is a nested object.
    [[nodiscard]] auto reaches(value const& v, schema const& described_by) const -> bool
    {
        auto const is_there = [&](std::string const& name) {
            auto const* const part = v.find(name);
            return part != nullptr && !part->is_null();
        };
        return std::ranges::any_of(described_by.attributes, [&](auto const& element) {
            return concerns(element) || (element.nested && is_there(element.name) && reaches(*element.nested->content));
        }) || std::ranges::any_of(described_by.blocks, [&](auto const& item) {
            return is_there(item.name) && reaches(*item.content);
        });
    }

    [[nodiscard]] auto of_object(value const& v, schema const& described_by) const -> value
    {
        if (!v.is(type_kind::object) || !reaches(v, described_by)) return v;
        return with_parts(v, [&](value const& part, std::size_t position) {
            auto const& name = v.entries()[position].key;
            if (auto const* const attribute = described_by.find(name)) {
                if (concerns(*attribute)) return change(part);
                auto const& nested = attribute->nested;
                return nested ? of_collection(part, nested->how, *nested->content) : part;
            }
            auto const* const block = described_by.find_block(name);
            return block ? of_collection(part, block->how, *block->content) : part;
        });
    }

    [[nodiscard]] auto of_collection(value const& v, nesting n, schema const& described_by) const -> value
    {
        if (n == nesting::single || n == nesting::group) return of_object(v, described_by);
        return with_parts(v, [&](value const& part, std::size_t) { return of_object(part, described_by); });
    }
};

}  // namespace

auto with_sensitive_marks(value const& v, schema const& described_by) -> value
{
    attribute_change const marking{[](schema_attribute const& attribute) { return attribute.sensitive; },
        [](value const& part) { return part.with_marks(mark::sensitive); }};
    return marking.of_object(v, described_by);
}

auto without_write_only(value const& v, schema const& described_by) -> value
{
    attribute_change const removal{[](schema_attribute const& attribute) { return attribute.write_only; },
        [](value const& part) { return value::null(part.get_type()); }};
    return removal.of_object(v, described_by);
}

auto without_left_out(value const& v, schema const& described_by) -> value
{
    auto const is_left_out = [&](schema_block const& sb) {
        auto const* const part = sb.left_out_if_null ? v.find(sb.name) : nullptr;
        return part != nullptr && part->is_null();
    };
    if (std::ranges::none_of(described_by.blocks, is_left_out)) return v;
    std::vector<value_entry> kept;
    kept.reserve(v.entries().size());
    for (value_entry const& one : v.entries()) {
        auto const* const block = described_by.find_block(one.key);
        if (block == nullptr || !is_left_out(*block)) kept.push_back(one);
    }
    return value::object(std::move(kept)).with_marks(v.marks());
}

auto with_left_out(value const& v, schema const& described_by) -> value
{
    if (!v.has_data() || !v.is(type_kind::object)) return v;
    auto const is_missing = [&](schema_block const& block) {
        return block.left_out_if_null && v.find(block.name) == nullptr;
    };
    if (std::ranges::none_of(described_by.blocks, is_missing)) return v;
    std::vector<value_entry> all(v.entries().begin(), v.entries().end());
    for (schema_block const& one : described_by.blocks)
        if (is_missing(one)) all.push_back({one.name, value::null(one.attribute_type())});
    return value::object(std::move(all)).with_marks(v.marks());
}

}  // namespace iacctl::language
