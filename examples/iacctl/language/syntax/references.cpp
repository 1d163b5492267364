// SPDX-License-Identifier: BSL-1.0
#include "references.hpp"

#include "messages/syntax.hpp"

#include <algorithm>
#include <array>

namespace iacctl::language {

namespace {

using syntax::node_kind;

[[nodiscard]] auto key_text(value const& key) -> std::string
{
    if (!key.has_data()) return "...";
    if (key.is(type_kind::number)) return key.as_number().text();
    if (key.is(type_kind::string)) return to_json(key);
    return "...";
}

/// The arguments of a call that are values; the second argument of `convert` is a type.
[[nodiscard]] auto value_arguments(syntax::call const& of) -> std::span<syntax::node const* const>
{
    bool const converts = of.name == "convert" || of.name == "core::convert";
    return converts && !of.arguments.empty() ? of.arguments.first(1) : of.arguments;
}

/// Visits nodes in the order of the text with an explicit stack, so that long chains do not recurse.
class walker {
public:
    using traversal_visitor = std::function<void(syntax::traversal const&)>;
    using call_visitor = std::function<void(syntax::call const&)>;

    walker(traversal_visitor const& visit, call_visitor const& visit_call) : visit_(visit), visit_call_(visit_call) {}

    void run(syntax::node const& root)
    {
        push(&root);
        while (!stack_.empty()) {
            auto const next = stack_.back();
            stack_.pop_back();
            if (next.unbind > 0) bound_.resize(bound_.size() - next.unbind);
            if (next.bind) bind(*next.bind);
            if (next.node) expand(*next.node);
        }
    }

private:
    struct entry {
        syntax::node const* node = nullptr;
        syntax::for_each const* bind = nullptr;
        std::size_t unbind = 0;
    };

    void push(syntax::node const* node)
    {
        if (node) stack_.push_back({node, nullptr, 0});
    }
    void push_reversed(std::span<syntax::node const* const> nodes)
    {
        for (auto const* const one : nodes) push(one);
    }
    void bind(syntax::for_each const& of)
    {
        if (!of.key_name.empty()) bound_.push_back(of.key_name);
        bound_.push_back(of.value_name);
    }

    void expand(syntax::node const& of)
    {
        auto const first = stack_.size();
        switch (of.kind) {
        case node_kind::literal:
        case node_kind::item: return;
        case node_kind::traversal: {
            auto const& traversal = syntax::as<syntax::traversal>(of);
            if (visit_ && std::ranges::find(bound_, traversal.root) == bound_.end()) visit_(traversal);
            return;
        }
        case node_kind::text: push_reversed(syntax::as<syntax::text>(of).parts); break;
        case node_kind::wrap: push(syntax::as<syntax::wrap>(of).inner); break;
        case node_kind::join: push(syntax::as<syntax::join>(of).tuple); break;
        case node_kind::relative: push(syntax::as<syntax::relative>(of).from); break;
        case node_kind::index:
            push(syntax::as<syntax::index>(of).collection);
            push(syntax::as<syntax::index>(of).key);
            break;
        case node_kind::splat:
            push(syntax::as<syntax::splat>(of).from);
            push(syntax::as<syntax::splat>(of).each);
            break;
        case node_kind::call:
            if (visit_call_) visit_call_(syntax::as<syntax::call>(of));
            push_reversed(value_arguments(syntax::as<syntax::call>(of)));
            break;
        case node_kind::conditional: {
            auto const& conditional = syntax::as<syntax::conditional>(of);
            push(conditional.condition);
            push(conditional.when_true);
            push(conditional.when_false);
            break;
        }
        case node_kind::binary:
            push(syntax::as<syntax::binary>(of).left);
            push(syntax::as<syntax::binary>(of).right);
            break;
        case node_kind::unary: push(syntax::as<syntax::unary>(of).operand); break;
        case node_kind::tuple: push_reversed(syntax::as<syntax::tuple>(of).elements); break;
        case node_kind::object:
            for (auto const& item : syntax::as<syntax::object>(of).items) {
                // A bare name before the equals sign is a key, not a reference.
                bool const name = !item.computed_key && item.key->kind == node_kind::traversal
                    && syntax::as<syntax::traversal>(*item.key).steps.empty();
                if (!name) push(item.key);
                push(item.of);
            }
            break;
        case node_kind::for_each: {
            auto const& loop = syntax::as<syntax::for_each>(of);
            push(loop.collection);
            stack_.push_back({nullptr, &loop, 0});
            push(loop.key);
            push(loop.of);
            push(loop.condition);
            stack_.push_back({nullptr, nullptr, loop.key_name.empty() ? std::size_t{1} : std::size_t{2}});
            break;
        }
        case node_kind::parentheses: push(syntax::as<syntax::parentheses>(of).inner); break;
        case node_kind::json_string: push(syntax::as<syntax::json_string>(of).inner); break;
        }
        std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
    }

