// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_TIMESTAMP_HPP
#define IACCTL_BASE_TIMESTAMP_HPP

#include <boost/system/result.hpp>

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl {

/// The reason why a text is not a time of RFC 3339: the first part, from the left, that is invalid.
struct timestamp_problem {
    enum class kind_type : std::uint8_t {
        missing,       ///< the text ends before the part
        unusable,      ///< the part has invalid characters
        separator,     ///< the part is not followed by `wanted`
        one_digit,     ///< one digit instead of two
        out_of_range,  ///< the number is out of range
    };
    enum class part_type : std::uint8_t {
        year,
        month,
        day,
        hour,
        minute,
        second,
        offset,
        offset_hour,
        offset_minute,
        end
    };
    kind_type kind = kind_type::unusable;
    part_type part = part_type::end;
    std::string_view rest;  ///< the text from the invalid part on
    char desired = 0;
};

/// A point in time with an offset from UTC, as in RFC 3339.
class timestamp {
public:
    struct calendar_fields {
        std::int64_t year = 0;
        std::int64_t month = 0;
        std::int64_t day = 0;
        std::int64_t hour = 0;
        std::int64_t minute = 0;
        std::int64_t second = 0;
        std::chrono::weekday weekday{};
    };
    enum class comma { refused, accepted };

    timestamp() = default;
    /// The current time in whole seconds, in UTC.
    [[nodiscard]] static auto now() -> timestamp;
    /// The second that contains a time in milliseconds since 1970.
    [[nodiscard]] static auto of_unix_ms(std::int64_t milliseconds) -> timestamp;
    /// Parses "2020-02-12T06:36:13.5+01:00".
    /// \param before_fraction  whether a comma may replace the decimal point, as in Go's library
    [[nodiscard]] static auto read(std::string_view text, comma before_fraction)
        -> boost::system::result<timestamp, timestamp_problem>;
    /// The same without the reason for a failure; commas are accepted.
    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<timestamp>;

    /// "2020-02-12T06:36:13Z", without fractions of a second.
    [[nodiscard]] auto text() const -> std::string;
    /// "20200212T063613Z", in UTC, for file names.
    [[nodiscard]] auto compact_text() const -> std::string;
    /// "Wed, 12 Feb 2020 06:36:13 GMT", as in headers of HTTP.
    [[nodiscard]] auto http_text() const -> std::string;
    /// "+01:00". \param between  the text between hours and minutes
    [[nodiscard]] auto offset_text(std::string_view between = ":") const -> std::string;
    [[nodiscard]] auto fields() const -> calendar_fields;
    /// Seconds since 1970.
    [[nodiscard]] auto unix_seconds() const noexcept -> std::int64_t { return seconds_.count(); }
    [[nodiscard]] auto offset() const noexcept -> std::chrono::minutes { return offset_; }

    [[nodiscard]] auto plus(std::chrono::seconds more, std::chrono::nanoseconds parts = {}) const -> timestamp;
    /// A date that does not exist overflows into the next month: January 31st plus one month is March 2nd or 3rd.
    [[nodiscard]] auto plus_date(std::int64_t years, std::int64_t months, std::int64_t days) const -> timestamp;

    /// Compares points in time, regardless of their offsets.
    [[nodiscard]] friend auto operator<=>(timestamp const& a, timestamp const& b) noexcept -> std::strong_ordering
    {
        auto const by_seconds = a.seconds_.count() <=> b.seconds_.count();
        return by_seconds != 0 ? by_seconds : a.parts_.count() <=> b.parts_.count();
    }
    [[nodiscard]] friend auto operator==(timestamp const& a, timestamp const& b) noexcept -> bool
    {
        return (a <=> b) == 0;
    }

private:
    std::chrono::seconds seconds_{0};
    std::chrono::nanoseconds parts_{0};  // fraction of a second
    std::chrono::minutes offset_{0};
};

/// Milliseconds since 1970, UTC.
[[nodiscard]] auto now_ms() -> std::int64_t;

/// "2020-02-12T06:36:13.000042Z": the present time in UTC, for machine-readable lines, whose order it shows.
[[nodiscard]] auto microsecond_text() -> std::string;

}  // namespace iacctl

#endif  // IACCTL_BASE_TIMESTAMP_HPP
