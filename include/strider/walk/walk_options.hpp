// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALK_OPTIONS_HPP
#define STRIDER_WALK_WALK_OPTIONS_HPP

#include <strider/walk/ready_queue.hpp>
#include <strider/walk/trace.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>

namespace strider {

/// Opens `control_policy` to a type; each has its operation in `walk/detail` and a `detail::start_walk` overload.
template <class C>
inline constexpr bool enable_control_policy = false;

/// Who keeps the books of a walk, and where.
template <class C>
concept control_policy = std::copyable<C> && enable_control_policy<C>;

/// Everything on one `asio::strand`: visitors, bookkeeping, trace. A walk has one total order of events, and what visitors share
/// needs no lock. Visits take turns where they suspend, so plain ones follow one another; a visit by handle may end anywhere.
struct strict_strand {};
template <>
inline constexpr bool enable_control_policy<strict_strand> = true;

/// Which ready vertices a worker offers to the others, before it visits the next one.
enum class sharing : std::uint8_t {
    adaptive,  ///< all, until visits turn out to take less than about 150 ns; times a few of them to know
    unknown,  ///< all, always: a visit may take long at any time, and none must ever wait behind it
    tiny,  ///< none: visits are known to be so short that a second thread costs more than it brings
};

/// Workers that each settle what they visited: at most `limit` handlers that stay while there is work, none per vertex. The
/// default, and the fast one.
///
/// Plain visitors whose order does not matter beyond the edges need no place that decides. The others share one, under a mutex
/// that is held for less than a visit takes: visitors that are awaited or complete by handle, other ready queues, and traces.
struct worker_handlers {
    /// How many threads the executor has; 0 asks it, and takes those of the machine if it does not answer.
    std::uint32_t threads = 0;
    sharing share = sharing::adaptive;
    /// The blocking `walk` visits in the calling thread, too, if the executor promises no more than threads.
    bool caller_works = true;
};
template <>
inline constexpr bool enable_control_policy<worker_handlers> = true;

/// How to walk: `walk_options<>{.limit = 4}`.
template <control_policy Control = worker_handlers, ready_queue_policy Ready = ascending_id,
    trace_policy Trace = no_trace>
struct walk_options {
    static constexpr std::uint32_t default_limit = 10;

    /// How many visits may run at once; 0 means the default.
    std::uint32_t limit = default_limit;
    /// After a failure start nothing new; what was not started counts as cancelled, dependents of it as skipped.
    bool stop_on_first_failure = false;
    /// So long after its begin the walk acts as under partial cancellation: what was not started is cancelled.
    std::optional<std::chrono::steady_clock::duration> deadline{};
    Control control{};
    Ready ready{};
    Trace trace{};
};

}  // namespace strider

#endif  // STRIDER_WALK_WALK_OPTIONS_HPP
