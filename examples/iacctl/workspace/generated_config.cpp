// SPDX-License-Identifier: BSL-1.0
#include "generated_config.hpp"

#include "base/durable_file.hpp"
#include "base/trimmed.hpp"
#include "engine_runner.hpp"
#include "language/configuration/provider_requirements.hpp"
#include "language/evaluation/body_reader.hpp"
#include "language/syntax/expression_text.hpp"
#include "language/syntax/format.hpp"
#include "messages/commands.hpp"
#include "messages/report.hpp"
#include "workspace/program/imports.hpp"
#include "workspace/program/object_codec.hpp"

#include <filesystem>
#include <map>
#include <utility>

namespace iacctl::workspace {

namespace {

using language::quoted_text;
using language::type_kind;
using language::value;

// A string that contains JSON is easier to read as an expression.
auto argument_text(value const& v) -> std::string
{
    if (v.has_data() && v.is(type_kind::string)) {
        auto const inside = language::from_json(v.as_string());
        bool const compound = inside && (!inside->entries().empty() || !inside->elements().empty());
        if (compound && language::to_json(*inside) == v.as_string())
            return "jsonencode(" + language::expression_text(*inside) + ")";
    }
    return language::expression_text(v);
}

// Adds those arguments and blocks of an object that can be set.
void add_content(language::schema const& schema, value const& object, std::string& text)
{
    for (language::schema_attribute const& attribute : schema.attributes) {
        if (!attribute.required && !attribute.optional) continue;
        value const* const found = object.find(attribute.name);
        bool const secret = attribute.sensitive || attribute.write_only;
        text += attribute.name + " = "
            + (secret || found == nullptr ? std::string("null") : argument_text(found->unmarked_deep()))
            + (secret ? " # sensitive\n" : "\n");
    }
    for (language::schema_block const& block : schema.blocks) {
        value const* const found = object.find(block.name);
        if (found == nullptr || !found->has_data()) continue;
        auto const add = [&](value const& v, std::string const& label) {
            text += block.name + (label.empty() ? "" : " " + label) + " {\n";
            add_content(*block.content, v, text);
            text += "}\n";
        };
        if (block.how == language::nesting::single || block.how == language::nesting::group) add(*found, {});
        for (value const& one : found->elements()) add(one, {});
        if (block.how == language::nesting::map)
            for (auto const& [key, one] : found->entries()) add(one, quoted_text(key));
    }
}

// The schema of an undeclared resource of the root module: its type names the provider.
auto schema_of(infra::address const& a, language::configuration const& root, providers::catalog const& known)
    -> providers::type_schema const*
{
    auto const name = std::string_view(a.type()).substr(0, a.type().find('_'));
    return known.find_type(language::provider_named(root, name), a);
}

auto is_plain(language::import_block const& block, language::configuration const& root, providers::catalog const& known)
    -> bool
{
    auto const subject = program::import_subject(block);
    return block.to && !block.for_each && subject.module().empty() && subject.mode() == infra::resource_mode::managed
        && !root.resources.contains(subject.type() + "." + subject.name())
        && language::traversal_text(*language::as_traversal(block.to), 9) == to_string(subject)
        && schema_of(subject, root, known) != nullptr;
}

}  // namespace

auto block_text(infra::address const& a, language::schema const& schema, value const& object,
    std::string const& provider) -> std::string
{
    std::string text = "resource " + quoted_text(a.type()) + " " + quoted_text(a.name()) + " {\n";
    if (!provider.empty()) text += "provider = " + provider + "\n";
    add_content(schema, object, text);
    infra::diagnostics none;
    return language::format("generated.tf", text + "}\n", language::format_rules::spaces, none).text;
}

auto resource_text(infra::address const& a, language::schema const& schema, value const& object, std::string const& id)
    -> std::string
{
    return "# __generated__ by iacctl" + (id.empty() ? "" : " from " + quoted_text(id)) + "\n"
        + block_text(a, schema, object);
}

auto generate_config(workspace const& in, std::filesystem::path const& file, state::store& store,
    read_state const& prior, infra::diagnostics& problems) -> std::optional<generated_config>
{
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) {
        problems.add(make_error(messages::generated_file_exists, {file.string()}));
        return std::nullopt;
    }
    auto const written = in.load_configuration(problems);
    if (!written) return std::nullopt;
    generated_config made;
    std::string stubs;
    for (language::import_block const& block : written->imports) {
        if (!is_plain(block, *written, *in.options().providers)) continue;
        auto const subject = program::import_subject(block);
        made.blocks.emplace(subject, std::string());
        stubs += "resource \"" + subject.type() + "\" \"" + subject.name() + "\" {}\n";
    }
    if (made.blocks.empty()) return made;

    // A plan for empty resources imports the objects. Its other results are ignored.
    auto const desired = in.load(problems, stubs);
    if (desired == nullptr) return std::nullopt;
    infra::plan_options options;
    options.under_way = prior.under_way;
    for (auto const& [address, _] : made.blocks) options.targets.push_back(address);
    std::optional<plan> unfinished;
    run_options const how = options_of(in.root(), {});
    auto planned = run_plan(*desired, store, std::move(options), prior.now, how, &unfinished);
    plan const* const found = planned ? &*planned : unfinished ? &*unfinished : nullptr;
    std::map<infra::address, std::string> texts;
    if (found != nullptr)
        for (infra::journal_entry const& e : found->refreshed) {
            if (!e.output_name().empty() || !e.result() || !made.blocks.contains(e.target())) continue;
            auto const object = desired->decode(e.target(), *e.result());
            if (!object) continue;
            std::string id;
            for (auto const& c : found->changes)
                if (c.target == e.target()) id = c.import_id ? c.import_name() : "";
            auto const& schema = desired->catalog()->find_type(e.result()->provider, e.target())->content;
            made.blocks[e.target()] = trimmed(block_text(e.target(), schema, *object));
            texts[e.target()] = resource_text(e.target(), schema, *object, id);
        }
    if (texts.size() < made.blocks.size()) {
        if (!planned) problems = planned.error().why();
        return std::nullopt;
    }
    made.text = "# __generated__ by iacctl\n# Look through these resources, then move them to the files of the "
                "configuration.\n";
    for (auto const& [_, text] : texts) made.text += "\n" + text;
    return made;
}

auto save(generated_config const& made, std::filesystem::path const& file) -> infra::diagnostics
{
    auto const error = made.text.empty() ? error_code() : write_new_file(file, made.text);
    if (!error) return {};
    return {make_error(messages::unwritable_generated_file, {file.string(), error.message()})};
}

}  // namespace iacctl::workspace
