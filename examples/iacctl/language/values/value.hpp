// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_VALUE_HPP
#define IACCTL_LANGUAGE_VALUES_VALUE_HPP

#include "counted.hpp"
#include "failure.hpp"
#include "number.hpp"
#include "type.hpp"

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::language {

class value;
struct value_entry;

namespace detail {

struct string_node;
struct sequence_node;
struct entries_node;

}  // namespace detail

/// Properties of a value other than its data. They spread to all values that are computed from a marked one.
enum class mark : std::uint8_t {
    none = 0,
    sensitive = 1,
    ephemeral = 2,  // valid in one run only: no stored value may be computed from it
};

[[nodiscard]] constexpr auto operator|(mark a, mark b) noexcept -> mark
{
    return static_cast<mark>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr auto operator&(mark a, mark b) noexcept -> mark
{
    return static_cast<mark>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
constexpr auto operator|=(mark& a, mark b) noexcept -> mark&
{
    return a = a | b;
}

/// A value of the language: regular, immutable, cheap to copy (compound data is shared), safe to share
/// between threads. A default one is null of any type.
///
/// A value is known, null (which counts as known) or unknown; null and unknown values have a type of their own.
/// Elements of sets stay sorted as Terraform sorts them, entries of maps and objects by key, bytewise.
class value {
public:
    value() noexcept : state_(state::null) {}
    explicit value(std::same_as<bool> auto boolean) noexcept : kind_(type_kind::boolean), boolean_(boolean) {}
    explicit value(language::number number);
    /// Converts the text to normalisation form C.
    explicit value(std::string_view text);
    explicit value(std::string text);
    explicit value(char const* text) : value(std::string_view(text)) {}

    [[nodiscard]] static value null(type t = {});
    [[nodiscard]] static value unknown(type t = {});
    /// \pre All elements have the type `element`, save unknown ones of any type.
    [[nodiscard]] static auto list(type element, std::vector<value> elements) -> value;
    /// Sorts the elements and removes duplicates; marks of elements become marks of the set.
    [[nodiscard]] static auto set(type element, std::vector<value> elements) -> value;
    [[nodiscard]] static auto map(type element, std::vector<value_entry> entries) -> value;
    [[nodiscard]] static auto tuple(std::vector<value> elements) -> value;
    /// Entries may come in any order; of two with one key the later one counts.
    [[nodiscard]] static auto object(std::vector<value_entry> entries) -> value;

    [[nodiscard]] auto get_type() const -> type;
    [[nodiscard]] auto kind() const noexcept -> type_kind { return kind_; }
    [[nodiscard]] auto is(type_kind kind) const noexcept -> bool { return kind_ == kind; }
    [[nodiscard]] auto is_null() const noexcept -> bool { return state_ == state::null; }
    [[nodiscard]] auto is_unknown() const noexcept -> bool { return state_ == state::unknown; }
    [[nodiscard]] auto is_known() const noexcept -> bool { return state_ != state::unknown; }
    /// Returns whether it is neither null nor unknown.
    [[nodiscard]] auto has_data() const noexcept -> bool { return state_ == state::known; }
    /// Returns whether it and everything inside is known.
    [[nodiscard]] auto wholly_known() const noexcept -> bool;
    /// Returns whether it is known not to be null: it has data, or it is unknown and refined.
    [[nodiscard]] auto is_definitely_not_null() const noexcept -> bool
    {
        return has_data() || (is_unknown() && not_null_);
    }
    [[nodiscard]] auto refined_not_null() const -> value;
    /// An unknown string that is not null and has a known prefix.
    [[nodiscard]] static auto unknown_with_prefix(std::string_view prefix) -> value;
    /// The known prefix of a string; for a known string, all of it.
    [[nodiscard]] auto known_prefix() const noexcept -> std::string_view;

    [[nodiscard]] auto marks() const noexcept -> mark { return marks_; }
    [[nodiscard]] auto is_sensitive() const noexcept -> bool { return (marks_ & mark::sensitive) != mark::none; }
    [[nodiscard]] auto is_ephemeral() const noexcept -> bool { return (marks_ & mark::ephemeral) != mark::none; }
    /// The marks of this value and of everything inside.
    [[nodiscard]] auto deep_marks() const noexcept -> mark;
    /// Returns whether this value or something inside has the mark.
    [[nodiscard]] auto has_deep(mark marks) const noexcept -> bool { return (deep_marks() & marks) != mark::none; }
    [[nodiscard]] auto with_marks(mark more) const -> value;
    /// The value without its own marks; those inside are kept.
    [[nodiscard]] auto unmarked() const -> value;
    [[nodiscard]] auto unmarked_deep() const -> value;

    /// \pre The value has data of that kind. \throws std::logic_error if not
    [[nodiscard]] auto as_bool() const -> bool;
    [[nodiscard]] auto as_number() const -> language::number const&;
    [[nodiscard]] auto as_string() const -> std::string const&;

    /// Elements of a list, set or tuple with data; empty for others.
    [[nodiscard]] auto elements() const noexcept -> std::span<value const>;
    /// Entries of a map or object with data, sorted by key; empty for others.
    [[nodiscard]] auto entries() const noexcept -> std::span<value_entry const>;
    [[nodiscard]] auto size() const noexcept -> std::size_t;
    /// The entry of a map or object, or null where there is none.
    [[nodiscard]] auto find(std::string_view key) const noexcept -> value const*;

    /// Compares type, state, marks and data, recursively. Numbers are equal if their values or their texts are.
    friend auto operator==(value const& a, value const& b) noexcept -> bool;

private:
    enum class state : std::uint8_t { known, null, unknown };
    using data_ptr = boost::intrusive_ptr<detail::counted const>;

    value(type t, state s) noexcept : kind_(t.kind_), state_(s), data_(std::move(t.node_)) {}
    value(type_kind kind, data_ptr data) noexcept : kind_(kind), data_(std::move(data)) {}

    // The data of a known value that has that kind of data, otherwise null.
    [[nodiscard]] auto sequence() const noexcept -> detail::sequence_node const*;
    [[nodiscard]] auto table() const noexcept -> detail::entries_node const*;
    // \throws std::logic_error if the value has no data of that kind
    void require(type_kind kind) const;

    type_kind kind_ = type_kind::dynamic;
    state state_ = state::known;
    mark marks_ = mark::none;
    bool not_null_ = false;
    bool boolean_ = false;
    // Known: the data, except that of a Boolean. Unknown string: its prefix, or null. Others: the node of the type.
    data_ptr data_;
};

struct value_entry {
    std::string key;
    value of;

    friend bool operator==(value_entry const&, value_entry const&) noexcept = default;
};

/// The order of the elements of a set: by value for strings, numbers and bools, otherwise by a text of their content.
[[nodiscard]] auto set_less(value const& a, value const& b) -> bool;

/// Canonical JSON: keys sorted bytewise, no spaces, exact numbers. Unknown parts are written as null.
[[nodiscard]] auto to_json(value const& v) -> std::string;
/// The same for a value of a declared type. Where that is `any`, the value is written with its type,
/// `{"value":…,"type":…}`, as in the state file; a null without a type is written plainly.
[[nodiscard]] auto to_json(value const& v, type const& declared) -> std::string;

/// Parses JSON; the type of the result follows from its structure (objects, tuples, strings, exact numbers, bools,
/// null).
[[nodiscard]] auto from_json(std::string_view text) -> result<value>;
/// A text may have members that an object type does not have. They are an error, or they are left out.
enum class other_members : std::uint8_t { refused, dropped };
/// Parses JSON as a value of a type; the inverse of `to_json(value, type)`.
[[nodiscard]] auto from_json(std::string_view text, type const& declared, other_members others = other_members::refused)
    -> result<value>;
/// Parses the format of `type_to_json`.
[[nodiscard]] auto type_from_json(std::string_view text) -> result<type>;

/// Converts text to normalisation form C.
[[nodiscard]] auto normalized(std::string_view text) -> std::string;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_VALUE_HPP
