// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SUGGESTION_HPP
#define IACCTL_BASE_SUGGESTION_HPP

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace iacctl {

/// The candidate with the fewest edits from `given`, the first one if several have as few; nothing if all need three or
/// more.
[[nodiscard]] auto name_suggestion(std::string_view given, std::span<std::string_view const> candidates) -> std::string;

/// The same as a part of a sentence: ` Did you mean "x"?`, or nothing.
[[nodiscard]] auto did_you_mean(std::string_view given, std::span<std::string_view const> candidates) -> std::string;

/// The name that a message suggests in the form of `did_you_mean`; nothing if it suggests none.
[[nodiscard]] auto suggested_name(std::string_view message) -> std::optional<std::string_view>;

/// The part of a text for which a name is suggested: as many names with dots between them, and a few edits away from it.
/// The last such part, and nothing if there is none.
[[nodiscard]] auto misspelt_part(std::string_view text, std::string const& suggestion)
    -> std::optional<std::string_view>;

}  // namespace iacctl

#endif  // IACCTL_BASE_SUGGESTION_HPP
