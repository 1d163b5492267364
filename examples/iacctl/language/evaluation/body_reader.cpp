// SPDX-License-Identifier: BSL-1.0
#include "body_reader.hpp"

#include "base/in_quotes.hpp"
#include "base/name_lookup.hpp"
#include "base/suggestion.hpp"
#include "evaluate.hpp"
#include "language/syntax/parser_detail.hpp"
#include "language/syntax/scanner.hpp"
#include "language/values/convert.hpp"
#include "messages/evaluation.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::language {

namespace {

[[nodiscard]] auto find_argument(body_shape const& shape, std::string_view name) -> body_shape::argument const*
{
    auto const found = std::ranges::find(shape.arguments, name, &body_shape::argument::name);
    return found == shape.arguments.end() ? nullptr : &*found;
}

[[nodiscard]] auto find_block(body_shape const& shape, std::string_view type) -> body_shape::nested const*
{
    auto const found = std::ranges::find(shape.blocks, type, &body_shape::nested::type);
    return found == shape.blocks.end() ? nullptr : &*found;
}

/// The beginning of an expression, which in JSON syntax is all of it.
[[nodiscard]] auto start_of(expression const& e) -> source_range
{
    return e.file()->is_json() ? e.range() : e.at(syntax::start_range(e.node()));
}

[[nodiscard]] auto constant(attribute const& a, type const& desired, diagnostics& found) -> std::optional<value>
{
    auto const before = found.error_count();
    auto const made = evaluate(a.of, constant_scope(), found);
    auto const wrong = [&](diagnostic why) {
        found.add(std::move(why));
        return std::nullopt;
    };
    auto const place = start_of(a.of);
    // A failed evaluation also gives an unknown value; both errors are reported.
    if (found.error_count() > before) return wrong(error(messages::constant_unknown, place));
    auto const converted = convert(made, desired);
    if (!converted) return wrong(error(messages::constant_wrong_type, {converted.error().text()}, place));
    if (converted->is_null()) return wrong(error(messages::constant_null, place));
    if (converted->is_unknown()) return wrong(error(messages::constant_unknown, place));
    return *converted;
}

}  // namespace

auto check_labels(block const& b, body_shape::nested const& desired, diagnostics& found) -> bool
{
    std::string names;
    for (auto const name : desired.labels) names += (names.empty() ? "" : ", ") + std::string(name);
    auto const whole = source_range{b.type_range.file, between(b.type_range.bytes, b.open_range.bytes)};
    if (b.labels.size() > desired.labels.size()) {
        auto const first = b.labels[desired.labels.size()].range;
        found.add(names.empty() ? error(messages::unexpected_label, {b.type}, first, whole)
                                : error(messages::too_many_labels, {b.type, names}, first, whole));
        return false;
    }
    if (b.labels.size() < desired.labels.size()) {
        found.add(
            error(messages::missing_label, {desired.labels[b.labels.size()], b.type, names}, b.open_range, whole));
        return false;
    }
    return true;
}

void check_body(body const& b, body_shape const& shape, diagnostics& found, bool open)
{
    name_lookup known_names;
    name_lookup given_names;
    std::span<attribute const> const given(b.attributes);
    std::optional<std::vector<std::string_view>> meant;  // suggestions for an unknown name
    auto const names = [&]() -> std::vector<std::string_view> const& {
        if (meant) return *meant;
        auto& made = meant.emplace();
        // Names that are already present are no suggestions.
        for (auto const& known : shape.arguments)
            if (b.json || !given_names.find(given, known.name)) made.push_back(known.name);
        if (b.json)
            for (auto const& known : shape.blocks) made.push_back(known.type);
        made.insert(made.end(), shape.reserved.begin(), shape.reserved.end());
        return made;
    };
    for (auto const& one : b.attributes) {
        if (open || known_names.find(std::span<body_shape::argument const>(shape.arguments), one.name)) continue;
        if (one.json) {
            found.add(error(messages::unsupported_json_property, {in_quotes(one.name), did_you_mean(one.name, names())},
                one.name_range(), one.range));
            continue;
        }
        found.add(find_block(shape, one.name)
                ? error(messages::block_written_as_argument, {one.name}, one.name_range())
                : error(messages::unsupported_argument, {in_quotes(one.name), did_you_mean(one.name, names())},
                      one.name_range()));
    }
    for (auto const& known : shape.arguments)
        if (known.required && !given_names.find(given, known.name))
            found.add(error(messages::missing_argument, {in_quotes(known.name)}, b.missing_item_range()));
    for (auto const& one : b.blocks) {
        if (auto const* const known = find_block(shape, one.type)) {
            static_cast<void>(check_labels(one, *known, found));
            continue;
        }
        if (open) continue;
        if (find_argument(shape, one.type)) {
            found.add(error(messages::argument_written_as_block, {one.type}, one.type_range));
            continue;
        }
        std::vector<std::string_view> types;
        for (auto const& known : shape.blocks) types.push_back(known.type);
        types.insert(types.end(), shape.reserved.begin(), shape.reserved.end());
        found.add(
            error(messages::unsupported_block, {in_quotes(one.type), did_you_mean(one.type, types)}, one.type_range));
    }
}

