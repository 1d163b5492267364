// SPDX-License-Identifier: BSL-1.0
#include "hover.hpp"

#include "base/json_writer.hpp"
#include "base/url_secrets.hpp"
#include "language_items.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

namespace iacctl::lsp {

namespace {

constexpr std::size_t most_lines = 30;
constexpr std::size_t most_bytes = 4000;
constexpr std::size_t most_instances = 5;

// Documentation in Markdown, or as plain text.
class page {
public:
    explicit page(bool markdown) : markdown_(markdown) {}

    auto code(std::string_view text) -> page&
    {
        auto const shown = shortened(without_url_secrets(text));
        // The fence must be longer than any in the code.
        std::string fence = "```";
        while (shown.find(fence) != std::string::npos) fence += '`';
        return add(markdown_ ? fence + "terraform\n" + shown + '\n' + fence : shown);
    }
    auto paragraph(std::string_view text) -> page& { return text.empty() ? *this : add(std::string(text)); }
    auto note(std::string_view text) -> page&
    {
        return text.empty() ? *this : add(markdown_ ? "*" + std::string(text) + "*" : std::string(text));
    }
    [[nodiscard]] auto text() const noexcept -> std::string const& { return text_; }
    [[nodiscard]] auto result(std::string const& range) const -> std::string
    {
        if (text_.empty()) return "null";
        json_object content;
        content.text("kind", markdown_ ? "markdown" : "plaintext").text("value", text_);
        return json_object().raw("contents", content.done()).raw("range", range).done();
    }

private:
    [[nodiscard]] static auto shortened(std::string_view text) -> std::string
    {
        std::size_t end = 0;
        for (std::size_t lines = 0; lines < most_lines && end < text.size(); ++lines)
            end = std::min(text.find('\n', end), text.size() - 1) + 1;
        end = std::min(end, most_bytes);
        while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
        return end >= text.size() ? std::string(text) : std::string(text.substr(0, end)) + " ...";
    }
    auto add(std::string text) -> page&
    {
        if (!text_.empty()) text_ += "\n\n";
        text_ += text;
        return *this;
    }

    bool markdown_;
    std::string text_;
};

auto names_of(std::span<language::syntax::step const> steps) -> std::vector<std::string>
{
    std::vector<std::string> names;
    for (auto const& one : steps) {
        bool const text_key = one.key != nullptr && one.key->has_data() && one.key->is(language::type_kind::string);
        names.push_back(one.key == nullptr ? std::string(one.name) : text_key ? one.key->as_string() : "*");
    }
    return names;
}

auto flags_of(body_item const& item) -> std::string
{
    std::string flags;
    auto const add = [&](bool set, std::string_view word) {
        if (set) flags += (flags.empty() ? "" : ", ") + std::string(word);
    };
    add(item.required, "required");
    add(item.computed, "read-only");
    add(item.sensitive, "sensitive");
    add(item.deprecated, "deprecated");
    return flags;
}

auto source_of(document const& in, language::expression const& e) -> std::string
{
    return e ? std::string(in.text().substr(e.node().range.begin, e.node().range.end - e.node().range.begin))
             : std::string();
}

class describer {
public:
    describer(feature_context const& context, document_place const& at)
        : with_(context),
          at_(at),
          page_(context.client.markdown)
    {}

    auto run() -> std::string
    {
        if (!at_.in.is_native()) return "null";
        if (auto const* const use = at_.in.symbols().use_at(at_.offset)) {
            if (auto const target = with_.files.target(at_.in, *use)) about(*target);
            return page_.result(with_.range_text(at_.in, use->name_range));
        }
        if (auto const* const one = at_.in.symbols().declaration_at(at_.offset)) {
            about(with_.files.declared(at_.in, *one));
            return page_.result(with_.range_text(at_.in, one->name_range));
        }
        if (auto const range = about_step()) return page_.result(with_.range_text(at_.in, *range));
        auto const where = cursor_at(at_.in.tree().file(), at_.offset);
        about_word(where);
        return page_.result(with_.range_text(at_.in, where.word));
    }

private:
    [[nodiscard]] auto directory() const -> std::string { return with_.files.module_of(at_.in); }

