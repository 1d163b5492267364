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

/// Admits a type as `scheduler_policy`; each has its operation in `walk/detail` and a `detail::start_walk` overload.
template <class S>
inline constexpr bool enable_scheduler_policy = false;

/// A policy that selects the bookkeeping of a walk, and the threads on which it is done.
template <class S>
concept scheduler_policy = std::copyable<S> && enable_scheduler_policy<S>;

/// Everything on one `asio::strand`: visitors, bookkeeping, trace. A walk has one total order of events, and data that visitors
/// share need no lock. Visits alternate where they suspend, so plain ones follow one another; a visit by handle may end anywhere.
struct strand_scheduler {};
template <>
inline constexpr bool enable_scheduler_policy<strand_scheduler> = true;

/// The ready vertices that a worker offers to other workers before it visits the next one.
enum class visit_granularity : std::uint8_t {
    /// All, until visits turn out to take less than about 150 ns, which the run measures on a few of them.
    adaptive,
    /// Always all: a visit may take long at any time, and no vertex ever waits behind it.
    coarse,
    /// None: visits are so short that a second thread costs more than it saves.
    fine,
};

/// Workers that each settle the vertices they visit, and steal from one another: handlers that stay while there is work, none for
/// each vertex. The default, and the fastest.
///
/// Plain visitors without an order beyond the edges need no shared bookkeeping. Awaitable and handle visitors, and other
/// ready queues, share one ledger under a mutex that is held for less time than a visit takes.
struct work_stealing_scheduler {
    /// Number of threads of the executor. 0: the executor's `occupancy`; if it has none, `max_concurrency`; if that is 0, the
    /// number of processors. A strand and a hand-stepped executor count as one thread.
    std::uint32_t threads = 0;
    visit_granularity granularity = visit_granularity::adaptive;
    /// The thread that calls the blocking `walk`, or a `walker`, visits too, outside of the executor; it counts as one of its
    /// threads. Ignored for a strand. If false, all visits run on the executor.
    bool caller_helps = false;
};
template <>
inline constexpr bool enable_scheduler_policy<work_stealing_scheduler> = true;

/// Options of a walk: `walk_options<>{.max_concurrency = 4}`.
template <scheduler_policy Scheduler = work_stealing_scheduler, ready_queue_policy Ready = ascending_id,
    trace_policy Trace = no_trace>
struct walk_options {
    /// Maximum number of visits that run at once. 0: no limit but the executor's; plain visits are as many as it has threads,
    /// awaitable and handle visits as many as are ready.
    std::uint32_t max_concurrency = 0;
    /// After a failure start nothing new; what was not started counts as cancelled, dependents of it as skipped.
    bool stop_on_first_failure = false;
    /// Time after which the walk acts as under partial cancellation: vertices that have not started are cancelled.
    std::optional<std::chrono::steady_clock::duration> timeout{};
    Scheduler scheduler{};
    Ready ready{};
    Trace trace{};
};

}  // namespace strider

#endif  // STRIDER_WALK_WALK_OPTIONS_HPP
