// SPDX-License-Identifier: BSL-1.0
#include "methods.hpp"

namespace iacctl::plugin {

namespace {

// Fields whose numbers have another meaning in version 6 are unknown fields with another wire type, which are preserved
// in the bytes.
void translate(protocol::Schema::Block& block, std::string& bytes)
{
    protocol::AttributeOfVersion5 old;
    for (auto& attribute : *block.mutable_attributes()) {
        attribute.SerializeToString(&bytes);
        if (!old.ParseFromString(bytes)) continue;
        if (old.write_only()) attribute.set_write_only(true);
        if (!old.deprecation_message().empty())
            attribute.set_deprecation_message(std::move(*old.mutable_deprecation_message()));
    }
    for (auto& nested : *block.mutable_block_types()) translate(*nested.mutable_block(), bytes);
}

}  // namespace

void translate_version_5(protocol::GetProviderSchema::Response& schemas)
{
    std::string bytes;
    if (schemas.has_provider()) translate(*schemas.mutable_provider()->mutable_block(), bytes);
    if (schemas.has_provider_meta()) translate(*schemas.mutable_provider_meta()->mutable_block(), bytes);
    auto const all = {schemas.mutable_resource_schemas(), schemas.mutable_data_source_schemas(),
        schemas.mutable_ephemeral_resource_schemas(), schemas.mutable_list_resource_schemas()};
    for (auto* const map : all)
        for (auto& [_, schema] : *map) translate(*schema.mutable_block(), bytes);
    for (auto& [_, action] : *schemas.mutable_action_schemas())
        translate(*action.mutable_schema()->mutable_block(), bytes);
}

}  // namespace iacctl::plugin
