// SPDX-License-Identifier: BSL-1.0
#include "wire_schema.hpp"

#include "base/in_quotes.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace iacctl::plugin {

namespace {

using language::nesting;
using language::result;
using language::schema;
using language::schema_attribute;
using language::schema_block;

[[nodiscard]] auto wrong(std::string message) -> language::failure
{
    return language::failure(std::move(message));
}

[[nodiscard]] auto description_of(std::string const& text, protocol::StringKind kind) -> language::schema_description
{
    return {text, kind == protocol::MARKDOWN};
}

[[nodiscard]] auto nesting_of(protocol::Schema::NestedBlock::NestingMode mode) -> std::optional<nesting>
{
    using block = protocol::Schema::NestedBlock;
    switch (mode) {
    case block::SINGLE: return nesting::single;
    case block::LIST: return nesting::list;
    case block::SET: return nesting::set;
    case block::MAP: return nesting::map;
    case block::GROUP: return nesting::group;
    default: return std::nullopt;
    }
}

// The kinds of nesting of attributes have the same numbers.
[[nodiscard]] auto nesting_of(protocol::Schema::Object::NestingMode mode) -> std::optional<nesting>
{
    if (mode > protocol::Schema::Object::MAP) return std::nullopt;
    return nesting_of(static_cast<protocol::Schema::NestedBlock::NestingMode>(mode));
}

/// Sorts by name. \return a duplicate name
template <class Named>
[[nodiscard]] auto sort_by_name(std::vector<Named>& all) -> std::optional<std::string>
{
    std::ranges::sort(all, {}, &Named::name);
    auto const twice = std::ranges::adjacent_find(all, {}, &Named::name);
    return twice == all.end() ? std::nullopt : std::optional(twice->name);
}

template <class Messages>
[[nodiscard]] auto attributes_of(Messages const& all) -> result<schema>;

[[nodiscard]] auto type_of(std::string const& json) -> result<language::type>
{
    auto const made = language::type_from_json(json);
    if (!made) return wrong("the type cannot be read: " + made.error().text());
    return made->without_optional();
}

[[nodiscard]] auto attribute_of(protocol::Schema::Attribute const& attribute) -> result<schema_attribute>
{
    schema_attribute made{.name = attribute.name(),
        .of = {},
        .required = attribute.required(),
        .optional = attribute.optional(),
        .computed = attribute.computed(),
        .sensitive = attribute.sensitive(),
        .write_only = attribute.write_only(),
        .deprecated = attribute.deprecated(),
        .description = description_of(attribute.description(), attribute.description_kind())};
    if (!attribute.has_nested_type()) {
        auto type = type_of(attribute.type());
        if (!type) return type.error();
        made.of = *std::move(type);
        return made;
    }
    if (!attribute.type().empty()) return wrong("has a type and a nested type");
    auto const how = nesting_of(attribute.nested_type().nesting());
    if (!how) return wrong("the nesting of its attributes is not known");
    auto content = attributes_of(attribute.nested_type().attributes());
    if (!content) return content.error();
    made.nest(*how, std::make_shared<schema const>(*std::move(content)));
    if (*how == nesting::set && made.of.has_dynamic()) return wrong("a set holds values of any type");
    return made;
}

[[nodiscard]] auto attribute_of(protocol::ResourceIdentitySchema::IdentityAttribute const& attribute)
    -> result<schema_attribute>
{
    auto type = type_of(attribute.type());
    if (!type) return type.error();
    return schema_attribute{.name = attribute.name(),
        .of = *std::move(type),
        .required = attribute.required_for_import(),
        .optional = attribute.optional_for_import(),
        .description = description_of(attribute.description(), protocol::PLAIN)};
}

template <class Messages>
[[nodiscard]] auto attributes_of(Messages const& all) -> result<schema>
{
    schema made;
    made.validated_by_provider = true;
    made.attributes.reserve(static_cast<std::size_t>(all.size()));
    for (auto const& one : all) {
        auto attribute = attribute_of(one);
        if (!attribute) return attribute.error().within("." + one.name());
        made.attributes.push_back(*std::move(attribute));
    }
    if (auto const twice = sort_by_name(made.attributes))
        return wrong("the attribute " + in_quotes(*twice) + " occurs twice");
    return made;
}

[[nodiscard]] auto block_of(protocol::Schema::Block const& given) -> result<schema>;

// The reason why blocks cannot be computed; empty if they can, or if none are.
[[nodiscard]] auto why_not_computed(schema_block const& block) -> std::string
{
    if (!block.computed) return {};
    if (block.how == nesting::group) return "a group of blocks is computed";
    if (block.min_items > 0) return "blocks are computed that a configuration must have";
    for (schema_attribute const& one : block.content->attributes)
        if (!one.computed) return "the attribute " + in_quotes(one.name) + " of computed blocks is not computed";
    for (schema_block const& one : block.content->blocks)
        if (!one.computed) return "the blocks " + in_quotes(one.name) + " of computed blocks are not computed";
    return {};
}

[[nodiscard]] auto block_of(protocol::Schema::NestedBlock const& block) -> result<schema_block>
{
    auto const how = nesting_of(block.nesting());
    if (!how) return wrong("the nesting of the block is not known");
    if (block.min_items() < 0 || block.max_items() < 0) return wrong("a number of blocks is negative");
    auto content = block_of(block.block());
    if (!content) return content.error();
    schema_block made{block.type_name(), *how, std::make_shared<schema const>(*std::move(content)),
        static_cast<std::size_t>(block.min_items()), static_cast<std::size_t>(block.max_items()),
        block.block().computed()};
    if (auto const why = why_not_computed(made); !why.empty()) return wrong(why);
    if (*how == nesting::set && made.content->object_type().has_dynamic())
        return wrong("a set holds values of any type");
    return made;
}

[[nodiscard]] auto block_of(protocol::Schema::Block const& given) -> result<schema>
{
    auto made = attributes_of(given.attributes());
    if (!made) return made;
    made->deprecated = given.deprecated();
    made->description = description_of(given.description(), given.description_kind());
    made->blocks.reserve(static_cast<std::size_t>(given.block_types().size()));
    for (auto const& one : given.block_types()) {
        auto block = block_of(one);
        if (!block) return block.error().within("." + one.type_name());
        if (made->find(block->name)) return wrong(in_quotes(block->name) + " is an attribute and a block");
        made->blocks.push_back(*std::move(block));
    }
    if (auto const twice = sort_by_name(made->blocks)) return wrong("the block " + in_quotes(*twice) + " occurs twice");
    return made;
}

template <class Messages>
[[nodiscard]] auto types_of(Messages const& all) -> result<providers::provider_schema::types>
{
    providers::provider_schema::types made;
    for (auto const& [name, one] : all) {
        auto content = to_schema(one);
        if (!content) return content.error().within(name);
        if (one.version() < 0) return wrong("the version of the schema is negative").within(name);
        made.try_emplace(name, *std::move(content), static_cast<std::uint64_t>(one.version()));
    }
    return made;
}

[[nodiscard]] auto parameter_of(protocol::Function::Parameter const& given) -> result<language::parameter>
{
    auto type = type_of(given.type());
    if (!type) return type.error().within("." + given.name());
    return language::parameter{given.name(), *std::move(type), given.allow_null_value(), given.allow_unknown_values()};
}

[[nodiscard]] auto function_of(std::string const& name, protocol::Function const& function)
    -> result<providers::function_schema>
{
    providers::function_schema made;
    made.definition.name = name;
    for (auto const& one : function.parameters()) {
        auto parameter = parameter_of(one);
        if (!parameter) return parameter.error();
        made.definition.parameters.push_back(*std::move(parameter));
        made.of_parameters.emplace(one.name(), one.description());
    }
    if (function.has_variadic_parameter()) {
        auto parameter = parameter_of(function.variadic_parameter());
        if (!parameter) return parameter.error();
        made.definition.variadic = *std::move(parameter);
        made.of_parameters.emplace(function.variadic_parameter().name(), function.variadic_parameter().description());
    }
    auto result = type_of(function.result().type());
    if (!result) return result.error();
    made.result = *std::move(result);
    made.definition.returns = [type = made.result](language::arguments) { return type; };
    made.summary = function.summary();
    made.description = function.description();
    made.deprecation = function.deprecation_message();
    return made;
}

}  // namespace

