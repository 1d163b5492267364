// SPDX-License-Identifier: BSL-1.0
#include "overrides.hpp"

#include "base/in_quotes.hpp"
#include "base/name_lookup.hpp"
#include "language/evaluation/body_reader.hpp"
#include "messages/configuration.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace iacctl::language::detail {

namespace {

/// The terms for a block that overrides nothing, for its diagnostic.
struct missing_words {
    std::string_view type;
    std::string_view what;
};

constexpr std::array missing{
    missing_words{"variable", "base variable declaration"},
    missing_words{"output", "base output definition"},
    missing_words{"module", "module call"},
    missing_words{"resource", "resource"},
    missing_words{"data", "data resource"},
    missing_words{"ephemeral", "ephemeral resource"},
    missing_words{"action", "action"},
};

constexpr std::array<std::string_view, 3> refused{"moved", "import", "removed"};

void merge_attributes(body& into, body const& from)
{
    name_lookup names;
    for (auto const& one : from.attributes) {
        auto const* const same = names.find(std::span<attribute const>(into.attributes), one.name);
        if (same) into.attributes[static_cast<std::size_t>(same - into.attributes.data())] = one;
        else into.attributes.push_back(one);
    }
}

/// The type of the nested blocks that a block declares, or that `dynamic` makes.
[[nodiscard]] auto nested_type(block const& b) -> std::string_view
{
    return b.type == "dynamic" && b.labels.size() == 1 ? std::string_view(b.labels[0].text) : b.type;
}

/// Blocks replace those of their type, in both syntaxes: in JSON, a nested block of a provider's schema is an argument.
void merge_body(body& into, body const& from)
{
    std::set<std::string_view> replaced;
    for (auto const& one : from.attributes)
        if (one.json) replaced.insert(one.name);
    for (auto const& one : from.blocks)
        if (one.type != "lifecycle") replaced.insert(nested_type(one));
    std::erase_if(into.blocks, [&](block const& old) { return replaced.contains(nested_type(old)); });
    std::erase_if(into.attributes, [&](attribute const& old) { return old.json && replaced.contains(old.name); });
    merge_attributes(into, from);
    for (auto const& one : from.blocks) {
        auto const same = std::ranges::find(into.blocks, one.type, &block::type);
        if (one.type == "lifecycle" && same != into.blocks.end()) merge_body(same->content, one.content);
        else into.blocks.push_back(one);
    }
    if (from.json && !into.json) {
        into.missing = into.missing_item_range();
        into.json = true;
    }
}

class merger {
public:
    merger(std::vector<std::shared_ptr<syntax_tree>> const& files, diagnostics& found) : found_(found)
    {
        for (auto const& file : files) bodies_.push_back(file->root());
    }

    void merge(block const& b)
    {
        if (std::ranges::find(refused, b.type) != refused.end())
            return found_.add(error(messages::block_in_override_file, {b.type}, b.header_range()));
        if (b.type == "check") return found_.add(error(messages::check_in_override_file, b.header_range()));
        if (b.type == "locals") return merge_locals(b);
        if (b.type == "terraform") return merge_settings(b);
        refuse_rules(b);
        if (auto* const base = find(b)) return merge_body(base->content, without_order(b.content));
        if (b.type == "provider" && !b.content.find("alias")) return append(b);
        report_missing(b);
    }

    /// Reports a second place of state in an override file, which would replace the first one. Two places in one block
    /// `terraform` are reported when it is decoded.
    void refuse_second_places(body const& file)
    {
        for (std::string_view const type : {"backend", "cloud"}) {
            block const* first = nullptr;
            for (auto const& settings : file.blocks) {
                auto const found = std::ranges::find(settings.content.blocks, type, &block::type);
                if (settings.type != "terraform" || found == settings.content.blocks.end()) continue;
                if (first == nullptr) first = &*found;
                else
                    found_.add(error(type == "cloud" ? messages::duplicate_cloud : messages::duplicate_backend,
                        {first->header_range().text()}, found->header_range()));
            }
        }
    }

    [[nodiscard]] auto bodies() noexcept -> std::vector<body>& { return bodies_; }

private:
    /// Removes `depends_on`, which cannot be overridden, and reports an error if it is not empty.
    [[nodiscard]] auto without_order(body b) -> body
    {
        auto const order = std::ranges::find(b.attributes, std::string_view("depends_on"), &attribute::name);
        if (order == b.attributes.end()) return b;
        diagnostics ignored;
        if (auto const all = static_list(order->of, ignored); !all.empty())
            found_.add(error(messages::overridden_depends_on, all.front().range()));
        b.attributes.erase(order);
        return b;
    }

