// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALIDATION_SCHEMA_VALUES_HPP
#define IACCTL_LANGUAGE_VALIDATION_SCHEMA_VALUES_HPP

#include "language/values/value.hpp"
#include "schema.hpp"

namespace iacctl::language {

/// An object in which all attributes that the schema declares sensitive are marked, in nested attributes and blocks
/// too. A null object is not marked, but a null value of such an attribute is.
/// \complexity linear in the size of the schema, plus the values that hold sensitive attributes
[[nodiscard]] value with_sensitive_marks(value const& of, schema const& described_by);

/// An object in which write-only attributes are null, in nested attributes and blocks too.
/// \complexity linear in the size of the schema, plus the values that hold write-only attributes
[[nodiscard]] value without_write_only(value const& of, schema const& described_by);

/// An object without the blocks that its schema omits while they are null.
/// \complexity linear in the blocks of the schema if there are none, and in the size of the object otherwise
[[nodiscard]] value without_left_out(value const& of, schema const& described_by);
/// The object with a null value for each of these blocks that it lacks.
[[nodiscard]] value with_left_out(value const& of, schema const& described_by);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALIDATION_SCHEMA_VALUES_HPP
