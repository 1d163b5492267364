// SPDX-License-Identifier: BSL-1.0
#include "proposed_new.hpp"

#include "language/values/parts.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::plugin {

namespace {

using language::nesting;
using language::schema;
using language::schema_attribute;
using language::schema_block;
using language::type;
using language::type_kind;
using language::value;
using language::value_entry;

// An attribute of an object; if the object is null or unknown, so is the attribute.
[[nodiscard]] auto member(value const& v, std::string_view name, type const& declared) -> value
{
    if (v.is_unknown()) return value::unknown(declared);
    value const* const found = v.find(name);
    return found ? *found : value::null(declared);
}

// The same for the blocks of a type. If there are none, the result has no type of its own, since that is slow to
// construct.
[[nodiscard]] auto blocks(value const& v, schema_block const& block) -> value
{
    if (v.is_unknown()) return value::unknown();
    value const* const found = v.find(block.name);
    return found ? *found : value();
}

// The part of a collection that corresponds to the one at a position in another collection; null if there is none.
[[nodiscard]] auto counterpart(value const& in, value const& other, std::size_t position) -> value const*
{
    if (!other.entries().empty()) return in.find(other.entries()[position].key);
    return position < in.elements().size() ? &in.elements()[position] : nullptr;
}

// Returns whether something inside nested attributes was configured: it has a value and is not computed.
[[nodiscard]] auto holds_configured(language::nested_attributes const& are, value const& v) -> bool
{
    auto const one = [&](value const& object) {
        return std::ranges::any_of(are.content->attributes, [&](schema_attribute const& inner) {
            value const* const set = object.find(inner.name);
            if (!set || set->is_null()) return false;
            return !inner.computed || (inner.nested && holds_configured(*inner.nested, *set));
        });
    };
    if (are.how == nesting::single) return one(v);
    return std::ranges::any_of(v.elements(), one) || std::ranges::any_of(v.entries(), one, &value_entry::of);
}

[[nodiscard]] auto could_come_from(schema const& content, value const& prior, value const& configured) -> bool;

// The same for the content of an attribute or of the blocks of a type.
[[nodiscard]] auto could_come_from(nesting n, schema const& content, value const& prior, value const& configured)
    -> bool
{
    if (n == nesting::single || n == nesting::group) return could_come_from(content, prior, configured);
    std::size_t position = 0;
    auto const same = [&](value const& part) {
        if (configured.is_unknown()) return could_come_from(content, part, configured);
        value const* const other = counterpart(configured, prior, position++);
        return other && could_come_from(content, part, *other);
    };
    return std::ranges::all_of(prior.elements(), same) && std::ranges::all_of(prior.entries(), same, &value_entry::of);
}

// Returns whether a prior object can result from a configured one: they differ only in computed values that are not
// configured.
[[nodiscard]] auto could_come_from(schema const& content, value const& prior, value const& configured) -> bool
{
    if (!prior.has_data() || prior == configured) return true;
    if (configured.is_null()) return false;
    return std::ranges::all_of(content.attributes, [&](schema_attribute const& attribute) {
        value const was = member(prior, attribute.name, attribute.of);
        value const now = member(configured, attribute.name, attribute.of);
        if (was == now) return true;
        if (now.is(type_kind::set)) return false;  // elements of sets have no counterparts
        if (attribute.nested) return could_come_from(attribute.nested->how, *attribute.nested->content, was, now);
        return attribute.computed && now.is_null();
    }) && std::ranges::all_of(content.blocks, [&](schema_block const& block) {
        value const was = blocks(prior, block);
        value const now = blocks(configured, block);
        return was == now || (block.how != nesting::set && could_come_from(block.how, *block.content, was, now));
    });
}

[[nodiscard]] auto merged(schema const& content, value const& prior, value const& configured) -> value;

// Merges each element of a set with the first remaining prior element that can result from it.
[[nodiscard]] auto merged_set(schema const& content, value const& prior, value const& configured) -> value
{
    std::vector<value const*> left;
    for (value const& one : prior.elements()) left.push_back(&one);
    return language::with_parts(configured, [&](value const& part, std::size_t) {
        auto const found =
            std::ranges::find_if(left, [&](value const* v) { return could_come_from(content, *v, part); });
        if (found == left.end()) return merged(content, value(), part);
        value const was = **found;
        left.erase(found);
        return merged(content, was, part);
    });
}

// Merges the content of an attribute, or of the blocks of a type.
[[nodiscard]] auto merged(nesting n, schema const& content, value const& prior, value const& configured) -> value
{
    if (configured.is_unknown()) return configured;
    if (configured.is_null()) return n == nesting::group && prior.has_data() ? prior : configured;
    if (n == nesting::single || n == nesting::group) return merged(content, prior, configured);
    if (n == nesting::set) return merged_set(content, prior, configured);
    return language::with_parts(configured, [&](value const& part, std::size_t position) {
        if (prior.is_unknown()) return merged(content, prior, part);
        value const* const was = counterpart(prior, configured, position);
        return was ? merged(content, *was, part) : part;
    });
}

[[nodiscard]] auto merged(schema_attribute const& attribute, value const& prior, value const& configured) -> value
{
    if (attribute.computed && configured.is_null()) {
        bool const was_configured =
            attribute.optional && attribute.nested && holds_configured(*attribute.nested, prior);
        return was_configured ? configured : prior;
    }
    return attribute.nested ? merged(attribute.nested->how, *attribute.nested->content, prior, configured) : configured;
}

// Merges one object.
[[nodiscard]] auto merged(schema const& content, value const& prior, value const& configured) -> value
{
    if (configured.is_null()) return configured;
    std::vector<value_entry> entries;
    entries.reserve(content.attributes.size() + content.blocks.size());
    for (schema_attribute const& one : content.attributes)
        entries.push_back(
            {one.name, merged(one, member(prior, one.name, one.of), member(configured, one.name, one.of))});
    for (schema_block const& one : content.blocks)
        entries.push_back({one.name, merged(one.how, *one.content, blocks(prior, one), blocks(configured, one))});
    return value::object(std::move(entries));
}

[[nodiscard]] auto opened(schema_block const& block, value const& configured) -> value
{
    if (!configured.has_data()) return configured;
    bool const single = block.how == nesting::single || block.how == nesting::group;
    if (block.computed && !single && configured.size() == 0) return value::null(configured.get_type());
    if (!block.content->has_computed_blocks()) return configured;
    if (single) return with_open_blocks(*block.content, configured);
    return language::with_parts(
        configured, [&](value const& part, std::size_t) { return with_open_blocks(*block.content, part); });
}

}  // namespace

auto with_open_blocks(schema const& described_by, value const& configured) -> value
{
    if (!configured.has_data() || !described_by.has_computed_blocks()) return configured;
    std::vector<value_entry> entries(configured.entries().begin(), configured.entries().end());
    for (value_entry& e : entries)
        if (schema_block const* const one = described_by.find_block(e.key)) e.of = opened(*one, e.of);
    return value::object(std::move(entries));
}

auto proposed_new(schema const& described_by, value const& prior, value const& configured) -> value
{
    return configured.has_data() ? merged(described_by, prior, configured) : prior;
}

auto planned_data(schema const& described_by, value const& configured) -> value
{
    return proposed_new(described_by, value::unknown(), configured);
}

}  // namespace iacctl::plugin
