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

/// States whether a value may be unknown. Before a plan it may, and only its type is checked.
enum class unknown_values : std::uint8_t { refused, allowed };

/// The number of instances from a `count` argument; nothing after a diagnostic, and for an unknown value that is
/// allowed.
[[nodiscard]] auto evaluate_count(expression const& e, scope const& in, diagnostics& found,
    unknown_values unknown = unknown_values::refused) -> std::optional<std::size_t>;

/// The value of an `enabled` argument; nothing after a diagnostic, and for an unknown value that is allowed.
[[nodiscard]] auto evaluate_enabled(expression const& e, scope const& in, diagnostics& found,
    unknown_values unknown = unknown_values::refused) -> std::optional<bool>;

/// The keys and values from a `for_each` argument, sorted by key; nothing after a diagnostic, and for unknown keys that
/// are allowed.
[[nodiscard]] auto evaluate_for_each(expression const& e, scope const& in, diagnostics& found,
    unknown_values unknown = unknown_values::refused) -> std::optional<std::vector<value_entry>>;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_REPETITION_HPP
