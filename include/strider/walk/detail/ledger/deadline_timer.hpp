// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_DEADLINE_TIMER_HPP
#define STRIDER_WALK_DETAIL_LEDGER_DEADLINE_TIMER_HPP

#include <strider/walk/asio.hpp>

#include <chrono>
#include <functional>
#include <utility>

namespace strider::detail {

// The type of timers of an executor: Asio's, unless the executor defines one because its time is virtual.
template <class Executor>
struct timer_for {
    using type = asio::steady_timer;
};
template <class Executor>
    requires requires { typename Executor::timer_type; }
struct timer_for<Executor> {
    using type = typename Executor::timer_type;
};
template <class Executor>
struct timer_for<asio::strand<Executor>> : timer_for<Executor> {};

// Calls `expired` once, on the executor of the timer, unless the timer is destroyed before.
template <class Timer>
void call_after(Timer& timer, std::chrono::steady_clock::duration after, std::function<void()> expired)
{
    timer.expires_after(std::chrono::duration_cast<typename Timer::duration>(after));
    timer.async_wait([expired = std::move(expired)](error_code error) {
        if (!error) expired();
    });
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_DEADLINE_TIMER_HPP
