// SPDX-License-Identifier: BSL-1.0
#include "schema.hpp"

#include "base/in_quotes.hpp"
#include "base/suggestion.hpp"
#include "language/evaluation/body_reader.hpp"
#include "language/evaluation/evaluate.hpp"
#include "language/evaluation/operations.hpp"
#include "language/values/convert.hpp"
#include "messages/validation.hpp"
#include "nested_blocks.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace iacctl::language {

namespace {

/// An argument that is null is equivalent to a missing one.
[[nodiscard]] auto is_null(expression const& e) -> bool
{
    return e && e.node().kind == syntax::node_kind::literal
        && syntax::as<syntax::literal>(e.node()).constant().is_null();
}

}  // namespace

namespace {

[[nodiscard]] auto collected(nesting n, type t) -> type
{
    switch (n) {
    case nesting::list: return type::list(std::move(t));
    case nesting::set: return type::set(std::move(t));
    case nesting::map: return type::map(std::move(t));
    case nesting::single:
    case nesting::group: break;
    }
    return t;
}

}  // namespace

void schema_attribute::nest(nesting n, std::shared_ptr<schema const> content)
{
    std::vector<type_attribute> configured;
    for (schema_attribute const& one : content->attributes)
        configured.push_back({one.name, one.nested ? one.nested->configured : one.of, one.optional || one.computed});
    of = collected(n, content->object_type());
    nested = {n, std::move(content), collected(n, type::object(std::move(configured)))};
}

auto schema_attribute::has_sensitive() const noexcept -> bool
{
    return sensitive || (nested && std::ranges::any_of(nested->content->attributes, &schema_attribute::has_sensitive));
}

auto schema::find(std::string_view name) const noexcept -> schema_attribute const*
{
    auto const found = std::ranges::find(attributes, name, &schema_attribute::name);
    return found == attributes.end() ? nullptr : &*found;
}

auto schema::find_block(std::string_view name) const noexcept -> schema_block const*
{
    auto const found = std::ranges::find(blocks, name, &schema_block::name);
    return found == blocks.end() ? nullptr : &*found;
}

auto schema::has_computed_blocks() const noexcept -> bool
{
    return std::ranges::any_of(
        blocks, [](schema_block const& block) { return block.computed || block.content->has_computed_blocks(); });
}

auto schema::object_type() const -> type
{
    std::vector<type_attribute> all;
    for (auto const& one : attributes) all.push_back({one.name, one.of, false});
    for (auto const& one : blocks) all.push_back({one.name, one.attribute_type(), false});
    return type::object(std::move(all));
}

auto lazy_type::get(schema const& s) const -> type
{
    if (auto const known = made_.load()) return *known;
    auto const made = std::make_shared<type const>(s.object_type());
    made_.store(made);
    return *made;
}

auto schema_block::attribute_type() const -> type
{
    type const one = object_type();
    switch (how) {
    case nesting::single:
    case nesting::group: return one;
    // If attributes may have any type, each block may have another type.
    case nesting::list: return one.has_dynamic() ? type::dynamic() : type::list(one);
    case nesting::set: return type::set(one.has_dynamic() ? type::dynamic() : one);
    case nesting::map: return one.has_dynamic() ? type::dynamic() : type::map(one);
    }
    return type::dynamic();
}

void check_body(
    body const& given, schema const& desired, diagnostics& found, std::span<std::string_view const> reserved)
{
    body holder;
    auto const& of = detail::with_blocks(given, desired, holder, found);
    body_shape shape;
    shape.reserved = reserved;
    shape.arguments.reserve(desired.attributes.size());
    for (auto const& one : desired.attributes) shape.arguments.push_back({one.name, one.required});
    for (auto const& one : desired.blocks) {
        shape.blocks.push_back({one.name, {}});
        if (one.how == nesting::map) shape.blocks.back().labels.emplace_back("key");
    }
    body static_part;
    auto const is_dynamic = [](block const& b) { return b.type == "dynamic"; };
    bool const expanding = std::ranges::any_of(of.blocks, is_dynamic);
    if (expanding) {
        static_part = of;
        std::erase_if(static_part.blocks, is_dynamic);
    }
    check_body(expanding ? static_part : of, shape, found);
    for (auto const& one : of.attributes) {
        auto const* const known = desired.validated_by_provider ? nullptr : desired.find(one.name);
        if (!known || !known->computed || known->optional || known->required || is_null(one.of)) continue;
        if (desired.built_in) found.add(error(messages::builtin_attribute_read_only, {known->name}));
        else found.add(error(messages::computed_attribute_set, {known->name}, one.of.range(), one.range));
    }
    detail::check_nested_blocks(of, desired, found);
}

