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

/// Selects the conversions: only those that always succeed, or also those that depend on the value ("5" to 5) or lose
/// information (a list to a set).
enum class conversion { safe, unsafe };

/// Returns whether values of one type can be converted to another. If an unsafe conversion is allowed, it may fail for
/// some values.
[[nodiscard]] auto convertible(type const& from, type const& to, conversion allowed) -> bool;

/// Converts a value to a type. `any` inside the type becomes the type of the value; elements of a collection of `any`
/// are converted to one type.
[[nodiscard]] auto convert(value const& v, type const& to) -> result<value>;

/// The type to which values of all these types can be converted, if there is one.
[[nodiscard]] auto unify(std::span<type const> types, conversion allowed = conversion::unsafe) -> std::optional<type>;

/// The reason why a value of one type is not one of another, in Terraform's words.
[[nodiscard]] auto mismatch_message(type const& got, type const& desired) -> std::string;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_CONVERT_HPP
