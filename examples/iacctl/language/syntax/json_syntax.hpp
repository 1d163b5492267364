// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_JSON_SYNTAX_HPP
#define IACCTL_LANGUAGE_SYNTAX_JSON_SYNTAX_HPP

#include "body_shape.hpp"
#include "diagnostic.hpp"
#include "syntax_tree.hpp"

#include <memory>
#include <string>

namespace iacctl::language {

/// Parses a file of JSON syntax. JSON alone does not tell arguments from blocks, so the shape of the file is needed;
/// what it says nothing about becomes an argument, which remembers its JSON for `as_blocks`.
///
/// Strings are templates, parsed as such; mistakes in them are told where they are evaluated, since strings that
/// must be constant are not templates at all.
[[nodiscard]] std::shared_ptr<syntax_tree> parse_json_file(
    std::string name, std::string text, body_shape const& shape, diagnostics& found);

/// A body whose JSON arguments were turned into the blocks that a shape has under their names.
[[nodiscard]] body as_shaped(body const& of, body_shape const& shape, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_JSON_SYNTAX_HPP
