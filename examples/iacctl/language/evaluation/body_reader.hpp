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

/// Tells what does not belong into a body, what is missing from it, and blocks with wrong labels.
/// What the shape does not know is an error, unless `open` says that somebody else will judge it.
void check_body(body const& of, body_shape const& shape, diagnostics& found, bool open = false);

/// The labels of one block; false after a diagnostic.
[[nodiscard]] bool check_labels(block const& of, body_shape::nested const& desired, diagnostics& found);

/// A body without the attributes and blocks of a shape: what is left for somebody else.
[[nodiscard]] body without(body const& of, body_shape const& shape);

/// A constant argument; nothing after a diagnostic. Nothing may be referred to or called.
[[nodiscard]] std::optional<bool> constant_bool(attribute const& of, diagnostics& found);
[[nodiscard]] std::optional<std::string> constant_string(attribute const& of, diagnostics& found);

/// The elements of a list that is written out, and must be.
[[nodiscard]] std::vector<expression> static_list(expression const& of, diagnostics& found);

/// The bare word that an argument consists of; a quoted one is taken after a warning.
[[nodiscard]] std::string keyword_of(attribute const& of, diagnostics& found);

/// An expression where a reference is wanted: one in quotes is read as what it holds, after a warning; in JSON syntax,
/// where all are in quotes, without. `trees` must hold that of the expression.
[[nodiscard]] expression unquoted_reference(
    expression const& of, std::span<std::shared_ptr<syntax_tree> const> trees, diagnostics& found);
/// The same for whatever else JSON syntax writes as a string, such as types: native expressions stay as they are.
[[nodiscard]] expression unquoted_json(
    expression const& of, std::span<std::shared_ptr<syntax_tree> const> trees, diagnostics& found);

/// The text of a key of an object that is written out: a bare name or a string. Nothing for others.
[[nodiscard]] std::string key_text(syntax::node const& key);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_EVALUATION_BODY_READER_HPP