    traversal_visitor const& visit_;
    call_visitor const& visit_call_;
    std::vector<entry> stack_;
    std::vector<std::string_view> bound_;
};

[[nodiscard]] auto is_key(syntax::step const& of) noexcept -> bool
{
    return of.key && of.key->has_data() && (of.key->is(type_kind::number) || of.key->is(type_kind::string));
}

class reader {
public:
    reader(syntax::traversal const& of, source_file const* file, diagnostics& found)
        : of_(of),
          file_(file),
          found_(found)
    {
        made_.steps = of.steps;
        made_.range = {file, of.range};
    }

    [[nodiscard]] auto read() -> std::optional<reference>
    {
        auto const root = of_.root;
        if (root == "var") return attribute(reference_kind::variable);
        if (root == "local") return attribute(reference_kind::local);
        if (root == "module") return attribute(reference_kind::module);
        if (root == "count") return attribute(reference_kind::count);
        if (root == "each") return attribute(reference_kind::each);
        if (root == "path") return attribute(reference_kind::path);
        if (root == "terraform") return attribute(reference_kind::terraform);
        if (root == "tofu") {
            made_.type = root;
            return attribute(reference_kind::terraform);
        }
        if (root == "self" || root == "caller") {
            made_.kind = root == "self" ? reference_kind::self : reference_kind::caller;
            return done(0);
        }
        if (root == "data") return prefixed(reference_kind::data);
        if (root == "ephemeral") return prefixed(reference_kind::ephemeral);
        if (root == "action") return prefixed(reference_kind::action);
        if (root == "list") return prefixed(reference_kind::list);
        if (root == "resource") return prefixed(reference_kind::resource);
        if (root == "template" || root == "lazy" || root == "arg") {
            return wrong(messages::reserved_symbol, root, of_.root_range());
        }
        return named(reference_kind::resource, 0);
    }

private:
    [[nodiscard]] auto wrong(messages::message<1> const& of, std::string_view name, byte_range subject)
        -> std::optional<reference>
    {
        found_.add(error(of, {name}, {file_, subject}));
        return std::nullopt;
    }

    [[nodiscard]] auto done(std::size_t consumed) -> std::optional<reference>
    {
        made_.consumed = consumed;
        auto last = consumed > 0 ? of_.steps[consumed - 1].range : of_.root_range();
        if (made_.is_repeatable() && consumed < of_.steps.size() && is_key(of_.steps[consumed])) {
            made_.key = *of_.steps[consumed].key;
            last = of_.steps[consumed].range;
        }
        made_.subject = {file_, between(of_.root_range(), last)};
        return std::move(made_);
    }

    [[nodiscard]] auto attribute(reference_kind kind) -> std::optional<reference>
    {
        made_.kind = kind;
        if (of_.steps.empty()) return wrong(messages::object_without_attribute, of_.root, of_.range);
        if (of_.steps[0].key) return wrong(messages::object_indexed, of_.root, of_.steps[0].range);
        made_.name = of_.steps[0].name;
        return done(1);
    }

    [[nodiscard]] auto prefixed(reference_kind kind) -> std::optional<reference>
    {
        if (of_.steps.size() < 2) return wrong(messages::incomplete_object_reference, of_.root, of_.range);
        return named(kind, 1);
    }

    /// A type and a name after `before` steps of a prefix (`data.`, `resource.`).
    [[nodiscard]] auto named(reference_kind kind, std::size_t before) -> std::optional<reference>
    {
        made_.kind = kind;
        if (before == 1 && of_.steps[0].key) return wrong(messages::object_indexed, of_.root, of_.steps[0].range);
        made_.type = before == 1 ? of_.steps[0].name : of_.root;
        bool const ends = of_.steps.size() <= before;
        if (ends || of_.steps[before].key) {
            return wrong(kind == reference_kind::data   ? messages::data_reference_without_name
                    : kind == reference_kind::ephemeral ? messages::ephemeral_reference_without_name
                    : kind == reference_kind::action    ? messages::action_reference_without_name
                    : kind == reference_kind::list      ? messages::list_reference_without_name
                                                        : messages::resource_reference_without_name,
                made_.type, ends ? of_.range : of_.steps[before].range);
        }
        made_.name = of_.steps[before].name;
        return done(before + 1);
    }

