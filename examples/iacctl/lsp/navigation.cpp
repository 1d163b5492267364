// SPDX-License-Identifier: BSL-1.0
#include "navigation.hpp"

#include "base/json_writer.hpp"
#include "language/syntax/scanner.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

namespace iacctl::lsp {

namespace {

auto location_json(feature_context const& context, location const& l) -> std::string
{
    return json_object().text("uri", l.in->uri()).raw("range", context.range_text(*l.in, l.range)).done();
}

auto text_edit(std::string const& range, std::string_view text) -> std::string
{
    return json_object().raw("range", range).text("newText", text).done();
}

// The file main.tf, or else the first file, of the called module, if the place is the source of its block.
auto source_target(feature_context const& context, document_place const& at) -> std::string
{
    for (auto const& one : at.in.symbols().declarations) {
        if (one.kind != symbol_kind::module) continue;
        auto const* const source = one.block->content.find("source");
        if (source == nullptr || at.offset < source->range.bytes.begin || at.offset > source->range.bytes.end) continue;
        auto const child = context.files.called(directory_of(at.in.path()), one.key);
        if (child.empty()) return {};
        document const* first = nullptr;
        for (auto const& [path, file] : context.files.module(child)) {
            if (file.kind() != document_kind::configuration) continue;
            if (first == nullptr || path.ends_with("/main.tf")) first = &file;
        }
        return first == nullptr ? std::string() : location_json(context, {first, {0, 0}});
    }
    return {};
}

// Edits by document.
class workspace_edit {
public:
    explicit workspace_edit(feature_context const& context) : with_(context) {}

    void replace(document const& in, language::byte_range range, std::string_view text)
    {
        edits_[in.uri()].raw(text_edit(with_.range_text(in, range), text));
    }
    [[nodiscard]] auto done() const -> std::string
    {
        json_object changes;
        for (auto const& [uri, edits] : edits_) changes.raw(uri, edits.done());
        return json_object().raw("changes", changes.done()).done();
    }

private:
    feature_context const& with_;
    std::map<std::string, json_array> edits_;
};

auto can_be_renamed(symbol const& s) -> bool
{
    return !s.key.starts_with("provider.") && !s.key.starts_with("check.");
}

auto failed(std::string text) -> request_error
{
    return {error_code::request_failed, std::move(text)};
}

}  // namespace

auto definition(feature_context const& context, document_place const& at) -> std::string
{
    auto const found = context.files.at(at.in, at.offset);
    if (!found) {
        auto const source = source_target(context, at);
        return source.empty() ? "null" : source;
    }
    json_array places;
    context.files.for_each_declaration(found->of.directory, [&](document const& in, declaration const& d) {
        if (d.key == found->of.key) places.raw(location_json(context, {&in, d.name_range}));
    });
    return places.done();
}

auto references(feature_context const& context, document_place const& at, bool with_declaration) -> std::string
{
    auto const found = context.files.at(at.in, at.offset);
    if (!found) return "null";
    json_array places;
    for (auto const& one : context.files.places_of(found->of))
        if (with_declaration || !one.declares) places.raw(location_json(context, one.at));
    return places.done();
}

auto document_highlight(feature_context const& context, document_place const& at) -> std::string
{
    auto const found = context.files.at(at.in, at.offset);
    if (!found) return "null";
    json_array places;
    for (auto const& one : context.files.places_of(found->of)) {
        if (one.at.in != &at.in) continue;
        places.raw(json_object()
                .raw("range", context.range_text(at.in, one.at.range))
                .raw("kind", one.writes ? "3" : "2")
                .done());
    }
    return places.done();
}

auto prepare_rename(feature_context const& context, document_place const& at) -> std::string
{
    auto const found = context.files.at(at.in, at.offset);
    if (!found || !can_be_renamed(found->of) || !context.files.find(found->of)) return "null";
    auto const name = at.in.text().substr(found->name.begin, found->name.end - found->name.begin);
    return json_object().raw("range", context.range_text(at.in, found->name)).text("placeholder", name).done();
}

auto rename(feature_context const& context, document_place const& at, std::string const& name,
    std::optional<renamed_object>& renamed) -> std::variant<std::string, request_error>
{
    auto const found = context.files.at(at.in, at.offset);
    if (!found || !can_be_renamed(found->of)) return failed("There is no name that can be changed at this position.");
    auto const declared = context.files.find(found->of);
    if (!declared) return failed("\"" + found->of.key + "\" is not declared in this workspace.");
    if (!language::is_identifier(name))
        return failed("\"" + name
            + "\" is not a valid name. A name begins with a letter or \"_\", and contains only letters, digits, \"_\" "
              "and \"-\".");
    std::string const before(declared.of->name);
    auto const key = found->of.key.substr(0, found->of.key.size() - before.size()) + name;
    symbol const now{found->of.directory, key};
    if (now != found->of && context.files.find(now)) return failed("\"" + key + "\" is already declared.");
    auto const places = context.files.places_of(found->of);
    std::set<std::string> directories{found->of.directory};
    for (auto const& one : places) directories.insert(directory_of(one.at.in->path()));
    // References in JSON syntax are not found, and would keep the old name.
    for (auto const& directory : directories)
        for (auto const& [path, file] : context.files.module(directory))
            if (file.kind() == document_kind::json && file.text().find(before) != std::string_view::npos)
                return failed("\"" + path + "\" contains the name in JSON syntax. Change it there manually first.");
    workspace_edit edit(context);
    for (auto const& one : places) edit.replace(*one.at.in, one.at.range, name);
    auto const kind = declared.of->kind;
    if (now != found->of && (kind == symbol_kind::resource || kind == symbol_kind::module))
        renamed = renamed_object{now, found->of.key};
    return edit.done();
}

auto code_actions(feature_context const& context, document const& in, language::byte_range selected,
    std::optional<renamed_object> const& renamed) -> std::string
{
    json_array actions;
    if (!renamed || renamed->now.directory != directory_of(in.path())) return actions.done();
    auto const declared = context.files.find(renamed->now);
    bool const here = declared && declared.in == &in && declared.of->range.begin <= selected.end
        && selected.begin <= declared.of->range.end;
    // The old address must not be in use.
    if (!here || context.files.find(symbol{renamed->now.directory, renamed->before})) return actions.done();
    std::string const block = "\n\nmoved {\n  from = " + renamed->before + "\n  to   = " + renamed->now.key + "\n}";
    // The block must not exist already.
    if (in.text().find(block.substr(2)) != std::string_view::npos) return actions.done();
    workspace_edit edit(context);
    edit.replace(in, {declared.of->range.end, declared.of->range.end}, block);
    actions.raw(json_object()
            .text("title", "Add a moved block from " + renamed->before)
            .text("kind", "refactor")
            .raw("edit", edit.done())
            .done());
    return actions.done();
}

}  // namespace iacctl::lsp
