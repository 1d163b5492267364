// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_VIRTUAL_TIMER_HPP
#define STRIDER_SIM_VIRTUAL_TIMER_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/waiting_handler.hpp>
#include <strider/walk/executor.hpp>

#include <algorithm>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::sim {

/// The time of one simulated world: a service of its context, never static. It advances only by calls. The first timer or
/// `virtual_clock` that uses a context adds the service, and makes the time of walks there virtual, too.
///
/// Available through the executor, `asio::use_service<virtual_time>(asio::query(ex, asio::execution::context))`, so
/// timers can be made from any executor of the world, type-erased or wrapped in a strand.
class virtual_time final : public context_clock {
public:
    /// Identifies a wait. Waits with the same deadline complete in the order in which they began.
    struct wait_key {
        /// The virtual time at which the wait is over.
        time_point deadline;
        /// Distinguishes waits with the same deadline; an earlier wait has a smaller number.
        std::uint64_t serial = 0;
        /// Orders waits by deadline, and then by the order in which they began.
        friend auto operator<(wait_key const& a, wait_key const& b) noexcept -> bool
        {
            return a.deadline != b.deadline ? a.deadline < b.deadline : a.serial < b.serial;
        }
    };
    /// A pending wait, which `complete` ends.
    class wait {
    public:
        wait() = default;
        wait(wait const&) = delete;
        auto operator=(wait const&) -> wait& = delete;
        virtual ~wait() = default;
        /// Called at most once: without an error when the deadline is reached, with one when the wait is finished before.
        /// A wait that is dropped is destroyed without the call.
        virtual void complete(error_code error) = 0;
    };

    /// The service of a context; the virtual time begins at zero.
    explicit virtual_time(asio::execution_context& context) : context_clock(context) {}

    /// Returns the point in time after an interval from now, or the last point that can be represented.
    [[nodiscard]] auto at(duration after) const noexcept -> time_point
    {
        return after > time_point::max() - now() ? time_point::max() : now() + after;
    }
    /// The earliest deadline.
    [[nodiscard]] auto next_deadline() const -> std::optional<time_point>
    {
        return waits_.empty() ? std::nullopt : std::optional(waits_.begin()->first.deadline);
    }

    /// Advances to the next deadline and completes its waits. \return false if there is none.
    auto advance() -> bool
    {
        if (waits_.empty()) return false;
        advance_to(waits_.begin()->first.deadline);
        return true;
    }
    /// Advances to `then`, unless that is in the past, and completes all waits that are due.
    void advance_to(time_point then)
    {
        set_now(std::max(now(), then));
        while (!waits_.empty() && waits_.begin()->first.deadline <= now()) finish(waits_.begin()->first, {});
    }

    /// Adds a wait, and returns the key to cancel it. \complexity O(log n).
    auto add(time_point deadline, std::unique_ptr<wait> waiting) -> wait_key
    {
        wait_key const which{deadline, ++serial_};
        waits_.emplace(which, std::move(waiting));
        return which;
    }
    /// Returns true if the wait is not over. \complexity O(log n).
    [[nodiscard]] auto contains(wait_key which) const -> bool { return waits_.contains(which); }
    /// Completes a wait with `error`. \return false if it has completed already.
    auto finish(wait_key which, error_code error) -> bool
    {
        auto const found = waits_.find(which);
        if (found == waits_.end()) return false;
        auto const waiting = std::move(found->second);
        waits_.erase(found);
        waiting->complete(error);
        return true;
    }

    /// Calls a function at a virtual time, never at the last one. \see context_clock
    [[nodiscard]] auto call_at(time_point then, std::function<void()> const& f) -> std::shared_ptr<void> override
    {
        class call final : public wait {
        public:
            explicit call(std::function<void()> f) : f_(std::move(f)) {}
            void complete(error_code error) override
            {
                if (!error) f_();
            }

        private:
            std::function<void()> f_;
        };
        if (then == time_point::max()) {
            std::uint64_t const number = ++serial_;
            uncalled_.emplace(number, f);
            return {this, [number](virtual_time* time) { auto const gone = time->uncalled_.extract(number); }};
        }
        wait_key const which = add(then, std::make_unique<call>(f));
        return {this, [which](virtual_time* time) { time->finish(which, asio::error::operation_aborted); }};
    }