auto to_schema(protocol::Schema const& given) -> result<schema>
{
    return block_of(given.block());
}

auto to_schema(protocol::ResourceIdentitySchema const& resource_identity_schema) -> result<schema>
{
    return attributes_of(resource_identity_schema.identity_attributes());
}

auto to_provider_schema(protocol::GetProviderSchemaResponse const& response) -> result<providers::provider_schema>
{
    auto settings = to_schema(response.provider());
    if (!settings) return settings.error().within("provider");
    auto resources = types_of(response.resource_schemas());
    if (!resources) return resources.error();
    auto data_sources = types_of(response.data_source_schemas());
    if (!data_sources) return data_sources.error();
    auto ephemeral = types_of(response.ephemeral_resource_schemas());
    if (!ephemeral) return ephemeral.error();
    providers::provider_schema::types actions;
    for (auto const& [name, one] : response.action_schemas()) {
        auto content = to_schema(one.schema());
        if (!content) return content.error().within(name);
        actions.emplace(name, providers::type_schema(*std::move(content)));
    }
    providers::provider_schema::types lists;
    for (auto const& [name, one] : response.list_resource_schemas()) {
        auto content = to_schema(one);
        if (!content) return content.error().within(name);
        lists.emplace(name, providers::type_schema(providers::list_schema(*std::move(content))));
    }
    providers::provider_schema made;
    made.lists = std::move(lists);
    made.actions = std::move(actions);
    made.settings = *std::move(settings);
    made.resources = *std::move(resources);
    made.data_sources = *std::move(data_sources);
    made.ephemeral_resources = *std::move(ephemeral);
    if (response.has_provider_meta()) {
        auto meta = to_schema(response.provider_meta());
        if (!meta) return meta.error().within("provider_meta");
        made.meta = *std::move(meta);
    }
    for (auto const& [name, one] : response.functions()) {
        auto function = function_of(name, one);
        if (!function) return function.error().within(name);
        made.functions.emplace(name, *std::move(function));
    }
    return made;
}

}  // namespace iacctl::plugin
