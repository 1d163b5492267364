// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_RESOURCES_HPP
#define STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_RESOURCES_HPP

#include <provider.pb.h>

namespace fake {

namespace protocol = iacctl::plugins::protocol;

/// The resource types of the fake provider.
class resources {
public:
    /// \param version  of the protocol \param more  resource types that differ by name only
    resources(int version, int more) : version_(version), more_(more) {}

    auto reply(protocol::ApplyResourceChange::Request const& to) const -> protocol::ApplyResourceChange::Response;
    auto reply(protocol::ConfigureProvider::Request const& to) const -> protocol::ConfigureProvider::Response;
    auto reply(protocol::GetProviderSchema::Request const& to) const -> protocol::GetProviderSchema::Response;
    auto reply(protocol::PlanResourceChange::Request const& to) const -> protocol::PlanResourceChange::Response;
    auto reply(protocol::ReadResource::Request const& to) const -> protocol::ReadResource::Response;
    auto reply(protocol::StopProvider::Request const& to) const -> protocol::StopProvider::Response;
    auto reply(protocol::UpgradeResourceState::Request const& to) const -> protocol::UpgradeResourceState::Response;
    auto reply(protocol::ValidateProviderConfig::Request const& to) const -> protocol::ValidateProviderConfig::Response;
    auto reply(protocol::ValidateResourceConfig::Request const& to) const -> protocol::ValidateResourceConfig::Response;

private:
    int version_;
    int more_;
};

}  // namespace fake

#endif  // STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_RESOURCES_HPP
