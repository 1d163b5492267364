// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PLUGINS_WIRE_SCHEMA_HPP
#define IACCTL_PLUGINS_WIRE_SCHEMA_HPP

#include "language/validation/schema.hpp"
#include "language/values/failure.hpp"
#include "providers/provider.hpp"

#include <provider.pb.h>

namespace iacctl::plugins {

/// A schema of the protocol as the language has it, attributes and blocks in the order of their names. Refused, with the path
/// to it: types and kinds of nesting that cannot be read, attributes without a type, names that occur twice, and sets whose
/// elements may be of any type.
[[nodiscard]] language::result<language::schema> to_schema(protocol::Schema const& of);

/// The attributes that identify an object of a type: those that an import requires are required.
[[nodiscard]] language::result<language::schema> to_schema(protocol::ResourceIdentitySchema const& of);

/// Everything that a provider declares, by `to_schema`. The path of a failure begins with the name of the type.
[[nodiscard]] language::result<providers::provider_schema> to_provider_schema(
    protocol::GetProviderSchema::Response const& of);

}  // namespace iacctl::plugins

#endif  // IACCTL_PLUGINS_WIRE_SCHEMA_HPP
