// SPDX-License-Identifier: BSL-1.0
#include "completion.hpp"

#include "argument_values.hpp"
#include "base/json_writer.hpp"
#include "candidates.hpp"
#include "hover.hpp"
#include "language/evaluation/functions.hpp"
#include "language/evaluation/type_constraint.hpp"
#include "state/backends/foreign_types.hpp"
#include "state/backends/types.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace iacctl::lsp {

namespace {

// The text of a snippet without its placeholders.
auto without_placeholders(std::string_view snippet) -> std::string
{
    std::string made;
    for (std::size_t at = 0; at < snippet.size(); ++at) {
        if (snippet[at] == '\\' && at + 1 < snippet.size()) made += snippet[++at];
        else if (snippet[at] != '$') made += snippet[at];
        else if (at + 1 < snippet.size() && snippet[at + 1] == '{')
            at = std::min(snippet.find('}', at), snippet.size());
        else ++at;
    }
    return made;
}

class completer {
public:
    completer(feature_context const& context, document_place const& at)
        : with_(context),
          at_(at),
          in_(at.in),
          where_(cursor_at(at.in.tree().file(), at.offset)),
          directory_(module_around(context, at.in, where_)),
          offset_(at.offset)
    {}

    auto run() -> std::string
    {
        if (in_.kind() == document_kind::values) {
            if (where_.where == cursor::place::item && where_.frames.size() == 1) add_values();
            else if (where_.where == cursor::place::value) add_constants();
            return result();
        }
        if (!in_.is_native()) return "null";
        if (auto values = values_of_argument(with_, at_, where_)) {
            found_ = std::move(values->items);
            if (values->word) where_.word = *values->word;
            return result();
        }
        switch (where_.where) {
        case cursor::place::item: add_items(); break;
        case cursor::place::label: add_labels(); break;
        case cursor::place::key: add_keys(); break;
        case cursor::place::value: add_expressions(); break;
        case cursor::place::text:
        case cursor::place::none: break;
        }
        return result();
    }

private:
    void add(candidate c) { found_.push_back(std::move(c)); }

    // The range of the word, and the part of it before the place.
    [[nodiscard]] auto result() -> std::string
    {
        auto word = where_.word;
        if (word.end < offset_) word = {offset_, offset_};
        auto const range = with_.range_text(in_, word);
        auto const* const line = "0123456789";
        json_array items;
        for (auto const& one : found_) {
            json_object item;
            item.text("label", one.label).raw("kind", std::to_string(static_cast<int>(one.kind)));
            item.text_if("detail", one.detail);
            if (!one.documentation.empty() && with_.client.markdown_completion)
                item.raw(
                    "documentation", json_object().text("kind", "markdown").text("value", one.documentation).done());
            else item.text_if("documentation", one.documentation);
            if (one.deprecated) item.raw("tags", "[1]");
            item.text("sortText", std::string(1, line[one.order]) + one.label);
            bool const snippet = with_.client.snippets && !one.snippet.empty();
            auto const text = snippet ? one.snippet
                : one.snippet.empty() ? one.label
                                      : without_placeholders(one.snippet);
            if (snippet) item.raw("insertTextFormat", "2");
            item.raw("textEdit", json_object().raw("range", range).text("newText", text).done());
            items.raw(item.done());
        }
        return json_object().flag("isIncomplete", false).raw("items", items.done()).done();
    }

    // Names of variables in a file of values.
    void add_values()
    {
        auto const& written = where_.frames.back().written;
        with_.files.for_each_declaration(directory_, [&](document const& in, declaration const& d) {
            if (d.kind != symbol_kind::variable) return;
            bool const there = std::ranges::find(written, d.name) != written.end();
            if (there && in_.text().substr(where_.word.begin, where_.word.end - where_.word.begin) != d.name) return;
            auto const* const type = d.block->content.find("type");
            auto const type_of = type == nullptr || !type->of
                ? std::string()
                : std::string(in.tree().file().text(type->of.node().range));
            add({std::string(d.name), item_kind::variable, type_of,
                std::string(constant_text(d.block->content, "description")),
                escaped(d.name) + " = " + value_snippet(type_of, "$0")});
        });
    }

