// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_CLOCK_HPP
#define STRIDER_WALK_CLOCK_HPP

#include <strider/version.hpp>

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

}  // namespace strider

#endif  // STRIDER_WALK_CLOCK_HPP
