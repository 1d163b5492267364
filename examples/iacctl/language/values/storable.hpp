// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_STORABLE_HPP
#define IACCTL_LANGUAGE_VALUES_STORABLE_HPP

#include "failure.hpp"
#include "value.hpp"

#include <optional>

namespace iacctl::language {

/// The reason why state and plan files cannot store a value, with its path inside the value: an infinite number, or
/// text that is not UTF-8. Nothing if they can.
/// \complexity linear in the size of the value
[[nodiscard]] auto why_not_storable(value const& v) -> std::optional<failure>;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_STORABLE_HPP
