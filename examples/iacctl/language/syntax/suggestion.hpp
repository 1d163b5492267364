// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_SYNTAX_SUGGESTION_HPP
#define IACCTL_LANGUAGE_SYNTAX_SUGGESTION_HPP

#include <span>
#include <string>
#include <string_view>

namespace iacctl::language {

/// The candidate with the fewest edits from `given`, the first one if several have as few; nothing if all need three or
/// more.
[[nodiscard]] auto name_suggestion(std::string_view given, std::span<std::string_view const> candidates) -> std::string;

/// The same as a part of a sentence: ` Did you mean "x"?`, or nothing.
[[nodiscard]] auto did_you_mean(std::string_view given, std::span<std::string_view const> candidates) -> std::string;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_SYNTAX_SUGGESTION_HPP
