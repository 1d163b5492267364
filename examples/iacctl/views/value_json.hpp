// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_VALUE_JSON_HPP
#define IACCTL_VIEWS_VALUE_JSON_HPP

#include "language/values/value.hpp"

#include <string>

namespace iacctl::views {

/// The known part of a value: unknown attributes are omitted, unknown elements are null. Empty if all is unknown.
[[nodiscard]] std::string known_json(language::value const& of);
/// The structure of the value with `true` for unknown parts; known attributes are omitted.
[[nodiscard]] std::string unknown_json(language::value const& of);
/// The same for sensitive parts.
[[nodiscard]] std::string sensitive_json(language::value const& of);

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_VALUE_JSON_HPP