    syntax::traversal const& of_;
    source_file const* file_;
    diagnostics& found_;
    reference made_;
};

}  // namespace

auto reference::address() const -> std::string
{
    std::string const type_and_name = std::string(type) + "." + std::string(name);
    switch (kind) {
    case reference_kind::resource: return type_and_name;
    case reference_kind::data: return "data." + type_and_name;
    case reference_kind::ephemeral: return "ephemeral." + type_and_name;
    case reference_kind::action: return "action." + type_and_name;
    case reference_kind::list: return "list." + type_and_name;
    case reference_kind::variable: return "var." + std::string(name);
    case reference_kind::local: return "local." + std::string(name);
    case reference_kind::module: return "module." + std::string(name);
    case reference_kind::count: return "count." + std::string(name);
    case reference_kind::each: return "each." + std::string(name);
    case reference_kind::self: return "self";
    case reference_kind::caller: return "caller";
    case reference_kind::path: return "path." + std::string(name);
    case reference_kind::terraform: return "terraform." + std::string(name);
    }
    return {};
}

auto reference::address_with_key() const -> std::string
{
    return key ? address() + "[" + key_text(*key) + "]" : address();
}

auto reference::output() const noexcept -> std::string_view
{
    auto const rest = remaining();
    return kind == reference_kind::module && !rest.empty() ? rest.front().name : std::string_view();
}

auto parse_reference(syntax::traversal const& of, source_file const* file, diagnostics& found)
    -> std::optional<reference>
{
    return reader(of, file, found).read();
}

void for_each_traversal(expression const& of, std::function<void(syntax::traversal const&)> const& visit)
{
    if (of) walker(visit, {}).run(of.node());
}

void for_each_call(expression const& of, std::function<void(syntax::call const&)> const& visit)
{
    if (of) walker({}, visit).run(of.node());
}

namespace {

/// Visits the expressions of bodies, and tracks the names that the surrounding `dynamic` blocks bind.
class body_walker {
public:
    body_walker(expression_visitor const& visit, dynamic_filter const& enter) : visit_(visit), enter_(enter) {}

    void run(body const& of)
    {
        for (auto const& one : of.attributes) {
            if (one.json && one.name == "dynamic") expand_json(*one.json->of, one.of.file());
            else if (one.json) run(*one.json->of, one.of.file());
            else visit_(one.of, bound_);
        }
        for (auto const& one : of.blocks) {
            if (one.type == "dynamic" && one.labels.size() == 1) expand(one);
            else run(one.content);
        }
    }

private:
    void expand(block const& of)
    {
        auto const* const iterator = of.content.find("iterator");
        auto const name = iterator ? as_keyword(iterator->of) : std::string_view();
        auto const* const for_each = of.content.find("for_each");
        bool const entered = !for_each || enters(for_each->of);
        auto const inside = [&](auto const& run_it) {
            if (!entered) return;
            bound_.push_back(name.empty() ? std::string_view(of.labels[0].text) : name);
            run_it();
            bound_.pop_back();
        };
        for (auto const& one : of.content.attributes) {
            if (one.name == "labels") inside([&] { visit_(one.of, bound_); });
            else if (one.name != "iterator") visit_(one.of, bound_);
        }
        for (auto const& one : of.content.blocks) inside([&] { run(one.content); });
    }

    [[nodiscard]] auto enters(expression const& for_each) const -> bool { return !enter_ || enter_(for_each, bound_); }

    // JSON does not distinguish maps from blocks: a value with the members of a `dynamic` block is treated as one.

    [[nodiscard]] static auto member(json::value const& of, std::string_view name) -> json::value const*
    {
        auto const found = std::ranges::find(of.members, name, &json::member::name);
        return found == of.members.end() ? nullptr : found->of;
    }
    [[nodiscard]] static auto has_dynamic(json::value const& of) -> bool
    {
        return std::ranges::any_of(of.members, [](json::member const& one) {
            return one.name == "dynamic" || has_dynamic(*one.of);
        }) || std::ranges::any_of(of.elements, [](json::value const* one) { return has_dynamic(*one); });
    }

    void run(json::value const& of, source_file const* file)
    {
        if (!has_dynamic(of)) {
            if (of.expression) visit_({of.expression, file}, bound_);
            return;
        }
        for (auto const* const one : of.elements) run(*one, file);
        for (auto const& one : of.members) {
            if (one.name == "dynamic") expand_json(*one.of, file);
            else run(*one.of, file);
        }
    }

    void expand_json(json::value const& of, source_file const* file)
    {
        for (auto const* const one : of.elements) expand_json(*one, file);
        for (auto const& one : of.members) expand_json(one.name, *one.of, file);
        if (of.members.empty() && of.elements.empty()) run(of, file);
    }

