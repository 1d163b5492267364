// SPDX-License-Identifier: BSL-1.0
#include "providers/plugin/wire_schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace iacctl;
using language::nesting;
using language::type;
using plugin::to_provider_schema;
using plugin::to_schema;
using testing::HasSubstr;
using testing::StartsWith;
namespace protocol = plugin::protocol;

auto add(protocol::Schema::Block& to, char const* name, char const* c) -> protocol::Schema::Attribute&
{
    auto& made = *to.add_attributes();
    made.set_name(name);
    made.set_type(c);
    return made;
}
auto add_nested(protocol::Schema::Block& to, char const* name, protocol::Schema::Object::NestingMode mode)
    -> protocol::Schema::Attribute&
{
    auto& made = *to.add_attributes();
    made.set_name(name);
    made.mutable_nested_type()->set_nesting(mode);
    auto& inner = *made.mutable_nested_type()->add_attributes();
    inner.set_name("size");
    inner.set_type("\"number\"");
    inner.set_optional(true);
    return made;
}
auto add_block(protocol::Schema::Block& to, char const* name, protocol::Schema::NestedBlock::NestingMode mode)
    -> protocol::Schema::NestedBlock&
{
    auto& made = *to.add_block_types();
    made.set_type_name(name);
    made.set_nesting(mode);
    add(*made.mutable_block(), "port", "\"number\"").set_required(true);
    return made;
}
auto mistake(protocol::Schema const& schema) -> std::string
{
    auto const made = to_schema(schema);
    return made ? "none" : made.error().text();
}

TEST(WireSchema, RejectsComputedBlocksWithPartsThatAreNotComputed)
{
    protocol::Schema of;
    auto& open = add_block(*of.mutable_block(), "rule", protocol::Schema::NestedBlock::LIST);
    open.mutable_block()->set_computed(true);

    EXPECT_THAT(mistake(of), HasSubstr("\"port\""));
    auto& port = *open.mutable_block()->mutable_attributes(0);
    port.set_required(false);
    port.set_computed(true);
    ASSERT_EQ(mistake(of), "none");
    EXPECT_TRUE(to_schema(of)->blocks.front().computed);
    open.set_min_items(1);
    EXPECT_THAT(mistake(of), HasSubstr("must have"));
    open.set_min_items(0);
    open.set_nesting(protocol::Schema::NestedBlock::GROUP);
    EXPECT_THAT(mistake(of), HasSubstr("group"));
}

TEST(WireSchema, HasAttributesWithTheirProperties)
{
    protocol::Schema of;
    auto& block = *of.mutable_block();
    add(block, "size", "[\"list\",\"number\"]").set_optional(true);
    auto& key = add(block, "key", "\"string\"");
    key.set_required(true);
    key.set_sensitive(true);
    key.set_write_only(true);
    key.set_deprecated(true);
    key.set_description("*secret*");
    key.set_description_kind(protocol::MARKDOWN);
    add(block, "id", "\"string\"").set_computed(true);

    auto const made = to_schema(of);

    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->object_type(),
        type::object({{"id", type::string()}, {"key", type::string()}, {"size", type::list(type::number())}}));
    EXPECT_EQ(made->attributes[0].name, "id");
    EXPECT_TRUE(made->find("id")->computed);
    EXPECT_FALSE(made->find("id")->optional);
    auto const& secret = *made->find("key");
    EXPECT_TRUE(secret.required && secret.sensitive && secret.write_only && secret.deprecated);
    EXPECT_EQ(secret.description.text, "*secret*");
    EXPECT_TRUE(secret.description.is_markdown);
    EXPECT_TRUE(made->find("size")->optional);
    EXPECT_TRUE(made->validated_by_provider);
}

TEST(WireSchema, HasNestedAttributesOfEachNesting)
{
    protocol::Schema of;
    auto& block = *of.mutable_block();
    add_nested(block, "one", protocol::Schema::Object::SINGLE);
    add_nested(block, "list", protocol::Schema::Object::LIST);
    add_nested(block, "map", protocol::Schema::Object::MAP);
    add_nested(block, "set", protocol::Schema::Object::SET);

    auto const made = to_schema(of);

    ASSERT_TRUE(made) << made.error().text();
    type const inner = type::object({{"size", type::number()}});
    EXPECT_EQ(made->find("one")->of, inner);
    EXPECT_EQ(made->find("list")->of, type::list(inner));
    EXPECT_EQ(made->find("map")->of, type::map(inner));
    EXPECT_EQ(made->find("set")->of, type::set(inner));
    EXPECT_EQ(made->find("set")->nested->how, nesting::set);
    EXPECT_TRUE(made->find("one")->nested->content->find("size")->optional);
}

