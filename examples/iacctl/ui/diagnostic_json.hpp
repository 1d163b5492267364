// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_DIAGNOSTIC_JSON_HPP
#define IACCTL_UI_DIAGNOSTIC_JSON_HPP

#include <language/syntax/diagnostic.hpp>
#include <strider/infra/model/diagnostics.hpp>

#include <string>

namespace iacctl::ui {

/// A diagnostic as `validate -json` prints it: with the place in bytes and characters, and the source around it.
[[nodiscard]] std::string diagnostic_json(language::diagnostic const& of);

/// The same of what the engine says, with as much of the source as it has.
[[nodiscard]] std::string diagnostic_json(strider::infra::diagnostic const& of);

/// The whole document of `validate -json`, indented.
[[nodiscard]] std::string validation_json(language::diagnostics const& all);

}  // namespace iacctl::ui

#endif  // IACCTL_UI_DIAGNOSTIC_JSON_HPP
