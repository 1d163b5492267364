// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_VIRTUAL_CLOCK_HPP
#define STRIDER_SIM_VIRTUAL_CLOCK_HPP

#include <strider/sim/virtual_timer.hpp>
#include <strider/walk/asio.hpp>

namespace strider::sim {

/// The clock policy of a simulated world, for code that reads the time and uses timers.
///
/// `now` takes an executor because virtual time is a service of the executor's context.
struct virtual_clock {
    /// The type of durations and timeouts.
    using duration = virtual_time::duration;
    /// The type of points in virtual time.
    using time_point = virtual_time::time_point;
    /// The type of the timer that waits for a timeout.
    using timer_type = virtual_timer;

    /// Returns the virtual time of the context of the executor.
    template <asio::execution::executor Executor>
    [[nodiscard]] static auto now(Executor const& executor) -> time_point
    {
        return asio::use_service<virtual_time>(asio::query(executor, asio::execution::context)).now();
    }
};

}  // namespace strider::sim

#endif  // STRIDER_SIM_VIRTUAL_CLOCK_HPP
