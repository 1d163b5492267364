// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_DIAGNOSTIC_TEXT_HPP
#define IACCTL_UI_DIAGNOSTIC_TEXT_HPP

#include "text_style.hpp"

#include <language/syntax/diagnostic.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <string>

namespace iacctl::ui {

/// The text of a diagnostic: after an empty line, or with colour in a box of its own. Both kinds look the same.
[[nodiscard]] std::string diagnostic_text(language::diagnostic const& of, text_options const& options = {});
[[nodiscard]] std::string diagnostic_text(infra::diagnostic const& of, text_options const& options = {});

/// Of warnings with the same summary only the first, which says how many more there are; all else as it is. Only
/// warnings about a place in a file are so many.
[[nodiscard]] infra::diagnostics consolidated(infra::diagnostics const& of);

/// All of them, warnings first.
[[nodiscard]] std::string diagnostics_text(infra::diagnostics const& of, text_options const& options = {});
/// The same with one line per warning, as `-compact-warnings` wants it; if there are errors, warnings are shown whole.
[[nodiscard]] std::string compact_diagnostics_text(infra::diagnostics const& of, text_options const& options = {});

}  // namespace iacctl::ui

#endif  // IACCTL_UI_DIAGNOSTIC_TEXT_HPP
