// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALK_OPTIONS_HPP
#define STRIDER_WALK_WALK_OPTIONS_HPP

#include <strider/walk/detail/steady_clock.hpp>
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/trace.hpp>

#include <concepts>
#include <cstdint>
#include <optional>

namespace strider {

/// Enables a type as `scheduler_policy`. Each has its operation in `walk/detail` and an overload of
/// `detail::start_walk`.
template <class S>
inline constexpr bool enable_scheduler_policy = false;

/// A policy that selects the bookkeeping of a walk and the threads that perform it.
template <class S>
concept scheduler_policy = std::copyable<S> && enable_scheduler_policy<S>;

/// Runs visitors, bookkeeping and trace on one `asio::strand`. The events of a walk have one total order, and data
/// that visitors share needs no lock. Visits alternate where they suspend, so plain visits run in sequence. A visit
/// by handle may end on any thread.
struct strand_scheduler {};
/// The strand scheduler is a scheduler.
template <>
inline constexpr bool enable_scheduler_policy<strand_scheduler> = true;

/// The ready vertices that a worker offers to other workers before it visits the next one. In walks with a ledger, the number of
/// handlers that visit.
enum class visit_granularity : std::uint8_t {
    /// All, until visits turn out to be short; the run measures a sample of them. One handler visits while they take less than about
    /// 150 ns.
    adaptive,
    /// Always all: a visit may take long at any time, and no vertex ever waits behind it.
    coarse,
    /// None: visits are so short that a second thread costs more than it saves.
    fine,
};

/// Workers settle the vertices that they visit, and steal from one another. A worker is a handler that stays while
/// there is work; there is no handler per vertex. This is the default and the fastest scheduler.
///
/// Plain visitors with `ascending_id` need no shared bookkeeping. Awaitable and handle visitors, and other ready
/// queues, share one ledger under a mutex, which is held for less time than a visit takes.
struct work_stealing_scheduler {
    /// Number of threads of the executor. 0: the executor's `occupancy`; if it has none, `max_concurrency`; if that is 0, the
    /// number of processors. A strand and a manual executor count as one thread.
    std::uint32_t threads = 0;
    /// The expected duration of visits, which decides how many ready vertices a worker offers to others.
    visit_granularity granularity = visit_granularity::adaptive;
    /// The thread that calls the blocking `walk`, or a `walker`, visits too, outside of the executor; it counts as
    /// one of the executor's threads. Ignored for a strand. If false, all visits run on the executor.
    bool caller_helps = false;
};
/// The work-stealing scheduler is a scheduler.
template <>
inline constexpr bool enable_scheduler_policy<work_stealing_scheduler> = true;

/// Options of a walk: `walk_options<>{.max_concurrency = 4}`.
template <scheduler_policy Scheduler = work_stealing_scheduler, ready_queue_policy Ready = ascending_id,
    trace_policy Trace = no_trace>
struct walk_options {
    /// Maximum number of concurrent visits. 0: limited by the executor only; plain visits by its number of threads,
    /// awaitable and handle visits by the number of ready vertices.
    std::uint32_t max_concurrency = 0;
    /// After a failure nothing new starts. Vertices that were not started count as cancelled, dependents of the
    /// failed one as skipped.
    bool stop_on_first_failure = false;
    /// Time after which the walk acts as after partial cancellation: vertices that have not started are cancelled.
    std::optional<std::chrono::steady_clock::duration> timeout{};
    /// The scheduler of the walk.
    Scheduler scheduler{};
    /// The queue that orders the ready vertices.
    Ready ready{};
    /// Receives the events of the walk.
    Trace trace{};
};

}  // namespace strider

#endif  // STRIDER_WALK_WALK_OPTIONS_HPP
