// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_DURATION_HPP
#define IACCTL_BASE_DURATION_HPP

#include <boost/system/result.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace iacctl {

/// The reason why a text is not a duration.
struct duration_problem {
    enum class kind_type : std::uint8_t { invalid, no_unit, unknown_unit };
    kind_type kind = kind_type::invalid;
    std::string_view unit;  ///< of the text, if the unit is unknown
};

/// Parses "1.5h", "-2h45m" or "0" as Go does: numbers with the units ns, us, µs, ms, s, m and h.
[[nodiscard]] auto parse_duration(std::string_view text)
    -> boost::system::result<std::chrono::nanoseconds, duration_problem>;

/// Parses one number with its unit: "1.5h", "30s", "100ms". The units are ms, s, m and h.
[[nodiscard]] auto parse_simple_duration(std::string_view text) -> std::optional<std::chrono::milliseconds>;

}  // namespace iacctl

#endif  // IACCTL_BASE_DURATION_HPP
