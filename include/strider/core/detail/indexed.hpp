// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DETAIL_INDEXED_HPP
#define STRIDER_CORE_DETAIL_INDEXED_HPP

#include <strider/version.hpp>

#include <range/v3/iterator/basic_iterator.hpp>
#include <range/v3/view/subrange.hpp>

#include <cstddef>

namespace strider::detail {

template <class Element>
struct index_cursor {
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
        return ranges::basic_iterator(index_cursor<Element>{element, static_cast<std::ptrdiff_t>(at)});
    };
    return ranges::make_subrange(position(first), position(last));
}

}  // namespace strider::detail

#endif  // STRIDER_CORE_DETAIL_INDEXED_HPP
