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
[[nodiscard]] auto value_arguments(syntax::call const& c) -> std::span<syntax::node const* const>
{
    bool const converts = c.name == "convert" || c.name == "core::convert";
    return converts && !c.arguments.empty() ? c.arguments.first(1) : c.arguments;
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
    void bind(syntax::for_each const& each)
    {
        if (!each.key_name.empty()) bound_.push_back(each.key_name);
        bound_.push_back(each.value_name);
    }

    void expand(syntax::node const& n)
    {
        auto const first = stack_.size();
        switch (n.kind) {
        case node_kind::literal:
        case node_kind::item: return;
        case node_kind::traversal: {
            auto const& traversal = syntax::as<syntax::traversal>(n);
            if (visit_ && std::ranges::find(bound_, traversal.root) == bound_.end()) visit_(traversal);
            return;
        }
        case node_kind::text: push_reversed(syntax::as<syntax::text>(n).parts); break;
        case node_kind::wrap: push(syntax::as<syntax::wrap>(n).inner); break;
        case node_kind::join: push(syntax::as<syntax::join>(n).tuple); break;
        case node_kind::relative: push(syntax::as<syntax::relative>(n).from); break;
        case node_kind::index:
            push(syntax::as<syntax::index>(n).collection);
            push(syntax::as<syntax::index>(n).key);
            break;
        case node_kind::splat:
            push(syntax::as<syntax::splat>(n).from);
            push(syntax::as<syntax::splat>(n).each);
            break;
        case node_kind::call:
            if (visit_call_) visit_call_(syntax::as<syntax::call>(n));
            push_reversed(value_arguments(syntax::as<syntax::call>(n)));
            break;
        case node_kind::conditional: {
            auto const& conditional = syntax::as<syntax::conditional>(n);
            push(conditional.condition);
            push(conditional.when_true);
            push(conditional.when_false);
            break;
        }
        case node_kind::binary:
            push(syntax::as<syntax::binary>(n).left);
            push(syntax::as<syntax::binary>(n).right);
            break;
        case node_kind::unary: push(syntax::as<syntax::unary>(n).operand); break;
        case node_kind::tuple: push_reversed(syntax::as<syntax::tuple>(n).elements); break;
        case node_kind::object:
            for (auto const& item : syntax::as<syntax::object>(n).items) {
                // A bare name before the equals sign is a key, not a reference.
                bool const name = !item.computed_key && item.key->kind == node_kind::traversal
                    && syntax::as<syntax::traversal>(*item.key).steps.empty();
                if (!name) push(item.key);
                push(item.of);
            }
            break;
        case node_kind::for_each: {
            auto const& loop = syntax::as<syntax::for_each>(n);
            push(loop.collection);
            stack_.push_back({nullptr, &loop, 0});
            push(loop.key);
            push(loop.of);
            push(loop.condition);
            stack_.push_back({nullptr, nullptr, loop.key_name.empty() ? std::size_t{1} : std::size_t{2}});
            break;
        }
        case node_kind::parentheses: push(syntax::as<syntax::parentheses>(n).inner); break;
        case node_kind::json_string: push(syntax::as<syntax::json_string>(n).inner); break;
        }
        std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
    }

    traversal_visitor const& visit_;
    call_visitor const& visit_call_;
    std::vector<entry> stack_;
    std::vector<std::string_view> bound_;
};

[[nodiscard]] auto is_key(syntax::step const& s) noexcept -> bool
{
    return s.key && s.key->has_data() && (s.key->is(type_kind::number) || s.key->is(type_kind::string));
}

