// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_FUNCTIONS_REGULAR_EXPRESSION_HPP
#define IACCTL_LANGUAGE_FUNCTIONS_REGULAR_EXPRESSION_HPP

#include "language/evaluation/functions.hpp"

#include <string_view>

namespace iacctl::language::detail {

/// Replaces each match of a pattern in a text; `addition` may name groups as `$1`, `$name` and `${name}`.
[[nodiscard]] auto replace_matches(std::string_view text, std::string_view desired, std::string_view addition)
    -> call_result<value>;

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_FUNCTIONS_REGULAR_EXPRESSION_HPP
