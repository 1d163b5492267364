// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_TRACE_HPP
#define STRIDER_WALK_TRACE_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <cstdint>

namespace strider {

/// The reason why a walk starts nothing new.
enum class stop_reason : std::uint8_t {
    partial,        ///< partial cancellation: running visits complete
    terminal,       ///< terminal cancellation: running visits were cancelled, and end
    total,          ///< total cancellation, before anything had started
    first_failure,  ///< `walk_options::stop_on_first_failure`
};

/// Receives the events of a walk. A trace does not change how a walk runs.
///
/// `started(v, worker)` is called before a visit, `settled(v, outcome, worker)` once for every vertex of the run,
/// also if it was skipped or cancelled. `stopping(reason)` is called once per reason, before the first `settled` of a
/// vertex that was cancelled for it. `settled` of a vertex happens before `started` and `settled` of its dependents.
///
/// *Threads.* Workers trace their plain visits under `work_stealing_scheduler` and `ascending_id` concurrently: the
/// functions must be thread-safe. `worker` is the index of the calling worker, below the number of workers. Calls
/// with the same index are sequential, so a trace can use an array of buffers without locks. In all other walks all
/// calls are sequential, under the mutex or on the strand of the walk, and `worker` is 0.
///
/// A trace must not block and must not use the walk. An exception ends the walk, see `async_walk`. Copies of a trace refer to
/// the same destination.
template <class T>
concept trace_policy = std::copy_constructible<T>
    && requires(T& trace, vertex_id v, visit_outcome const& outcome, stop_reason reason, std::uint32_t worker) {
           trace.started(v, worker);
           trace.settled(v, outcome, worker);
           trace.stopping(reason);
       };

/// No trace, at no cost.
struct no_trace {
    /// Called before the visit of a vertex, with the number of the worker.
    constexpr void started(vertex_id, std::uint32_t) const noexcept {}
    /// Called when a vertex is settled, whether it was visited or not.
    constexpr void settled(vertex_id, visit_outcome const&, std::uint32_t) const noexcept {}
    /// Called when the walk decides to start no further visit.
    constexpr void stopping(stop_reason) const noexcept {}
};

}  // namespace strider

#endif  // STRIDER_WALK_TRACE_HPP
