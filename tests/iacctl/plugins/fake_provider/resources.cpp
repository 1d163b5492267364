// SPDX-License-Identifier: BSL-1.0
#include "resources.hpp"

#include <string>

namespace fake {

namespace {

enum class role { required, optional, computed };

auto attribute(protocol::Schema::Block& of, std::string const& name, std::string const& type, role is)
    -> protocol::Schema::Attribute&
{
    auto& made = *of.add_attributes();
    made.set_name(name);
    made.set_type(type);
    made.set_required(is == role::required);
    made.set_optional(is == role::optional);
    made.set_computed(is == role::computed);
    return made;
}

auto simple() -> protocol::Schema
{
    protocol::Schema made;
    made.set_version(1);
    auto& block = *made.mutable_block();
    attribute(block, "id", "\"string\"", role::computed);
    attribute(block, "name", "\"string\"", role::required);
    attribute(block, "value", "\"string\"", role::optional);
    auto& secret = attribute(block, "secret", "\"string\"", role::optional);
    secret.set_write_only(true);
    auto& old = attribute(block, "old", "\"number\"", role::optional);
    old.set_deprecated(true);
    old.set_deprecation_message("use value");
    return made;
}

// In version 5 these fields have other numbers.
void translate_to_version_5(protocol::Schema::Block& block)
{
    for (auto& one : *block.mutable_attributes()) {
        protocol::AttributeOfVersion5 old;
        old.set_write_only(one.write_only());
        old.set_deprecation_message(one.deprecation_message());
        one.clear_write_only();
        one.clear_deprecation_message();
        one.ParseFromString(one.SerializeAsString() + old.SerializeAsString());
    }
    for (auto& nested : *block.mutable_block_types()) translate_to_version_5(*nested.mutable_block());
}

}  // namespace

auto resources::reply(protocol::GetProviderSchema::Request const&) const -> protocol::GetProviderSchema::Response
{
    protocol::GetProviderSchema::Response made;
    auto& provider = *made.mutable_provider()->mutable_block();
    attribute(provider, "endpoint", "\"string\"", role::optional);
    made.mutable_server_capabilities()->set_plan_destroy(true);
    protocol::Schema one = simple();
    if (version_ == 5) translate_to_version_5(*one.mutable_block());
    (*made.mutable_resource_schemas())["fake_simple"] = one;
    for (int i = 0; i < more_; ++i) (*made.mutable_resource_schemas())["fake_" + std::to_string(i)] = one;
    return made;
}

auto resources::reply(protocol::ValidateProviderConfig::Request const&) const
    -> protocol::ValidateProviderConfig::Response
{
    return {};
}

auto resources::reply(protocol::ConfigureProvider::Request const&) const -> protocol::ConfigureProvider::Response
{
    return {};
}

auto resources::reply(protocol::StopProvider::Request const&) const -> protocol::StopProvider::Response
{
    return {};
}

auto resources::reply(protocol::ValidateResourceConfig::Request const&) const
    -> protocol::ValidateResourceConfig::Response
{
    return {};
}

auto resources::reply(protocol::UpgradeResourceState::Request const& to) const
    -> protocol::UpgradeResourceState::Response
{
    protocol::UpgradeResourceState::Response made;
    made.mutable_upgraded_state()->set_json(to.raw_state().json());
    return made;
}

auto resources::reply(protocol::ReadResource::Request const& to) const -> protocol::ReadResource::Response
{
    protocol::ReadResource::Response made;
    *made.mutable_new_state() = to.current_state();
    made.set_private_data(to.private_data());
    return made;
}

auto resources::reply(protocol::PlanResourceChange::Request const& to) const -> protocol::PlanResourceChange::Response
{
    protocol::PlanResourceChange::Response made;
    *made.mutable_planned_state() = to.proposed_new_state();
    made.set_planned_private(to.prior_private());
    return made;
}

auto resources::reply(protocol::ApplyResourceChange::Request const& to) const -> protocol::ApplyResourceChange::Response
{
    protocol::ApplyResourceChange::Response made;
    *made.mutable_new_state() = to.planned_state();
    made.set_private_data(to.planned_private());
    return made;
}

}  // namespace fake