TEST(WireSchema, HasBlocksOfEachNesting)
{
    protocol::Schema of;
    auto& block = *of.mutable_block();
    add_block(block, "one", protocol::Schema::NestedBlock::SINGLE);
    auto& list = add_block(block, "list", protocol::Schema::NestedBlock::LIST);
    list.set_min_items(1);
    list.set_max_items(3);
    add_block(*list.mutable_block(), "deep", protocol::Schema::NestedBlock::MAP);
    add_block(block, "set", protocol::Schema::NestedBlock::SET);
    add_block(block, "map", protocol::Schema::NestedBlock::MAP);
    add_block(block, "group", protocol::Schema::NestedBlock::GROUP);

    auto const made = to_schema(of);

    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->blocks[0].name, "group");
    EXPECT_EQ(made->find_block("one")->how, nesting::single);
    EXPECT_EQ(made->find_block("list")->how, nesting::list);
    EXPECT_EQ(made->find_block("list")->min_items, 1U);
    EXPECT_EQ(made->find_block("list")->max_items, 3U);
    EXPECT_EQ(made->find_block("list")->content->find_block("deep")->how, nesting::map);
    EXPECT_EQ(made->find_block("set")->how, nesting::set);
    EXPECT_EQ(made->find_block("map")->how, nesting::map);
    EXPECT_EQ(made->find_block("group")->how, nesting::group);
    EXPECT_TRUE(made->find_block("one")->content->find("port")->required);
}

TEST(WireSchema, IsRejectedWithThePathToTheMistake)
{
    protocol::Schema unreadable;
    add(*add_block(*unreadable.mutable_block(), "rule", protocol::Schema::NestedBlock::LIST).mutable_block(), "x", "7");
    EXPECT_THAT(mistake(unreadable), StartsWith(".rule.x: the type cannot be read"));

    protocol::Schema untyped;
    add(*untyped.mutable_block(), "x", "");
    EXPECT_THAT(mistake(untyped), StartsWith(".x: "));

    protocol::Schema both;
    add_nested(*both.mutable_block(), "x", protocol::Schema::Object::LIST).set_type("\"string\"");
    EXPECT_THAT(mistake(both), StartsWith(".x: has a type and a nested type"));

    protocol::Schema twice;
    add(*twice.mutable_block(), "x", "\"string\"");
    add(*twice.mutable_block(), "x", "\"string\"");
    EXPECT_THAT(mistake(twice), HasSubstr("\"x\" occurs twice"));

    protocol::Schema attribute_and_block;
    add(*attribute_and_block.mutable_block(), "x", "\"string\"");
    add_block(*attribute_and_block.mutable_block(), "x", protocol::Schema::NestedBlock::LIST);
    EXPECT_THAT(mistake(attribute_and_block), HasSubstr("\"x\" is an attribute and a block"));

    protocol::Schema nowhere;
    add_nested(*nowhere.mutable_block(), "x", protocol::Schema::Object::INVALID);
    EXPECT_THAT(mistake(nowhere), HasSubstr("nesting"));

    protocol::Schema blocks;
    add_block(*blocks.mutable_block(), "x", protocol::Schema::NestedBlock::INVALID);
    EXPECT_THAT(mistake(blocks), HasSubstr("nesting"));

    protocol::Schema any;
    add(*add_block(*any.mutable_block(), "x", protocol::Schema::NestedBlock::SET).mutable_block(), "y", "\"dynamic\"");
    EXPECT_THAT(mistake(any), StartsWith(".x: a set"));
}

TEST(WireSchema, OfAProviderHasItsTypesAndTheirVersions)
{
    protocol::GetProviderSchemaResponse of;
    add(*of.mutable_provider()->mutable_block(), "token", "\"string\"").set_optional(true);
    auto& pool = (*of.mutable_resource_schemas())["toy_pool"];
    pool.set_version(4);
    add(*pool.mutable_block(), "id", "\"string\"").set_computed(true);
    add(*(*of.mutable_data_source_schemas())["toy_image"].mutable_block(), "name", "\"string\"").set_required(true);

    auto const made = to_provider_schema(of);

    ASSERT_TRUE(made) << made.error().text();
    EXPECT_TRUE(made->settings.find("token")->optional);
    EXPECT_EQ(made->resources.at("toy_pool").version, 4U);
    EXPECT_EQ(made->resources.at("toy_pool").object_type, type::object({{"id", type::string()}}));
    EXPECT_TRUE(made->data_sources.at("toy_image").content.find("name")->required);

    add(*pool.mutable_block(), "broken", "");
    EXPECT_THAT(to_provider_schema(of).error().text(), StartsWith("toy_pool.broken: "));
}

TEST(WireSchema, OfAnIdentityRequiresTheAttributesForAnImport)
{
    protocol::ResourceIdentitySchema of;
    auto& id = *of.add_identity_attributes();
    id.set_name("id");
    id.set_type("\"string\"");
    id.set_required_for_import(true);

    auto const made = to_schema(of);

    ASSERT_TRUE(made) << made.error().text();
    EXPECT_TRUE(made->find("id")->required);
}

}  // namespace
