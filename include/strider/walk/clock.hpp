// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_CLOCK_HPP
#define STRIDER_WALK_CLOCK_HPP

#include <strider/version.hpp>
#include <strider/walk/asio.hpp>

#include <chrono>
#include <concepts>

namespace strider {

/// Clock policy: `now(executor)` returns the time in the context of an executor, which may be virtual.
template <class C, class Executor>
concept clock_for = requires(Executor const& executor) {
    typename C::duration;
    { C::now(executor) } -> std::same_as<typename C::time_point>;
    { C::now(executor).time_since_epoch() } -> std::convertible_to<std::chrono::nanoseconds>;
};

/// The steady clock of the standard library.
struct steady_clock {
    /// The type of durations and timeouts.
    using duration = std::chrono::steady_clock::duration;
    /// The type of points in time.
    using time_point = std::chrono::steady_clock::time_point;

    /// Returns the present time, without regard to the executor.
    template <class Executor>
    [[nodiscard]] static auto now(Executor const&) -> time_point
    {
        return std::chrono::steady_clock::now();
    }
};

/// The timer that waits by a clock: the member `timer_type` of the clock. It is separate from the clock, because
/// Asio's timers take long to compile and walks need none.
template <class Clock>
struct clock_timer {};
/// Of a clock that names its timer.
template <class Clock>
    requires requires { typename Clock::timer_type; }
struct clock_timer<Clock> {
    /// The type of the timer.
    using type = typename Clock::timer_type;
};
/// Of the steady clock: Asio's timer.
template <>
struct clock_timer<steady_clock> {
    /// The type of the timer.
    using type = asio::steady_timer;
};
/// The type of the timer that waits by a clock.
template <class Clock>
using clock_timer_t = typename clock_timer<Clock>::type;

/// A clock policy with a timer that waits by the same clock.
template <class C, class Executor>
concept timed_clock_for = clock_for<C, Executor> && requires { typename clock_timer_t<C>; };

/// The clock of an execution context whose time is virtual: a service of that context, from which a service that advances
/// the time derives. A derived service has no `id` of its own.
///
/// A walk finds the clock through its executor, type-erased or wrapped in a strand, and then depends on no other clock: it
/// compares its timeout with this one, has one worker, and no handler has a time slice. Each visit begins as a task of its
/// own, except those of a worker, which follow one another in a task.
///
/// Not thread-safe: the time must not change while a task of the context runs in another thread.
class context_clock : public asio::execution_context::service {
public:
    /// The type of durations.
    using duration = std::chrono::nanoseconds;
    /// The type of points in virtual time.
    using time_point = std::chrono::time_point<context_clock, duration>;

    /// The key by which the context finds this service.
    inline static asio::execution_context::id id;

    /// The clock of a context. Time begins at zero.
    explicit context_clock(asio::execution_context& context) : asio::execution_context::service(context) {}

    /// Returns the virtual time.
    [[nodiscard]] auto now() const noexcept -> time_point { return now_; }

protected:
    /// Sets the virtual time. \pre `then >= now()`
    void set_now(time_point then) noexcept { now_ = then; }

private:
    void shutdown() override {}

    time_point now_{};
};

/// Returns the clock of the context of an executor, or null if the time of the context is real.
/// \complexity That of finding a service: linear in the number of services, under the mutex of the context.
template <class Executor>
[[nodiscard]] auto find_context_clock(Executor const& executor) -> context_clock const*
{
    if constexpr (asio::can_query_v<Executor const&, asio::execution::context_t>) {
        asio::execution_context& context = asio::query(executor, asio::execution::context);
        if (asio::has_service<context_clock>(context)) return &asio::use_service<context_clock>(context);
    }
    return nullptr;
}

}  // namespace strider

#endif  // STRIDER_WALK_CLOCK_HPP