    static auto value_snippet(std::string_view type, std::string const& place) -> std::string
    {
        if (type == "string") return '"' + place + '"';
        if (type.starts_with("list") || type.starts_with("set") || type.starts_with("tuple")) return '[' + place + ']';
        if (type.starts_with("map") || type.starts_with("object")) return "{\n\t" + place + "\n}";
        return place;
    }

    void add_items()
    {
        auto const blocks = where_.blocks();
        auto const& written = where_.frames.back().written;
        if (in_.kind() == document_kind::tests && where_.block().name == "variables") return add_values();
        if (where_.block().name == "required_providers") {
            for (auto& one : provider_entries(with_, directory_))
                if (std::ranges::find(written, one.label) == written.end()) add(std::move(one));
            return;
        }
        auto const described = with_.known.describe(in_, blocks);
        auto const word = in_.text().substr(where_.word.begin, where_.word.end - where_.word.begin);
        for (auto const& one : described.items) {
            bool const there = std::ranges::find(written, one.name) != written.end() && word != one.name;
            if (one.computed || (there && !one.is_block)) continue;
            candidate made;
            made.label = one.name;
            made.kind = one.is_block ? item_kind::structure : item_kind::property;
            made.detail = one.type;
            if (one.required) made.detail += made.detail.empty() ? "required" : ", required";
            made.documentation = one.documentation;
            made.deprecated = one.deprecated;
            made.order = one.required ? 0 : one.deprecated ? 2 : 1;
            made.snippet =
                one.is_block ? block_snippet(one) : escaped(one.name) + " = " + value_snippet(one.type, "$0");
            add(std::move(made));
        }
    }

    static auto block_snippet(body_item const& item) -> std::string
    {
        auto text = escaped(item.name);
        static constexpr std::array<std::string_view, 2> both{"type", "name"};
        for (std::size_t at = 0; at < item.labels; ++at) {
            bool const typed = item.labels == 2;
            text += " \"${" + std::to_string(at + 1) + ':' + std::string(typed ? both[at] : "name") + "}\"";
        }
        return text + " {\n\t$0\n}";
    }

    // Types of resources and names of providers, in the header of a block.
    void add_labels()
    {
        auto const& header = where_.frames[where_.frames.size() - 2];
        auto const begin = where_.frames.back().begin;
        // The words in the header before the string.
        auto const line = in_.text().substr(0, begin);
        auto const words = line.substr(line.rfind('\n') + 1);
        auto const first = words.substr(std::min(words.find_first_not_of(" \t"), words.size()));
        auto const type = first.substr(0, first.find_first_of(" \t\""));
        if (first.find('"') != std::string_view::npos) return;
        bool const top = header.of == frame::kind::file;
        using mode = infra::resource_mode;
        static constexpr std::array<std::string_view, 4> typed{"resource", "ephemeral", "action", "list"};
        if (top && std::ranges::find(typed, type) != typed.end()) add_types(mode_of(type));
        else if (type == "data" || type == "mock_data") add_types(mode::data);
        else if (type == "mock_resource") add_types(mode::managed);
        else if (top && (type == "provider" || type == "mock_provider")) add_providers();
        else if (header.name == "terraform" && type == "backend") add_backends();
        else if (header.name == "terraform" && type == "provider_meta") add_providers();
        else if (type == "dynamic") add_dynamic_labels();
        else if (type == "provisioner")
            for (auto const* const one : {"file", "local-exec", "remote-exec"}) add({one, item_kind::type});
    }

    void add_backends()
    {
        for (auto const& one : backends::types()) add({std::string(one.name), item_kind::module});
        for (auto const& one : backends::foreign_types())
            add({std::string(one), item_kind::module, "not supported by iacctl", {}, {}, false, 2});
    }