auto without(body const& b, body_shape const& shape) -> body
{
    body rest;
    rest.range = b.range;
    rest.missing = b.missing;
    rest.json = b.json;
    for (auto const& one : b.attributes)
        if (!find_argument(shape, one.name)) rest.attributes.push_back(one);
    for (auto const& one : b.blocks)
        if (!find_block(shape, one.type)) rest.blocks.push_back(one);
    return rest;
}

auto constant_bool(attribute const& a, diagnostics& found) -> std::optional<bool>
{
    auto const made = constant(a, type::boolean(), found);
    return made ? std::optional(made->as_bool()) : std::nullopt;
}

auto constant_string(attribute const& a, diagnostics& found) -> std::optional<std::string>
{
    auto const made = constant(a, type::string(), found);
    return made ? std::optional(made->as_string()) : std::nullopt;
}

auto static_list(expression const& e, diagnostics& found) -> std::vector<expression>
{
    std::vector<expression> all;
    if (e.node().kind != syntax::node_kind::tuple) {
        found.add(error(messages::static_list_required, start_of(e)));
        return all;
    }
    for (auto const* const element : syntax::as<syntax::tuple>(e.node()).elements) all.push_back(e.with(element));
    return all;
}

auto keyword_of(attribute const& a, diagnostics& found) -> std::string
{
    if (a.of.node().kind == syntax::node_kind::literal) {
        auto const constant = syntax::as<syntax::literal>(a.of.node()).constant();
        if (constant.has_data() && constant.is(type_kind::string)) {
            if (a.of.file()->is_json()) return constant.as_string();
            found.add(warning(messages::quoted_keyword, a.of.range()));
            return constant.as_string();
        }
    }
    return std::string(as_keyword(a.of));
}

namespace {

/// The string of an expression that is only a string, or nothing.
[[nodiscard]] auto lone_string(syntax::node const& n) -> std::optional<std::string>
{
    value constant;
    if (n.kind == syntax::node_kind::literal) constant = syntax::as<syntax::literal>(n).constant();
    if (n.kind == syntax::node_kind::json_string) constant = *syntax::as<syntax::json_string>(n).raw;
    if (!constant.has_data() || !constant.is(type_kind::string)) return std::nullopt;
    return constant.as_string();
}

[[nodiscard]] auto reread(
    expression const& e, std::span<std::shared_ptr<syntax_tree> const> trees, diagnostics& problems) -> expression
{
    auto const text = lone_string(e.node());
    auto const tree = std::ranges::find(trees, e.file(), [](auto const& item) { return &item->file(); });
    if (!text || tree == trees.end()) return e;
    // As in Terraform, the place of a reference in JSON is that of the quote.
    auto const begin = e.range().bytes.begin + (e.file()->is_json() ? 0 : 1);
    auto const* const root =
        detail::parse_expression_in(**tree, (*tree)->keep(std::string_view(*text)), begin, problems);
    return e.with(root);
}

}  // namespace

auto unquoted_reference(expression const& e, std::span<std::shared_ptr<syntax_tree> const> trees, diagnostics& found)
    -> expression
{
    diagnostics problems;
    auto const read = reread(e, trees, problems);
    if (problems.has_errors() || !as_static_traversal(read) || &read.node() == &e.node()) return e;
    if (!e.file()->is_json()) found.add(warning(messages::quoted_reference, e.range()));
    return read;
}

auto unquoted_json(expression const& e, std::span<std::shared_ptr<syntax_tree> const> trees, diagnostics& found)
    -> expression
{
    return e.file()->is_json() ? reread(e, trees, found) : e;
}

auto key_text(syntax::node const& key) -> std::string
{
    if (auto text = lone_string(key)) return *std::move(text);
    if (key.kind != syntax::node_kind::traversal) return {};
    auto const& name = syntax::as<syntax::traversal>(key);
    return name.steps.empty() ? std::string(name.root) : std::string();
}

}  // namespace iacctl::language
