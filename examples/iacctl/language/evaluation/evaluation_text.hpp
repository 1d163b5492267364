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
[[nodiscard]] auto failure_text(call_failure const& why, std::span<value const> given) -> std::string;
/// Two elements of a `for` expression have the same key, which is hidden if it is sensitive or ephemeral.
[[nodiscard]] auto duplicate_key(std::string const& key, mark marks, source_range place, source_range whole)
    -> diagnostic;
/// The note below a call that failed: `while calling f(a, b...)`. \param name  as the call writes it
[[nodiscard]] auto calling_note(function const& called, std::string_view name) -> std::string;

/// The message if an expression is not valid for `templatestring`, which requires a reference to a string; null if it
/// is.
[[nodiscard]] auto template_string_problem(syntax::node const& given) -> messages::message<0> const*;

/// The errors that `try` caught, as list items.
[[nodiscard]] auto attempt_text(diagnostics const& failed) -> std::string;

/// The statement of a note about a value in the failing expression: `is 5`, `has a sensitive value`.
[[nodiscard]] auto statement_about(value const& v, note_options options) -> std::string;

/// The literal key of an item of an object; nothing if the key must be evaluated.
[[nodiscard]] auto written_key(syntax::object_item const& item) -> std::optional<std::string_view>;

}  // namespace iacctl::language::detail

#endif  // IACCTL_LANGUAGE_EVALUATION_EVALUATION_TEXT_HPP