    void add_types(infra::resource_mode mode)
    {
        for (auto const& [type, schema] : with_.known.types(directory_, mode)) {
            candidate made{type, item_kind::type, {}, schema->description.text};
            made.deprecated = schema->deprecated;
            add(std::move(made));
        }
    }

    void add_providers()
    {
        std::set<std::string> names;
        for (auto const& [path, file] : with_.files.module(directory_))
            for (auto const& [name, one] : file.symbols().required_providers) names.insert(name);
        for (auto const& address : with_.known.about(directory_).loaded)
            names.insert(address.substr(address.rfind('/') + 1));
        for (auto const& name : names) add({name, item_kind::module});
    }

    void add_dynamic_labels()
    {
        for (auto const& one : with_.known.describe(in_, where_.blocks()).items)
            if (one.is_block && one.name != "dynamic" && !one.type.empty()) add({one.name, item_kind::structure});
    }

    // Adds the keys of an object that is the value of an argument with nested attributes, and expressions elsewhere.
    void add_keys()
    {
        auto const* const schema = schema_of_block();
        std::vector<std::string> steps;
        for (auto const& one : where_.frames) {
            if (one.of == frame::kind::block) steps.clear();
            if (!one.attribute.empty()) steps.emplace_back(one.attribute);
            else if (one.of == frame::kind::list && !steps.empty()) steps.emplace_back("*");
        }
        if (schema == nullptr) return;
        auto const part = part_of(*schema, steps);
        if (!part) return;
        if (part->content != nullptr) {
            for (auto const& one : items_of(*part->content)) {
                if (one.computed) continue;
                add({one.name, item_kind::property, one.type, one.documentation,
                    escaped(one.name) + " = " + value_snippet(one.type, "$0"), one.deprecated, one.required ? 0 : 1});
            }
        } else {
            for (auto const& one : part->of.attributes())
                add({one.name, item_kind::property, type_text(one.of), {},
                    escaped(one.name) + " = " + value_snippet(type_text(one.of), "$0")});
        }
    }

    // The schema of the resource around the place, unless the place is in a nested block.
    [[nodiscard]] auto schema_of_block() const -> language::schema const*
    {
        auto const blocks = where_.blocks();
        if (blocks.size() != 1 || blocks[0]->labels.empty()) return nullptr;
        static constexpr std::array<std::string_view, 4> typed{"resource", "data", "ephemeral", "list"};
        if (std::ranges::find(typed, blocks[0]->name) == typed.end()) return nullptr;
        return with_.known.type_schema(directory_, mode_of(blocks[0]->name), blocks[0]->labels[0]);
    }

    void add_constants()
    {
        for (auto const* const one : {"true", "false", "null"}) add({one, item_kind::constant, {}, {}, {}, false, 3});
    }

    void add_expressions()
    {
        auto const blocks = where_.blocks();
        auto const& block = where_.block();
        bool const of_variable = blocks.size() == 1 && blocks[0]->name == "variable";
        if (of_variable && block.attribute == "type") return add_type_words();
        if (block.attribute == "provider" && blocks.size() == 1) return add_provider_configurations();
        if (block.name == "lifecycle" && block.attribute == "ignore_changes" && where_.steps.empty())
            return add_attributes_to_ignore(blocks);
        if (where_.steps.empty()) return add_first_words();
        add_after(where_.steps);
    }

    void add_type_words()
    {
        for (auto const* const one : {"any", "bool", "number", "string"}) add({one, item_kind::type});
        for (auto const* const one : {"list", "map", "set"})
            add({one, item_kind::type, {}, {}, std::string(one) + "(${1:string})$0"});
        add({"object", item_kind::type, {}, {}, "object({\n\t$0\n\\})"});
        add({"tuple", item_kind::type, {}, {}, "tuple([$0])"});
        add({"optional", item_kind::type, {}, {}, "optional(${1:string})$0"});
    }

    void add_provider_configurations()
    {
        with_.files.for_each_declaration(directory_, [&](document const&, declaration const& d) {
            if (d.kind == symbol_kind::provider && where_.steps.empty())
                add({d.key.substr(d.key.find('.') + 1), item_kind::module});
        });
    }

