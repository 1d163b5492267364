// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_BASE_JSON_HPP
#define IACCTL_BASE_JSON_HPP

#include "json_reader.hpp"
#include "json_text.hpp"

#include <strider/core/result.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace iacctl {

/// A text is not JSON, or a document differs from what its reader expects.
class json_error : public std::runtime_error {
public:
    json_error() : runtime_error("") {}  // a result constructs it
    using std::runtime_error::runtime_error;
};

/// Called by `result::value()`. \throws json_error
[[noreturn]] inline void throw_exception_from_error(json_error const& error, boost::source_location const&)
{
    throw error;
}

/// The document of a JSON text. Numbers are kept as texts, so that none is rounded; members are sorted by name.
///
/// Documents of others are read by the functions that return nothing for another type. A document that has one known form
/// is read in `read_document`, by `at` and the functions whose names begin with `as_`.
class json {
public:
    struct number {
        std::string text;

        [[nodiscard]] auto operator==(number const&) const -> bool = default;
    };
    struct member;
    using array = std::vector<json>;
    using object = std::vector<member>;

    // Out of line: an object is a list of members, and `member` is incomplete inside this class.
    json() noexcept;
    explicit json(std::same_as<bool> auto value) : value_(value) {}  // no pointer becomes a bool
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

    /// The member with a name, and the element at a position. \throws json_error if there is none
    [[nodiscard]] auto at(std::string_view name) const -> json const&;
    [[nodiscard]] auto at(std::string_view name) -> json&;
    [[nodiscard]] auto at(std::size_t position) const -> json const&;
    [[nodiscard]] auto at(std::size_t position) -> json&;
    /// \throws json_error if the value has another type
    [[nodiscard]] auto as_flag() const -> bool;
    [[nodiscard]] auto as_text() const -> std::string const&;
    [[nodiscard]] auto as_elements() const -> array const&;
    [[nodiscard]] auto as_elements() -> array&;
    [[nodiscard]] auto as_members() const -> object const&;
    [[nodiscard]] auto as_texts() const -> std::vector<std::string>;
    /// \throws json_error if the value is not an integer in the range of the type
    [[nodiscard]] auto as_integer() const -> std::int64_t;
    template <std::unsigned_integral N = std::uint64_t>
    [[nodiscard]] auto as_natural() const -> N;

    /// Adds or replaces the member with a name. \throws json_error if this is not an object
    void set(std::string_view name, json value);

    /// Numbers are equal if their texts are.
    [[nodiscard]] auto operator==(json const& other) const -> bool;

private:
    std::variant<std::monostate, bool, number, std::string, array, object> value_;
};

struct json::member {
    std::string name;
    json value;

    [[nodiscard]] auto operator==(member const&) const -> bool = default;
};

template <std::unsigned_integral N>
auto json::as_natural() const -> N
{
    auto const found = natural();
    if (!found || *found > std::numeric_limits<N>::max()) throw json_error("a number is out of range");
    return static_cast<N>(*found);
}

/// Parses one JSON text. Errors: bytes that are not UTF-8, a duplicate name in one object, more levels than permitted. The
/// error names the line.
[[nodiscard]] auto parse_json(std::string_view text, std::size_t levels = usual_json_levels)
    -> strider::result<json, json_error>;

/// Parses a JSON text, and returns what `read` makes of its document; the error if the text is not JSON, or if `read` throws
/// a `json_error`.
template <class Read>
[[nodiscard]] auto read_document(std::string_view text, Read read, std::size_t levels = usual_json_levels)
    -> strider::result<std::invoke_result_t<Read, json&>, json_error>
{
    auto document = parse_json(text, levels);
    if (!document) return document.error();
    try {
        return {boost::system::in_place_value, read(*document)};
    } catch (json_error const& error) {
        return error;
    }
}

/// Appends the value on one line, without spaces, members sorted bytewise: equal values have equal texts.
void append_compact(std::string& out, json const& value);
[[nodiscard]] auto compact_text(json const& value) -> std::string;

}  // namespace iacctl

#endif  // IACCTL_BASE_JSON_HPP
