// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_VALUE_CODEC_HPP
#define IACCTL_LANGUAGE_VALUES_VALUE_CODEC_HPP

#include "value.hpp"

#include <nlohmann/json_fwd.hpp>

#include <stdexcept>

namespace iacctl::language {

/// The data that were read differ from those that were written.
class malformed : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Values that are nested deeper are refused.
inline constexpr int deepest_value = 2000;

/// A value with all that a plan knows of it: types, unknown parts, marks. Numbers travel as text, none is rounded.
[[nodiscard]] auto encode_value(value const& v) -> nlohmann::json;
/// The inverse. \throws malformed, or nlohmann::json::exception, if it is not what `encode_value` makes.
[[nodiscard]] auto decode_value(nlohmann::json const& j) -> value;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_VALUE_CODEC_HPP
