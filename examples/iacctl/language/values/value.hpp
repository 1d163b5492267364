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

[[nodiscard]] constexpr mark operator|(mark a, mark b) noexcept
{
    return static_cast<mark>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr mark operator&(mark a, mark b) noexcept
{
    return static_cast<mark>(static_cast<unsigned>(a) & static_cast<unsigned>(b));
}
constexpr mark& operator|=(mark& a, mark b) noexcept
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

    [[nodiscard]] static value null(type of = {});
    [[nodiscard]] static value unknown(type of = {});
    /// \pre All elements have the type `element`, save unknown ones of any type.
    [[nodiscard]] static value list(type element, std::vector<value> elements);
    /// Sorts the elements and removes duplicates; marks of elements become marks of the set.
    [[nodiscard]] static value set(type element, std::vector<value> elements);
    [[nodiscard]] static value map(type element, std::vector<value_entry> entries);
    [[nodiscard]] static value tuple(std::vector<value> elements);
    /// Entries may come in any order; of two with one key the later one counts.
    [[nodiscard]] static value object(std::vector<value_entry> entries);

    [[nodiscard]] type get_type() const;
    [[nodiscard]] type_kind kind() const noexcept { return kind_; }
    [[nodiscard]] bool is(type_kind kind) const noexcept { return kind_ == kind; }
    [[nodiscard]] bool is_null() const noexcept { return state_ == state::null; }
    [[nodiscard]] bool is_unknown() const noexcept { return state_ == state::unknown; }
    [[nodiscard]] bool is_known() const noexcept { return state_ != state::unknown; }
    /// Returns whether it is neither null nor unknown.
    [[nodiscard]] bool has_data() const noexcept { return state_ == state::known; }
    /// Returns whether it and everything inside is known.
    [[nodiscard]] bool wholly_known() const noexcept;
    /// Returns whether it is known not to be null: it has data, or it is unknown and refined.
    [[nodiscard]] bool is_definitely_not_null() const noexcept { return has_data() || (is_unknown() && not_null_); }
    [[nodiscard]] value refined_not_null() const;
    /// An unknown string that is not null and has a known prefix.
    [[nodiscard]] static value unknown_with_prefix(std::string_view prefix);
    /// The known prefix of a string; for a known string, all of it.
    [[nodiscard]] std::string_view known_prefix() const noexcept;

    [[nodiscard]] mark marks() const noexcept { return marks_; }
    [[nodiscard]] bool is_sensitive() const noexcept { return (marks_ & mark::sensitive) != mark::none; }
    [[nodiscard]] bool is_ephemeral() const noexcept { return (marks_ & mark::ephemeral) != mark::none; }
    /// The marks of this value and of everything inside.
    [[nodiscard]] mark deep_marks() const noexcept;
    /// Returns whether this value or something inside has the mark.
    [[nodiscard]] bool has_deep(mark one) const noexcept { return (deep_marks() & one) != mark::none; }
    [[nodiscard]] value with_marks(mark more) const;
    /// The value without its own marks; those inside are kept.
    [[nodiscard]] value unmarked() const;
    [[nodiscard]] value unmarked_deep() const;

    /// \pre The value has data of that kind. \throws std::logic_error if not
    [[nodiscard]] bool as_bool() const;
    [[nodiscard]] language::number const& as_number() const;
    [[nodiscard]] std::string const& as_string() const;

    /// Elements of a list, set or tuple with data; empty for others.
    [[nodiscard]] std::span<value const> elements() const noexcept;
    /// Entries of a map or object with data, sorted by key; empty for others.
    [[nodiscard]] std::span<value_entry const> entries() const noexcept;
    [[nodiscard]] std::size_t size() const noexcept;
    /// The entry of a map or object, or null where there is none.
    [[nodiscard]] value const* find(std::string_view key) const noexcept;

    /// Compares type, state, marks and data, recursively. Numbers are equal if their values or their texts are.
    friend bool operator==(value const& a, value const& b) noexcept;

private:
    enum class state : std::uint8_t { known, null, unknown };
    using data_ptr = boost::intrusive_ptr<detail::counted const>;

    value(type of, state how) noexcept : kind_(of.kind_), state_(how), data_(std::move(of.node_)) {}
    value(type_kind kind, data_ptr data) noexcept : kind_(kind), data_(std::move(data)) {}

    // The data of a known value that has that kind of data, otherwise null.
    [[nodiscard]] detail::sequence_node const* sequence() const noexcept;
    [[nodiscard]] detail::entries_node const* table() const noexcept;
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
[[nodiscard]] bool set_less(value const& a, value const& b);

/// Canonical JSON: keys sorted bytewise, no spaces, exact numbers. Unknown parts are written as null.
[[nodiscard]] std::string to_json(value const& of);
/// The same for a value of a declared type. Where that is `any`, the value is written with its type,
/// `{"value":…,"type":…}`, as in the state file; a null without a type is written plainly.
[[nodiscard]] std::string to_json(value const& of, type const& declared);

/// Parses JSON; the type of the result follows from its structure (objects, tuples, strings, exact numbers, bools,
/// null).
[[nodiscard]] result<value> from_json(std::string_view text);
/// A text may have members that an object type does not have. They are an error, or they are left out.
enum class other_members : std::uint8_t { refused, dropped };
/// Parses JSON as a value of a type; the inverse of `to_json(value, type)`.
[[nodiscard]] result<value> from_json(
    std::string_view text, type const& declared, other_members others = other_members::refused);
/// Parses the format of `type_to_json`.
[[nodiscard]] result<type> type_from_json(std::string_view text);

/// Converts text to normalisation form C.
[[nodiscard]] std::string normalized(std::string_view text);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_VALUE_HPP
