// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_TRACE_HPP
#define STRIDER_WALK_TRACE_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <cstdint>

namespace strider {

/// Why a walk starts nothing new any more.
enum class stop_reason : std::uint8_t {
    partial,        ///< partial cancellation: what runs is waited for
    terminal,       ///< terminal cancellation: what runs was asked to stop, and is waited for
    total,          ///< total cancellation, before anything had started
    first_failure,  ///< `walk_options::stop_on_first_failure`
};

/// Receives the events of a walk. A trace does not change how a walk runs.
///
/// `started(v, worker)` is called before a visit, `settled(v, outcome, worker)` once for every vertex that a run is about, also if it
/// was skipped or cancelled. `stopping(reason)` is called once for each reason, before the first `settled` of a vertex that was
/// cancelled for it. `settled` of a vertex happens before `started` and `settled` of its dependents.
///
/// *Threads.* Plain visits under `work_stealing_scheduler` and `ascending_id` are traced by their workers, several at once: the functions must
/// be thread-safe. `worker` is the index of the calling worker, below the number of workers; calls with the same index follow
/// one another, so that a trace can keep an array of buffers without locks. In all other walks calls follow one another, under
/// the mutex or on the strand of the walk, and `worker` is 0.
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

/// No trace. It costs nothing.
struct no_trace {
    constexpr void started(vertex_id, std::uint32_t) const noexcept {}
    constexpr void settled(vertex_id, visit_outcome const&, std::uint32_t) const noexcept {}
    constexpr void stopping(stop_reason) const noexcept {}
};

}  // namespace strider

#endif  // STRIDER_WALK_TRACE_HPP