    /// Destroys all waits without completing them. \return true if there were any.
    auto drop() -> bool
    {
        bool const had = !waits_.empty() || !uncalled_.empty();
        while (!waits_.empty()) auto const gone = waits_.extract(waits_.begin());
        while (!uncalled_.empty()) auto const gone = uncalled_.extract(uncalled_.begin());
        return had;
    }

private:
    void shutdown() override { drop(); }

    std::map<wait_key, std::unique_ptr<wait>> waits_;
    std::map<std::uint64_t, std::function<void()>> uncalled_;  // functions that are kept for the last point in time
    std::uint64_t serial_ = 0;
};

/// A timer in virtual time, with the interface of Asio's waitable timers except for blocking waits.
///
/// Do not use `asio::basic_waitable_timer` with a `manual_executor`: it starts a hidden thread that waits in real
/// time. In a context whose time does not advance, this timer never fires.
template <class Executor = asio::any_io_executor>
class basic_virtual_timer {
    using default_token = std::conditional_t<std::is_void_v<asio::default_completion_token_t<Executor>>,
        asio::deferred_t, asio::default_completion_token_t<Executor>>;

public:
    /// The type of the executor of completion handlers.
    using executor_type = Executor;
    /// The type of durations.
    using duration = virtual_time::duration;
    /// The type of points in virtual time.
    using time_point = virtual_time::time_point;
    /// The same timer on another executor, for `as_default_on` of a token.
    template <class Other>
    struct rebind_executor {
        /// The type of the timer.
        using other = basic_virtual_timer<Other>;
    };

    /// A timer that has expired: until an expiry is set, waits complete at once.
    explicit basic_virtual_timer(Executor executor)
        : executor_(std::move(executor)),
          time_(&asio::use_service<virtual_time>(asio::query(executor_, asio::execution::context)))
    {}
    /// A timer that expires `after` from the present virtual time.
    basic_virtual_timer(Executor executor, duration after) : basic_virtual_timer(std::move(executor))
    {
        expires_after(after);
    }
    /// A timer that expires at a virtual time.
    basic_virtual_timer(Executor executor, time_point then) : basic_virtual_timer(std::move(executor))
    {
        expires_at(then);
    }
    /// As above, on the executor of a context.
    /// @{
    template <std::derived_from<asio::execution_context> Context>
        requires std::constructible_from<Executor, typename Context::executor_type>
    explicit basic_virtual_timer(Context& context) : basic_virtual_timer(Executor(context.get_executor()))
    {}
    template <std::derived_from<asio::execution_context> Context, class Expiry>
        requires std::constructible_from<Executor, typename Context::executor_type>
        && (std::convertible_to<Expiry, duration> || std::convertible_to<Expiry, time_point>)
    basic_virtual_timer(Context& context, Expiry expiry) : basic_virtual_timer(Executor(context.get_executor()), expiry)
    {}
    /// @}
    /// Takes the expiry and the pending waits of a timer on another type of executor.
    template <class Other>
        requires(!std::same_as<Other, Executor> && std::constructible_from<Executor, Other>)
    explicit(!std::convertible_to<Other, Executor>) basic_virtual_timer(basic_virtual_timer<Other>&& other)
        : executor_(other.executor_),
          time_(other.time_),
          expiry_(other.expiry_),
          waits_(std::exchange(other.waits_, {}))
    {}
    /// Takes the expiry and the pending waits of `other`, which keeps its expiry and has no waits.
    basic_virtual_timer(basic_virtual_timer&& other) noexcept
        : executor_(other.executor_),
          time_(other.time_),
          expiry_(other.expiry_),
          waits_(std::exchange(other.waits_, {}))
    {}
    /// Cancels the pending waits, then takes those of `other` as the constructor does.
    auto operator=(basic_virtual_timer&& other) -> basic_virtual_timer&
    {
        if (this == &other) return *this;
        cancel();
        executor_ = other.executor_;
        time_ = other.time_;
        expiry_ = other.expiry_;
        waits_ = std::exchange(other.waits_, {});
        return *this;
    }
    ~basic_virtual_timer() { cancel(); }

