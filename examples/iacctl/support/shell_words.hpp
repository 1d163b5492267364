// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_SHELL_WORDS_HPP
#define IACCTL_SUPPORT_SHELL_WORDS_HPP

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace iacctl {

/// Splits a text into words as a POSIX shell does: quotes and backslashes are removed, nothing is expanded. Nothing if
/// a quote is not closed.
[[nodiscard]] auto split_shell_words(std::string_view text) -> std::optional<std::vector<std::string>>;

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_SHELL_WORDS_HPP
