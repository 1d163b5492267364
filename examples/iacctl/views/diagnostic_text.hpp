// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_DIAGNOSTIC_TEXT_HPP
#define IACCTL_VIEWS_DIAGNOSTIC_TEXT_HPP

#include "text_style.hpp"

#include <strider/infra/model/diagnostics.hpp>

#include <string>

namespace iacctl::views {

/// The text of a diagnostic: after an empty line, or with colour in a box.
[[nodiscard]] std::string diagnostic_text(infra::diagnostic const& problem, text_options const& options = {});

/// The kinds of diagnostics that are merged.
struct consolidated_levels {
    bool warnings = true;
    bool errors = false;
};
/// Merges diagnostics with the same summary into the first, which states how many there are. Only diagnostics about a
/// place in a file are merged. Errors about references to the same undeclared name are merged at each level: the first
/// one states the places of the others.
[[nodiscard]] infra::diagnostics consolidated(infra::diagnostics const& problems, consolidated_levels levels = {});

/// The texts of all diagnostics, warnings first.
[[nodiscard]] std::string diagnostics_text(infra::diagnostics const& problems, text_options const& options = {});
/// The same with one line per warning, for `-compact-warnings`. If there are errors, warnings are not shortened.
[[nodiscard]] std::string compact_diagnostics_text(
    infra::diagnostics const& problems, text_options const& options = {});

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_DIAGNOSTIC_TEXT_HPP
