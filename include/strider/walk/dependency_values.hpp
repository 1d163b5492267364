// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DEPENDENCY_VALUES_HPP
#define STRIDER_WALK_DEPENDENCY_VALUES_HPP

#include <strider/core/assert.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <range/v3/algorithm/contains.hpp>
#include <range/v3/iterator/basic_iterator.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/view/interface.hpp>

#include <concepts>
#include <cstddef>
#include <exception>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>

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
class dependency_values : public ranges::view_interface<dependency_values<T>, ranges::finite> {
    using slot = detail::value_slot<T>;

    struct cursor {
        vertex_id const* id = nullptr;
        slot const* slots = nullptr;

        [[nodiscard]] auto read() const noexcept -> T const& { return slots[id->index()].value; }
        void next() noexcept { ++id; }
        void prev() noexcept { --id; }
        void advance(std::ptrdiff_t n) noexcept { id += n; }
        [[nodiscard]] auto equal(cursor const& other) const noexcept -> bool { return id == other.id; }
        [[nodiscard]] auto distance_to(cursor const& other) const noexcept -> std::ptrdiff_t { return other.id - id; }

        /// Members of the iterator beside those of every iterator.
        struct mixin : ranges::basic_mixin<cursor> {
            mixin() = default;
            using ranges::basic_mixin<cursor>::basic_mixin;
            /// The dependency at this position.
            [[nodiscard]] auto vertex() const noexcept -> vertex_id { return *this->get().id; }
        };
    };

public:
    /// A random-access iterator over the values; `i.vertex()` is the dependency at its position.
    using iterator = ranges::basic_iterator<cursor>;

    dependency_values() = default;
    /// The begin of the values, in the order of the dependencies; the iterator also has `vertex()`. \complexity O(1).
    [[nodiscard]] auto begin() const noexcept -> iterator { return iterator(cursor{vertices_.data(), slots_}); }
    /// The end of the values. \complexity O(1).
    [[nodiscard]] auto end() const noexcept -> iterator
    {
        return iterator(cursor{vertices_.data() + vertices_.size(), slots_});
    }
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
        STRIDER_ASSERT(ranges::contains(vertices_, dependency), "the vertex is a dependency");
        return slots_[dependency.index()].value;
    }

    /// The dependencies, in the same order.
    [[nodiscard]] auto vertices() const noexcept -> std::span<vertex_id const> { return vertices_; }

private:
    friend detail::walk_access;

    dependency_values(std::span<vertex_id const> dependencies, slot const* slots) noexcept
        : vertices_(dependencies),
          slots_(slots)
    {}

    std::span<vertex_id const> vertices_;
    slot const* slots_ = nullptr;
};

namespace detail {

// The interface of the values of a walk to a visit by handle.
template <class T>
class value_port {
public:
    value_port() = default;
    value_port(value_port const&) = delete;
    auto operator=(value_port const&) -> value_port& = delete;

    // Ends the reading of the dependencies' values. \return the outcome of the visit
    [[nodiscard]] virtual auto complete(vertex_id v, T&& value) noexcept -> visit_outcome = 0;
    virtual void fail(vertex_id v) noexcept = 0;

protected:
    ~value_port() = default;
};

}  // namespace detail

/// Ends one visit with a value or an error: a `visit_handle` of a visitor of `visit_values`.
///
/// It is called exactly once, with a value, `(error_code, value)` or `(exception_ptr, value)` as an asynchronous operation
/// completes, or with an error alone. The values of the dependencies are valid until then. \see visit_handle
template <class T>
class value_handle {
public:
    /// The type of the strand of the visit, type-erased.
    using executor_type = visit_handle::executor_type;
    /// The type of the slot of the visit.
    using cancellation_slot_type = visit_handle::cancellation_slot_type;

    /// Leaves `other` without a visit.
    value_handle(value_handle&&) noexcept = default;
    /// Abandons the visit of this handle, if any, and takes that of `other`.
    auto operator=(value_handle&& other) noexcept -> value_handle&
    {
        value_handle taken(std::move(other));
        std::swap(values_, taken.values_);
        std::swap(vertex_, taken.vertex_);
        std::swap(handle_, taken.handle_);
        return *this;
    }
    ~value_handle()
    {
        if (handle_) values_->fail(vertex_);
    }

    /// \pre The handle was neither called nor moved from; so for the other calls.
    void operator()(T value)
    {
        STRIDER_ASSERT(handle_, "a value handle is called once");
        if (handle_) take()(values_->complete(vertex_, std::move(value)));
    }
    /// Ends the visit: with the value if there is no error, else with the error; the value is then discarded.
    void operator()(error_code error, T value)
    {
        if (error) fail(visit_outcome::failure(error));
        else (*this)(std::move(value));
    }
    /// Ends the visit: with the value if `exception` is null, else with the exception; the value is then discarded.
    void operator()(std::exception_ptr exception, T value)
    {
        if (exception) fail(visit_outcome::failure(std::move(exception)));
        else (*this)(std::move(value));
    }
    /// Fails without a value, for success with `walk_errc::vertex_failed` too.
    void operator()(error_code error)
        requires(!std::same_as<error_code, T>)
    {
        fail(visit_outcome::failure(error));
    }
    /// Fails without a value, for a null exception too.
    void operator()(std::exception_ptr exception)
        requires(!std::same_as<std::exception_ptr, T>)
    {
        fail(visit_outcome::failure(std::move(exception)));
    }

    /// True until the handle is called or moved from.
    [[nodiscard]] explicit operator bool() const noexcept { return static_cast<bool>(handle_); }

    /// Returns the strand of the visit; an empty executor if the handle has no visit.
    [[nodiscard]] auto get_executor() const -> executor_type { return handle_.get_executor(); }
    /// Returns the slot of terminal cancellation, emitted on the strand of the visit; an empty one if there is no visit.
    [[nodiscard]] auto get_cancellation_slot() const -> cancellation_slot_type
    {
        return handle_.get_cancellation_slot();
    }
    /// Returns the token of the visit, for work that polls; one that never requests a stop if there is no visit.
    [[nodiscard]] auto get_stop_token() const -> stop_token { return handle_.get_stop_token(); }

private:
    friend detail::walk_access;

    value_handle(detail::value_port<T>& values, vertex_id v, visit_handle handle) noexcept
        : values_(&values),
          vertex_(v),
          handle_(std::move(handle))
    {}

    void fail(visit_outcome outcome)
    {
        STRIDER_ASSERT(handle_, "a value handle is called once");
        if (!handle_) return;
        values_->fail(vertex_);
        take()(std::move(outcome));
    }
    // The handle is empty before the visit ends, because the walk may then be over.
    [[nodiscard]] auto take() noexcept -> visit_handle { return std::move(handle_); }

    detail::value_port<T>* values_;
    vertex_id vertex_;
    visit_handle handle_;
};

}  // namespace strider

/// \cond
template <class T>
inline constexpr bool ranges::enable_borrowed_range<strider::dependency_values<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_view<strider::dependency_values<T>> = true;
template <class T>
inline constexpr bool std::ranges::enable_borrowed_range<strider::dependency_values<T>> = true;
/// \endcond

#endif  // STRIDER_WALK_DEPENDENCY_VALUES_HPP
