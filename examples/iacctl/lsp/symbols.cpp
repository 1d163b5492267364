// SPDX-License-Identifier: BSL-1.0
#include "symbols.hpp"

#include "language/syntax/references.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

namespace iacctl::lsp {

namespace {

namespace syntax = language::syntax;
using language::byte_range;
using language::reference_kind;

// A template without interpolations is a text with one literal part.
auto text_of(syntax::node const& n) -> std::optional<std::string_view>
{
    if (n.kind == syntax::node_kind::literal) return syntax::as<syntax::literal>(n).text();
    if (n.kind != syntax::node_kind::text) return std::nullopt;
    auto const parts = syntax::as<syntax::text>(n).parts;
    return parts.size() == 1 ? text_of(*parts[0]) : std::nullopt;
}

class collector {
public:
    collector(language::syntax_tree const& tree, bool of_tests) : file_(&tree.file()), of_tests_(of_tests) {}

    auto run(language::body const& root) -> file_symbols
    {
        for (auto const& one : root.blocks) add(one);
        std::ranges::sort(made_.uses, {}, [](symbol_use const& use) { return use.name_range.begin; });
        return std::move(made_);
    }

private:
    void add(language::block const& b)
    {
        if (of_tests_) return add_of_test(b);
        if (b.type == "resource") add_resource(b, symbol_kind::resource, "");
        else if (b.type == "data") add_resource(b, symbol_kind::data, "data.");
        else if (b.type == "ephemeral") add_resource(b, symbol_kind::ephemeral, "ephemeral.");
        else if (b.type == "action") add_resource(b, symbol_kind::action, "action.");
        else if (b.type == "list") add_resource(b, symbol_kind::list, "list.");
        else if (b.type == "variable") add_named(b, symbol_kind::variable, "var.");
        else if (b.type == "output") add_named(b, symbol_kind::output, "output.");
        else if (b.type == "check") add_check(b);
        else if (b.type == "module") return add_module(b);
        else if (b.type == "provider") add_provider(b);
        else if (b.type == "terraform") return add_required_providers(b.content);
        else if (b.type == "locals")
            for (auto const& one : b.content.attributes) {
                byte_range const name = one.name_range().bytes;
                made_.declarations.push_back({symbol_kind::local, "local." + std::string(one.name), {}, one.name, name,
                    one.range.bytes, nullptr, &one});
            }
        add_uses(b.content, b.type);
    }

    void add_of_test(language::block const& b)
    {
        if (b.type == "run") {
            add_named(b, symbol_kind::run, "run.");
            run_ = b.labels.empty() ? std::string_view() : b.labels[0].text;
            for (auto const& one : b.content.blocks)
                if (one.type == "variables") add_values(one.content);
        } else if (b.type == "variables") {
            add_values(b.content);
        } else if (b.type == "variable") {
            add_named(b, symbol_kind::variable, "var.");
        } else if (b.type == "provider" || b.type == "mock_provider") {
            add_provider(b);
        }
        add_uses(b.content, b.type);
        run_ = {};
    }

    // Values for variables.
    void add_values(language::body const& b)
    {
        for (auto const& one : b.attributes)
            add_use_of({symbol_use::place::value_in_file, "var." + std::string(one.name), {}, one.name,
                one.name_range().bytes, one.range.bytes, {}});
    }

    void add_use_of(symbol_use made)
    {
        made.run = run_;
        made_.uses.push_back(std::move(made));
    }

    void declare(
        language::block const& b, symbol_kind kind, std::string key, std::string_view type, language::label const& name)
    {
        made_.declarations.push_back(
            {kind, std::move(key), type, name.text, inner_range(name), whole_range(b), &b, nullptr});
    }

    void add_named(language::block const& b, symbol_kind kind, std::string_view prefix)
    {
        if (!b.labels.empty()) declare(b, kind, std::string(prefix) + b.labels[0].text, {}, b.labels[0]);
    }

    void add_resource(language::block const& b, symbol_kind kind, std::string_view prefix)
    {
        if (b.labels.size() < 2) return;
        declare(
            b, kind, std::string(prefix) + b.labels[0].text + '.' + b.labels[1].text, b.labels[0].text, b.labels[1]);
    }

    void add_check(language::block const& b)
    {
        add_named(b, symbol_kind::check, "check.");
        for (auto const& one : b.content.blocks)
            if (one.type == "data") add_resource(one, symbol_kind::data, "data.");
    }

    void add_provider(language::block const& b)
    {
        if (b.labels.empty()) return;
        std::string key = "provider." + b.labels[0].text;
        if (auto const alias = constant_text(b.content, "alias"); !alias.empty()) key += '.' + std::string(alias);
        declare(b, symbol_kind::provider, std::move(key), {}, b.labels[0]);
    }

