// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_CLOCK_HPP
#define STRIDER_WALK_CLOCK_HPP

#include <strider/version.hpp>
#include <strider/walk/asio.hpp>

#include <boost/asio/steady_timer.hpp>

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

/// The timer that waits by a clock: the member `timer_type` of the clock. A clock of walks needs no
/// timer.
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

}  // namespace strider

#endif  // STRIDER_WALK_CLOCK_HPP
