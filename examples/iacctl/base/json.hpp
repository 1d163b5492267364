// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_JSON_HPP
#define IACCTL_BASE_JSON_HPP

#include "json_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace iacctl {

/// A parsed JSON text. Numbers are kept as texts, so that none is rounded; members are sorted.
class json {
public:
    struct number {
        std::string text;
    };
    struct member;
    using array = std::vector<json>;
    using object = std::vector<member>;

    // Out of line: an object is a list of members, and `member` is incomplete inside this class.
    json() noexcept;
    explicit json(bool value);
    explicit json(number value);
    explicit json(std::string value);
    explicit json(array value);
    explicit json(object value);
    json(json const&);
    json(json&&) noexcept;
    auto operator=(json const&) -> json&;
    auto operator=(json&&) noexcept -> json&;
    ~json();

    [[nodiscard]] auto is_null() const noexcept -> bool { return value_.index() == 0; }
    [[nodiscard]] auto boolean() const noexcept -> bool const* { return std::get_if<bool>(&value_); }
    [[nodiscard]] auto numeric() const noexcept -> number const* { return std::get_if<number>(&value_); }
    [[nodiscard]] auto text() const noexcept -> std::string const* { return std::get_if<std::string>(&value_); }
    [[nodiscard]] auto elements() const noexcept -> array const* { return std::get_if<array>(&value_); }
    [[nodiscard]] auto members() const noexcept -> object const* { return std::get_if<object>(&value_); }
    /// The member with a name; null if there is none, or if this is not an object.
    [[nodiscard]] auto find(std::string_view name) const noexcept -> json const*;
    /// The string in the member with a name; empty if there is none or it is not a string.
    [[nodiscard]] auto text_of(std::string_view name) const -> std::string;
    /// An integer in the range of the type; nothing for other values.
    [[nodiscard]] auto integer() const noexcept -> std::optional<std::int64_t>;
    [[nodiscard]] auto natural() const noexcept -> std::optional<std::uint64_t>;

private:
    std::variant<std::monostate, bool, number, std::string, array, object> value_;
};

struct json::member {
    std::string name;
    json value;
};

/// Parses one JSON text. Errors: bytes that are not UTF-8, a duplicate name in one object, more than 1000 levels.
/// \return nothing if the text is invalid; `why` is then the reason, with the line
[[nodiscard]] auto parse_json(std::string_view text, std::string& why) -> std::optional<json>;

/// Appends the value on one line, without spaces, members sorted bytewise: equal values have equal texts.
void append_compact(std::string& out, json const& value);
[[nodiscard]] auto compact_text(json const& value) -> std::string;
/// Like `append_compact`, with a line per member and element. \param level  of the line on which the value begins
void append_indented(std::string& out, json const& value, unsigned level);

}  // namespace iacctl

#endif  // IACCTL_BASE_JSON_HPP