auto evaluate_body(body const& given_body, schema const& desired, scope const& in, diagnostics& found) -> value
{
    body holder;
    diagnostics reported;
    auto const& of = detail::with_blocks(given_body, desired, holder, reported);
    std::vector<value_entry> made;
    made.reserve(desired.attributes.size() + desired.blocks.size());
    auto const add = [&](std::string const& name, value&& of_it) {
        auto& entry = made.emplace_back();
        entry.key = name;
        entry.of = std::move(of_it);
    };
    for (auto const& one : desired.attributes) {
        auto const* const given = of.find(one.name);
        if (!given) {
            add(one.name, value::null(one.of));
            continue;
        }
        auto const before = found.error_count();
        auto result = evaluate(given->of, in, found);
        if (found.error_count() == before) {
            auto converted = convert(result, one.nested ? one.nested->configured : one.of);
            if (converted) {
                add(one.name, *std::move(converted));
                continue;
            }
            auto wrong = error(messages::wrong_attribute_type, {one.name, converted.error().text()}, given->of.range(),
                {given->range.file, between(given->name_range().bytes, given->of.range().bytes)});
            wrong.source.notes = value_notes(given->of, in);
            found.add(std::move(wrong));
        }
        add(one.name, value::unknown(one.of));
    }
    for (auto const& one : desired.blocks) add(one.name, detail::evaluate_blocks(of, one, in, found));
    return value::object(std::move(made));
}

namespace {

[[nodiscard]] auto ephemeral_path(value const& v, schema const& desired) -> std::string;

/// The path to the first invalid ephemeral value in an attribute or in the blocks of a type: `rule[0].port`.
[[nodiscard]] auto ephemeral_path(value const& all, std::string const& name, nesting n, schema const& content)
    -> std::string
{
    if (!all.has_deep(mark::ephemeral)) return {};
    if (all.is_ephemeral()) return name;
    auto const deeper = [&](value const& inner, std::string const& key) {
        auto const path = ephemeral_path(inner, content);
        return path.empty() ? path : name + key + "." + path;
    };
    if (n == nesting::single || n == nesting::group) return deeper(all, "");
    std::size_t position = 0;
    for (auto const& element : all.elements())
        if (auto path = deeper(element, "[" + std::to_string(position++) + "]"); !path.empty()) return path;
    for (auto const& [key, element] : all.entries())
        if (auto path = deeper(element, "[" + in_quotes(key) + "]"); !path.empty()) return path;
    return {};
}

/// The path to the first invalid ephemeral value in an object; empty if there is none.
[[nodiscard]] auto ephemeral_path(value const& v, schema const& desired) -> std::string
{
    for (auto const& one : desired.attributes) {
        auto const* const set = v.find(one.name);
        if (!set || one.write_only || !set->has_deep(mark::ephemeral)) continue;
        if (!one.nested) return one.name;
        if (auto path = ephemeral_path(*set, one.name, one.nested->how, *one.nested->content); !path.empty())
            return path;
    }
    for (auto const& one : desired.blocks)
        if (auto const* const all = v.find(one.name))
            if (auto path = ephemeral_path(*all, one.name, one.how, *one.content); !path.empty()) return path;
    return {};
}

}  // namespace

namespace {

/// The constant key of an item of an object; nothing if it is not constant.
[[nodiscard]] auto constant_key(syntax::object_item const& item, source_file const* file) -> std::optional<value>
{
    if (!item.computed_key && item.key->kind == syntax::node_kind::traversal) {
        auto const& name = syntax::as<syntax::traversal>(*item.key);
        if (name.steps.empty()) return value(std::string(name.root));
    }
    diagnostics found;
    auto const key = convert(evaluate({item.key, file}, constant_scope(), found), type::string());
    if (found.has_errors() || !key || !key->has_data()) return std::nullopt;
    return *key;
}

/// The innermost part of an expression on a path: elements of tuples and objects that are written in it.
[[nodiscard]] auto place_in(expression const& e, std::span<path_step const> path) -> source_range
{
    auto const at = [&](syntax::node const* inner) { return place_in({inner, e.file()}, path.subspan(1)); };
    if (path.empty()) return e.range();
    switch (e.node().kind) {
    case syntax::node_kind::parentheses:
        return place_in({syntax::as<syntax::parentheses>(e.node()).inner, e.file()}, path);
    case syntax::node_kind::tuple: {
        auto const& elements = syntax::as<syntax::tuple>(e.node()).elements;
        auto const* const index = std::get_if<std::int64_t>(&path.front());
        if (!index || *index < 0 || std::cmp_greater_equal(*index, elements.size())) break;
        return at(elements[static_cast<std::size_t>(*index)]);
    }
    case syntax::node_kind::object: {
        auto const* const name = std::get_if<std::string>(&path.front());
        if (!name) break;
        for (auto const& item : syntax::as<syntax::object>(e.node()).items)
            if (auto const key = constant_key(item, e.file()); key && key->as_string() == *name) return at(item.of);
        break;
    }
    default: break;
    }
    return e.range();
}

/// Returns whether a block becomes blocks of a type: one, or as many as its `for_each` has elements.
[[nodiscard]] auto makes(block const& b, std::string_view type) -> bool
{
    return b.type == type || (b.type == "dynamic" && !b.labels.empty() && b.labels[0].text == type);
}

/// The block of an element of nested blocks; null if several blocks may have made it.
[[nodiscard]] auto block_of(std::span<path_step const> path, body const& in, std::string_view type, nesting n)
    -> block const*
{
    block const* candidate = nullptr;
    std::size_t candidates = 0;
    std::int64_t index = 0;
    for (block const& one : in.blocks) {
        if (!makes(one, type)) continue;
        bool const single = n == nesting::single || n == nesting::group;
        bool const is_dynamic = one.type != type;
        bool const is_it = !path.empty() && !is_dynamic
            && ((n == nesting::list && candidates == 0 && path.front() == path_step(index))
                || (n == nesting::map && !one.labels.empty() && path.front() == path_step(one.labels[0].text)));
        if (single || is_it) return &one;
        ++index;
        // A block after a dynamic one may have any index. The elements of a set cannot be distinguished.
        bool const may_be = is_dynamic || n == nesting::set || (n == nesting::list && candidates > 0);
        if (!may_be) continue;
        candidate = &one;
        ++candidates;
    }
    return candidates == 1 && !path.empty() ? candidate : nullptr;
}

}  // namespace

