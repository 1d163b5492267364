// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_VALUE_HANDLE_HPP
#define STRIDER_WALK_VALUE_HANDLE_HPP

#include <strider/core/assert.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/visit_handle.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <exception>
#include <utility>

namespace strider {

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

    /// A handle for the visit of `v`. Visitors receive handles and do not construct them.
    value_handle(detail::value_port<T>& values, vertex_id v, visit_handle handle) noexcept
        : values_(&values),
          vertex_(v),
          handle_(std::move(handle))
    {}
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
        requires(!std::convertible_to<error_code, T>)
    {
        fail(visit_outcome::failure(error));
    }
    /// Fails without a value, for a null exception too.
    void operator()(std::exception_ptr exception)
        requires(!std::convertible_to<std::exception_ptr, T>)
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

private:
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

#endif  // STRIDER_WALK_VALUE_HANDLE_HPP
