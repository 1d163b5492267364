// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_CONVERT_HPP
#define IACCTL_LANGUAGE_VALUES_CONVERT_HPP

#include "failure.hpp"
#include "type.hpp"
#include "value.hpp"

#include <optional>
#include <span>
#include <string>

namespace iacctl::language {

/// Which conversions are meant: only those that always succeed, or also those that look at the value
/// ("5" to 5) or lose something (a list to a set).
enum class conversion { safe, unsafe };

/// Whether values of one type can become values of another; for an unsafe one the value decides in the end.
[[nodiscard]] bool convertible(type const& from, type const& to, conversion allowed);

/// Converts a value to a type. `any` inside the type is filled with what the value has; elements of a
/// collection of `any` are brought to one type.
[[nodiscard]] result<value> convert(value const& of, type const& to);

/// The one type that values of all these types can be converted to, if there is one.
[[nodiscard]] std::optional<type> unify(std::span<type const> types, conversion allowed = conversion::unsafe);

/// Why a value of one type is not one of another, as Terraform says it.
[[nodiscard]] std::string mismatch_message(type const& got, type const& desired);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_CONVERT_HPP
