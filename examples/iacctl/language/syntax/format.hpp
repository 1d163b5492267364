// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_FORMAT_HPP
#define IACCTL_LANGUAGE_SYNTAX_FORMAT_HPP

#include "diagnostic.hpp"
#include "syntax_tree.hpp"

#include <memory>
#include <string>

namespace iacctl::language {

/// Selects the changes that `format` makes.
enum class format_rules : std::uint8_t {
    spaces,       ///< nothing but white space changes
    conventions,  ///< also the rewrites that `fmt` makes, listed at `format`
};

/// Text in the usual form, and the source that diagnostics about it point into.
struct formatted_text {
    std::string text;
    std::shared_ptr<syntax_tree> tree;
};

/// Brings native syntax into the usual form, without a change of its meaning or its comments. A second call changes
/// nothing. Text with syntax errors is returned unchanged, with diagnostics.
///
/// Spaces: two more per open bracket of the lines before; one between words; the equals signs of consecutive
/// single-line arguments in one column, and so the comments behind them. A sequence `${…}` or `%{…}` of several lines in
/// a heredoc stays as it is. Conventions: block labels in quotes; `"${x}"` as `x`, in parentheses if it spans lines; a
/// variable's type `"string"` as `string`, `"list"` and `"map"` as `list(string)` and `map(string)`, `list`, `map` and
/// `set` as `list(any)` and so on.
[[nodiscard]] auto format(std::string name, std::string text, format_rules rules, diagnostics& found) -> formatted_text;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_FORMAT_HPP
