// SPDX-License-Identifier: BSL-1.0
#include "schema_json.hpp"

#include "base/json_writer.hpp"
#include "language/values/type.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace iacctl::commands {

namespace {

auto block_json(language::schema const& s) -> std::string;

void add_description(json_object& to, language::schema_description const& description)
{
    to.text_if("description", description.text);
    to.text("description_kind", description.is_markdown ? "markdown" : "plain");
}

template <class Items, class Make>
void add_named(json_object& to, std::string_view name, Items const& items, Make const& make)
{
    std::map<std::string, std::string> sorted;
    for (auto const& one : items) sorted.emplace(one.name, make(one));
    if (sorted.empty()) return;
    json_object out;
    for (auto const& [its_name, text] : sorted) out.raw(its_name, text);
    to.raw(name, out.done());
}

constexpr std::array<std::string_view, 5> nesting_modes{"single", "group", "list", "set", "map"};

auto attribute_json(language::schema_attribute const& attribute) -> std::string
{
    json_object out;
    if (!attribute.nested) {
        out.raw("type", language::type_to_json(attribute.of));
    } else {
        json_object nested;
        add_named(nested, "attributes", attribute.nested->content->attributes, attribute_json);
        nested.text("nesting_mode", nesting_modes[static_cast<std::size_t>(attribute.nested->how)]);
        out.raw("nested_type", nested.done());
    }
    add_description(out, attribute.description);
    for (auto const& [name, set] :
        {std::pair("required", attribute.required), std::pair("optional", attribute.optional),
            std::pair("computed", attribute.computed), std::pair("sensitive", attribute.sensitive),
            std::pair("write_only", attribute.write_only), std::pair("deprecated", attribute.deprecated)})
        if (set) out.raw(name, "true");
    return out.done();
}

auto nested_json(language::schema_block const& block) -> std::string
{
    json_object out;
    out.text("nesting_mode", nesting_modes[static_cast<std::size_t>(block.how)]);
    out.raw("block", block_json(*block.content));
    if (block.min_items > 0) out.raw("min_items", std::to_string(block.min_items));
    if (block.max_items > 0) out.raw("max_items", std::to_string(block.max_items));
    return out.done();
}

auto block_json(language::schema const& s) -> std::string
{
    json_object out;
    add_named(out, "attributes", s.attributes, attribute_json);
    add_named(out, "block_types", s.blocks, nested_json);
    add_description(out, s.description);
    if (s.deprecated) out.raw("deprecated", "true");
    return out.done();
}

auto versioned(language::schema const& s, std::uint64_t version) -> std::string
{
    json_object out;
    out.raw("version", std::to_string(version));
    out.raw("block", block_json(s));
    return out.done();
}

void add_types(json_object& to, std::string_view name, providers::provider_schema::types const& types)
{
    if (types.empty()) return;
    json_object out;
    for (auto const& [type, schema] : types) out.raw(type, versioned(schema.content, schema.version));
    to.raw(name, out.done());
}

auto identity_json(language::schema_attribute const& attribute) -> std::string
{
    json_object out;
    out.raw("type", language::type_to_json(attribute.of));
    out.text_if("description", attribute.description.text);
    if (attribute.required) out.raw("required_for_import", "true");
    if (attribute.optional) out.raw("optional_for_import", "true");
    return out.done();
}

void add_identities(json_object& to, providers::provider_schema::types const& all)
{
    if (all.empty()) return;
    json_object out;
    for (auto const& [type, schema] : all) {
        json_object one;
        one.raw("version", std::to_string(schema.version));
        add_named(one, "attributes", schema.content.attributes, identity_json);
        out.raw(type, one.done());
    }
    to.raw("resource_identity_schemas", out.done());
}

auto parameter_json(providers::function_schema const& function, language::parameter const& p) -> std::string
{
    json_object out;
    out.text_if("name", p.name);
    out.text_if("description", function.of_parameters.at(p.name));
    if (p.allow_null) out.flag("is_nullable", true);
    return out.raw("type", language::type_to_json(p.of)).done();
}

auto function_json(providers::function_schema const& schema) -> std::string
{
    json_object out;
    out.text_if("description", schema.description);
    out.text_if("summary", schema.summary);
    out.text_if("deprecation_message", schema.deprecation);
    out.raw("return_type", language::type_to_json(schema.result));
    if (!schema.definition.parameters.empty()) {
        json_array parameters;
        for (auto const& one : schema.definition.parameters) parameters.raw(parameter_json(schema, one));
        out.raw("parameters", parameters.done());
    }
    if (schema.definition.variadic) out.raw("variadic_parameter", parameter_json(schema, *schema.definition.variadic));
    return out.done();
}

}  // namespace

auto schemas_json(std::map<std::string, providers::provider_schema const*> const& all) -> std::string
{
    json_object out;
    out.text("format_version", "1.0");
    if (all.empty()) return out.done();
    json_object by_address;
    for (auto const& [address, of] : all) {
        json_object one;
        one.raw("provider", versioned(of->settings, 0));
        add_types(one, "resource_schemas", of->resources);
        add_types(one, "data_source_schemas", of->data_sources);
        add_types(one, "ephemeral_resource_schemas", of->ephemeral_resources);
        add_types(one, "action_schemas", of->actions);
        if (!of->functions.empty()) {
            json_object functions;
            for (auto const& [name, function] : of->functions) functions.raw(name, function_json(function));
            one.raw("functions", functions.done());
        }
        add_identities(one, of->identities);
        by_address.raw(address, one.done());
    }
    out.raw("provider_schemas", by_address.done());
    return out.done();
}

}  // namespace iacctl::commands
