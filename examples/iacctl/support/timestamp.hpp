// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_SUPPORT_TIMESTAMP_HPP
#define IACCTL_SUPPORT_TIMESTAMP_HPP

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl {

/// A second in a time zone, as RFC 3339 writes it.
class timestamp {
public:
    struct calendar_fields {
        std::int64_t year = 0;
        std::int64_t month = 0;
        std::int64_t day = 0;
        std::int64_t hour = 0;
        std::int64_t minute = 0;
        std::int64_t second = 0;
    };

    timestamp() = default;
    [[nodiscard]] static auto now() -> timestamp;
    /// Reads "2020-02-12T06:36:13Z". Parts of a second are dropped.
    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<timestamp>;

    [[nodiscard]] auto text() const -> std::string;
    [[nodiscard]] auto fields() const -> calendar_fields;
    /// Seconds since 1970.
    [[nodiscard]] auto unix_seconds() const noexcept -> std::int64_t { return seconds_; }

    [[nodiscard]] auto plus(std::chrono::seconds more) const -> timestamp;
    /// A date that does not exist runs over: January 31st and a month are March 2nd or 3rd.
    [[nodiscard]] auto plus_date(std::int64_t years, std::int64_t months, std::int64_t days) const -> timestamp;

private:
    std::int64_t seconds_ = 0;
    std::int64_t offset_minutes_ = 0;
};

/// Reads one number and its unit: "1.5h", "30s", "100ms"; units are ms, s, m and h.
[[nodiscard]] auto parse_simple_duration(std::string_view text) -> std::optional<std::chrono::milliseconds>;

}  // namespace iacctl

#endif  // IACCTL_SUPPORT_TIMESTAMP_HPP
