// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_LANGUAGE_NUMBER_HPP
#define IACCTL_LANGUAGE_NUMBER_HPP

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace iacctl::language {

namespace detail {

struct big_number;
void intrusive_ptr_add_ref(big_number const* counted) noexcept;
void intrusive_ptr_release(big_number const* counted) noexcept;

}  // namespace detail

/// A number as the language has it: a binary float of 512 bits.
///
/// Whole numbers that fit 64 bits, nearly all there are, are kept inline; the rest share a big float.
/// A whole number that fits is *always* inline, so equality needs no conversion. There is no NaN: an
/// operation that has no answer (0 / 0) says so with an empty optional. Infinity exists, as in Terraform.
class number {
public:
    constexpr number() noexcept = default;
    constexpr explicit number(std::int64_t whole) noexcept : whole_(whole) {}
    constexpr explicit number(int whole) noexcept : whole_(whole) {}
    explicit number(std::size_t whole);
    explicit number(double finite);
    explicit number(boost::intrusive_ptr<detail::big_number const> big) noexcept : big_(std::move(big)) {}

    /// Reads a decimal number ("12", "-1.5e3"); anything else gives nothing.
    [[nodiscard]] static std::optional<number> parse(std::string_view text);
    /// Reads a whole number in a base from 2 to 62, as `parseint` wants it.
    [[nodiscard]] static std::optional<number> parse_whole(std::string_view text, int base);

    [[nodiscard]] bool is_whole() const noexcept;
    [[nodiscard]] bool is_infinite() const noexcept;
    [[nodiscard]] int sign() const noexcept;
    /// The value if it is whole and fits 64 bits.
    [[nodiscard]] std::optional<std::int64_t> as_int64() const noexcept;
    [[nodiscard]] double as_double() const;

    /// The shortest decimal text that reads back as the same number, without an exponent.
    [[nodiscard]] std::string text() const;
    /// Ten significant digits in the style of `%g`, with which sets of compound elements are ordered.
    [[nodiscard]] std::string short_text() const;
    /// Fixed-point text with that many digits after the point, rounded to even.
    [[nodiscard]] std::string fixed_text(int digits) const;
    /// Whole part in a base of 2, 8, 10 or 16 (`%b`, `%o`, `%d`, `%x`).
    [[nodiscard]] std::string whole_text(int base) const;

    [[nodiscard]] number truncated() const;
    [[nodiscard]] number floor() const;
    [[nodiscard]] number ceil() const;
    [[nodiscard]] number abs() const;
    [[nodiscard]] number operator-() const;

    friend std::optional<number> add(number const& a, number const& b);
    friend std::optional<number> subtract(number const& a, number const& b);
    friend std::optional<number> multiply(number const& a, number const& b);
    friend std::optional<number> divide(number const& a, number const& b);
    friend std::optional<number> remainder(number const& a, number const& b);

    friend bool operator==(number const& a, number const& b) noexcept;
    friend std::strong_ordering operator<=>(number const& a, number const& b) noexcept;

    [[nodiscard]] detail::big_number const* big() const noexcept { return big_.get(); }

private:
    std::int64_t whole_ = 0;
    boost::intrusive_ptr<detail::big_number const> big_;
};

[[nodiscard]] std::optional<number> add(number const& a, number const& b);
[[nodiscard]] std::optional<number> subtract(number const& a, number const& b);
[[nodiscard]] std::optional<number> multiply(number const& a, number const& b);
[[nodiscard]] std::optional<number> divide(number const& a, number const& b);
[[nodiscard]] std::optional<number> remainder(number const& a, number const& b);

}  // namespace iacctl::language

#endif  // IACCTL_LANGUAGE_NUMBER_HPP
