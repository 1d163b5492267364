// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DEPENDENCY_VALUES_HPP
#define STRIDER_WALK_DEPENDENCY_VALUES_HPP

#include <strider/core/assert.hpp>
#include <strider/core/detail/index_views.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/range_fwd.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>

namespace strider {

namespace detail {

// Memory for a value. Its owner knows whether the value exists.
template <class T>
union value_slot {
    value_slot() noexcept {}
    value_slot(value_slot const&) = delete;
    auto operator=(value_slot const&) -> value_slot& = delete;
    ~value_slot()
        requires std::is_trivially_destructible_v<T>
    = default;
    ~value_slot() {}

    T value;
};

}  // namespace detail

/// The values of the direct dependencies of a vertex, in the order of `dependencies(v)`: a random-access view of
/// `T const&` of known size, for the standard library and range-v3.
///
/// It refers to the values. They are valid until the visit ends: until the visitor or its coroutine returns, or its handle
/// is called or destroyed.
/// \see visit_values
template <class T>
class dependency_values : public std::ranges::view_interface<dependency_values<T>>, public ::ranges::view_base {
    using slot = detail::value_slot<T>;

public:
    class iterator {
    public:
        using iterator_concept = std::random_access_iterator_tag;
        using iterator_category = std::random_access_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using reference = T const&;
        using pointer = T const*;

        iterator() = default;
        iterator(vertex_id const* at, slot const* slots) noexcept : at_(at), slots_(slots) {}

        /// The dependency at this position.
        [[nodiscard]] auto vertex() const noexcept -> vertex_id { return *at_; }

        [[nodiscard]] auto operator*() const noexcept -> reference { return slots_[at_->index()].value; }
        [[nodiscard]] auto operator->() const noexcept -> pointer { return &**this; }
        [[nodiscard]] auto operator[](difference_type n) const noexcept -> reference { return *(*this + n); }
        auto operator+=(difference_type n) noexcept -> iterator&
        {
            at_ += n;
            return *this;
        }
        auto operator-=(difference_type n) noexcept -> iterator& { return *this += -n; }
        auto operator++() noexcept -> iterator& { return *this += 1; }
        auto operator--() noexcept -> iterator& { return *this -= 1; }
        auto operator++(int) noexcept -> iterator { return {at_++, slots_}; }
        auto operator--(int) noexcept -> iterator { return {at_--, slots_}; }
        [[nodiscard]] friend auto operator+(iterator i, difference_type n) noexcept -> iterator { return i += n; }
        [[nodiscard]] friend auto operator+(difference_type n, iterator i) noexcept -> iterator { return i += n; }
        [[nodiscard]] friend auto operator-(iterator i, difference_type n) noexcept -> iterator { return i -= n; }
        [[nodiscard]] friend auto operator-(iterator const& a, iterator const& b) noexcept -> difference_type
        {
            return a.at_ - b.at_;
        }
        friend auto operator==(iterator const& a, iterator const& b) noexcept -> bool { return a.at_ == b.at_; }
        friend auto operator<=>(iterator const& a, iterator const& b) noexcept -> std::strong_ordering
        {
            return a.at_ <=> b.at_;
        }

    private:
        vertex_id const* at_ = nullptr;
        slot const* slots_ = nullptr;
    };

    dependency_values() = default;
    /// A view of the values of these dependencies. Visitors receive such views and do not construct them.
    dependency_values(std::span<vertex_id const> dependencies, slot const* slots) noexcept
        : vertices_(dependencies),
          slots_(slots)
    {}

    /// The begin of the values, in the order of the dependencies; the iterator also has `vertex()`. \complexity O(1).
    [[nodiscard]] auto begin() const noexcept -> iterator { return {vertices_.data(), slots_}; }
    /// The end of the values. \complexity O(1).
    [[nodiscard]] auto end() const noexcept -> iterator { return {vertices_.data() + vertices_.size(), slots_}; }
    /// The number of dependencies, each of which has a value. \complexity O(1).
    [[nodiscard]] auto size() const noexcept -> std::size_t { return vertices_.size(); }

    /// The value of the dependency at a position.
    [[nodiscard]] auto operator[](std::size_t at) const noexcept -> T const&
    {
        STRIDER_ASSERT(at < vertices_.size(), "the position is less than the number of dependencies");
        return slots_[vertices_[at].index()].value;
    }
    /// The value of a dependency. \complexity O(1)
    [[nodiscard]] auto operator[](vertex_id dependency) const noexcept -> T const&
    {
        STRIDER_ASSERT(std::ranges::find(vertices_, dependency) != vertices_.end(), "the vertex is a dependency");
        return slots_[dependency.index()].value;
    }

    /// The dependencies, in the same order.
    [[nodiscard]] auto vertices() const noexcept
    {
        return detail::row<vertex_id const*>(vertices_.data(), vertices_.data() + vertices_.size());
    }

private:
    std::span<vertex_id const> vertices_;
    slot const* slots_ = nullptr;
};

}  // namespace strider

/// \cond
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<strider::dependency_values<T>> = true;
template <class T>
inline constexpr bool ranges::enable_borrowed_range<strider::dependency_values<T>> = true;
/// \endcond

#endif  // STRIDER_WALK_DEPENDENCY_VALUES_HPP
