// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROGRAM_OBJECT_CODEC_HPP
#define IACCTL_PROGRAM_OBJECT_CODEC_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <strider/infra/model/address.hpp>
#include <strider/infra/model/diagnostics.hpp>
#include <strider/infra/model/object.hpp>

namespace iacctl::program {

/// The schema of the type that an address names; null: no provider knows it.
[[nodiscard]] auto schema_of(strider::infra::address const& a) -> language::schema const*;

/// A value as an object of state; its type's schema says where types are written along.
/// \pre v.wholly_known()
[[nodiscard]] auto encode_object(strider::infra::address const& a, language::value const& v) -> strider::infra::object;
/// The inverse. Refuses types that no provider knows, and attributes that do not fit.
[[nodiscard]] auto decode_object(strider::infra::address const& a, strider::infra::object const& o)
    -> strider::infra::expected<language::value>;

[[nodiscard]] auto encode_output(language::value const& v, bool sensitive) -> strider::infra::output_value;
[[nodiscard]] auto decode_output(strider::infra::output_value const& o) -> strider::infra::expected<language::value>;

}  // namespace iacctl::program

#endif  // IACCTL_PROGRAM_OBJECT_CODEC_HPP
