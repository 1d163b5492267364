// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_EXPRESSION_TEXT_HPP
#define IACCTL_LANGUAGE_SYNTAX_EXPRESSION_TEXT_HPP

#include "language/values/value.hpp"

#include <string>
#include <string_view>

namespace iacctl::language {

/// A text as a quoted string of native syntax, with template sequences escaped.
[[nodiscard]] auto quoted_text(std::string_view text) -> std::string;

/// An expression of native syntax for a value: a tuple for a list or set, an object for a map. Marks are omitted,
/// unknown values are written as null. `format` brings it into the usual form.
[[nodiscard]] auto expression_text(value const& v) -> std::string;

/// The same in the usual form, as a complete expression.
[[nodiscard]] auto formatted_expression_text(value const& v) -> std::string;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_EXPRESSION_TEXT_HPP
