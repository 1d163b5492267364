// SPDX-License-Identifier: BSL-1.0
#include "navigation.hpp"

#include "base/json_writer.hpp"
#include "base/provider_address.hpp"
#include "language/syntax/scanner.hpp"
#include "links.hpp"
#include "workspace_edit.hpp"

#include <set>
#include <utility>

namespace iacctl::lsp {

namespace {

auto location_json(feature_context const& context, location const& l) -> std::string
{
    return json_object().text("uri", l.in->uri()).raw("range", context.range_text(*l.in, l.range)).done();
}

// The main file of the called module, if the place is the source of its block.
auto source_target(feature_context const& context, document_place const& at) -> std::string
{
    for (auto const& link : module_links(context, at.in))
        if (link.range.begin <= at.offset && at.offset <= link.range.end)
            return location_json(context, {link.to, {0, 0}});
    return {};
}

auto declarations_json(feature_context const& context, symbol const& s) -> std::string
{
    json_array places;
    context.files.for_each_file(s.directory, [&](document const& in) {
        for (auto const& one : in.symbols().declarations)
            if (one.key == s.key) places.raw(location_json(context, {&in, one.name_range}));
    });
    return places.done();
}

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
    if (found) return declarations_json(context, found->of);
    auto const source = source_target(context, at);
    return source.empty() ? "null" : source;
}

auto declaration_of(feature_context const& context, document_place const& at) -> std::string
{
    auto const found = context.files.at(at.in, at.offset);
    if (!found) return definition(context, at);
    auto const directory = context.files.module_of(at.in);
    if (found->of.key.starts_with("provider.")) {
        auto const name =
            local_provider_name(std::string_view(found->of.key).substr(std::string_view("provider.").size()));
        json_array places;
        for (auto const& [path, file] : context.files.module(directory)) {
            auto const& required = file.symbols().required_providers;
            if (auto const entry = required.find(name); entry != required.end())
                places.raw(location_json(context, {&file, entry->second.name_range}));
        }
        if (!places.empty()) return places.done();
    }
    using place = symbol_use::place;
    // The module declares the call; the names behind it are defined in another module.
    bool const through_call = found->use != nullptr
        && (found->use->where == place::output_of_module || found->use->where == place::argument_of_module
            || found->use->where == place::object_in_module);
    if (!through_call) return declarations_json(context, found->of);
    auto const key = found->use->key.substr(0, found->use->key.find(".module."));
    return declarations_json(context, {key.starts_with("run.") ? at.in.path() : directory, key});
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
    std::set<std::string> directories;
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

}  // namespace iacctl::lsp
