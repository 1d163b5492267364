// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_PARSER_HPP
#define IACCTL_LANGUAGE_SYNTAX_PARSER_HPP

#include "diagnostic.hpp"
#include "syntax_tree.hpp"

#include <memory>
#include <string>

namespace iacctl::language {

/// Parses a file of native syntax. Always gives a tree; after errors it holds what could be read.
///
/// A block that is not closed ends before the first block that is not indented further; so do brackets at the end of their block.
///
/// Mistakes that are independent of each other are all reported. How deep expressions and blocks may nest
/// is bounded, so that no input overflows the stack.
[[nodiscard]] std::shared_ptr<syntax_tree> parse_file(std::string name, std::string text, diagnostics& found);

/// One expression alone, such as the value of `-var`. Holds its own tree.
struct parsed_expression {
    std::shared_ptr<syntax_tree> tree;
    expression root;
};

[[nodiscard]] parsed_expression parse_expression(std::string name, std::string text, diagnostics& found);
/// Text that is a template as a whole, such as what `templatefile` reads.
[[nodiscard]] parsed_expression parse_template(std::string name, std::string text, diagnostics& found);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_PARSER_HPP