    void add_attributes_to_ignore(std::vector<frame const*> const& blocks)
    {
        add({"all", item_kind::keyword});
        if (blocks.empty() || blocks[0]->labels.empty()) return;
        auto const* const schema =
            with_.known.type_schema(directory_, infra::resource_mode::managed, blocks[0]->labels[0]);
        if (schema == nullptr) return;
        for (auto const& one : items_of(*schema))
            if (!one.computed) add({one.name, item_kind::property, one.type, one.documentation});
    }

    void add_first_words()
    {
        std::set<std::string> types;
        std::set<symbol_kind> kinds;
        auto const add_kind = [&](document const&, declaration const& d) {
            if (d.kind == symbol_kind::resource) types.emplace(d.type);
            else kinds.insert(d.kind);
        };
        with_.files.for_each_declaration(directory_, add_kind);
        bool const test = in_.kind() == document_kind::tests;
        if (test)
            for (auto const& one : in_.symbols().declarations) add_kind(in_, one);
        auto const word = [&](bool there, std::string_view text) {
            if (there) add({std::string(text), item_kind::keyword});
        };
        word(kinds.contains(symbol_kind::variable), "var");
        word(kinds.contains(symbol_kind::local), "local");
        word(kinds.contains(symbol_kind::module), "module");
        word(kinds.contains(symbol_kind::data), "data");
        word(kinds.contains(symbol_kind::ephemeral), "ephemeral");
        word(kinds.contains(symbol_kind::action), "action");
        word(kinds.contains(symbol_kind::list), "list");
        word(test && kinds.contains(symbol_kind::run), "run");
        word(test && kinds.contains(symbol_kind::output), "output");
        word(true, "path");
        word(true, "terraform");
        for (auto const& type : types) add({type, item_kind::type, "resource"});
        auto const blocks = where_.blocks();
        if (!blocks.empty()) {
            auto const has = [&](std::string_view name) { return is_written(*blocks[0], name); };
            word(has("count"), "count");
            word(has("for_each"), "each");
            for (auto const* const one : blocks) {
                word(one->name == "postcondition" || one->name == "provisioner" || one->name == "connection", "self");
                if (one->name == "content")
                    word(true, blocks[blocks.size() - 2]->labels.empty() ? "" : blocks[blocks.size() - 2]->labels[0]);
            }
        }
        add_constants();
        for (auto const name : language::function_names()) {
            auto const of = language::signature_of(name);
            bool const none = of.parameters.empty() && !of.variadic;
            add({std::string(name), item_kind::function, label_of_function(name).text,
                std::string(language::description_of(name)), std::string(name) + (none ? "()" : "($0)"), false, 2});
        }
    }

    // Some arguments of the block around the place are after it.
    [[nodiscard]] auto is_written(frame const& f, std::string_view name) const -> bool
    {
        if (std::ranges::find(f.written, name) != f.written.end()) return true;
        for (auto const& block : in_.tree().root().blocks)
            if (block.type_range.bytes.begin == f.begin) return block.content.find(name) != nullptr;
        return false;
    }

