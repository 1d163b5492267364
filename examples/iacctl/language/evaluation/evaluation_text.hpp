// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_EVALUATION_EVALUATION_TEXT_HPP
#define IACCTL_LANGUAGE_EVALUATION_EVALUATION_TEXT_HPP

#include "evaluate.hpp"
#include "functions.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace iacctl::language::detail {

/// The reason of a failed call. It is hidden if an argument is sensitive or ephemeral, because it may contain a part of that value.
[[nodiscard]] std::string failure_text(call_failure const& why, std::span<value const> given);
/// Two elements of a `for` expression have the same key, which is hidden if it is sensitive or ephemeral.
[[nodiscard]] diagnostic duplicate_key(std::string const& key, mark marks, source_range place, source_range whole);
/// The note below a call that failed: `while calling f(a, b...)`. \param name  as the call writes it
[[nodiscard]] std::string calling_note(function const& called, std::string_view name);

/// The message if an expression is not valid for `templatestring`, which requires a reference to a string; null if it
/// is.
[[nodiscard]] messages::message<0> const* template_string_problem(syntax::node const& given);

/// The errors that `try` caught, as list items.
[[nodiscard]] std::string attempt_text(diagnostics const& failed);

/// The statement of a note about a value in the failing expression: `is 5`, `has a sensitive value`.
[[nodiscard]] std::string statement_about(value const& of, note_options options);

/// The literal key of an item of an object; nothing if the key must be evaluated.
[[nodiscard]] std::optional<std::string_view> written_key(syntax::object_item const& item);

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_EVALUATION_EVALUATION_TEXT_HPP
