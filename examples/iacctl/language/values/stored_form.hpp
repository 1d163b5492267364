// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_STORED_FORM_HPP
#define IACCTL_LANGUAGE_VALUES_STORED_FORM_HPP

#include "value.hpp"

namespace iacctl::language {

/// Returns a value without the null attributes of its objects that the stored objects at the same places do not have, if it
/// then equals the stored value except for marks; otherwise the value itself.
///
/// A newer schema adds attributes, which are null, to every expression for a whole object. This is not a change.
[[nodiscard]] auto in_stored_form(value const& stored, value const& v) -> value;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_STORED_FORM_HPP
