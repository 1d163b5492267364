// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_UNCLOSED_BRACKET_HPP
#define IACCTL_LANGUAGE_SYNTAX_UNCLOSED_BRACKET_HPP

#include "scanner.hpp"
#include "source.hpp"

#include <cstddef>
#include <optional>

namespace iacctl::language {

/// An open brace, bracket or parenthesis without its closing one.
struct unclosed_bracket {
    byte_range range;
    std::size_t next_line = 0;  ///< the line before which the closing one is missing
};

/// Finds the bracket whose closing one is missing, by the indentation of lines: a parser only notices the mistake at a
/// later place, such as the end of the file. Returns nothing if as many brackets are closed as opened, or if the
/// indentation does not show the place.
[[nodiscard]] auto find_unclosed_bracket(source_file const& file, excerpt e) -> std::optional<unclosed_bracket>;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_UNCLOSED_BRACKET_HPP
