// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DETAIL_INDEX_VIEWS_HPP
#define STRIDER_CORE_DETAIL_INDEX_VIEWS_HPP

#include <strider/version.hpp>

#include <range/v3/range_fwd.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
#include <utility>

namespace strider::detail {

// A pair of iterators as a view of the standard library and of range-v3. A counted row stores its size, for iterators
// that cannot compute it in constant time.
//
// It does not derive from `std::ranges::view_interface`, because `<ranges>` would make the headers of this floor a third
// slower to parse. `<span>` declares the concepts of ranges and the variables that a view specializes.
template <class I, bool Counted = false>
class row : public ::ranges::view_base {
    struct nothing {};

public:
    using value_type = std::remove_cvref_t<decltype(*std::declval<I const&>())>;
    using iterator = I;
    using const_iterator = I;

    row() = default;
    constexpr row(I first, I last)
        requires(!Counted)
        : first_(std::move(first)),
          last_(std::move(last))
    {}
    constexpr row(I first, I last, std::size_t size)
        requires Counted
        : first_(std::move(first)),
          last_(std::move(last)),
          size_(size)
    {}

    [[nodiscard]] constexpr auto begin() const -> I { return first_; }
    [[nodiscard]] constexpr auto end() const -> I { return last_; }
    [[nodiscard]] constexpr auto size() const -> std::size_t
        requires(Counted || requires(I i) { i - i; })
    {
        if constexpr (Counted) return size_;
        else return static_cast<std::size_t>(last_ - first_);
    }
    [[nodiscard]] constexpr auto empty() const -> bool { return first_ == last_; }
    [[nodiscard]] constexpr explicit operator bool() const { return !empty(); }
    // \pre !empty()
    [[nodiscard]] constexpr auto front() const -> decltype(auto) { return *first_; }
    // \pre !empty()
    [[nodiscard]] constexpr auto back() const -> decltype(auto)
        requires std::bidirectional_iterator<I>
    {
        I last = last_;
        return *--last;
    }
    // \pre n < size()
    [[nodiscard]] constexpr auto operator[](std::size_t n) const -> decltype(auto)
        requires requires(I i) { i[0]; }
    {
        return first_[static_cast<std::ptrdiff_t>(n)];
    }
    [[nodiscard]] constexpr auto data() const -> I
        requires std::is_pointer_v<I>
    {
        return first_;
    }

private:
    I first_{};
    I last_{};
    [[no_unique_address]] std::conditional_t<Counted, std::size_t, nothing> size_{};
};

// Elements of an array. `std::span` takes a thirtieth of the build time of a small program, because its constructors and its
// iterators check and instantiate much more.
template <class T>
using array_row = row<T const*>;

// Iterates over the indices below a bound that a source selects: `next(i, bound)` is the first of them from `i` on,
// `read(i)` the element.
template <class Source>
class selecting_iterator {
public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::forward_iterator_tag;
    using value_type = typename Source::value_type;
    using difference_type = std::ptrdiff_t;
    using reference = value_type;
    using pointer = void;

    selecting_iterator() = default;
    selecting_iterator(Source source, std::size_t at, std::size_t bound)
        : source_(source),
          at_(source.next(at, bound)),
          bound_(bound)
    {}

    [[nodiscard]] auto operator*() const -> value_type { return source_.read(at_); }
    auto operator++() -> selecting_iterator&
    {
        at_ = source_.next(at_ + 1, bound_);
        return *this;
    }
    auto operator++(int) -> selecting_iterator
    {
        auto const old = *this;
        ++*this;
        return old;
    }
    friend auto operator==(selecting_iterator const& a, selecting_iterator const& b) noexcept -> bool
    {
        return a.at_ == b.at_;
    }

private:
    Source source_{};
    std::size_t at_ = 0;
    std::size_t bound_ = 0;
};

// Iterates over all indices; `read(i)` of the source is the element.
template <class Source>
class index_iterator {
public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::random_access_iterator_tag;
    using value_type = typename Source::value_type;
    using difference_type = std::ptrdiff_t;
    using reference = value_type;
    using pointer = void;

    index_iterator() = default;
    index_iterator(Source source, std::size_t at) noexcept : source_(source), at_(static_cast<std::ptrdiff_t>(at)) {}

    [[nodiscard]] auto operator*() const -> value_type { return source_.read(static_cast<std::size_t>(at_)); }
    [[nodiscard]] auto operator[](difference_type n) const -> value_type { return *(*this + n); }
    auto operator+=(difference_type n) noexcept -> index_iterator&
    {
        at_ += n;
        return *this;
    }
    auto operator-=(difference_type n) noexcept -> index_iterator& { return *this += -n; }
    auto operator++() noexcept -> index_iterator& { return *this += 1; }
    auto operator--() noexcept -> index_iterator& { return *this -= 1; }
    auto operator++(int) noexcept -> index_iterator
    {
        auto const old = *this;
        ++at_;
        return old;
    }
    auto operator--(int) noexcept -> index_iterator
    {
        auto const old = *this;
        --at_;
        return old;
    }
    [[nodiscard]] friend auto operator+(index_iterator i, difference_type n) noexcept -> index_iterator
    {
        return i += n;
    }
    [[nodiscard]] friend auto operator+(difference_type n, index_iterator i) noexcept -> index_iterator
    {
        return i += n;
    }
    [[nodiscard]] friend auto operator-(index_iterator i, difference_type n) noexcept -> index_iterator
    {
        return i -= n;
    }
    [[nodiscard]] friend auto operator-(index_iterator const& a, index_iterator const& b) noexcept -> difference_type
    {
        return a.at_ - b.at_;
    }
    friend auto operator==(index_iterator const& a, index_iterator const& b) noexcept -> bool { return a.at_ == b.at_; }
    friend auto operator<=>(index_iterator const& a, index_iterator const& b) noexcept -> std::strong_ordering
    {
        return a.at_ <=> b.at_;
    }

private:
    Source source_{};
    std::ptrdiff_t at_ = 0;
};

}  // namespace strider::detail

template <class I, bool Counted>
inline constexpr bool std::ranges::enable_view<strider::detail::row<I, Counted>> = true;
template <class I, bool Counted>
inline constexpr bool std::ranges::enable_borrowed_range<strider::detail::row<I, Counted>> = true;
template <class I, bool Counted>
inline constexpr bool ranges::enable_borrowed_range<strider::detail::row<I, Counted>> = true;

#endif  // STRIDER_CORE_DETAIL_INDEX_VIEWS_HPP
