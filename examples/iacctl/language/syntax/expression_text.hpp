// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_EXPRESSION_TEXT_HPP
#define IACCTL_LANGUAGE_SYNTAX_EXPRESSION_TEXT_HPP

#include "language/values/value.hpp"

#include <string>
#include <string_view>

namespace iacctl::language {

/// Text as a quoted string of native syntax, in which nothing is interpolated.
[[nodiscard]] std::string quoted_text(std::string_view text);

/// An expression of native syntax that gives a value of the same content, for `format` to bring into the usual form:
/// lists and sets as a tuple, maps as an object. Without marks; what is not known is written as null.
[[nodiscard]] std::string expression_text(value const& of);

/// The same for an expression that stands alone, in the usual form.
[[nodiscard]] std::string formatted_expression_text(value const& of);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_EXPRESSION_TEXT_HPP