auto place_of(std::span<path_step const> path, body const& in, schema const& desired) -> source_range
{
    auto const* const name = path.empty() ? nullptr : std::get_if<std::string>(&path.front());
    if (name == nullptr) return in.missing_item_range();
    path = path.subspan(1);
    if (auto const* const set = in.find(*name)) return place_in(set->of, path);
    auto const* const kind = desired.find_block(*name);
    auto const first = std::ranges::find_if(in.blocks, [&](block const& b) { return makes(b, *name); });
    if (kind == nullptr || first == in.blocks.end()) return in.missing_item_range();
    auto const* const found = block_of(path, in, *name, kind->how);
    if (found == nullptr) return first->header_range();
    bool const single = kind->how == nesting::single || kind->how == nesting::group;
    // Providers cannot name an element of a set.
    bool const of_element = kind->how == nesting::set && std::holds_alternative<std::string>(path.front());
    auto const inside = path.subspan(single || of_element ? 0 : 1);
    if (found->type == *name) return place_of(inside, found->content, *kind->content);
    auto const content = std::ranges::find(found->content.blocks, "content", &block::type);
    if (content == found->content.blocks.end()) return found->header_range();
    return place_of(inside, content->content, *kind->content);
}

void refuse_ephemeral(body const& given, schema const& desired, value const& v, diagnostics& found)
{
    if (!v.has_deep(mark::ephemeral)) return;
    auto const report = [&](std::string const& path, source_range place) {
        found.add(error(messages::ephemeral_value_stored, {path}, place));
    };
    for (auto const& one : desired.attributes) {
        auto const path = ephemeral_path(v, {{one}});
        auto const* const written = given.find(one.name);
        if (!path.empty()) report(path, written ? written->of.range() : given.range);
    }
    for (auto const& one : desired.blocks) {
        auto const path = ephemeral_path(v, {{}, {one}});
        auto const is_written = [&](block const& b) {
            return b.type == one.name || (b.type == "dynamic" && !b.labels.empty() && b.labels[0].text == one.name);
        };
        auto const written = std::ranges::find_if(given.blocks, is_written);
        if (!path.empty()) report(path, written != given.blocks.end() ? written->header_range() : given.range);
    }
}

void check_steps(
    std::span<syntax::step const> steps, schema const& desired, source_file const* file, diagnostics& found)
{
    if (steps.empty()) return;
    auto const& first = steps.front();
    auto rest = steps.subspan(1);
    source_range const place{file, first.range};
    if (first.key) {
        found.add(error(messages::key_on_object, place));
        return;
    }
    std::string const name(first.name);
    if (auto const* const attribute = desired.find(name)) {
        if (attribute->deprecated) found.add(warning(messages::deprecated_attribute, {name}, place));
        auto reached = value::unknown(attribute->of);
        auto const before = found.error_count();
        for (auto const& step : rest) {
            source_range const at{file, step.range};
            reached = step.key ? index(reached, *step.key, at, found) : get_attribute(reached, step.name, at, found);
            if (found.error_count() > before) return;
        }
        return;
    }
    auto const* const block = desired.find_block(name);
    if (!block) {
        std::vector<std::string_view> names;
        for (auto const& one : desired.attributes) names.push_back(one.name);
        for (auto const& one : desired.blocks) names.push_back(one.name);
        found.add(error(messages::unknown_object_attribute, {name, did_you_mean(name, names)}, place));
        return;
    }
    if (block->how != nesting::single && block->how != nesting::group) {
        if (rest.empty()) return;
        source_range const next{file, rest.front().range};
        if (block->how == nesting::set) {
            found.add(error(messages::block_set_indexed, {name}, next));
            return;
        }
        if (block->how == nesting::list && !rest.front().key) {
            found.add(error(messages::block_list_without_index, {name}, next));
            return;
        }
        rest = rest.subspan(1);
    }
    check_steps(rest, *block->content, file, found);
}

}  // namespace iacctl::language
