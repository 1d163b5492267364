// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALK_OPTIONS_HPP
#define STRIDER_WALK_WALK_OPTIONS_HPP

#include <strider/walk/ready_queue.hpp>
#include <strider/walk/trace.hpp>

#include <concepts>
#include <cstdint>

namespace strider {

/// Opens `control_policy` to a type; each has its operation in `walk/detail` and a `detail::start_walk` overload.
template <class C>
inline constexpr bool enable_control_policy = false;

/// Who keeps the books of a walk, and where.
template <class C>
concept control_policy = std::copyable<C> && enable_control_policy<C>;

/// All bookkeeping on one `asio::strand`, so that a walk has one total order of events; visits run beside it, on the
/// executor itself.
struct strict_strand {
    /// How many plain visits are handed over together, at most. A visit waits for those before it in its batch and
    /// its dependents for all of the batch, so more than one is for bodies of well under a microsecond.
    std::uint32_t batch = 1;
};
template <>
inline constexpr bool enable_control_policy<strict_strand> = true;

/// How to walk: `walk_options<>{.limit = 4}`.
template <control_policy Control = strict_strand, ready_queue_policy Ready = ascending_id,
    trace_policy Trace = no_trace>
struct walk_options {
    static constexpr std::uint32_t default_limit = 10;

    /// How many visits may run at once; 0 means the default.
    std::uint32_t limit = default_limit;
    /// After a failure start nothing new; what was not started counts as cancelled, dependents of it as skipped.
    bool stop_on_first_failure = false;
    Control control{};
    Ready ready{};
    Trace trace{};
};

}  // namespace strider

#endif  // STRIDER_WALK_WALK_OPTIONS_HPP