    /// Returns the executor of completion handlers.
    [[nodiscard]] auto get_executor() const noexcept -> executor_type { return executor_; }
    /// Returns the virtual time at which the timer expires.
    [[nodiscard]] auto expiry() const noexcept -> time_point { return expiry_; }

    /// Sets the time and cancels pending waits; \return the number of cancelled waits.
    auto expires_at(time_point then) -> std::size_t
    {
        std::size_t const cancelled = cancel();
        expiry_ = then;
        return cancelled;
    }
    /// Sets the expiry relative to the present virtual time, and cancels all waits. Returns their number. An expiry
    /// that no `time_point` represents is the last one.
    auto expires_after(duration after) -> std::size_t { return expires_at(time_->at(after)); }

    /// Completes pending waits with `operation_aborted`; \return their number.
    auto cancel() -> std::size_t
    {
        std::size_t cancelled = 0;
        for (virtual_time::wait_key const key : std::exchange(waits_, {}))
            cancelled += time_->finish(key, asio::error::operation_aborted) ? 1U : 0U;
        return cancelled;
    }
    /// Completes the oldest pending wait with `operation_aborted`; \return the number of cancelled waits, 0 or 1.
    auto cancel_one() -> std::size_t
    {
        while (!waits_.empty()) {
            virtual_time::wait_key const key = waits_.front();
            waits_.erase(waits_.begin());
            if (time_->finish(key, asio::error::operation_aborted)) return 1;
        }
        return 0;
    }

    /// Waits until virtual time reaches the expiry. If it has passed, completes at once, but never from inside this
    /// call.
    /// \param token  by default that of the executor, or `deferred` if it has none
    /// \par Completion signature `void(error_code)`
    /// \par Cancellation Every type ends the wait with `operation_aborted`.
    template <asio::completion_token_for<void(error_code)> Token = default_token>
    auto async_wait(Token&& token = Token())
    {
        return asio::async_initiate<Token, void(error_code)>(initiate_wait(this), token);
    }

private:
    template <class Other>
    friend class basic_virtual_timer;

    class pending final : public virtual_time::wait {
    public:
        explicit pending(strider::detail::waiting_handler<error_code> handler) : handler_(std::move(handler)) {}
        void complete(error_code error) override { std::move(handler_).complete(error); }

    private:
        strider::detail::waiting_handler<error_code> handler_;
    };

    class initiate_wait {
    public:
        using executor_type = Executor;

        explicit initiate_wait(basic_virtual_timer* timer) noexcept : timer_(timer) {}
        [[nodiscard]] auto get_executor() const noexcept -> executor_type { return timer_->executor_; }

        template <class Handler>
        void operator()(Handler&& handler) const
        {
            auto slot = asio::get_associated_cancellation_slot(handler);
            virtual_time* const time = timer_->time_;
            auto waiting = std::make_unique<pending>(strider::detail::waiting_handler<error_code>(
                std::decay_t<Handler>(std::forward<Handler>(handler)), timer_->executor_));
            if (timer_->expiry_ <= time->now()) return waiting->complete({});
            virtual_time::wait_key const key = time->add(timer_->expiry_, std::move(waiting));
            std::erase_if(timer_->waits_, [time](auto const known) { return !time->contains(known); });
            timer_->waits_.push_back(key);
            if (slot.is_connected())
                slot.assign(
                    [time, key](asio::cancellation_type_t) { time->finish(key, asio::error::operation_aborted); });
        }

    private:
        basic_virtual_timer* timer_;
    };

    Executor executor_;
    virtual_time* time_;
    time_point expiry_{};
    std::vector<virtual_time::wait_key> waits_;
};

/// A timer in virtual time, on any executor of its context.
using virtual_timer = basic_virtual_timer<>;

}  // namespace strider::sim

#endif  // STRIDER_SIM_VIRTUAL_TIMER_HPP
