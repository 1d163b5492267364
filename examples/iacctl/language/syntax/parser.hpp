// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_PARSER_HPP
#define IACCTL_LANGUAGE_SYNTAX_PARSER_HPP

#include "diagnostic.hpp"
#include "syntax_tree.hpp"

#include <memory>
#include <string>

namespace iacctl::language {

/// Parses a file of native syntax. Always returns a tree; after errors it contains the parts that were parsed.
///
/// A block that is not closed ends before the first block that is not indented further; so do brackets at the end of
/// their block.
///
/// All independent errors are reported. The nesting of expressions and blocks is limited, so that no input overflows
/// the stack.
[[nodiscard]] auto parse_file(std::string name, std::string text, diagnostics& found) -> std::shared_ptr<syntax_tree>;

/// One expression alone, such as the value of `-var`. Holds its own tree.
struct parsed_expression {
    std::shared_ptr<syntax_tree> tree;
    expression root;
};

[[nodiscard]] auto parse_expression(std::string name, std::string text, diagnostics& found) -> parsed_expression;
/// Parses text that is a template as a whole, such as a file of `templatefile`.
[[nodiscard]] auto parse_template(std::string name, std::string text, diagnostics& found) -> parsed_expression;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_PARSER_HPP