    void expand_json(std::string_view type, json::value const& of, source_file const* file)
    {
        for (auto const* const one : of.elements) expand_json(type, *one, file);
        if (!of.elements.empty()) return;
        auto const* const content = member(of, "content");
        auto const* const for_each = member(of, "for_each");
        if (!content || !for_each) return run(of, file);
        bool const entered = !for_each->expression || enters({for_each->expression, file});
        auto const* const iterator = member(of, "iterator");
        bool const named = iterator && iterator->constant && iterator->constant->has_data()
            && iterator->constant->is(type_kind::string);
        for (auto const& one : of.members) {
            bool const inside = one.name == "content" || one.name == "labels";
            if (inside && !entered) continue;
            if (inside) bound_.push_back(named ? std::string_view(iterator->constant->as_string()) : type);
            if (one.name != "iterator") run(*one.of, file);
            if (inside) bound_.pop_back();
        }
    }

    expression_visitor const& visit_;
    dynamic_filter const& enter_;
    bound_names bound_;
};

}  // namespace

void for_each_expression(body const& of, expression_visitor const& visit, dynamic_filter const& enter)
{
    body_walker(visit, enter).run(of);
}

auto references_of(expression const& of, diagnostics& found, bound_names const& bound) -> std::vector<reference>
{
    std::vector<reference> all;
    for_each_traversal(of, [&](syntax::traversal const& one) {
        if (std::ranges::find(bound, one.root) != bound.end()) return;
        if (auto const made = parse_reference(one, of.file(), found)) all.push_back(*made);
    });
    return all;
}

auto references_of(body const& of, diagnostics& found) -> std::vector<reference>
{
    std::vector<reference> all;
    for_each_expression(of, [&](expression const& one, bound_names const& bound) {
        auto const more = references_of(one, found, bound);
        all.insert(all.end(), more.begin(), more.end());
    });
    return all;
}

namespace {

/// The word of a constant; empty for others, and for a constant of JSON itself.
[[nodiscard]] auto constant_name(expression const& of) noexcept -> std::string_view
{
    if (of.node().kind != node_kind::literal) return {};
    auto const constant = syntax::as<syntax::literal>(of.node()).constant();
    if (!constant.is_null() && !constant.is(type_kind::boolean)) return {};
    std::string_view const word = constant.is_null() ? "null" : constant.as_bool() ? "true" : "false";
    return of.file()->is_json() && of.file()->text(of.range().bytes) == word ? std::string_view() : word;
}

}  // namespace

auto is_reserved_root(std::string_view word) noexcept -> bool
{
    static constexpr std::array<std::string_view, 10> words{
        "arg", "count", "each", "lazy", "local", "path", "self", "template", "terraform", "var"};
    return std::ranges::find(words, word) != words.end();
}

auto traversal_text(syntax::traversal const& of, std::size_t count) -> std::string
{
    std::string text(of.root);
    for (auto const& step : of.steps.first(std::min(count, of.steps.size()))) {
        if (step.key) text += "[" + key_text(*step.key) + "]";
        else text += "." + std::string(step.name);
    }
    return text;
}

auto as_keyword(expression const& of) noexcept -> std::string_view
{
    auto const* const traversal = as_traversal(of);
    if (!traversal) return of && !of.file()->is_json() ? constant_name(of) : std::string_view();
    return traversal->steps.empty() ? traversal->root : std::string_view();
}

auto as_traversal(expression const& of) noexcept -> syntax::traversal const*
{
    return of && of.node().kind == node_kind::traversal ? &syntax::as<syntax::traversal>(of.node()) : nullptr;
}

auto as_static_traversal(expression const& of) -> std::optional<syntax::traversal>
{
    if (auto const* const traversal = as_traversal(of)) return *traversal;
    if (!of) return std::nullopt;
    auto const* const relative =
        of.node().kind == node_kind::relative ? &syntax::as<syntax::relative>(of.node()) : nullptr;
    auto const& first = relative ? *relative->from : of.node();
    // In JSON a name is in quotes; without quotes it is a constant.
    bool const quoted = of.file()->text(first.range).starts_with('"');
    if (first.kind != node_kind::literal || quoted != of.file()->is_json()) return std::nullopt;
    auto const constant = syntax::as<syntax::literal>(first).constant();
    if (!constant.is_null() && !constant.is(type_kind::boolean)) return std::nullopt;
    std::string_view const word = constant.is_null() ? "null" : constant.as_bool() ? "true" : "false";
    syntax::traversal made{{node_kind::traversal, of.range().bytes}, word, {}};
    if (relative) made.steps = relative->steps;
    return made;
}

}  // namespace iacctl::language
