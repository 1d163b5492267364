// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALK_OPTIONS_HPP
#define STRIDER_WALK_WALK_OPTIONS_HPP

#include <strider/walk/ready_queue.hpp>
#include <strider/walk/trace.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace strider {

/// The ready vertices that a worker offers to other workers before it visits the next one. In walks with awaitable or
/// handle visits or with another ready queue, the number of handlers that visit.
enum class visit_granularity : std::uint8_t {
    /// All, until visits turn out to be short; the run measures a sample of them. One handler visits while they take less than about
    /// 150 ns.
    adaptive,
    /// Always all: a visit may take long at any time, and no vertex ever waits behind it.
    coarse,
    /// None: visits are so short that a second thread costs more than it saves.
    fine,
};

/// Options of a walk: `walk_options<>{.max_concurrency = 4}`, or `walk_options{.ready = fifo()}`, which deduces the types.
///
/// The executor, not an option, decides where a walk runs and whether visits run one at a time, see `async_walk`.
template <class Ready = ascending_id, class Trace = no_trace>
struct walk_options {
    static_assert(ready_queue_policy<Ready>,
        "a ready queue is copyable and has reset(id_bound), push(v), pop(), which returns a vertex_id, and size()");
    static_assert(trace_policy<Trace>,
        "a trace is copyable and has started(v, worker), settled(v, outcome, worker) and stopping(reason)");

    /// Maximum number of concurrent visits. 0: limited by the executor only; plain visits by its number of threads,
    /// awaitable and handle visits by the number of ready vertices.
    std::uint32_t max_concurrency = 0;
    /// After a failure nothing new starts. Vertices that were not started count as cancelled, dependents of the
    /// failed one as skipped.
    bool stop_on_first_failure = false;
    /// Time after which the walk acts as after partial cancellation: vertices that have not started are cancelled. The walk
    /// compares it when a visit starts or ends. While all vertices that are left wait for units of `resource_limits` that other
    /// walks use, it waits on a timer of the executor's context.
    std::optional<std::chrono::steady_clock::duration> timeout{};
    /// Number of threads of the executor. 0: the executor's `occupancy`; if it has none, `max_concurrency`; if that is 0, the
    /// number of processors. A strand and a manual executor count as one thread.
    std::uint32_t threads = 0;
    /// The expected duration of visits, which decides how many ready vertices a worker offers to others. Ignored for a strand.
    visit_granularity granularity = visit_granularity::adaptive;
    /// The queue that orders the ready vertices.
    Ready ready{};
    /// Receives the events of the walk.
    Trace trace{};
};

/// The type of `caller_helps`.
struct caller_helps_t {};
/// Argument of `walk` and `walker::run`: the calling thread visits too, outside of the executor, and counts as one of its threads.
/// Without it, the calling thread waits. Only walks by workers accept it: those of a `dag` with a plain visitor and `ascending_id`,
/// not on a strand.
inline constexpr caller_helps_t caller_helps{};

namespace detail {

template <class T>
inline constexpr bool is_walk_options = false;
template <class Ready, class Trace>
inline constexpr bool is_walk_options<walk_options<Ready, Trace>> = true;
template <class T>
concept any_walk_options = is_walk_options<std::remove_cvref_t<T>>;

}  // namespace detail

}  // namespace strider

#endif  // STRIDER_WALK_WALK_OPTIONS_HPP
