// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_RESOURCES_HPP
#define STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_RESOURCES_HPP

#include "providers/plugin/methods.hpp"

#include <string>

namespace fake {

namespace protocol = iacctl::plugin::protocol;

/// The resource types of the fake provider. Their objects exist only in state; computed values are made from the names
/// of attributes. The type "fake_echo", which is in no schema, is applied without an examination of its value.
class resources {
public:
    /// \param version  version of the protocol
    /// \param more  number of resource types that differ from "fake_simple" only by name
    /// \param lie  "planned", "applied", "unknown", "msgpack", "type" or "legacy": the way in which answers break the
    /// rules of values
    resources(int version, int more, std::string lie);

    auto reply(protocol::ApplyResourceChange, protocol::ApplyResourceChange::Request const& to) const
        -> protocol::ApplyResourceChange::Response;
    auto reply(protocol::CallFunction, protocol::CallFunction::Request const& to) const
        -> protocol::CallFunction::Response;
    auto reply(protocol::CloseEphemeralResource, protocol::CloseEphemeralResource::Request const& to) const
        -> protocol::CloseEphemeralResource::Response;
    auto reply(protocol::ConfigureProvider, protocol::ConfigureProvider::Request const& to) const
        -> protocol::ConfigureProvider::Response;
    auto reply(protocol::GetProviderSchema, protocol::GetProviderSchema::Request const& to) const
        -> protocol::GetProviderSchema::Response;
    auto reply(protocol::GetResourceIdentitySchemas, protocol::GetResourceIdentitySchemas::Request const& to) const
        -> protocol::GetResourceIdentitySchemas::Response;
    auto reply(protocol::ImportResourceState, protocol::ImportResourceState::Request const& to) const
        -> protocol::ImportResourceState::Response;
    auto reply(protocol::MoveResourceState, protocol::MoveResourceState::Request const& to) const
        -> protocol::MoveResourceState::Response;
    auto reply(protocol::OpenEphemeralResource, protocol::OpenEphemeralResource::Request const& to) const
        -> protocol::OpenEphemeralResource::Response;
    auto reply(protocol::PlanResourceChange, protocol::PlanResourceChange::Request const& to) const
        -> protocol::PlanResourceChange::Response;
    auto reply(protocol::ReadDataSource, protocol::ReadDataSource::Request const& to) const
        -> protocol::ReadDataSource::Response;
    auto reply(protocol::ReadResource, protocol::ReadResource::Request const& to) const
        -> protocol::ReadResource::Response;
    auto reply(protocol::RenewEphemeralResource, protocol::RenewEphemeralResource::Request const& to) const
        -> protocol::RenewEphemeralResource::Response;
    auto reply(protocol::StopProvider, protocol::StopProvider::Request const& to) const
        -> protocol::StopProvider::Response;
    auto reply(protocol::UpgradeResourceIdentity, protocol::UpgradeResourceIdentity::Request const& to) const
        -> protocol::UpgradeResourceIdentity::Response;
    auto reply(protocol::UpgradeResourceState, protocol::UpgradeResourceState::Request const& to) const
        -> protocol::UpgradeResourceState::Response;
    auto reply(protocol::ValidateDataResourceConfig, protocol::ValidateDataResourceConfig::Request const& to) const
        -> protocol::ValidateDataResourceConfig::Response;
    auto reply(protocol::ValidateActionConfig, protocol::ValidateActionConfig::Request const& to) const
        -> protocol::ValidateActionConfig::Response;
    auto reply(protocol::PlanAction, protocol::PlanAction::Request const& to) const -> protocol::PlanAction::Response;
    /// The events of an action: its message, and the end. The message can request an error or a missing end.
    auto events(protocol::InvokeAction, protocol::InvokeAction::Request const& to) const
        -> std::vector<protocol::InvokeAction::Event>;
    auto reply(protocol::ValidateListResourceConfig, protocol::ValidateListResourceConfig::Request const& to) const
        -> protocol::ValidateListResourceConfig::Response;
    /// The number of objects that the argument "size" gives, independent of the limit. With the prefix "lie", the first
    /// object has no identity; with "warn", a warning without an object comes first; with "fail", the second event is
    /// an error.
    auto events(protocol::ListResource, protocol::ListResource::Request const& to) const
        -> std::vector<protocol::ListResource::Event>;
    auto reply(
        protocol::ValidateEphemeralResourceConfig, protocol::ValidateEphemeralResourceConfig::Request const& to) const
        -> protocol::ValidateEphemeralResourceConfig::Response;
    auto reply(protocol::ValidateProviderConfig, protocol::ValidateProviderConfig::Request const& to) const
        -> protocol::ValidateProviderConfig::Response;
    auto reply(protocol::ValidateResourceConfig, protocol::ValidateResourceConfig::Request const& to) const
        -> protocol::ValidateResourceConfig::Response;

private:
    [[nodiscard]] auto schema_of(std::string const& type) const -> protocol::Schema const&;

    int version_;
    std::string lie_;
    protocol::GetProviderSchema::Response schemas_;  // in the form of version 6
};

}  // namespace fake

#endif  // STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_RESOURCES_HPP
