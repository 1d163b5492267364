// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_EVALUATION_EVALUATION_TEXT_HPP
#define IACCTL_LANGUAGE_EVALUATION_EVALUATION_TEXT_HPP

#include "evaluate.hpp"
#include "functions.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace iacctl::language::detail {

/// The note below a call that failed: `while calling f(a, b...)`. \param name  as the call writes it
[[nodiscard]] std::string calling_note(function const& called, std::string_view name);

/// The message if an expression cannot be the template that `templatestring` renders; null if it can: a reference to a string.
[[nodiscard]] messages::message<0> const* template_string_problem(syntax::node const& given);

/// The errors of an expression that `try` gave up, a list item each.
[[nodiscard]] std::string attempt_text(diagnostics const& failed);

/// The note of a diagnostic about a value in the expression that failed: `is 5`, `has a sensitive value`.
[[nodiscard]] std::string statement_about(value const& of, note_options options);

/// The key of an item of an object as it is written; nothing if it must be evaluated.
[[nodiscard]] std::optional<std::string_view> written_key(syntax::object_item const& item);

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_EVALUATION_EVALUATION_TEXT_HPP
