// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_VALUES_NUMBER_HPP
#define IACCTL_LANGUAGE_VALUES_NUMBER_HPP

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace iacctl::language {

namespace detail {

struct big_number;
void intrusive_ptr_add_ref(big_number const* counted) noexcept;
void intrusive_ptr_release(big_number const* counted) noexcept;

}  // namespace detail

/// A number of the language: a binary float of up to 512 bits.
///
/// Each number has its own precision, as in Terraform: 512 bits if it was written, 64 if it is a count, 53 if it was
/// computed in double precision. The result of an operation has the larger precision of its operands; a product has as
/// many bits as it needs. The precision determines the number of digits that are shown and the rounding of arithmetic.
///
/// Whole numbers that fit 64 bits, the most frequent ones, are stored inline; the others share a big float. A whole
/// number that fits is *always* inline, so equality needs no conversion. Zero has a sign, which equality ignores. There
/// is no NaN: an undefined operation (0 / 0) returns an empty optional. Infinity exists, as in Terraform.
class number {
public:
    static constexpr unsigned full_precision = 512;

    number() noexcept = default;
    /// A count.
    explicit number(std::int64_t whole, unsigned precision = 64) noexcept
        : of_(whole),
          precision_(static_cast<std::uint16_t>(precision))
    {}
    explicit number(int whole) noexcept : number(std::int64_t{whole}) {}
    explicit number(std::size_t whole);
    /// A number that was computed in double precision.
    explicit number(double ordered);
    number(boost::intrusive_ptr<detail::big_number const> big, unsigned precision) noexcept
        : of_(std::move(big)),
          precision_(static_cast<std::uint16_t>(precision))
    {}

    /// Parses a decimal number ("12", "-1.5e3", "-Inf"), optionally with a power of two ("1.5p3"); nothing for other
    /// text.
    [[nodiscard]] static auto parse(std::string_view text) -> std::optional<number>;
    /// Parses a whole number in a base from 2 to 62, in the format of `parseint`.
    [[nodiscard]] static auto parse_whole(std::string_view text, int base) -> std::optional<number>;

    [[nodiscard]] auto is_whole() const noexcept -> bool;
    [[nodiscard]] auto is_infinite() const noexcept -> bool;
    /// -1, 0 or 1.
    [[nodiscard]] auto sign() const noexcept -> int;
    /// True if it is written with a minus sign, as the negative zero is.
    [[nodiscard]] auto is_negative() const noexcept -> bool { return minus_zero_ || sign() < 0; }
    [[nodiscard]] auto precision() const noexcept -> unsigned { return precision_; }
    /// The value if it is whole and fits 64 bits.
    [[nodiscard]] auto as_int64() const noexcept -> std::optional<std::int64_t>;
    [[nodiscard]] auto as_double() const -> double;

    /// The shortest decimal text that parses to the same number in its precision, without an exponent.
    [[nodiscard]] auto text() const -> std::string;
    /// Ten significant digits in the style of `%g`, by which sets of compound elements are ordered.
    [[nodiscard]] auto short_text() const -> std::string;
    /// Fixed-point text with that many digits after the point, rounded to even.
    [[nodiscard]] auto fixed_text(int digits) const -> std::string;
    /// Whole part in a base of 2, 8, 10 or 16 (`%b`, `%o`, `%d`, `%x`).
    [[nodiscard]] auto whole_text(int base) const -> std::string;

    [[nodiscard]] auto truncated() const -> number;
    [[nodiscard]] auto floor() const -> number;
    [[nodiscard]] auto ceil() const -> number;
    [[nodiscard]] auto abs() const -> number;
    [[nodiscard]] auto operator-() const -> number;

    friend auto add(number const& a, number const& b) -> std::optional<number>;
    friend auto subtract(number const& a, number const& b) -> std::optional<number>;
    friend auto multiply(number const& a, number const& b) -> std::optional<number>;
    friend auto divide(number const& a, number const& b) -> std::optional<number>;
    friend auto remainder(number const& a, number const& b) -> std::optional<number>;

    /// Whole numbers are equal if their values are, others if their texts are: 0.1 in double precision equals 0.1 as it
    /// was written, though the values differ, because a state file stores both as the same text. So it is in Terraform.
    friend auto operator==(number const& a, number const& b) -> bool;
    /// Compares values. Of two numbers whose texts are equal, one may be less than the other.
    friend auto operator<=>(number const& a, number const& b) -> std::weak_ordering;

    [[nodiscard]] auto big() const noexcept -> detail::big_number const*
    {
        auto const* const shared = std::get_if<1>(&of_);
        return shared ? shared->get() : nullptr;
    }

private:
    [[nodiscard]] auto with_zero_sign(bool minus) const noexcept -> number;

    // All of it takes two words: numbers are part of every value.
    [[no_unique_address]] std::variant<std::int64_t, boost::intrusive_ptr<detail::big_number const>> of_;
    std::uint16_t precision_ = full_precision;
    bool minus_zero_ = false;
};
static_assert(sizeof(number) == 2 * sizeof(std::int64_t));

[[nodiscard]] auto add(number const& a, number const& b) -> std::optional<number>;
[[nodiscard]] auto subtract(number const& a, number const& b) -> std::optional<number>;
[[nodiscard]] auto multiply(number const& a, number const& b) -> std::optional<number>;
[[nodiscard]] auto divide(number const& a, number const& b) -> std::optional<number>;
[[nodiscard]] auto remainder(number const& a, number const& b) -> std::optional<number>;

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_VALUES_NUMBER_HPP
