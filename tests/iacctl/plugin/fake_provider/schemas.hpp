// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_SCHEMAS_HPP
#define STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_SCHEMAS_HPP

#include "language/values/type.hpp"
#include "language/values/value.hpp"

#include <provider.pb.h>

namespace fake {

namespace protocol = iacctl::plugin::protocol;
namespace language = iacctl::language;

/// The types of the provider: "fake_simple", "fake_nested" with all nesting modes of the protocol version, a data
/// source, an ephemeral resource and a function.
[[nodiscard]] auto all_schemas(int version, int more) -> protocol::GetProviderSchemaResponse;
/// Changes the numbers of fields to those of version 5.
void translate_to_version_5(protocol::GetProviderSchemaResponse& schemas);

/// The type of the values of a schema.
[[nodiscard]] auto type_of(protocol::Schema::Block const& block) -> language::type;
/// The planned object: computed attributes that are null become unknown, and write-only attributes become null.
[[nodiscard]] auto planned(protocol::Schema::Block const& block, language::value const& v) -> language::value;
/// A value with known values instead of its unknown parts.
[[nodiscard]] auto made(language::value const& v, std::string const& name) -> language::value;
/// An object with another value of one attribute.
[[nodiscard]] auto with(language::value const& object, std::string const& attribute, language::value v)
    -> language::value;

}  // namespace fake

#endif  // STRIDER_TESTS_IACCTL_PLUGINS_FAKE_PROVIDER_SCHEMAS_HPP
