// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ASYNC_VISITOR_HPP
#define STRIDER_WALK_ASYNC_VISITOR_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/visit_handle.hpp>
#include <strider/walk/visitor.hpp>

#include <concepts>
#include <type_traits>

namespace strider {

namespace detail {

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

}  // namespace detail

/// A visitor that returns a coroutine: `asio::awaitable<T, E>` with `visit_result<T>`.
///
/// The walk stores the visitor until it ends and calls it as an lvalue, so a closure that is a coroutine stays valid.
template <class V, class G>
concept awaitable_visitor_for =
    detail::visits_directly<V, G> && detail::awaitable_traits<detail::visit_return_t<V, G>>::value
    && visit_result<typename detail::awaitable_traits<detail::visit_return_t<V, G>>::value_type>;

/// A visitor that starts an operation: the visit ends when the given handle is called.
///
/// It must not be callable without the handle, so that generic lambdas are not ambiguous.
template <class V, class G>
concept handle_visitor_for =
    !detail::visits_directly<V, G> && std::invocable<V&, vertex_id, vertex_value_t<G> const&, visit_handle>;

namespace detail {

template <class V, class G>
    requires handle_visitor_for<V, G>
inline constexpr bool takes_handle<V, G> = true;

// For `awaitable<T, E>`, `asio::strand<Executor>` must convert to `E`, as it does to the default `any_io_executor`.
template <class V, class G, class Executor>
    requires awaitable_visitor_for<V, G>
inline constexpr bool visits_asynchronously<V, G, Executor> =
    fits_strand_of<typename awaitable_traits<visit_return_t<V, G>>::executor_type, Executor>;
template <class V, class G, class Executor>
    requires handle_visitor_for<V, G>
inline constexpr bool visits_asynchronously<V, G, Executor> =
    std::convertible_to<asio::strand<Executor>, asio::any_io_executor>;

}  // namespace detail

}  // namespace strider

#endif  // STRIDER_WALK_ASYNC_VISITOR_HPP