    void about(symbol const& s)
    {
        auto const found = with_.files.find(s);
        if (!found) return;
        auto const& one = *found.of;
        auto const argument = [&](std::string_view name) {
            auto const* const value = one.block == nullptr ? nullptr : one.block->content.find(name);
            return value == nullptr ? std::string() : source_of(*found.in, value->of);
        };
        switch (one.kind) {
        case symbol_kind::variable: {
            auto const type = argument("type");
            auto const given = argument("default");
            std::string text = "var." + std::string(one.name) + ": " + (type.empty() ? "any" : type);
            if (!given.empty()) text += " = " + (argument("sensitive") == "true" ? "(sensitive value)" : given);
            page_.code(text).paragraph(constant_text(one.block->content, "description"));
            page_.note(given.empty() ? "required" : "");
            return;
        }
        case symbol_kind::local: page_.code(one.key + " = " + source_of(*found.in, one.argument->of)); return;
        case symbol_kind::output: {
            auto const value = argument("value");
            page_.code("output " + std::string(one.name) + (value.empty() ? "" : " = " + value));
            page_.paragraph(constant_text(one.block->content, "description"));
            page_.note(argument("sensitive") == "true" ? "sensitive" : "");
            return;
        }
        case symbol_kind::module: {
            page_.code("module \"" + std::string(one.name) + "\"\nsource = " + argument("source"));
            return;
        }
        case symbol_kind::provider:
        case symbol_kind::check: page_.code(one.key); return;
        case symbol_kind::run: about_run(*found.in, one); return;
        case symbol_kind::resource:
        case symbol_kind::data:
        case symbol_kind::ephemeral:
        case symbol_kind::list:
        case symbol_kind::action: {
            page_.code(one.key);
            if (auto const* const schema = with_.known.schema_of(s.directory, one))
                page_.paragraph(schema->description.text);
            add_values(s, {});
            return;
        }
        }
    }

    void add_values(symbol const& s, std::vector<std::string> const& steps)
    {
        auto const values = with_.known.values(s.directory, s.key, steps);
        std::string text;
        for (auto const& [address, value] : std::span(values).first(std::min(values.size(), most_instances)))
            text += (text.empty() ? "" : "\n") + address + " = " + value;
        if (values.size() > most_instances)
            text += "\n# and " + std::to_string(values.size() - most_instances) + " more instances";
        if (!text.empty()) page_.note("in state:").code(text);
    }

    // A step after an object: an attribute of a resource.
    auto about_step() -> std::optional<language::byte_range>
    {
        for (auto const& use : at_.in.symbols().uses) {
            if (use.name_range.begin > at_.offset) break;
            bool const inside = !use.rest.empty() && use.rest.front().range.begin <= at_.offset
                && at_.offset <= use.rest.back().range.end;
            if (!inside || use.where != symbol_use::place::reference) continue;
            auto const target = with_.files.target(at_.in, use);
            auto const found = target ? with_.files.find(*target) : documents::declared_symbol();
            if (!found || found.of->block == nullptr) return std::nullopt;
            auto const* const schema = with_.known.schema_of(target->directory, *found.of);
            std::size_t count = 0;
            while (use.rest[count].range.end < at_.offset) ++count;
            auto const step = use.rest[count].range;
            auto const names = names_of(use.rest.first(count + 1));
            std::string path = target->key;
            for (auto const& name : names) path += name == "*" ? "[*]" : "." + name;
            auto const part = schema == nullptr ? std::nullopt : part_of(*schema, names);
            page_.code(part ? path + ": " + type_text(part->of) : path);
            if (part && part->attribute != nullptr) {
                page_.paragraph(part->attribute->description.text);
                page_.note(part->attribute->sensitive ? "sensitive" : "");
            }
            add_values(*target, names);
            return step;
        }
        return std::nullopt;
    }

    void about_word(cursor const& where)
    {
        auto const name = std::string(at_.in.text().substr(where.word.begin, where.word.end - where.word.begin));
        if (name.empty()) return;
        if (where.where == cursor::place::value && where.is_call && is_function(name)) {
            auto const of = std::string(language::find_function(name)->name);
            page_.code(label_of_function(of).text).paragraph(language::description_of(of));
            return;
        }
        if (where.where == cursor::place::value && about_named_value(where, name)) return;
        auto const blocks = where.blocks();
        if (where.where == cursor::place::item) {
            auto const described = with_.known.describe(at_.in, blocks);
            if (auto const* const item = described.find(name)) about(*item);
            return;
        }
        if (where.where != cursor::place::label || !blocks.empty()) return;
        about_type(name);
    }

    void about_run(document const& in, declaration const& run)
    {
        auto const& content = run.block->content;
        auto const* const command = content.find("command");
        page_.code("run \"" + std::string(run.name)
            + "\"\ncommand = " + (command == nullptr ? "apply" : source_of(in, command->of)));
        page_.note("executes " + shown_directory(with_.files.run_module(in, run.name)));
    }

    // A directory relative to the root module that calls the module at the place.
    [[nodiscard]] auto shown_directory(std::string const& directory) const -> std::string
    {
        auto const roots = with_.files.roots(this->directory());
        auto const relative = std::filesystem::path(directory).lexically_relative(*roots.begin()).generic_string();
        return relative == "." || relative.starts_with("..") ? relative : "./" + relative;
    }

