// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_VISITOR_HPP
#define STRIDER_WALK_VISITOR_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/visit_handle.hpp>
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

template <class R>
struct awaitable_traits : std::false_type {};
template <class T, class E>
struct awaitable_traits<asio::awaitable<T, E>> : std::true_type {
    using value_type = T;
    using executor_type = E;
};

// Checked explicitly for strands: Asio declares any strand convertible to any other, and the conversion then fails to
// compile.
template <class E, class Executor>
inline constexpr bool fits_strand_of = std::convertible_to<asio::strand<Executor>, E>;
template <class Inner, class Executor>
inline constexpr bool fits_strand_of<asio::strand<Inner>, Executor> = std::convertible_to<Executor, Inner>;

template <class V, class G>
using visit_return_t = std::invoke_result_t<V&, vertex_id, vertex_value_t<G> const&>;

template <class V, class G>
concept visits_directly = std::invocable<V&, vertex_id, vertex_value_t<G> const&>;

}  // namespace detail

/// A visitor that returns a coroutine: `asio::awaitable<T, E>` with `visit_result<T>`.
///
/// The walk stores the visitor until it ends and calls it as an lvalue, so a closure that is a coroutine stays valid.
template <class V, class G>
concept awaitable_visitor_for =
    detail::visits_directly<V, G> && detail::awaitable_traits<detail::visit_return_t<V, G>>::value
    && visit_result<typename detail::awaitable_traits<detail::visit_return_t<V, G>>::value_type>;

/// A visitor that is an ordinary function: the visit ends when it returns.
template <class V, class G>
concept plain_visitor_for = detail::visits_directly<V, G> && visit_result<detail::visit_return_t<V, G>>
    && !detail::awaitable_traits<detail::visit_return_t<V, G>>::value;

/// A visitor that starts an operation: the visit ends when the given handle is called.
///
/// It must not be callable without the handle, so that generic lambdas are not ambiguous.
template <class V, class G>
concept handle_visitor_for =
    !detail::visits_directly<V, G> && std::invocable<V&, vertex_id, vertex_value_t<G> const&, visit_handle>;

/// A visitor that `async_walk` accepts on this executor. For `awaitable<T, E>`, `asio::strand<Executor>` must convert
/// to `E`, as it does to the default `any_io_executor`.
template <class V, class G, class Executor>
concept visitor_for =
    std::move_constructible<V> && (plain_visitor_for<V, G> || (awaitable_visitor_for<V, G> && requires {
        typename detail::awaitable_traits<detail::visit_return_t<V, G>>::executor_type;
        requires detail::fits_strand_of<typename detail::awaitable_traits<detail::visit_return_t<V, G>>::executor_type,
            Executor>;
    }) || (handle_visitor_for<V, G> && std::convertible_to<asio::strand<Executor>, asio::any_io_executor>));

}  // namespace strider

#endif  // STRIDER_WALK_VISITOR_HPP
