// SPDX-License-Identifier: BSL-1.0
#include "schemas.hpp"

#include <string>
#include <utility>
#include <vector>

namespace fake {

namespace {

using language::type;
using language::value;

enum class role { required, optional, computed, both };

template <class Owner>
auto attribute(Owner& owner, std::string const& name, std::string const& type, role is) -> protocol::Schema::Attribute&
{
    auto& made = *owner.add_attributes();
    made.set_name(name);
    made.set_type(type);
    made.set_required(is == role::required);
    made.set_optional(is == role::optional || is == role::both);
    made.set_computed(is == role::computed || is == role::both);
    return made;
}

constexpr char const* text = "\"string\"";

void fill_simple(protocol::Schema& schema)
{
    schema.set_version(1);
    auto& block = *schema.mutable_block();
    attribute(block, "id", text, role::computed);
    attribute(block, "name", text, role::required).set_description("A change requires a new object.");
    attribute(block, "value", text, role::optional);
    attribute(block, "secret", text, role::optional).set_write_only(true);
    auto& old = attribute(block, "old", "\"number\"", role::optional);
    old.set_deprecated(true);
    old.set_deprecation_message("use value");
    attribute(block, "key", text, role::both).set_sensitive(true);
}

void fill_inner(protocol::Schema::Block& block)
{
    attribute(block, "key", text, role::optional);
    attribute(block, "made", text, role::computed);
}

void fill_nested(protocol::Schema& schema, int version)
{
    auto& block = *schema.mutable_block();
    attribute(block, "id", text, role::computed);
    attribute(block, "kept", text, role::both);
    attribute(block, "flag", "\"bool\"", role::optional);
    attribute(block, "count_of", "\"number\"", role::optional);
    attribute(block, "anything", "\"dynamic\"", role::optional);
    attribute(block, "words", R"(["list","string"])", role::optional);
    attribute(block, "tags", R"(["set","string"])", role::optional);
    attribute(block, "labels", R"(["map","string"])", role::optional);
    attribute(block, "pair", R"(["object",{"left":"string","right":"number"}])", role::optional);
    using nesting = protocol::Schema::NestedBlock;
    for (auto const& [name, mode] : {std::pair{"one", nesting::SINGLE}, {"some", nesting::LIST},
             {"distinct", nesting::SET}, {"by_key", nesting::MAP}, {"always", nesting::GROUP}}) {
        auto& nested = *block.add_block_types();
        nested.set_type_name(name);
        nested.set_nesting(mode);
        fill_inner(*nested.mutable_block());
        if (mode != nesting::LIST) continue;
        nested.set_max_items(3);
        auto& deeper = *nested.mutable_block()->add_block_types();
        deeper.set_type_name("deeper");
        deeper.set_nesting(nesting::LIST);
        fill_inner(*deeper.mutable_block());
    }
    if (version == 5) return;
    using object = protocol::Schema::Object;
    for (auto const& [name, mode] : {std::pair{"single_object", object::SINGLE}, {"object_list", object::LIST},
             {"object_set", object::SET}, {"object_map", object::MAP}}) {
        auto& nested = *attribute(block, name, "", role::optional).mutable_nested_type();
        nested.set_nesting(mode);
        attribute(nested, "key", text, role::optional);
        attribute(nested, "made", text, role::computed);
    }
}

// A type whose blocks are computed.
void fill_open(protocol::Schema& schema)
{
    auto& block = *schema.mutable_block();
    attribute(block, "id", text, role::computed);
    attribute(block, "value", text, role::optional);
    using nesting = protocol::Schema::NestedBlock;
    for (auto const& [name, mode] : {std::pair{"one", nesting::SINGLE}, {"some", nesting::LIST},
             {"distinct", nesting::SET}, {"by_key", nesting::MAP}}) {
        auto& nested = *block.add_block_types();
        nested.set_type_name(name);
        nested.set_nesting(mode);
        nested.mutable_block()->set_computed(true);
        attribute(*nested.mutable_block(), "key", text, role::both);
        attribute(*nested.mutable_block(), "made", text, role::computed);
    }
}

auto object_type(std::vector<language::type_attribute> attributes) -> type
{
    return type::object(std::move(attributes));
}

auto type_of(protocol::Schema::Attribute const& attribute) -> type
{
    if (!attribute.has_nested_type()) return language::type_from_json(attribute.type()).value();
    std::vector<language::type_attribute> attributes;
    for (auto const& inner : attribute.nested_type().attributes()) attributes.push_back({inner.name(), type_of(inner)});
    type made = object_type(std::move(attributes));
    switch (attribute.nested_type().nesting()) {
    case protocol::Schema::Object::LIST: return type::list(std::move(made));
    case protocol::Schema::Object::SET: return type::set(std::move(made));
    case protocol::Schema::Object::MAP: return type::map(std::move(made));
    default: return made;
    }
}

// The same kind of value with other elements.
template <class Change>
auto each_element(value const& v, Change const& change) -> value
{
    if (!v.has_data()) return v;
    using kind = language::type_kind;
    if (v.is(kind::map) || v.is(kind::object)) {
        std::vector<language::value_entry> entries;
        for (auto const& [key, one] : v.entries()) entries.push_back({key, change(one, key)});
        return v.is(kind::map) ? value::map(v.get_type().element(), std::move(entries))
                               : value::object(std::move(entries));
    }
    std::vector<value> elements;
    for (value const& one : v.elements()) elements.push_back(change(one, std::string()));
    if (v.is(kind::tuple)) return value::tuple(std::move(elements));
    return v.is(kind::set) ? value::set(v.get_type().element(), std::move(elements))
                           : value::list(v.get_type().element(), std::move(elements));
}

template <class Attributes>
auto planned_attributes(Attributes const& attributes, std::vector<language::value_entry> entries) -> value
{
    for (auto const& one : attributes)
        for (auto& [key, of] : entries) {
            if (key != one.name()) continue;
            if (one.write_only()) of = value::null(type_of(one));
            else if (one.computed() && of.is_null()) of = value::unknown(type_of(one));
            else if (one.has_nested_type()) {
                auto const object = [&](value const& inner, std::string const&) {
                    if (!inner.has_data()) return inner;
                    auto const all = inner.entries();
                    return planned_attributes(one.nested_type().attributes(), {all.begin(), all.end()});
                };
                bool const single = one.nested_type().nesting() == protocol::Schema::Object::SINGLE;
                of = single ? object(of, {}) : each_element(of, object);
            }
        }
    return value::object(std::move(entries));
}

}  // namespace

auto all_schemas(int version, int more) -> protocol::GetProviderSchemaResponse
{
    protocol::GetProviderSchemaResponse made;
    attribute(*made.mutable_provider()->mutable_block(), "endpoint", text, role::optional);
    attribute(*made.mutable_provider_meta()->mutable_block(), "module", text, role::optional);
    made.mutable_server_capabilities()->set_plan_destroy(true);
    made.mutable_server_capabilities()->set_move_resource_state(true);
    auto& types = *made.mutable_resource_schemas();
    fill_simple(types["fake_simple"]);
    fill_nested(types["fake_nested"], version);
    if (version == 6) fill_open(types["fake_open"]);
    for (int i = 0; i < more; ++i) types["fake_" + std::to_string(i)] = types["fake_simple"];
    auto& lookup = *(*made.mutable_data_source_schemas())["fake_lookup"].mutable_block();
    attribute(lookup, "name", text, role::required);
    attribute(lookup, "found", text, role::computed);
    auto& token = *(*made.mutable_ephemeral_resource_schemas())["fake_token"].mutable_block();
    attribute(token, "name", text, role::required);
    attribute(token, "token", text, role::computed);
    auto& notify = *(*made.mutable_action_schemas())["fake_notify"].mutable_schema()->mutable_block();
    attribute(notify, "message", text, role::required);
    auto& list = *(*made.mutable_list_resource_schemas())["fake_simple"].mutable_block();
    attribute(list, "prefix", text, role::optional);
    attribute(list, "size", "\"number\"", role::required);
    auto& shout = (*made.mutable_functions())["shout"];
    auto& words = *shout.add_parameters();
    words.set_name("words");
    words.set_type(text);
    shout.mutable_result()->set_type(text);
    return made;
}

namespace {

void translate(protocol::Schema::Block& block)
{
    for (auto& one : *block.mutable_attributes()) {
        protocol::AttributeOfVersion5 old;
        old.set_write_only(one.write_only());
        old.set_deprecation_message(one.deprecation_message());
        one.clear_write_only();
        one.clear_deprecation_message();
        one.ParseFromString(one.SerializeAsString() + old.SerializeAsString());
    }
    for (auto& nested : *block.mutable_block_types()) translate(*nested.mutable_block());
}

}  // namespace

void translate_to_version_5(protocol::GetProviderSchemaResponse& schemas)
{
    for (auto& [_, one] : *schemas.mutable_resource_schemas()) translate(*one.mutable_block());
    for (auto& [_, one] : *schemas.mutable_data_source_schemas()) translate(*one.mutable_block());
    for (auto& [_, one] : *schemas.mutable_ephemeral_resource_schemas()) translate(*one.mutable_block());
    for (auto& [_, one] : *schemas.mutable_list_resource_schemas()) translate(*one.mutable_block());
    for (auto& [_, one] : *schemas.mutable_action_schemas()) translate(*one.mutable_schema()->mutable_block());
}

auto type_of(protocol::Schema::Block const& block) -> type
{
    std::vector<language::type_attribute> attributes;
    for (auto const& one : block.attributes()) attributes.push_back({one.name(), type_of(one)});
    for (auto const& nested : block.block_types()) {
        type inner = type_of(nested.block());
        switch (nested.nesting()) {
        case protocol::Schema::NestedBlock::LIST: inner = type::list(std::move(inner)); break;
        case protocol::Schema::NestedBlock::SET: inner = type::set(std::move(inner)); break;
        case protocol::Schema::NestedBlock::MAP: inner = type::map(std::move(inner)); break;
        default: break;
        }
        attributes.push_back({nested.type_name(), std::move(inner)});
    }
    return object_type(std::move(attributes));
}

auto planned(protocol::Schema::Block const& block, value const& v) -> value
{
    if (!v.has_data()) return v;
    auto const all = v.entries();
    std::vector<language::value_entry> entries(all.begin(), all.end());
    for (auto const& nested : block.block_types()) {
        bool const single = nested.nesting() == protocol::Schema::NestedBlock::SINGLE
            || nested.nesting() == protocol::Schema::NestedBlock::GROUP;
        auto const inside = [&](value const& given, std::string const&) { return planned(nested.block(), given); };
        for (auto& [key, content] : entries)
            if (key == nested.type_name()) content = single ? inside(content, {}) : each_element(content, inside);
    }
    return planned_attributes(block.attributes(), std::move(entries));
}

namespace {

auto made_of(type const& t, std::string const& name) -> value
{
    using kind = language::type_kind;
    switch (t.kind()) {
    case kind::object: {
        std::vector<language::value_entry> entries;
        for (auto const& one : t.attributes()) entries.push_back({one.name, made_of(one.of, one.name)});
        return value::object(std::move(entries));
    }
    case kind::list: return value::list(t.element(), {made_of(t.element(), name)});
    case kind::set: return value::set(t.element(), {made_of(t.element(), name)});
    case kind::map: return value::map(t.element(), {{"a", made_of(t.element(), name)}});
    default: return value("made-" + name);
    }
}

}  // namespace

auto made(value const& v, std::string const& name) -> value
{
    if (v.is_unknown()) return made_of(v.get_type(), name);
    bool const nests = v.has_data() && !v.get_type().is_primitive();
    if (!nests) return v;
    return each_element(
        v, [&](value const& given, std::string const& key) { return made(given, key.empty() ? name : key); });
}

auto with(value const& object, std::string const& attribute, value v) -> value
{
    auto const all = object.entries();
    std::vector<language::value_entry> entries(all.begin(), all.end());
    entries.push_back({attribute, std::move(v)});
    return value::object(std::move(entries));
}

}  // namespace fake
