// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SHELL_WORDS_HPP
#define IACCTL_BASE_SHELL_WORDS_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {

/// Splits a text into words as a POSIX shell does: quotes and backslashes are removed, nothing is expanded. Nothing if
/// a quote is not closed.
[[nodiscard]] auto split_shell_words(std::string_view text) -> std::optional<std::vector<std::string>>;

/// The text as one word of a POSIX shell: with quotes if it has characters that the shell interprets.
[[nodiscard]] auto shell_word(std::string_view text) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_BASE_SHELL_WORDS_HPP