    void add_module(language::block const& b)
    {
        add_named(b, symbol_kind::module, "module.");
        if (b.labels.empty()) return add_uses(b.content, b.type);
        std::string const key = "module." + b.labels[0].text;
        static constexpr std::array<std::string_view, 6> own{
            "source", "version", "count", "for_each", "depends_on", "providers"};
        for (auto const& one : b.content.attributes) {
            if (std::ranges::find(own, one.name) != own.end()) continue;
            add_use_of({symbol_use::place::argument_of_module, key, {}, one.name, one.name_range().bytes,
                one.range.bytes, {}});
        }
        add_uses(b.content, b.type);
    }

    void add_required_providers(language::body const& settings)
    {
        for (auto const& block : settings.blocks) {
            if (block.type != "required_providers") continue;
            for (auto const& one : block.content.attributes) {
                file_symbols::required_provider made{
                    std::string(member_text(one.of, "source")), {}, one.name_range().bytes, one.range.bytes};
                // The other members are constants.
                if (one.of)
                    language::for_each_traversal(one.of, [&](syntax::traversal const& t) {
                        if (t.steps.size() == 1)
                            made.aliases.push_back(std::string(t.root) + '.' + std::string(t.steps[0].name));
                    });
                made_.required_providers.insert_or_assign(std::string(one.name), std::move(made));
            }
        }
    }

    // The kind of the references in an argument.
    enum class meaning : std::uint8_t { values, addresses, providers, none };

    [[nodiscard]] static auto meaning_of(std::string_view block, std::string_view argument) -> meaning
    {
        bool const moves = block == "moved" || block == "removed";
        // The old address of an object does not refer to an object that has it now.
        if (moves && argument == "from") return meaning::none;
        if (argument == "to" && (moves || block == "import")) return meaning::addresses;
        if (argument == "target" && block.starts_with("override_")) return meaning::addresses;
        if (block == "plan_options" && (argument == "target" || argument == "replace")) return meaning::addresses;
        if (argument == "providers" && (block == "module" || block == "run")) return meaning::providers;
        static constexpr std::array<std::string_view, 6> with_provider{
            "resource", "data", "ephemeral", "action", "list", "import"};
        bool const named = argument == "provider" && std::ranges::find(with_provider, block) != with_provider.end();
        return named ? meaning::providers : meaning::values;
    }

    // Adds the references of a body, by the meaning of the arguments that contain them. \param block  its type
    void add_uses(language::body const& b, std::string_view block)
    {
        std::vector<std::pair<syntax::node const*, meaning>> special;
        collect_special(b, block, special);
        language::for_each_expression(b, [&](language::expression const& e, language::bound_names const& bound) {
            auto const found = std::ranges::find(special, &e.node(), &std::pair<syntax::node const*, meaning>::first);
            auto const how = found == special.end() ? meaning::values : found->second;
            if (how == meaning::none) return;
            if (how == meaning::providers) return add_provider_names(e);
            language::for_each_traversal(e, [&](syntax::traversal const& t) {
                if (std::ranges::find(bound, t.root) == bound.end()) add_use(t, how == meaning::addresses);
            });
        });
    }

    void collect_special(
        language::body const& b, std::string_view block, std::vector<std::pair<syntax::node const*, meaning>>& special)
    {
        for (auto const& one : b.attributes)
            if (auto const how = meaning_of(block, one.name); how != meaning::values && one.of)
                special.emplace_back(&one.of.node(), how);
        // Blocks of a provider have no such arguments.
        for (auto const& one : b.blocks)
            if (block == "run" || block == "mock_provider" || (block == "check" && one.type == "data"))
                collect_special(one.content, one.type, special);
    }

    // `aws.west`, or an object of such names.
    void add_provider_names(language::expression const& e)
    {
        language::for_each_traversal(e, [&](syntax::traversal const& found) {
            std::string key = "provider." + std::string(found.root);
            byte_range const root = found.root_range();
            if (!found.steps.empty() && !found.steps[0].name.empty()) key += '.' + std::string(found.steps[0].name);
            add_use_of({symbol_use::place::reference, std::move(key), {}, found.root, root, found.range, {}});
        });
    }

    [[nodiscard]] static auto name_range_of(syntax::step const& step) -> byte_range
    {
        return {step.range.end - static_cast<std::uint32_t>(step.name.size()), step.range.end};
    }

