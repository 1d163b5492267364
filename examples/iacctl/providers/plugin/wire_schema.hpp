// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROVIDERS_PLUGIN_WIRE_SCHEMA_HPP
#define IACCTL_PROVIDERS_PLUGIN_WIRE_SCHEMA_HPP

#include "language/validation/schema.hpp"
#include "language/values/failure.hpp"
#include "providers/provider.hpp"

#include <provider.pb.h>

namespace iacctl::plugin {

/// Converts a schema of the protocol, with attributes and blocks sorted by name. Errors, reported with their paths:
/// unknown types and kinds of nesting, attributes without a type, duplicate names, and sets whose elements may be of
/// any type.
[[nodiscard]] auto to_schema(protocol::Schema const& given) -> language::result<language::schema>;

/// The attributes that identify an object of a type. Those that an import requires are required.
[[nodiscard]] auto to_schema(protocol::ResourceIdentitySchema const& resource_identity_schema)
    -> language::result<language::schema>;

/// Converts everything that a provider declares. The path of a failure begins with the name of the type.
[[nodiscard]] auto to_provider_schema(protocol::GetProviderSchemaResponse const& response)
    -> language::result<providers::provider_schema>;

}  // namespace iacctl::plugin

#endif  // IACCTL_PROVIDERS_PLUGIN_WIRE_SCHEMA_HPP
