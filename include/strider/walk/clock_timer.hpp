// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_CLOCK_TIMER_HPP
#define STRIDER_WALK_CLOCK_TIMER_HPP

#include <strider/walk/asio_timers.hpp>
#include <strider/walk/clock.hpp>

namespace strider {

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

}  // namespace strider

#endif  // STRIDER_WALK_CLOCK_TIMER_HPP
