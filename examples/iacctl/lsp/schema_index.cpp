// SPDX-License-Identifier: BSL-1.0
#include "schema_index.hpp"

#include "base/provider_address.hpp"
#include "language/configuration/block_shapes.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/validation/schema_values.hpp"
#include "language_items.hpp"
#include "providers/built_in/built_in.hpp"
#include "providers/connection_settings.hpp"
#include "providers/provisioners.hpp"
#include "state/backends/foreign_types.hpp"
#include "state/backends/types.hpp"
#include "views/state_text.hpp"
#include "workspace/program/object_codec.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

namespace iacctl::lsp {

namespace {

using language::type_kind;

constexpr std::array<std::string_view, 5> nesting_words{
    "one block", "one block", "list of blocks", "set of blocks", "map of blocks"};

void append(std::vector<body_item>& to, std::vector<body_item> more)
{
    for (auto& one : more) {
        bool const known = std::ranges::find(to, one.name, &body_item::name) != to.end();
        if (!known) to.push_back(std::move(one));
    }
}

// Names without documentation are reserved in these blocks.
auto is_reserved(std::string_view owner, std::string_view name) -> bool
{
    static constexpr std::array<std::string_view, 8> owners{
        "", "action", "data", "ephemeral", "module", "output", "provider", "resource"};
    return name == "_"
        || (std::ranges::find(owners, owner) != owners.end() && language_documentation(owner, name).empty());
}

// The items that all bodies of a kind have in common.
auto items_of(language::body_shape const& shape, std::string_view owner) -> std::vector<body_item>
{
    std::vector<body_item> items;
    for (auto const& one : shape.arguments) {
        if (is_reserved(owner, one.name)) continue;
        body_item item;
        item.name = one.name;
        item.required = one.required;
        item.documentation = language_documentation(owner, one.name);
        items.push_back(std::move(item));
    }
    for (auto const& one : shape.blocks) {
        if (is_reserved(owner, one.type)) continue;
        body_item item;
        item.name = one.type;
        item.is_block = true;
        item.labels = one.labels.size();
        item.documentation = language_documentation(owner, one.type);
        items.push_back(std::move(item));
    }
    return items;
}

auto shape_of(document_kind kind) -> language::body_shape const&
{
    namespace shapes = language::detail::shapes;
    switch (kind) {
    case document_kind::tests: return shapes::test_file;
    case document_kind::queries: return shapes::query_file;
    case document_kind::mocks: return shapes::test_mocks;
    default: return shapes::file;
    }
}

// The arguments of a backend; null for an unknown one.
auto backend_schema(std::string_view type) -> language::schema const*
{
    auto const* const own = backends::find_type(type);
    return own != nullptr ? &own->arguments() : backends::find_foreign_arguments(type);
}

// Words that only one of the programs has.
struct word_of_program {
    std::string_view owner;
    std::string_view name;
    language::origin_program program;
};
constexpr std::array words_of_programs{
    word_of_program{"", "action", language::origin_program::terraform},
    word_of_program{"import", "identity", language::origin_program::terraform},
    word_of_program{"lifecycle", "action_trigger", language::origin_program::terraform},
    word_of_program{"lifecycle", "enabled", language::origin_program::opentofu},
    word_of_program{"module", "lifecycle", language::origin_program::opentofu},
    word_of_program{"output", "type", language::origin_program::terraform},
    word_of_program{"provider", "for_each", language::origin_program::opentofu},
    word_of_program{"terraform", "encryption", language::origin_program::opentofu},
};

// Returns whether a body of a kind may have an item that the shape of the kind has.
auto is_possible(document_kind kind, std::span<frame const* const> blocks, std::string_view name,
    language::dialect_choice const& dialect) -> bool
{
    auto const owner = blocks.empty() ? std::string_view() : blocks.back()->name;
    for (auto const& one : words_of_programs)
        if (one.owner == owner && one.name == name && !dialect.accepts(one.program)) return false;
    if (owner.empty() && name == "list") return kind == document_kind::queries;
    if (owner != "lifecycle" || blocks.size() < 2) return true;
    auto const object = blocks[blocks.size() - 2]->name;
    if (object == "resource") return true;
    if (object == "module") return name == "enabled";
    if (object == "removed") return name == "destroy";
    return name == "precondition" || name == "postcondition" || name == "enabled";
}

auto shape_in(language::body_shape const& shape, std::string_view type) -> language::body_shape const*
{
    if (type == "lifecycle" && &shape == &language::detail::shapes::removed)
        return &language::detail::shapes::removed_lifecycle;
    auto const found = std::ranges::find(shape.blocks, type, &language::body_shape::nested::type);
    return found == shape.blocks.end() ? nullptr : found->content;
}

// The texts and numbers in sensitive parts of a value.
void collect_secrets(language::value const& v, bool sensitive, std::set<std::string>& secrets)
{
    sensitive = sensitive || v.is_sensitive();
    if (!v.has_data()) return;
    if (sensitive && v.is(type_kind::string) && !v.as_string().empty()) secrets.insert(v.as_string());
    if (sensitive && v.is(type_kind::number)) secrets.insert(v.as_number().text());
    for (auto const& one : v.elements()) collect_secrets(one, sensitive, secrets);
    for (auto const& one : v.entries()) collect_secrets(one.of, sensitive, secrets);
}

// Marks all texts and numbers in a value that are secrets: a provider may have copied one to another attribute.
auto with_secrets_marked(language::value const& v, std::set<std::string> const& secrets) -> language::value
{
    if (!v.has_data() || v.is_sensitive()) return v;
    auto const marked = [&] { return v.with_marks(language::mark::sensitive); };
    switch (v.kind()) {
    case type_kind::string: return secrets.contains(v.as_string()) ? marked() : v;
    case type_kind::number: return secrets.contains(v.as_number().text()) ? marked() : v;
    case type_kind::boolean:
    case type_kind::dynamic: return v;
    default: break;
    }
    std::vector<language::value> elements;
    for (auto const& one : v.elements()) elements.push_back(with_secrets_marked(one, secrets));
    std::vector<language::value_entry> entries;
    for (auto const& one : v.entries()) entries.push_back({one.key, with_secrets_marked(one.of, secrets)});
    switch (v.kind()) {
    case type_kind::list: return language::value::list(v.get_type().element(), std::move(elements));
    case type_kind::set: return language::value::set(v.get_type().element(), std::move(elements));
    case type_kind::tuple: return language::value::tuple(std::move(elements));
    case type_kind::map: return language::value::map(v.get_type().element(), std::move(entries));
    default: return language::value::object(std::move(entries));
    }
}

// The value at the end of steps; for "*", that of the first element.
auto value_at(language::value const& v, std::span<std::string const> steps) -> std::optional<language::value>
{
    language::value now = v;
    for (auto const& step : steps) {
        if (now.marks() != language::mark::none) return now;
        if (step == "*") {
            if (now.elements().size() != 1) return std::nullopt;
            now = language::value(now.elements()[0]);
            continue;
        }
        auto const* const found = now.find(step);
        if (found == nullptr) return std::nullopt;
        now = language::value(*found);
    }
    return now;
}

}  // namespace

auto body_description::find(std::string_view name) const -> body_item const*
{
    auto const found = std::ranges::find(items, name, &body_item::name);
    return found == items.end() ? nullptr : &*found;
}

auto type_text(language::type const& t) -> std::string
{
    switch (t.kind()) {
    case type_kind::dynamic: return "any";
    case type_kind::boolean: return "bool";
    case type_kind::number: return "number";
    case type_kind::string: return "string";
    case type_kind::list: return "list(" + type_text(t.element()) + ")";
    case type_kind::set: return "set(" + type_text(t.element()) + ")";
    case type_kind::map: return "map(" + type_text(t.element()) + ")";
    case type_kind::tuple: {
        std::string text;
        for (auto const& one : t.elements()) text += (text.empty() ? "" : ", ") + type_text(one);
        return "tuple([" + text + "])";
    }
    case type_kind::object: {
        std::string text;
        for (auto const& one : t.attributes()) {
            text += (text.empty() ? " " : ", ") + one.name + " = ";
            text += one.optional ? "optional(" + type_text(one.of) + ")" : type_text(one.of);
        }
        return "object({" + text + (text.empty() ? "" : " ") + "})";
    }
    }
    return {};
}

auto items_of(language::schema const& s) -> std::vector<body_item>
{
    std::vector<body_item> items;
    for (auto const& one : s.attributes) {
        body_item item;
        item.name = one.name;
        item.required = one.required;
        item.computed = one.computed && !one.optional && !one.required;
        item.sensitive = one.sensitive;
        item.deprecated = one.deprecated;
        item.type = type_text(one.of);
        item.documentation = one.description.text;
        items.push_back(std::move(item));
    }
    for (auto const& one : s.blocks) {
        body_item item;
        item.name = one.name;
        item.is_block = true;
        item.labels = one.how == language::nesting::map ? 1 : 0;
        item.required = one.min_items > 0;
        item.type = nesting_words[static_cast<std::size_t>(one.how)];
        item.deprecated = one.content->deprecated;
        item.documentation = one.content->description.text;
        items.push_back(std::move(item));
    }
    return items;
}

auto part_of(language::schema const& s, std::span<std::string const> steps) -> std::optional<schema_part>
{
    schema_part part{s.object_type(), nullptr, &s};
    for (auto const& step : steps) {
        if (step == "*") {
            if (part.of.is_collection()) part.of = language::type(part.of.element());
            else if (!part.of.is_dynamic()) return std::nullopt;
            continue;
        }
        auto const* const attribute = part.content == nullptr ? nullptr : part.content->find(step);
        auto const* const block = part.content == nullptr ? nullptr : part.content->find_block(step);
        if (attribute != nullptr) {
            part = {attribute->of, attribute, attribute->nested ? attribute->nested->content.get() : nullptr};
        } else if (block != nullptr) {
            part = {block->attribute_type(), nullptr, block->content.get()};
        } else if (auto const* const inner = part.of.find(step)) {
            part = {language::type(inner->of), nullptr, nullptr};
        } else if (part.of.is(type_kind::map)) {
            part.of = language::type(part.of.element());
        } else {
            return std::nullopt;
        }
    }
    return part;
}

schema_index::schema_index(documents& d) : documents_(d)
{
    built_in_.catalog = std::make_shared<providers::catalog>(providers::built_in_providers());
    for (auto const& [address, one] : *built_in_.catalog) built_in_.loaded.insert(address);
}

void schema_index::update(std::string const& root, std::shared_ptr<root_data const> known)
{
    roots_.insert_or_assign(root, std::move(known));
}

auto schema_index::about(std::string const& directory) const -> root_data const&
{
    if (roots_.size() == 1 && roots_.begin()->first == directory) return *roots_.begin()->second;
    for (auto const& root : documents_.roots(directory))
        if (auto const known = roots_.find(root); known != roots_.end()) return *known->second;
    auto const known = roots_.find(directory);
    return known == roots_.end() ? built_in_ : *known->second;
}

auto mode_of(symbol_kind kind) noexcept -> infra::resource_mode
{
    switch (kind) {
    case symbol_kind::data: return infra::resource_mode::data;
    case symbol_kind::ephemeral: return infra::resource_mode::ephemeral;
    case symbol_kind::action: return infra::resource_mode::action;
    case symbol_kind::list: return infra::resource_mode::list;
    default: return infra::resource_mode::managed;
    }
}

auto mode_of(std::string_view block) noexcept -> infra::resource_mode
{
    if (block == "data" || block == "mock_data") return infra::resource_mode::data;
    if (block == "ephemeral") return infra::resource_mode::ephemeral;
    if (block == "action") return infra::resource_mode::action;
    return block == "list" ? infra::resource_mode::list : infra::resource_mode::managed;
}

auto schema_index::provider_address(std::string const& directory, std::string_view local) const -> std::string
{
    auto const name = local_provider_name(local);
    for (auto const& [path, file] : documents_.module(directory)) {
        auto const& required = file.symbols().required_providers;
        auto const found = required.find(name);
        if (found != required.end() && is_provider_source(found->second.source))
            return iacctl::provider_address(found->second.source);
    }
    language::configuration const none;
    return language::provider_named(none, name);
}

auto schema_index::provider_schema(std::string const& directory, std::string_view local) const
    -> providers::provider_schema const*
{
    auto const& known = about(directory);
    auto* const source = known.catalog->find(provider_address(directory, local));
    if (source == nullptr || !known.loaded.contains(std::string(source->address()))) return nullptr;
    auto const schema = source->schema();
    return schema ? *schema : nullptr;
}

auto schema_index::type_schema(std::string const& directory, infra::resource_mode mode, std::string_view type,
    std::string_view provider) const -> language::schema const*
{
    auto const* const of = provider_schema(directory, provider.empty() ? type.substr(0, type.find('_')) : provider);
    if (of == nullptr) return nullptr;
    auto const found = of->of(mode).find(type);
    return found == of->of(mode).end() ? nullptr : &found->second.content;
}

auto schema_index::schema_of(std::string const& directory, declaration const& d) const -> language::schema const*
{
    std::string provider;
    if (d.block != nullptr)
        if (auto const* const argument = d.block->content.find("provider"); argument != nullptr && argument->of)
            provider = argument->of.file()->text(argument->of.node().range);
    return type_schema(directory, mode_of(d.kind), d.type, provider);
}

auto schema_index::types(std::string const& directory, infra::resource_mode mode) const
    -> std::map<std::string, language::schema const*>
{
    std::map<std::string, language::schema const*> found;
    auto const& known = about(directory);
    for (auto const& address : known.loaded) {
        auto* const source = known.catalog->find(address);
        if (source == nullptr) continue;
        auto const schema = source->schema();
        if (!schema) continue;
        for (auto const& [type, one] : (*schema)->of(mode)) found.emplace(type, &one.content);
    }
    return found;
}

auto schema_index::describe(document const& in, std::span<frame const* const> blocks) const -> body_description
{
    auto const directory = documents_.module_of(in);
    body_description made;
    language::body_shape const* shape = &shape_of(in.kind());
    language::schema const* content = nullptr;
    std::string owner;
    bool known = true;
    for (std::size_t at = 0; at < blocks.size() && known; ++at) {
        auto const& one = *blocks[at];
        auto const* const inner_shape = shape == nullptr ? nullptr : shape_in(*shape, one.name);
        bool const in_shape = shape != nullptr
            && std::ranges::find(shape->blocks, one.name, &language::body_shape::nested::type) != shape->blocks.end();
        auto const* const inner = content == nullptr ? nullptr : content->find_block(one.name);
        auto const label = one.labels.empty() ? std::string() : one.labels[0];
        if (one.name == "dynamic" && content != nullptr && content->find_block(label) != nullptr) {
            bool const in_content = at + 1 < blocks.size() && blocks[at + 1]->name == "content";
            shape = nullptr;
            if (in_content) {
                ++at;
                content = content->find_block(label)->content.get();
                owner = label;
                continue;
            }
            made.items = language_items("dynamic");
            made.documentation = language_documentation("", "dynamic");
            return made;
        }
        if (inner != nullptr) {
            content = inner->content.get();
            shape = nullptr;
        } else if (in_shape) {
            shape = inner_shape;
            content = nullptr;
            static constexpr std::array<std::string_view, 4> typed{"resource", "data", "ephemeral", "list"};
            if (at == 0 && std::ranges::find(typed, one.name) != typed.end())
                content = type_schema(directory, mode_of(one.name), label);
            else if (at == 1 && one.name == "backend") content = backend_schema(label);
            else if (at == 1 && one.name == "cloud") content = backend_schema(backends::cloud_block);
            else if (one.name == "data") content = type_schema(directory, infra::resource_mode::data, label);
            else if (one.name == "provider" && at == 0) {
                auto const* const of = provider_schema(directory, label);
                content = of == nullptr ? nullptr : &of->settings;
            } else if (one.name == "provisioner") content = providers::provisioner_schema(label);
            else if (at == 1 && one.name == "config" && blocks[0]->name == "action")
                content = type_schema(directory, infra::resource_mode::action,
                    blocks[0]->labels.empty() ? std::string() : blocks[0]->labels[0]);
            else if (one.name == "connection") content = &providers::connection_schema();
        } else {
            known = false;
        }
        owner = one.name;
    }
    if (!known) return made;
    if (shape != nullptr) {
        made.items = items_of(*shape, owner);
        auto const dialect = documents_.dialect(directory);
        std::erase_if(
            made.items, [&](body_item const& item) { return !is_possible(in.kind(), blocks, item.name, dialect); });
    }
    if (content != nullptr) {
        append(made.items, lsp::items_of(*content));
        made.documentation = content->description.text;
        if (!content->blocks.empty()) append(made.items, {language_item("", "dynamic", true, 1)});
    }
    if (blocks.size() == 1 && blocks[0]->name == "module" && !blocks[0]->labels.empty()) {
        auto const child = documents_.called(directory, "module." + blocks[0]->labels[0]);
        if (!child.empty())
            documents_.for_each_declaration(child, [&](document const& of, declaration const& d) {
                if (d.kind != symbol_kind::variable) return;
                body_item item;
                item.name = d.name;
                item.required = d.block->content.find("default") == nullptr;
                if (auto const* const type = d.block->content.find("type"); type != nullptr && type->of)
                    item.type = of.tree().file().text(type->of.node().range);
                item.documentation = constant_text(d.block->content, "description");
                append(made.items, {std::move(item)});
            });
    }
    return made;
}

auto schema_index::values(std::string const& directory, std::string const& address,
    std::span<std::string const> steps) const -> std::vector<shown_value>
{
    std::vector<shown_value> shown;
    auto const& known = about(directory);
    auto const module = known.instances.find(directory);
    if (module == known.instances.end()) return shown;
    auto const instances = module->second.find(address);
    if (instances == module->second.end()) return shown;
    for (auto const& one : instances->second) {
        auto const* const record = known.state.find(one);
        if (record == nullptr || !record->current) continue;
        // Without the schema, it is unknown which attributes are sensitive.
        auto const of = provider_address_in(record->current->provider);
        auto* const source = known.catalog->find(of);
        if (source == nullptr || !known.loaded.contains(std::string(source->address()))) continue;
        auto const* const type = known.catalog->find_type(record->current->provider, one);
        auto const object = program::decode_to_show(*known.catalog, one, *record->current);
        if (type == nullptr || !object) continue;
        auto whole = language::with_sensitive_marks(*object, type->content);
        std::set<std::string> secrets;
        collect_secrets(whole, false, secrets);
        if (!secrets.empty()) whole = with_secrets_marked(whole, secrets);
        auto const part = value_at(whole, steps);
        if (part) shown.push_back({to_string(one), views::value_text(*part)});
    }
    return shown;
}

auto schema_index::undeclared_in_state(std::string const& directory) const -> std::vector<std::string>
{
    std::vector<std::string> found;
    auto const& known = about(directory);
    std::set<std::string_view> declared;
    documents_.for_each_declaration(directory, [&](document const&, declaration const& d) { declared.insert(d.key); });
    if (auto const module = known.instances.find(directory); module != known.instances.end())
        for (auto const& [address, instances] : module->second)
            if (instances.front().mode() == infra::resource_mode::managed && !declared.contains(address))
                found.push_back(address);
    if (auto const module = known.lost_modules.find(directory); module != known.lost_modules.end())
        std::ranges::copy_if(
            module->second, std::back_inserter(found), [&](std::string const& key) { return !declared.contains(key); });
    return found;
}

auto schema_index::is_in_state(symbol const& s) const -> bool
{
    auto const& known = about(s.directory);
    if (!s.key.starts_with("module.")) {
        auto const module = known.instances.find(s.directory);
        return module != known.instances.end() && module->second.contains(s.key);
    }
    auto const child = known.instances.find(documents_.called(s.directory, s.key));
    return child != known.instances.end() && !child->second.empty();
}

}  // namespace iacctl::lsp
