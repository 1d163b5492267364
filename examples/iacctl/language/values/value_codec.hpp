// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_VALUE_CODEC_HPP
#define IACCTL_LANGUAGE_VALUES_VALUE_CODEC_HPP

#include "base/json.hpp"
#include "value.hpp"

#include <cstddef>
#include <string>

namespace iacctl::language {

/// Values that are nested deeper are refused.
inline constexpr std::size_t deepest_value = 2000;
/// The levels of a JSON text that contains the deepest value: each value has two, and what surrounds it has some.
inline constexpr std::size_t levels_of_values = 2 * deepest_value + 100;

/// The JSON text of a value with all that a plan knows of it: types, unknown parts, marks. Numbers are texts, none is
/// rounded.
[[nodiscard]] auto encode_value(value const& v) -> std::string;
/// The inverse, for the callbacks of `read_document`. \throws json_error if it is not what `encode_value` makes
[[nodiscard]] auto decode_value(iacctl::json const& j) -> value;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_VALUE_CODEC_HPP
