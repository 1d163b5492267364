// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_VISITOR_HPP
#define STRIDER_WALK_VISITOR_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <functional>
#include <type_traits>

namespace strider {

/// A type that a visit may return: `void` (done, unless it throws) or a type that converts to `visit_outcome`.
template <class R>
concept visit_result = std::is_void_v<R> || std::convertible_to<R, visit_outcome>;

/// A visitor that receives the vertices that are not visited: `not_visited(v, outcome)` is called once for each vertex of a run
/// that is skipped, cancelled or, in a partial run, unchanged without a visit.
///
/// All dependencies of the vertex are settled before the call, its dependents after it. Calls may be concurrent. They must
/// not throw, block or use the walk. A vertex has neither a visit nor a call if an exception outside of visitors ends the walk.
template <class V>
concept notified_visitor =
    requires(V& visitor, vertex_id v, visit_outcome const& outcome) { visitor.not_visited(v, outcome); };

namespace detail {

template <class V>
void notify_not_visited(V& visitor, vertex_id v, visit_outcome const& outcome) noexcept
{
    if constexpr (notified_visitor<V>) visitor.not_visited(v, outcome);
}
template <class V>
void notify_not_visited(std::reference_wrapper<V> visitor, vertex_id v, visit_outcome const& outcome) noexcept
{
    notify_not_visited(visitor.get(), v, outcome);
}

template <class V, class G>
using visit_return_t = std::invoke_result_t<V&, vertex_id, vertex_value_t<G> const&>;

template <class V, class G>
concept visits_directly = std::invocable<V&, vertex_id, vertex_value_t<G> const&>;

}  // namespace detail

/// A visitor that is an ordinary function: the visit ends when it returns.
template <class V, class G>
concept plain_visitor_for = detail::visits_directly<V, G> && visit_result<detail::visit_return_t<V, G>>;

namespace detail {

// `async_visitor.hpp` specializes both: visitors that take handles, and those that return coroutines or take
// handles for the strands of an executor.
template <class V, class G>
inline constexpr bool takes_handle = false;
template <class V, class G, class Executor>
inline constexpr bool visits_asynchronously = false;

}  // namespace detail

/// A visitor that walks accept on this executor: a plain one, or with `async_visitor.hpp`, which `async_walk.hpp`
/// includes, also an `awaitable_visitor_for` or a `handle_visitor_for` whose strands fit.
template <class V, class G, class Executor>
concept visitor_for =
    std::move_constructible<V> && (plain_visitor_for<V, G> || detail::visits_asynchronously<V, G, Executor>);

}  // namespace strider

#endif  // STRIDER_WALK_VISITOR_HPP
