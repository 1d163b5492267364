// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALIDATION_SCHEMA_VALUES_HPP
#define IACCTL_LANGUAGE_VALIDATION_SCHEMA_VALUES_HPP

#include "language/values/value.hpp"
#include "schema.hpp"

namespace iacctl::language {

/// An object in which all attributes that the schema declares sensitive are marked, in nested attributes and blocks
/// too. A null object is not marked, but a null value of such an attribute is.
/// \complexity linear in the size of the schema, plus the values that hold sensitive attributes
[[nodiscard]] auto with_sensitive_marks(value const& v, schema const& described_by) -> value;

/// An object in which write-only attributes are null, in nested attributes and blocks too.
/// \complexity linear in the size of the schema, plus the values that hold write-only attributes
[[nodiscard]] auto without_write_only(value const& v, schema const& described_by) -> value;

/// An object without the blocks that its schema omits while they are null.
/// \complexity linear in the blocks of the schema if there are none, and in the size of the object otherwise
[[nodiscard]] auto without_left_out(value const& v, schema const& described_by) -> value;
/// The object with a null value for each of these blocks that it lacks.
[[nodiscard]] auto with_left_out(value const& v, schema const& described_by) -> value;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALIDATION_SCHEMA_VALUES_HPP