    // A value that is not declared: `each.key`, `terraform.workspace`, `self`. \return false: it is another name
    auto about_named_value(cursor const& where, std::string const& word) -> bool
    {
        auto const& root = where.steps.empty() ? word : where.steps[0];
        auto const name = where.steps.empty() ? std::string() : word;
        if (root == "self" || root == "caller") return where.steps.empty() && about_owner(where, root);
        if (where.steps.size() > 1) return false;
        auto const text = language_documentation(root, name.empty() ? "*" : name);
        static constexpr std::array<std::string_view, 5> roots{"count", "each", "path", "terraform", "tofu"};
        if (text.empty() || std::ranges::find(roots, root) == roots.end()) return false;
        auto const value = value_of_named(where, root, name);
        page_.code(root + (name.empty() ? "" : "." + name) + (value.empty() ? "" : " = " + value)).paragraph(text);
        if (root == "count") add_argument(where, "count");
        if (root == "each") add_argument(where, "for_each");
        return true;
    }

    [[nodiscard]] auto value_of_named(cursor const& where, std::string_view root, std::string_view name) const
        -> std::string
    {
        auto const quoted = [](std::string const& text) { return text.empty() ? text : '"' + text + '"'; };
        if (name == "workspace") return quoted(with_.known.about(directory()).workspace);
        if (root != "path") return {};
        if (name == "module") return quoted(shown_directory(module_around(with_, at_.in, where)));
        return name == "root" ? quoted(".") : std::string();
    }

    // The block around the place that repeats its object.
    [[nodiscard]] auto block_around(cursor const& where) const -> language::block const*
    {
        auto const blocks = where.blocks();
        if (blocks.empty()) return nullptr;
        for (auto const& one : at_.in.tree().root().blocks)
            if (one.type_range.bytes.begin == blocks[0]->begin) return &one;
        return nullptr;
    }

    void add_argument(cursor const& where, std::string_view name)
    {
        auto const* const block = block_around(where);
        auto const* const argument = block == nullptr ? nullptr : block->content.find(name);
        if (argument != nullptr && argument->of)
            page_.code(std::string(name) + " = " + source_of(at_.in, argument->of));
    }

    auto about_owner(cursor const& where, std::string_view word) -> bool
    {
        auto const* const block = block_around(where);
        if (block == nullptr) return false;
        for (auto const& one : at_.in.symbols().declarations) {
            if (one.block != block) continue;
            page_.code(std::string(word) + (word == "self" ? " = " + one.key : std::string()));
            page_.paragraph(language_documentation(word, "*"));
            if (word == "self") add_values(with_.files.declared(at_.in, one), {});
            return true;
        }
        return false;
    }

    void about(body_item const& item)
    {
        page_.code(item.type.empty() ? item.name : item.name + ": " + item.type);
        page_.paragraph(item.documentation).note(flags_of(item));
    }

    // The type of a resource, in the header of its block.
    void about_type(std::string const& name)
    {
        for (auto const& block : at_.in.tree().root().blocks) {
            if (block.labels.empty() || block.labels[0].text != name) continue;
            auto const label = block.labels[0].range.bytes;
            if (at_.offset < label.begin || at_.offset > label.end) continue;
            auto const* const schema = with_.known.type_schema(directory(), mode_of(block.type), name);
            if (schema == nullptr) return;
            page_.code(std::string(block.type) + " \"" + name + '"').paragraph(schema->description.text);
            page_.note(schema->deprecated ? "deprecated" : "");
            return;
        }
    }

    feature_context const& with_;
    document_place const& at_;
    page page_;
};

}  // namespace

auto hover(feature_context const& context, document_place const& at) -> std::string
{
    return describer(context, at).run();
}

auto is_function(std::string_view name) -> bool
{
    return language::find_function(name) != nullptr;
}

auto label_of_function(std::string_view name) -> function_label
{
    auto const of = language::signature_of(name);
    function_label made{std::string(name) + "(", {}, of.variadic.has_value()};
    auto const add = [&](language::parameter const& p, std::string_view suffix) {
        if (!made.parameters.empty()) made.text += ", ";
        auto const begin = static_cast<std::uint32_t>(made.text.size());
        made.text += p.name + std::string(suffix) + ": " + type_text(p.of);
        made.parameters.push_back({begin, static_cast<std::uint32_t>(made.text.size())});
    };
    for (auto const& one : of.parameters) add(one, "");
    if (of.variadic) add(*of.variadic, "...");
    made.text += ") -> " + type_text(of.result);
    return made;
}

}  // namespace iacctl::lsp
