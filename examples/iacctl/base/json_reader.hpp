// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_JSON_READER_HPP
#define IACCTL_BASE_JSON_READER_HPP

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl {

/// Receives the elements of a JSON text in their order. Each function may return an error message to stop; an empty one
/// continues. A text argument lives until the call returns.
class json_events {
public:
    virtual ~json_events() = default;
    virtual auto null() -> std::string_view = 0;
    virtual auto boolean(bool flag) -> std::string_view = 0;
    /// The number as written, so that no number is too large or rounded.
    virtual auto number(std::string_view text) -> std::string_view = 0;
    virtual auto string(std::string_view text) -> std::string_view = 0;
    virtual auto open(bool object) -> std::string_view = 0;
    /// The name of the next member.
    virtual auto name(std::string_view text) -> std::string_view = 0;
    virtual auto close() -> std::string_view = 0;
};

struct json_problem {
    std::size_t at = 0;  // the size of the text if it ends too early
    std::string why;
};

/// The number of levels that values in a text may have, unless its reader permits more.
inline constexpr std::size_t usual_json_levels = 1000;

/// Parses one JSON text. Errors: bytes that are not UTF-8, more levels than permitted, and those that the events return.
[[nodiscard]] auto read_json(std::string_view text, json_events& events, std::size_t levels = usual_json_levels)
    -> std::optional<json_problem>;

}  // namespace iacctl

#endif  // IACCTL_BASE_JSON_READER_HPP