    /// Reports rules, which cannot be overridden: they have no names.
    void refuse_rules(block const& b)
    {
        auto const refuse = [this](body const& in, std::string_view type) {
            auto const found = std::ranges::find(in.blocks, type, &block::type);
            if (found != in.blocks.end())
                found_.add(error(messages::rule_in_override_file, {type}, found->header_range()));
        };
        if (b.type == "variable") refuse(b.content, "validation");
        if (b.type == "output") refuse(b.content, "precondition");
        for (auto const& one : b.content.blocks) {
            if (one.type != "lifecycle") continue;
            refuse(one.content, "precondition");
            refuse(one.content, "postcondition");
        }
    }

    [[nodiscard]] static auto alias_of(block const& b) -> std::string
    {
        auto const* const alias = b.content.find("alias");
        return alias ? std::string(alias->of.file()->text(alias->of.range().bytes)) : std::string();
    }

    [[nodiscard]] auto find(block const& desired) -> block*
    {
        for (auto& file : bodies_)
            for (auto& one : file.blocks) {
                bool const same = one.type == desired.type
                    && std::ranges::equal(one.labels, desired.labels, {}, &label::text, &label::text);
                if (same && (desired.type != "provider" || alias_of(one) == alias_of(desired))) return &one;
            }
        return nullptr;
    }

    void append(block const& b)
    {
        if (bodies_.empty()) return;
        bodies_.back().blocks.push_back(b);
    }

    void merge_locals(block const& b)
    {
        for (auto const& one : b.content.attributes) {
            attribute* base = nullptr;
            for (auto& file : bodies_)
                for (auto& each : file.blocks) {
                    if (each.type != "locals") continue;
                    auto const same = std::ranges::find(each.content.attributes, one.name, &attribute::name);
                    if (same != each.content.attributes.end()) base = &*same;
                }
            if (base) *base = one;
            else
                found_.add(error(messages::nothing_to_override,
                    {"base local value definition", "local." + std::string(one.name)}, one.range));
        }
    }

    /// Settings may exist in override files only; the entries of requirements are merged by name.
    void merge_settings(block b)
    {
        auto const required = [](block const& given) { return given.type == "required_providers"; };
        bool listed = false;
        for (auto& file : bodies_)
            for (auto& base : file.blocks) {
                if (base.type != "terraform") continue;
                if (b.content.find("required_version"))
                    std::erase_if(
                        base.content.attributes, [](attribute const& a) { return a.name == "required_version"; });
                for (auto const& one : b.content.blocks) {
                    if (!required(one)) {
                        bool const state = one.type == "backend" || one.type == "cloud";
                        std::erase_if(base.content.blocks, [&](block const& old) {
                            return old.type == one.type || (state && (old.type == "backend" || old.type == "cloud"));
                        });
                        continue;
                    }
                    for (auto& old : base.content.blocks) {
                        if (!required(old)) continue;
                        auto& kept = old.content.attributes;
                        std::erase_if(kept, [&](attribute const& a) { return one.content.find(a.name) != nullptr; });
                        kept.insert(kept.end(), one.content.attributes.begin(), one.content.attributes.end());
                        listed = true;
                    }
                }
            }
        if (listed) std::erase_if(b.content.blocks, required);
        append(b);
    }

    void report_missing(block const& b)
    {
        if (b.type == "provider") {
            std::string_view const name = b.labels.empty() ? std::string_view() : b.labels.back().text;
            found_.add(error(messages::no_provider_to_override, {name, alias_of(b)}, b.header_range()));
            return;
        }
        auto const words = std::ranges::find(missing, b.type, &missing_words::type);
        if (words == missing.end() || b.labels.empty()) return append(b);  // another error is reported
        std::string header(b.type);
        for (auto const& one : b.labels) header += ' ' + in_quotes(one.text);
        found_.add(error(messages::nothing_to_override, {words->what, header}, b.header_range()));
    }

    diagnostics& found_;
    std::vector<body> bodies_;
};

}  // namespace

void merge_overrides(std::vector<std::shared_ptr<syntax_tree>> const& files,
    std::vector<std::shared_ptr<syntax_tree>> const& overrides, diagnostics& found)
{
    if (overrides.empty()) return;
    merger all(files, found);
    for (auto const& file : overrides) {
        all.refuse_second_places(file->root());
        for (auto const& one : file->root().blocks) all.merge(one);
    }
    for (std::size_t i = 0; i < files.size(); ++i) files[i]->set_root(std::move(all.bodies()[i]));
}

}  // namespace iacctl::language::detail
