// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_VISIT_HANDLE_HPP
#define STRIDER_WALK_VISIT_HANDLE_HPP

#include <strider/core/assert.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <memory>
#include <utility>

namespace strider {

namespace detail {

// The walk's end of a visit that completes by handle. Erased, so that a visitor names one handle type.
class visit_port {
public:
    visit_port() = default;
    visit_port(visit_port const&) = delete;
    auto operator=(visit_port const&) -> visit_port& = delete;
    virtual ~visit_port() = default;

    // Only the first outcome counts. May be called on any thread.
    virtual void settle(visit_outcome outcome) = 0;
    [[nodiscard]] virtual auto executor() const -> asio::any_io_executor = 0;
    [[nodiscard]] virtual auto slot() -> asio::cancellation_slot = 0;
};

}  // namespace detail

/// Ends one visit: an Asio handler that the visitor calls, or gives to an asynchronous operation, exactly once.
///
/// It may be called on any thread; its associated executor is the strand of its visit, and its associated
/// cancellation slot receives terminal cancellation of the walk, emitted on that strand: `timer.async_wait(std::move(h))`
/// is a whole visit. Destroyed without a call it fails the visit with `walk_errc::abandoned`, so that no walk hangs.
class visit_handle {
public:
    using executor_type = asio::any_io_executor;
    using cancellation_slot_type = asio::cancellation_slot;

    explicit visit_handle(std::shared_ptr<detail::visit_port> port) noexcept : port_(std::move(port)) {}
    visit_handle(visit_handle&&) noexcept = default;
    auto operator=(visit_handle&& other) noexcept -> visit_handle&
    {
        visit_handle(std::move(other)).port_.swap(port_);
        return *this;
    }
    ~visit_handle()
    {
        if (port_) port_->settle(visit_outcome::failure(make_error_code(walk_errc::abandoned)));
    }

    void operator()() { (*this)(visit_outcome()); }
    void operator()(error_code error) { (*this)(visit_outcome(error)); }
    void operator()(std::exception_ptr exception)
    {
        (*this)(exception ? visit_outcome::failure(std::move(exception)) : visit_outcome());
    }
    /// \pre The handle was neither called nor moved from.
    void operator()(visit_outcome outcome)
    {
        STRIDER_ASSERT(port_ != nullptr, "a visit handle is called once");
        auto const port = std::exchange(port_, nullptr);
        port->settle(std::move(outcome));
    }

    [[nodiscard]] auto get_executor() const -> executor_type { return port_->executor(); }
    [[nodiscard]] auto get_cancellation_slot() const -> cancellation_slot_type { return port_->slot(); }

private:
    std::shared_ptr<detail::visit_port> port_;
};

}  // namespace strider

#endif  // STRIDER_WALK_VISIT_HANDLE_HPP
