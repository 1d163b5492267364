// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_SUGGESTION_HPP
#define IACCTL_LANGUAGE_SYNTAX_SUGGESTION_HPP

#include <span>
#include <string>
#include <string_view>

namespace iacctl::language {

/// The candidate that differs from `given` by the fewest edits, of the nearest ones the first, or nothing if each differs by
/// three or more.
[[nodiscard]] std::string name_suggestion(std::string_view given, std::span<std::string_view const> candidates);

/// The same as a piece of a sentence: ` Did you mean "x"?`, or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view given, std::span<std::string_view const> candidates);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_SUGGESTION_HPP
