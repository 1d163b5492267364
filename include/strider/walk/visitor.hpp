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

/// What a visit may end with: nothing (done, unless it throws) or something that says how it ended.
template <class R>
concept visit_result = std::is_void_v<R> || std::convertible_to<R, visit_outcome>;

namespace detail {

template <class R>
struct awaitable_traits : std::false_type {};
template <class T, class E>
struct awaitable_traits<asio::awaitable<T, E>> : std::true_type {
    using value_type = T;
    using executor_type = E;
};

// Asked by hand where strands meet: Asio lets any strand convert to any other and fails to compile afterwards.
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
/// The walk keeps the visitor until it ends and calls it as an lvalue: a closure that is a coroutine stays alive.
template <class V, class G>
concept awaitable_visitor_for =
    detail::visits_directly<V, G> && detail::awaitable_traits<detail::visit_return_t<V, G>>::value
    && visit_result<typename detail::awaitable_traits<detail::visit_return_t<V, G>>::value_type>;

/// A visitor that is an ordinary function: it has visited when it returns.
template <class V, class G>
concept plain_visitor_for = detail::visits_directly<V, G> && visit_result<detail::visit_return_t<V, G>>
    && !detail::awaitable_traits<detail::visit_return_t<V, G>>::value;

/// A visitor that starts something and has visited when the handle it was given is called.
///
/// "Not callable without the handle" keeps generic lambdas unambiguous.
template <class V, class G>
concept handle_visitor_for =
    !detail::visits_directly<V, G> && std::invocable<V&, vertex_id, vertex_value_t<G> const&, visit_handle>;

/// A visitor that `async_walk` accepts on this executor: for `awaitable<T, E>` an `asio::strand<Executor>` must convert to `E`, as it
/// does to `any_io_executor`, the default.
template <class V, class G, class Executor>
concept visitor_for =
    std::move_constructible<V> && (plain_visitor_for<V, G> || (awaitable_visitor_for<V, G> && requires {
        typename detail::awaitable_traits<detail::visit_return_t<V, G>>::executor_type;
        requires detail::fits_strand_of<typename detail::awaitable_traits<detail::visit_return_t<V, G>>::executor_type,
            Executor>;
    }) || (handle_visitor_for<V, G> && std::convertible_to<asio::strand<Executor>, asio::any_io_executor>));

}  // namespace strider

#endif  // STRIDER_WALK_VISITOR_HPP
