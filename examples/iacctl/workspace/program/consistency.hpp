// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_PROGRAM_CONSISTENCY_HPP
#define IACCTL_WORKSPACE_PROGRAM_CONSISTENCY_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <optional>
#include <string>
#include <vector>

namespace iacctl::program {

// These rules check the responses of providers. Each violation is one text that begins with its path: `.rule[0].port:
// ...`. Marks are ignored in comparisons, but marked values are not shown. Null values of different types are equal.
// \source Terraform 1.11, package objchange: plan_valid.go, compatible.go.

/// Violations of the type by an object that exists: values of another type, and unknown values.
[[nodiscard]] auto schema_violations(language::schema const& schema, language::value const& object)
    -> std::vector<std::string>;

/// Violations of a plan against its configuration. A provider may choose values only for attributes that are computed and
/// not configured; for all others it may also keep the prior value.
/// \pre `requested` and `planned` are objects
/// \complexity O(size of the values), except for sets with unknown elements.
[[nodiscard]] auto plan_violations(language::schema const& schema, std::optional<language::value> const& prior,
    language::value const& requested, language::value const& planned) -> std::vector<std::string>;

/// Violations of a result against its plan: known values must be equal, unknown ones may have any value of their type.
/// \pre `planned` is an object
/// \complexity O(size of the values), except for sets with unknown elements.
[[nodiscard]] auto result_violations(language::schema const& schema, language::value const& planned,
    language::value const& actual) -> std::vector<std::string>;

}  // namespace iacctl::program

#endif  // IACCTL_WORKSPACE_PROGRAM_CONSISTENCY_HPP