class reader {
public:
    reader(syntax::traversal const& t, source_file const* file, diagnostics& found) : of_(t), file_(file), found_(found)
    {
        made_.steps = t.steps;
        made_.range = {file, t.range};
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
    [[nodiscard]] auto wrong(messages::message<1> const& m, std::string_view name, byte_range subject)
        -> std::optional<reference>
    {
        found_.add(error(m, {name}, {file_, subject}));
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

auto parse_reference(syntax::traversal const& t, source_file const* file, diagnostics& found)
    -> std::optional<reference>
{
    return reader(t, file, found).read();
}

void for_each_traversal(expression const& e, std::function<void(syntax::traversal const&)> const& visit)
{
    if (e) walker(visit, {}).run(e.node());
}

void for_each_call(expression const& e, std::function<void(syntax::call const&)> const& visit)
{
    if (e) walker({}, visit).run(e.node());
}

namespace {

/// Visits the expressions of bodies, and tracks the names that the surrounding `dynamic` blocks bind.
class body_walker {
public:
    body_walker(expression_visitor const& visit, dynamic_filter const& enter) : visit_(visit), enter_(enter) {}

    void run(body const& b)
    {
        for (auto const& one : b.attributes) {
            if (one.json && one.name == "dynamic") expand_json(*one.json->of, one.of.file());
            else if (one.json) run(*one.json->of, one.of.file());
            else visit_(one.of, bound_);
        }
        for (auto const& one : b.blocks) {
            if (one.type == "dynamic" && one.labels.size() == 1) expand(one);
            else run(one.content);
        }
    }

private:
    void expand(block const& b)
    {
        auto const* const iterator = b.content.find("iterator");
        auto const name = iterator ? as_keyword(iterator->of) : std::string_view();
        auto const* const for_each = b.content.find("for_each");
        bool const entered = !for_each || enters(for_each->of);
        auto const inside = [&](auto const& run_it) {
            if (!entered) return;
            bound_.push_back(name.empty() ? std::string_view(b.labels[0].text) : name);
            run_it();
            bound_.pop_back();
        };
        for (auto const& one : b.content.attributes) {
            if (one.name == "labels") inside([&] { visit_(one.of, bound_); });
            else if (one.name != "iterator") visit_(one.of, bound_);
        }
        for (auto const& one : b.content.blocks) inside([&] { run(one.content); });
    }

    [[nodiscard]] auto enters(expression const& for_each) const -> bool { return !enter_ || enter_(for_each, bound_); }

    // JSON does not distinguish maps from blocks: a value with the members of a `dynamic` block is treated as one.

    [[nodiscard]] static auto member(json::value const& v, std::string_view name) -> json::value const*
    {
        auto const found = std::ranges::find(v.members, name, &json::member::name);
        return found == v.members.end() ? nullptr : found->of;
    }
    [[nodiscard]] static auto has_dynamic(json::value const& v) -> bool
    {
        return std::ranges::any_of(v.members, [](json::member const& m) {
            return m.name == "dynamic" || has_dynamic(*m.of);
        }) || std::ranges::any_of(v.elements, [](json::value const* given) { return has_dynamic(*given); });
    }

    void run(json::value const& v, source_file const* file)
    {
        if (!has_dynamic(v)) {
            if (v.expression) visit_({v.expression, file}, bound_);
            return;
        }
        for (auto const* const one : v.elements) run(*one, file);
        for (auto const& one : v.members) {
            if (one.name == "dynamic") expand_json(*one.of, file);
            else run(*one.of, file);
        }
    }

    void expand_json(json::value const& v, source_file const* file)
    {
        for (auto const* const one : v.elements) expand_json(*one, file);
        for (auto const& one : v.members) expand_json(one.name, *one.of, file);
        if (v.members.empty() && v.elements.empty()) run(v, file);
    }

    void expand_json(std::string_view type, json::value const& v, source_file const* file)
    {
        for (auto const* const one : v.elements) expand_json(type, *one, file);
        if (!v.elements.empty()) return;
        auto const* const content = member(v, "content");
        auto const* const for_each = member(v, "for_each");
        if (!content || !for_each) return run(v, file);
        bool const entered = !for_each->expression || enters({for_each->expression, file});
        auto const* const iterator = member(v, "iterator");
        bool const named = iterator && iterator->constant && iterator->constant->has_data()
            && iterator->constant->is(type_kind::string);
        for (auto const& one : v.members) {
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

void for_each_expression(body const& b, expression_visitor const& visit, dynamic_filter const& enter)
{
    body_walker(visit, enter).run(b);
}

auto references_of(expression const& e, diagnostics& found, bound_names const& bound) -> std::vector<reference>
{
    std::vector<reference> all;
    for_each_traversal(e, [&](syntax::traversal const& t) {
        if (std::ranges::find(bound, t.root) != bound.end()) return;
        if (auto const made = parse_reference(t, e.file(), found)) all.push_back(*made);
    });
    return all;
}

auto references_of(body const& b, diagnostics& found) -> std::vector<reference>
{
    std::vector<reference> all;
    for_each_expression(b, [&](expression const& e, bound_names const& bound) {
        auto const more = references_of(e, found, bound);
        all.insert(all.end(), more.begin(), more.end());
    });
    return all;
}

namespace {

/// The word of a constant; empty for others, and for a constant of JSON itself.
[[nodiscard]] auto constant_name(expression const& e) noexcept -> std::string_view
{
    if (e.node().kind != node_kind::literal) return {};
    auto const constant = syntax::as<syntax::literal>(e.node()).constant();
    if (!constant.is_null() && !constant.is(type_kind::boolean)) return {};
    std::string_view const word = constant.is_null() ? "null" : constant.as_bool() ? "true" : "false";
    return e.file()->is_json() && e.file()->text(e.range().bytes) == word ? std::string_view() : word;
}

}  // namespace

auto is_reserved_root(std::string_view word) noexcept -> bool
{
    static constexpr std::array<std::string_view, 10> words{
        "arg", "count", "each", "lazy", "local", "path", "self", "template", "terraform", "var"};
    return std::ranges::find(words, word) != words.end();
}

auto traversal_text(syntax::traversal const& t, std::size_t count) -> std::string
{
    std::string text(t.root);
    for (auto const& step : t.steps.first(std::min(count, t.steps.size()))) {
        if (step.key) text += "[" + key_text(*step.key) + "]";
        else text += "." + std::string(step.name);
    }
    return text;
}

auto as_keyword(expression const& e) noexcept -> std::string_view
{
    auto const* const traversal = as_traversal(e);
    if (!traversal) return e && !e.file()->is_json() ? constant_name(e) : std::string_view();
    return traversal->steps.empty() ? traversal->root : std::string_view();
}

auto as_traversal(expression const& e) noexcept -> syntax::traversal const*
{
    return e && e.node().kind == node_kind::traversal ? &syntax::as<syntax::traversal>(e.node()) : nullptr;
}

auto as_static_traversal(expression const& e) -> std::optional<syntax::traversal>
{
    if (auto const* const traversal = as_traversal(e)) return *traversal;
    if (!e) return std::nullopt;
    auto const* const relative =
        e.node().kind == node_kind::relative ? &syntax::as<syntax::relative>(e.node()) : nullptr;
    auto const& first = relative ? *relative->from : e.node();
    // In JSON a name is in quotes; without quotes it is a constant.
    bool const quoted = e.file()->text(first.range).starts_with('"');
    if (first.kind != node_kind::literal || quoted != e.file()->is_json()) return std::nullopt;
    auto const constant = syntax::as<syntax::literal>(first).constant();
    if (!constant.is_null() && !constant.is(type_kind::boolean)) return std::nullopt;
    std::string_view const word = constant.is_null() ? "null" : constant.as_bool() ? "true" : "false";
    syntax::traversal made{{node_kind::traversal, e.range().bytes}, word, {}};
    if (relative) made.steps = relative->steps;
    return made;
}

}  // namespace iacctl::language
