// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_JSON_SYNTAX_HPP
#define IACCTL_LANGUAGE_SYNTAX_JSON_SYNTAX_HPP

#include "body_shape.hpp"
#include "diagnostic.hpp"
#include "syntax_tree.hpp"

#include <memory>
#include <string>

namespace iacctl::language {

/// Parses a file of JSON syntax. JSON does not distinguish arguments from blocks, so the shape of the file is needed.
/// Members that are not in the shape become arguments, which keep their JSON for `as_shaped`.
///
/// Strings are parsed as templates. Errors in them are reported when they are evaluated, since strings that must be
/// constant are not templates.
[[nodiscard]] auto parse_json_file(std::string name, std::string text, body_shape const& shape, diagnostics& found)
    -> std::shared_ptr<syntax_tree>;

/// A body with the JSON arguments that a shape has as blocks converted into blocks.
[[nodiscard]] auto as_shaped(body const& b, body_shape const& shape, diagnostics& found) -> body;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_JSON_SYNTAX_HPP
