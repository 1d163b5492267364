// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_EVALUATION_REPETITION_HPP
#define IACCTL_LANGUAGE_EVALUATION_REPETITION_HPP

#include "evaluate.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"
#include "language/values/value.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace iacctl::language {

/// States if a value may be unknown: before a plan it may, and only its type is checked.
enum class unknown_values : std::uint8_t { refused, allowed };

/// The number that a `count` argument gives; nothing after a diagnostic, or of an unknown value that is allowed.
[[nodiscard]] std::optional<std::size_t> evaluate_count(
    expression const& of, scope const& in, diagnostics& found, unknown_values unknown = unknown_values::refused);

/// The value of an `enabled` argument; nothing after a diagnostic, or of an unknown value that is allowed.
[[nodiscard]] std::optional<bool> evaluate_enabled(
    expression const& of, scope const& in, diagnostics& found, unknown_values unknown = unknown_values::refused);

/// Keys and values that a `for_each` argument gives, sorted by key; nothing after a diagnostic, or of keys that are
/// unknown and may be.
[[nodiscard]] std::optional<std::vector<value_entry>> evaluate_for_each(
    expression const& of, scope const& in, diagnostics& found, unknown_values unknown = unknown_values::refused);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_REPETITION_HPP
