// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_SHOWN_TEXT_HPP
#define IACCTL_BASE_SHOWN_TEXT_HPP

#include <string>
#include <string_view>

namespace iacctl {

/// A text of a provider, a server, a module or a program as a terminal may show it. Control characters other than line
/// breaks and tabs, characters that change the direction of writing, and bytes that are not UTF-8 are escaped: `\r`,
/// `\x1b`, `\u202e`, `\xff`.
[[nodiscard]] auto shown_text(std::string_view text) -> std::string;
/// The same for a line of a text, without its line break: a carriage return at its end belongs to the line break.
[[nodiscard]] auto shown_heredoc_line(std::string_view line) -> std::string;
/// The same for a line of a program's output. Sequences that only set colours are kept if `colour` is true, and removed
/// otherwise.
[[nodiscard]] auto shown_output_line(std::string_view line, bool colour) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_BASE_SHOWN_TEXT_HPP
