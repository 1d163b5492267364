// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_VALUE_JSON_HPP
#define IACCTL_VIEWS_VALUE_JSON_HPP

#include "language/values/value.hpp"

#include <string>

namespace iacctl::views {

/// The known part of a value: unknown attributes are omitted, unknown elements are null. Empty if all is unknown.
[[nodiscard]] auto known_json(language::value const& v) -> std::string;
/// The structure of the value with `true` for unknown parts; known attributes are omitted.
[[nodiscard]] auto unknown_json(language::value const& v) -> std::string;
/// The same for sensitive parts.
[[nodiscard]] auto sensitive_json(language::value const& v) -> std::string;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_VALUE_JSON_HPP
