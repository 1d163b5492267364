// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PLUGINS_METHODS_HPP
#define IACCTL_PLUGINS_METHODS_HPP

#include <provider.pb.h>

#include <string>
#include <string_view>

namespace iacctl::plugins {

/// The names of a call in the two versions of the protocol.
class method_name {
public:
    std::string_view version_5;
    std::string_view version_6;
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

/// The name of a call, which is a message with the members `Request` and `Response`, or `Event` of a stream.
template <class Call>
extern method_name const name_of_call;

#define IACCTL_CALL(call, ...)                                                                                         \
    template <>                                                                                                        \
    inline constexpr method_name name_of_call<protocol::call>{__VA_ARGS__};
IACCTL_CALL(ApplyResourceChange, "ApplyResourceChange", "ApplyResourceChange")
IACCTL_CALL(CallFunction, "CallFunction", "CallFunction")
IACCTL_CALL(CloseEphemeralResource, "CloseEphemeralResource", "CloseEphemeralResource")
IACCTL_CALL(ConfigureProvider, "Configure", "ConfigureProvider")
IACCTL_CALL(GetFunctions, "GetFunctions", "GetFunctions")
IACCTL_CALL(GetMetadata, "GetMetadata", "GetMetadata")
IACCTL_CALL(GetProviderSchema, "GetSchema", "GetProviderSchema")
IACCTL_CALL(GetResourceIdentitySchemas, "GetResourceIdentitySchemas", "GetResourceIdentitySchemas")
IACCTL_CALL(ImportResourceState, "ImportResourceState", "ImportResourceState")
IACCTL_CALL(InvokeAction, "InvokeAction", "InvokeAction")
IACCTL_CALL(ListResource, "ListResource", "ListResource")
IACCTL_CALL(MoveResourceState, "MoveResourceState", "MoveResourceState")
IACCTL_CALL(OpenEphemeralResource, "OpenEphemeralResource", "OpenEphemeralResource")
IACCTL_CALL(PlanAction, "PlanAction", "PlanAction")
IACCTL_CALL(PlanResourceChange, "PlanResourceChange", "PlanResourceChange")
IACCTL_CALL(ReadDataSource, "ReadDataSource", "ReadDataSource")
IACCTL_CALL(ReadResource, "ReadResource", "ReadResource")
IACCTL_CALL(RenewEphemeralResource, "RenewEphemeralResource", "RenewEphemeralResource")
IACCTL_CALL(Shutdown, "Shutdown", "Shutdown", "plugin.GRPCController")
IACCTL_CALL(StopProvider, "Stop", "StopProvider")
IACCTL_CALL(StreamStdio, "StreamStdio", "StreamStdio", "plugin.GRPCStdio")
IACCTL_CALL(UpgradeResourceIdentity, "UpgradeResourceIdentity", "UpgradeResourceIdentity")
IACCTL_CALL(UpgradeResourceState, "UpgradeResourceState", "UpgradeResourceState")
IACCTL_CALL(ValidateActionConfig, "ValidateActionConfig", "ValidateActionConfig")
IACCTL_CALL(ValidateDataResourceConfig, "ValidateDataSourceConfig", "ValidateDataResourceConfig")
IACCTL_CALL(ValidateEphemeralResourceConfig, "ValidateEphemeralResourceConfig", "ValidateEphemeralResourceConfig")
IACCTL_CALL(ValidateListResourceConfig, "ValidateListResourceConfig", "ValidateListResourceConfig")
IACCTL_CALL(ValidateProviderConfig, "PrepareProviderConfig", "ValidateProviderConfig")
IACCTL_CALL(ValidateResourceConfig, "ValidateResourceTypeConfig", "ValidateResourceConfig")
#undef IACCTL_CALL

/// Sets the fields of all attributes that version 5 of the protocol sends under other numbers.
void translate_version_5(protocol::GetProviderSchema::Response& schemas);

}  // namespace iacctl::plugins

#endif  // IACCTL_PLUGINS_METHODS_HPP