    void add_use(syntax::traversal const& found, bool is_address)
    {
        problems_ = {};
        auto const read = language::parse_reference(found, file_, problems_);
        if (!read) return;
        bool const known =
            read->is_repeatable() || read->kind == reference_kind::variable || read->kind == reference_kind::local;
        if (!known || read->consumed == 0) return;
        auto const rest = read->remaining();
        auto key = read->address();
        bool const has_outputs = read->kind == reference_kind::module
            || (of_tests_ && read->kind == reference_kind::resource && read->type == "run");
        if (is_address && read->kind == reference_kind::module) add_object(key, rest, found);
        else if (has_outputs && !rest.empty() && !rest[0].name.empty())
            add_use_of({symbol_use::place::output_of_module, key, {}, rest[0].name, name_range_of(rest[0]),
                rest[0].range, rest.subspan(1)});
        add_use_of({symbol_use::place::reference, std::move(key), {}, read->name,
            name_range_of(read->steps[read->consumed - 1]), read->subject.bytes, rest});
    }

    // The object in an address whose first module is in `key`: `module.a["x"].module.b.terraform_data.c`.
    void add_object(std::string key, std::span<syntax::step const> steps, syntax::traversal const& whole)
    {
        std::vector<syntax::step const*> names;
        for (auto const& one : steps)
            if (!one.name.empty()) names.push_back(&one);
        std::size_t at = 0;
        for (; at + 1 < names.size() && names[at]->name == "module"; at += 2)
            key += ".module." + std::string(names[at + 1]->name);
        std::string object;
        if (at < names.size() && names[at]->name == "data") {
            object = "data.";
            ++at;
        }
        if (at + 2 != names.size()) return;
        auto const& name = *names[at + 1];
        object += std::string(names[at]->name) + '.' + std::string(name.name);
        add_use_of({symbol_use::place::object_in_module, std::move(key), std::move(object), name.name,
            name_range_of(name), whole.range, {}});
    }

    language::source_file const* file_;
    bool of_tests_;
    std::string_view run_;  // the run of a test around the place
    strider::infra::diagnostics problems_;
    file_symbols made_;
};

// The item of a sorted list whose range contains the offset, or ends there.
template <class Items>
auto at_offset(Items const& items, std::uint32_t offset) -> typename Items::value_type const*
{
    auto const after =
        std::ranges::upper_bound(items, offset, {}, [](auto const& item) { return item.name_range.begin; });
    if (after == items.begin()) return nullptr;
    auto const& found = *std::prev(after);
    return offset <= found.name_range.end ? &found : nullptr;
}

}  // namespace

auto file_symbols::use_at(std::uint32_t offset) const -> symbol_use const*
{
    if (auto const* const found = at_offset(uses, offset)) return found;
    // Also matches the words before the name: `data.aws_ami` of `data.aws_ami.x`.
    auto const after =
        std::ranges::upper_bound(uses, offset, {}, [](auto const& item) { return item.name_range.begin; });
    if (after == uses.end() || after->where != symbol_use::place::reference) return nullptr;
    return after->range.begin <= offset && offset <= after->range.end ? &*after : nullptr;
}

auto file_symbols::declaration_at(std::uint32_t offset) const -> declaration const*
{
    for (auto const& one : declarations)
        if (one.name_range.begin <= offset && offset <= one.name_range.end) return &one;
    return nullptr;
}

auto symbols_of(language::syntax_tree const& tree) -> file_symbols
{
    return collector(tree, false).run(tree.root());
}

auto symbols_of_tests(language::syntax_tree const& tree) -> file_symbols
{
    return collector(tree, true).run(tree.root());
}

auto symbols_of_values(language::syntax_tree const& tree) -> file_symbols
{
    file_symbols made;
    for (auto const& one : tree.root().attributes)
        made.uses.push_back({symbol_use::place::value_in_file, "var." + std::string(one.name), {}, one.name,
            one.name_range().bytes, one.range.bytes, {}});
    return made;
}

auto constant_text(language::body const& in, std::string_view argument) -> std::string_view
{
    auto const* const found = in.find(argument);
    if (found == nullptr || !found->of) return {};
    return text_of(found->of.node()).value_or(std::string_view());
}

auto member_text(language::expression const& of, std::string_view key) -> std::string_view
{
    if (!of || of.node().kind != syntax::node_kind::object) return {};
    for (auto const& item : syntax::as<syntax::object>(of.node()).items)
        if (auto const name = of.file()->text(item.key->range); name == key || name == '"' + std::string(key) + '"')
            return text_of(*item.of).value_or(std::string_view());
    return {};
}

auto whole_range(language::block const& b) noexcept -> language::byte_range
{
    return language::between(b.type_range.bytes, b.close_range.bytes);
}

auto inner_range(language::label const& l) noexcept -> language::byte_range
{
    auto const range = l.range.bytes;
    bool const quoted = range.end - range.begin >= 2 && range.end - range.begin != l.text.size();
    return quoted ? byte_range{range.begin + 1, range.end - 1} : range;
}

}  // namespace iacctl::lsp
