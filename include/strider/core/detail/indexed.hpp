// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DETAIL_INDEXED_HPP
#define STRIDER_CORE_DETAIL_INDEXED_HPP

#include <strider/version.hpp>

#include <range/v3/iterator/basic_iterator.hpp>
#include <range/v3/view/subrange.hpp>

#include <concepts>
#include <cstddef>
#include <ranges>

namespace strider::detail {

// Base of the cursors of iterators that stay valid without their view.
struct cursor_base {};

template <class Element>
struct index_cursor : cursor_base {
    Element element{};
    std::ptrdiff_t at = 0;

    [[nodiscard]] auto read() const { return element(static_cast<std::size_t>(at)); }
    void next() noexcept { ++at; }
    void prev() noexcept { --at; }
    void advance(std::ptrdiff_t n) noexcept { at += n; }
    [[nodiscard]] auto equal(index_cursor const& other) const noexcept -> bool { return at == other.at; }
    [[nodiscard]] auto distance_to(index_cursor const& other) const noexcept -> std::ptrdiff_t { return other.at - at; }
};

// The elements `element(i)` of the indices in [first, last), with random access. Iterators stay valid when the view is
// destroyed; those of `views::iota | views::transform` do not.
template <class Element>
[[nodiscard]] auto indexed(std::size_t first, std::size_t last, Element element)
{
    auto const position = [&](std::size_t at) {
        return ranges::basic_iterator(index_cursor<Element>{{}, element, static_cast<std::ptrdiff_t>(at)});
    };
    return ranges::make_subrange(position(first), position(last));
}

}  // namespace strider::detail

/// \cond
// Subranges of range-v3 are views of range-v3 only. Those of strider's iterators are views of the standard library, too.
template <std::derived_from<strider::detail::cursor_base> Cursor, ranges::subrange_kind Kind>
inline constexpr bool
    std::ranges::enable_view<ranges::subrange<ranges::basic_iterator<Cursor>, ranges::basic_iterator<Cursor>, Kind>> =
        true;
template <std::derived_from<strider::detail::cursor_base> Cursor, ranges::subrange_kind Kind>
inline constexpr bool std::ranges::enable_borrowed_range<
    ranges::subrange<ranges::basic_iterator<Cursor>, ranges::basic_iterator<Cursor>, Kind>> = true;
/// \endcond

#endif  // STRIDER_CORE_DETAIL_INDEXED_HPP