    void add_after(std::vector<std::string> const& steps)
    {
        auto const& root = steps[0];
        auto const names = [&](symbol_kind kind, item_kind as, std::string_view type = {}) {
            with_.files.for_each_declaration(directory_, [&](document const& in, declaration const& d) {
                if (d.kind != kind || (!type.empty() && d.type != type)) return;
                add({std::string(d.name), as, detail_of(in, d),
                    d.block == nullptr ? std::string() : std::string(constant_text(d.block->content, "description"))});
            });
        };
        auto const words = [&](std::initializer_list<std::string_view> all) {
            for (auto const one : all) add({std::string(one), item_kind::property});
        };
        if (root == "var")
            return steps.size() == 1 ? names(symbol_kind::variable, item_kind::variable) : add_of_variable(steps);
        if (root == "local") return steps.size() == 1 ? names(symbol_kind::local, item_kind::variable) : void();
        if (in_.kind() == document_kind::tests && root == "run") return add_of_runs(steps);
        if (in_.kind() == document_kind::tests && root == "output")
            return steps.size() == 1 ? names(symbol_kind::output, item_kind::property) : void();
        if (root == "module") {
            if (steps.size() == 1) return names(symbol_kind::module, item_kind::module);
            bool const outputs = steps.size() == 2 || (steps.size() == 3 && steps[2] == "*");
            return outputs ? add_outputs("module." + steps[1]) : void();
        }
        if (steps.size() == 1 && root == "path") return words({"cwd", "module", "root"});
        if (steps.size() == 1 && (root == "terraform" || root == "tofu")) return words({"applying", "workspace"});
        if (steps.size() == 1 && root == "count") return words({"index"});
        if (steps.size() == 1 && root == "each") return words({"key", "value"});
        if (root == "self") return add_parts_of_owner(std::span(steps).subspan(1));
        if (root == "data") return add_resource_parts(symbol_kind::data, std::span(steps).subspan(1));
        if (root == "list") return add_resource_parts(symbol_kind::list, std::span(steps).subspan(1));
        if (root == "ephemeral") return add_resource_parts(symbol_kind::ephemeral, std::span(steps).subspan(1));
        if (root == "action") return add_resource_parts(symbol_kind::action, std::span(steps).subspan(1));
        if (root == "resource") return add_resource_parts(symbol_kind::resource, std::span(steps).subspan(1));
        add_resource_parts(symbol_kind::resource, steps);
    }

    static auto detail_of(document const& in, declaration const& d) -> std::string
    {
        auto const* const shown = d.argument != nullptr ? d.argument
            : d.kind == symbol_kind::variable           ? d.block->content.find("type")
            : d.kind == symbol_kind::module             ? d.block->content.find("source")
                                                        : nullptr;
        if (shown == nullptr || !shown->of) return {};
        auto const text = in.tree().file().text(shown->of.node().range);
        return std::string(text.substr(0, text.find('\n')));
    }

    void add_outputs(std::string const& key) { add_outputs_of(with_.files.called(directory_, key)); }

    // The runs of this test before the place, and the outputs of the module that one executes.
    void add_of_runs(std::vector<std::string> const& steps)
    {
        if (steps.size() == 2) return add_outputs_of(with_.files.run_module(in_, steps[1]));
        if (steps.size() > 2) return;
        for (auto const& one : in_.symbols().declarations)
            if (one.kind == symbol_kind::run && one.range.end < offset_)
                add({std::string(one.name), item_kind::variable});
    }

    void add_outputs_of(std::string const& child)
    {
        if (child.empty()) return;
        with_.files.for_each_declaration(child, [&](document const&, declaration const& d) {
            if (d.kind == symbol_kind::output)
                add({std::string(d.name), item_kind::property, {},
                    std::string(constant_text(d.block->content, "description"))});
        });
    }

    // Adds the attributes of an object whose type is declared by a variable.
    void add_of_variable(std::vector<std::string> const& steps)
    {
        auto const found = with_.files.find(symbol{directory_, "var." + steps[1]});
        auto const* const type = found ? found.of->block->content.find("type") : nullptr;
        if (type == nullptr || !type->of) return;
        infra::diagnostics ignored;
        language::schema whole;
        whole.attributes.push_back({.name = "whole", .of = language::parse_type(type->of, ignored).of});
        std::vector<std::string> path{"whole"};
        path.insert(path.end(), steps.begin() + 2, steps.end());
        add_parts(whole, path);
    }

    void add_parts_of_owner(std::span<std::string const> steps)
    {
        auto const blocks = where_.blocks();
        if (blocks.empty() || blocks[0]->labels.empty()) return;
        auto const mode = blocks[0]->name == "data" ? infra::resource_mode::data : infra::resource_mode::managed;
        if (auto const* const schema = with_.known.type_schema(directory_, mode, blocks[0]->labels[0]))
            add_parts(*schema, steps);
    }

