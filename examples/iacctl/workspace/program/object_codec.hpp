// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_OBJECT_CODEC_HPP
#define IACCTL_WORKSPACE_PROGRAM_OBJECT_CODEC_HPP

#include "base/expected.hpp"
#include "language/values/value.hpp"
#include "providers/catalog.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/object.hpp>

#include <string_view>

namespace iacctl::program {

/// Converts a value to an object of state, with the version of its schema. The schema of the type determines which
/// values are stored with their types. \param provider  the address of the provider, or the name of its configuration
/// \pre v.wholly_known()
[[nodiscard]] auto encode_object(providers::catalog const& known, strider::infra::address const& a,
    std::string_view provider, language::value const& v) -> strider::infra::object;
/// The inverse. Types that the provider does not have, and attributes that do not fit the schema, are errors.
[[nodiscard]] auto decode_object(providers::catalog const& known, strider::infra::address const& a,
    strider::infra::object const& o) -> expected<language::value>;
/// The same for display: without a schema, the type of each attribute is that of its JSON.
[[nodiscard]] auto decode_to_show(providers::catalog const& known, strider::infra::address const& a,
    strider::infra::object const& o) -> expected<language::value>;

[[nodiscard]] auto encode_output(language::value const& v, bool sensitive) -> strider::infra::output_value;
[[nodiscard]] auto decode_output(strider::infra::output_value const& o) -> expected<language::value>;

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_OBJECT_CODEC_HPP
