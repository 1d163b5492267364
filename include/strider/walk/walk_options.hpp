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

/// Workers that each settle what they visited: handlers that stay while there is work, none per vertex. The default, and the
/// fast one.
///
/// Plain visitors whose order does not matter beyond the edges need no place that decides. The others share one, under a mutex
/// that is held for less than a visit takes: visitors that are awaited or complete by handle, other ready queues, and traces.
struct worker_handlers {
    /// Number of threads of the executor. 0: the executor's `occupancy`; if it has none, `max_concurrency`; if that is 0, the
    /// number of processors. A strand and a hand-stepped executor count as one thread.
    std::uint32_t threads = 0;
    sharing share = sharing::adaptive;
    /// The thread that calls the blocking `walk`, or a `walker`, visits too, outside of the executor; it counts as one of its
    /// threads. Ignored for a strand. If false, all visits run on the executor.
    bool caller_helps = false;
};
template <>
inline constexpr bool enable_control_policy<worker_handlers> = true;

/// How to walk: `walk_options<>{.max_concurrency = 4}`.
template <control_policy Control = worker_handlers, ready_queue_policy Ready = ascending_id,
    trace_policy Trace = no_trace>
struct walk_options {
    /// Maximum number of visits that run at once. 0: no limit but the executor's; plain visits are as many as it has threads,
    /// awaitable and handle visits as many as are ready.
    std::uint32_t max_concurrency = 0;
    /// After a failure start nothing new; what was not started counts as cancelled, dependents of it as skipped.
    bool stop_on_first_failure = false;
    /// Time after which the walk acts as under partial cancellation: vertices that have not started are cancelled.
    std::optional<std::chrono::steady_clock::duration> timeout{};
    Control control{};
    Ready ready{};
    Trace trace{};
};

}  // namespace strider

#endif  // STRIDER_WALK_WALK_OPTIONS_HPP