    // \param steps  begins with the type
    void add_resource_parts(symbol_kind kind, std::span<std::string const> steps)
    {
        std::set<std::string> types;
        declaration const* object = nullptr;
        with_.files.for_each_declaration(directory_, [&](document const&, declaration const& d) {
            if (d.kind != kind) return;
            if (steps.empty()) types.emplace(d.type);
            else if (steps.size() == 1 && d.type == steps[0])
                add({std::string(d.name), item_kind::variable, std::string(d.type)});
            else if (steps.size() > 1 && d.type == steps[0] && d.name == steps[1]) object = &d;
        });
        for (auto const& type : types) add({type, item_kind::type});
        // An action has no value, and the value of a list is not described by its schema.
        if (object == nullptr || kind == symbol_kind::action || kind == symbol_kind::list) return;
        auto const* const schema = with_.known.schema_of(directory_, *object);
        if (schema == nullptr) return;
        auto rest = steps.subspan(2);
        auto const& content = object->block->content;
        bool const repeated = content.find("count") != nullptr || content.find("for_each") != nullptr;
        if (repeated && rest.empty()) return;  // only an instance has attributes
        if (repeated) rest = rest.subspan(1);
        add_parts(*schema, rest);
    }

    void add_parts(language::schema const& s, std::span<std::string const> steps)
    {
        auto const part = part_of(s, steps);
        if (!part) return;
        // The elements of a list have parts, the list itself does not; a single block is an object.
        if (part->of.is_collection() && !part->of.is(language::type_kind::map)) return;
        if (part->content != nullptr) {
            for (auto const& one : items_of(*part->content))
                add({one.name, item_kind::field, one.type, one.documentation, {}, one.deprecated});
            return;
        }
        for (auto const& one : part->of.attributes()) add({one.name, item_kind::field, type_text(one.of)});
    }

    feature_context const& with_;
    document_place const& at_;
    document const& in_;
    cursor where_;
    std::string directory_;
    std::uint32_t offset_;
    std::vector<candidate> found_;
};

}  // namespace

auto completion(feature_context const& context, document_place const& at) -> std::string
{
    return completer(context, at).run();
}

auto signature_help(feature_context const& context, document_place const& at) -> std::string
{
    if (!at.in.is_native()) return "null";
    auto const where = cursor_at(at.in.tree().file(), at.offset);
    auto const call = std::find_if(
        where.frames.rbegin(), where.frames.rend(), [](frame const& f) { return f.of == frame::kind::call; });
    if (call == where.frames.rend()) return "null";
    auto const* const function = language::find_function(call->name);
    if (function == nullptr) return "null";
    auto const label = label_of_function(function->name);
    json_array parameters;
    for (auto const& one : label.parameters) {
        json_object parameter;
        // A label contains only ASCII characters, so its units are bytes.
        if (context.client.label_offsets)
            parameter.raw("label", '[' + std::to_string(one.begin) + ',' + std::to_string(one.end) + ']');
        else parameter.text("label", std::string_view(label.text).substr(one.begin, one.end - one.begin));
        auto const index = static_cast<std::size_t>(&one - label.parameters.data());
        auto const* const of = function->parameter_at(index);
        if (of != nullptr)
            parameter.text_if("documentation", language::description_of(function->name + '.' + of->name));
        parameters.raw(parameter.done());
    }
    auto active = call->argument;
    if (label.is_variadic && !label.parameters.empty()) active = std::min(active, label.parameters.size() - 1);
    json_object signature;
    signature.text("label", label.text).text_if("documentation", language::description_of(function->name));
    signature.raw("parameters", parameters.done()).raw("activeParameter", std::to_string(active));
    return json_object()
        .raw("signatures", json_array().raw(signature.done()).done())
        .raw("activeSignature", "0")
        .raw("activeParameter", std::to_string(active))
        .done();
}

}  // namespace iacctl::lsp
