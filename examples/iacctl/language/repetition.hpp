// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_REPETITION_HPP
#define IACCTL_LANGUAGE_REPETITION_HPP

#include "diagnostic.hpp"
#include "evaluate.hpp"
#include "syntax_tree.hpp"
#include "value.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace iacctl::language {

/// The number that a `count` argument gives; nothing after a diagnostic.
[[nodiscard]] std::optional<std::size_t> evaluate_count(expression const& of, scope const& in, diagnostics& found);

/// Keys and values that a `for_each` argument gives, sorted by key; nothing after a diagnostic.
[[nodiscard]] std::optional<std::vector<value_entry>> evaluate_for_each(
    expression const& of, scope const& in, diagnostics& found);

/// Whether the value of a `count` or `for_each` is of one run only, and so cannot say which objects there are; told.
[[nodiscard]] bool refuse_ephemeral_count(expression const& of, value const& given, diagnostics& found);
[[nodiscard]] bool refuse_ephemeral_for_each(
    expression const& of, value const& given, scope const& in, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_REPETITION_HPP
