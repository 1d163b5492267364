// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_PROGRAM_CONSISTENCY_HPP
#define IACCTL_PROGRAM_CONSISTENCY_HPP

#include "language/validation/schema.hpp"
#include "language/values/value.hpp"

#include <optional>
#include <string>
#include <vector>

namespace iacctl::program {

// The answers of providers are checked by these rules. Each breach is one text that begins with its place: `.rule[0].port: ...`.
// Marks do not count, but what they hide is not shown. Null values are the same whatever their type.
// \source Terraform 1.11, package objchange: plan_valid.go, compatible.go.

/// Where an object that is said to exist is not of its type, or not known.
[[nodiscard]] auto breaches_of_schema(language::schema const& schema, language::value const& object)
    -> std::vector<std::string>;

/// Breaches of a plan against its configuration. A provider chooses only what is computed and not configured; of
/// anything else it may keep what was there before.
/// \pre `asked` and `planned` are objects
/// \complexity O(size of the values), sets with unknown elements apart.
[[nodiscard]] auto breaches_of_plan(language::schema const& schema, std::optional<language::value> const& prior,
    language::value const& requested, language::value const& planned) -> std::vector<std::string>;

/// Where a value is not what was planned: what was known stays as it was, what was unknown becomes anything of its type.
/// \pre `planned` is an object
/// \complexity O(size of the values), sets with unknown elements apart.
[[nodiscard]] auto breaches_of_promise(language::schema const& schema, language::value const& planned,
    language::value const& actual) -> std::vector<std::string>;

}  // namespace iacctl::program

#endif  // IACCTL_PROGRAM_CONSISTENCY_HPP
