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

/// Is told what happens in a walk, in one order and never twice at once.
///
/// `started` is the moment a vertex is handed to the executor, `settled` comes once for every vertex, for those that
/// were skipped or cancelled too. A trace must not throw, must not block and must not touch the walk, which may hold a mutex while
/// it tells; copies of it must speak to the same place.
template <class T>
concept trace_policy =
    std::copy_constructible<T> && requires(T& trace, vertex_id v, visit_outcome const& outcome, stop_reason reason) {
        trace.started(v);
        trace.settled(v, outcome);
        trace.stopping(reason);
    };

/// Listens to nothing and costs nothing.
struct no_trace {
    constexpr void started(vertex_id) const noexcept {}
    constexpr void settled(vertex_id, visit_outcome const&) const noexcept {}
    constexpr void stopping(stop_reason) const noexcept {}
};

}  // namespace strider

#endif  // STRIDER_WALK_TRACE_HPP
