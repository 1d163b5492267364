// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_VISIT_HANDLE_HPP
#define STRIDER_WALK_VISIT_HANDLE_HPP

#include <strider/core/assert.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <utility>

namespace strider {

namespace detail {

// The interface of the walk to a visit by handle. Type-erased, so that visitors use one handle type.
class visit_port {
public:
    visit_port() = default;
    visit_port(visit_port const&) = delete;
    auto operator=(visit_port const&) -> visit_port& = delete;

    // Called once per visit, on any thread. May destroy the port.
    virtual void settle(visit_outcome outcome) = 0;
    [[nodiscard]] virtual auto executor() const -> asio::any_io_executor = 0;
    [[nodiscard]] virtual auto slot() -> asio::cancellation_slot = 0;

protected:
    ~visit_port() = default;
};

}  // namespace detail

/// Ends one visit: an Asio handler that the visitor calls, or passes to an asynchronous operation, exactly once.
///
/// It may be called on any thread. Its associated executor is the strand of its visit. Its associated cancellation
/// slot receives terminal cancellation of the walk, emitted on that strand: `timer.async_wait(std::move(h))` is a
/// complete visit. If it is destroyed without a call, the visit fails with `walk_errc::abandoned`.
///
/// The visit ends when the visitor has returned and the handle has been called or destroyed. If the visitor throws
/// before that, the exception is the outcome.
///
/// A handle is one pointer; it is movable, not copyable, and allocates nothing. After a call or a move it is empty:
/// it may be destroyed and assigned to, its executor and slot are empty, and a call asserts, or has no effect if
/// assertions are disabled.
class visit_handle {
public:
    /// The type of the strand of the visit, type-erased.
    using executor_type = asio::any_io_executor;
    /// The type of the slot of the visit.
    using cancellation_slot_type = asio::cancellation_slot;

    /// A handle for a visit. Visitors receive handles and do not construct them.
    explicit visit_handle(detail::visit_port& port) noexcept : port_(&port) {}
    /// Leaves `other` without a visit.
    visit_handle(visit_handle&& other) noexcept : port_(std::exchange(other.port_, nullptr)) {}
    /// Abandons the visit of this handle, if any, and takes that of `other`.
    auto operator=(visit_handle&& other) noexcept -> visit_handle&
    {
        visit_handle taken(std::move(other));
        std::swap(taken.port_, port_);
        return *this;
    }
    ~visit_handle()
    {
        if (port_ != nullptr) port_->settle(visit_outcome::failure(make_error_code(walk_errc::abandoned)));
    }

    /// Ends the visit with success.
    void operator()() { (*this)(visit_outcome()); }
    /// Ends the visit: with success if there is no error, else with the error.
    void operator()(error_code error) { (*this)(visit_outcome(error)); }
    /// Ends the visit: with success if `exception` is null, else with the exception.
    void operator()(std::exception_ptr exception)
    {
        (*this)(exception ? visit_outcome::failure(std::move(exception)) : visit_outcome());
    }
    /// \pre The handle was neither called nor moved from.
    void operator()(visit_outcome outcome)
    {
        STRIDER_ASSERT(port_ != nullptr, "a visit handle is called once");
        if (port_ != nullptr) std::exchange(port_, nullptr)->settle(std::move(outcome));
    }

    /// True until the handle is called or moved from.
    [[nodiscard]] explicit operator bool() const noexcept { return port_ != nullptr; }

    /// Returns the strand of the visit; an empty executor if the handle has no visit.
    [[nodiscard]] auto get_executor() const -> executor_type
    {
        return port_ == nullptr ? executor_type() : port_->executor();
    }
    /// Returns the slot of terminal cancellation, emitted on the strand of the visit; an empty one if there is no visit.
    [[nodiscard]] auto get_cancellation_slot() const -> cancellation_slot_type
    {
        return port_ == nullptr ? cancellation_slot_type() : port_->slot();
    }

private:
    detail::visit_port* port_;
};

}  // namespace strider

#endif  // STRIDER_WALK_VISIT_HANDLE_HPP
