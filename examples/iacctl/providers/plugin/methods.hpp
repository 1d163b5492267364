// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_METHODS_HPP
#define IACCTL_PROVIDERS_PLUGIN_METHODS_HPP

#include <provider.pb.h>

#include <string>
#include <string_view>

namespace iacctl::plugin {

/// The names of a call in the two versions of the protocol.
class method_name {
public:
    std::string_view version_5;
    std::string_view version_6 = version_5;
    std::string_view service = {};  ///< empty: that of the provider

    /// "/tfplugin6.Provider/ReadResource"
    [[nodiscard]] auto path(int protocol_version) const -> std::string
    {
        bool const old = protocol_version == 5;
        std::string made = "/";
        made += !service.empty() ? service : old ? "tfplugin5.Provider" : "tfplugin6.Provider";
        return made.append("/").append(old ? version_5 : version_6);
    }
};

namespace protocol {

/// A call with one response.
template <class Sent, class Received>
struct call_of {
    using Request = Sent;
    using Response = Received;
};

/// A call that is answered with a stream of events.
template <class Sent, class Received>
struct stream_of {
    using Request = Sent;
    using Event = Received;
};

struct ApplyResourceChange : call_of<ApplyResourceChangeRequest, ApplyResourceChangeResponse> {
    static constexpr method_name name{"ApplyResourceChange"};
};
struct CallFunction : call_of<CallFunctionRequest, CallFunctionResponse> {
    static constexpr method_name name{"CallFunction"};
};
struct CloseEphemeralResource : call_of<EphemeralResourceRequest, Diagnostics> {
    static constexpr method_name name{"CloseEphemeralResource"};
};
struct ConfigureProvider : call_of<ConfigureProviderRequest, Diagnostics> {
    static constexpr method_name name{"Configure", "ConfigureProvider"};
};
struct GetProviderSchema : call_of<Empty, GetProviderSchemaResponse> {
    static constexpr method_name name{"GetSchema", "GetProviderSchema"};
};
struct GetResourceIdentitySchemas : call_of<Empty, GetResourceIdentitySchemasResponse> {
    static constexpr method_name name{"GetResourceIdentitySchemas"};
};
struct ImportResourceState : call_of<ImportResourceStateRequest, ImportResourceStateResponse> {
    static constexpr method_name name{"ImportResourceState"};
};
struct InvokeAction : stream_of<TypeConfigRequest, InvokeActionEvent> {
    static constexpr method_name name{"InvokeAction"};
};
struct ListResource : stream_of<ListResourceRequest, ListResourceEvent> {
    static constexpr method_name name{"ListResource"};
};
struct MoveResourceState : call_of<MoveResourceStateRequest, MoveResourceStateResponse> {
    static constexpr method_name name{"MoveResourceState"};
};
struct OpenEphemeralResource : call_of<TypeConfigRequest, OpenEphemeralResourceResponse> {
    static constexpr method_name name{"OpenEphemeralResource"};
};
struct PlanAction : call_of<TypeConfigRequest, PlanActionResponse> {
    static constexpr method_name name{"PlanAction"};
};
struct PlanResourceChange : call_of<PlanResourceChangeRequest, PlanResourceChangeResponse> {
    static constexpr method_name name{"PlanResourceChange"};
};
struct ReadDataSource : call_of<ReadDataSourceRequest, ReadDataSourceResponse> {
    static constexpr method_name name{"ReadDataSource"};
};
struct ReadResource : call_of<ReadResourceRequest, ReadResourceResponse> {
    static constexpr method_name name{"ReadResource"};
};
struct RenewEphemeralResource : call_of<EphemeralResourceRequest, RenewEphemeralResourceResponse> {
    static constexpr method_name name{"RenewEphemeralResource"};
};
struct Shutdown : call_of<Empty, Empty> {
    static constexpr method_name name{"Shutdown", "Shutdown", "plugin.GRPCController"};
};
struct StopProvider : call_of<Empty, StopProviderResponse> {
    static constexpr method_name name{"Stop", "StopProvider"};
};
struct StreamStdio : stream_of<Empty, StreamStdioEvent> {
    static constexpr method_name name{"StreamStdio", "StreamStdio", "plugin.GRPCStdio"};
};
struct UpgradeResourceIdentity : call_of<UpgradeRequest, UpgradeResourceIdentityResponse> {
    static constexpr method_name name{"UpgradeResourceIdentity"};
};
struct UpgradeResourceState : call_of<UpgradeRequest, UpgradeResourceStateResponse> {
    static constexpr method_name name{"UpgradeResourceState"};
};
struct ValidateActionConfig : call_of<TypeConfigRequest, Diagnostics> {
    static constexpr method_name name{"ValidateActionConfig"};
};
struct ValidateDataResourceConfig : call_of<TypeConfigRequest, Diagnostics> {
    static constexpr method_name name{"ValidateDataSourceConfig", "ValidateDataResourceConfig"};
};
struct ValidateEphemeralResourceConfig : call_of<TypeConfigRequest, Diagnostics> {
    static constexpr method_name name{"ValidateEphemeralResourceConfig"};
};
struct ValidateListResourceConfig : call_of<ValidateListResourceConfigRequest, Diagnostics> {
    static constexpr method_name name{"ValidateListResourceConfig"};
};
struct ValidateProviderConfig : call_of<ValidateProviderConfigRequest, ValidateProviderConfigResponse> {
    static constexpr method_name name{"PrepareProviderConfig", "ValidateProviderConfig"};
};
struct ValidateResourceConfig : call_of<TypeConfigRequest, Diagnostics> {
    static constexpr method_name name{"ValidateResourceTypeConfig", "ValidateResourceConfig"};
};

}  // namespace protocol

/// Sets the fields of all attributes that version 5 of the protocol sends under other numbers.
void translate_version_5(protocol::GetProviderSchema::Response& schemas);

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_METHODS_HPP
