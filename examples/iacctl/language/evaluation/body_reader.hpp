// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_EVALUATION_BODY_READER_HPP
#define IACCTL_LANGUAGE_EVALUATION_BODY_READER_HPP

#include "language/syntax/body_shape.hpp"
#include "language/syntax/diagnostic.hpp"
#include "language/syntax/syntax_tree.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl::language {

/// Reports unexpected and missing items of a body, and blocks with wrong labels. Items that the shape does not list are
/// errors, unless `open`: then the caller checks them.
void check_body(body const& b, body_shape const& shape, diagnostics& found, bool open = false);

/// Checks the labels of one block; false after a diagnostic.
[[nodiscard]] auto check_labels(block const& b, body_shape::nested const& desired, diagnostics& found) -> bool;

/// A body without the attributes and blocks of a shape.
[[nodiscard]] auto without(body const& b, body_shape const& shape) -> body;

/// A constant argument, without references and calls; nothing after a diagnostic.
[[nodiscard]] auto constant_bool(attribute const& a, diagnostics& found) -> std::optional<bool>;
[[nodiscard]] auto constant_string(attribute const& a, diagnostics& found) -> std::optional<std::string>;

/// The elements of a list, which must be a list expression.
[[nodiscard]] auto static_list(expression const& e, diagnostics& found) -> std::vector<expression>;

/// The bare word of an argument; a quoted word is accepted with a warning.
[[nodiscard]] auto keyword_of(attribute const& a, diagnostics& found) -> std::string;

/// An expression that must be a reference. A string is parsed as a reference; in native syntax that gives a warning, in
/// JSON syntax it is the rule.
/// \pre `trees` contains the tree of the expression.
[[nodiscard]] auto unquoted_reference(
    expression const& e, std::span<std::shared_ptr<syntax_tree> const> trees, diagnostics& found) -> expression;
/// The same for other constructs that JSON syntax writes as strings, such as types. Native expressions are not changed.
[[nodiscard]] auto unquoted_json(
    expression const& e, std::span<std::shared_ptr<syntax_tree> const> trees, diagnostics& found) -> expression;

/// The text of a literal key of an object: a bare name or a string. Nothing for other keys.
[[nodiscard]] auto key_text(syntax::node const& key) -> std::string;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_BODY_READER_HPP
