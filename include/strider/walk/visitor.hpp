// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_VISITOR_HPP
#define STRIDER_WALK_VISITOR_HPP

#include <strider/core/assert.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <type_traits>
#include <utility>

namespace strider {

/// Reports to a running visit whether the walk is cancelled terminally. Valid until the visit ends, on any thread.
///
/// Its own type, because not all supported standard libraries have `std::stop_token`. A copy is two pointers.
class stop_token {
public:
    /// A token that never requests a stop.
    stop_token() = default;

    /// Returns true once the walk is cancelled terminally. A visit that then ends with `operation_aborted` counts as cancelled.
    [[nodiscard]] auto stop_requested() const noexcept -> bool
    {
        return is_requested_ != nullptr && is_requested_(control_);
    }

private:
    friend detail::walk_access;

    template <class Control>
    explicit stop_token(Control const& control) noexcept
        : control_(&control),
          is_requested_([](void const* of) noexcept { return static_cast<Control const*>(of)->signals_visits(); })
    {}

    void const* control_ = nullptr;
    bool (*is_requested_)(void const*) noexcept = nullptr;
};

namespace detail {

// The interface of the walk to a visit by handle. Type-erased, so that visitors use one handle type.
class visit_port {
public:
    visit_port() = default;
    visit_port(visit_port const&) = delete;
    auto operator=(visit_port const&) -> visit_port& = delete;

    // Called once per visit, on any thread. May destroy the port.
    virtual void settle(visit_outcome outcome) = 0;
    [[nodiscard]] virtual auto executor() const -> asio::any_io_executor = 0;
    [[nodiscard]] virtual auto slot() -> asio::cancellation_slot = 0;
    [[nodiscard]] virtual auto stop() const -> stop_token = 0;

protected:
    ~visit_port() = default;
};

}  // namespace detail

/// Ends one visit: an Asio handler that the visitor calls, or passes to an asynchronous operation, exactly once.
///
/// It may be called on any thread. Its associated executor is the strand of its visit. Its associated cancellation
/// slot receives terminal cancellation of the walk, emitted on that strand: `timer.async_wait(std::move(h))` is a
/// complete visit. If it is destroyed without a call, the visit fails with `walk_errc::abandoned`.
///
/// The visit ends when the visitor has returned and the handle has been called or destroyed. If the visitor throws
/// before that, the exception is the outcome.
///
/// A handle is one pointer; it is movable, not copyable, and allocates nothing. After a call or a move it is empty:
/// it may be destroyed and assigned to, its executor and slot are empty, and a call asserts, or has no effect if
/// assertions are disabled.
class visit_handle {
public:
    /// The type of the strand of the visit, type-erased.
    using executor_type = asio::any_io_executor;
    /// The type of the slot of the visit.
    using cancellation_slot_type = asio::cancellation_slot;

    /// Leaves `other` without a visit.
    visit_handle(visit_handle&& other) noexcept : port_(std::exchange(other.port_, nullptr)) {}
    /// Abandons the visit of this handle, if any, and takes that of `other`.
    auto operator=(visit_handle&& other) noexcept -> visit_handle&
    {
        visit_handle taken(std::move(other));
        std::swap(taken.port_, port_);
        return *this;
    }
    ~visit_handle()
    {
        if (port_ != nullptr) port_->settle(visit_outcome::failure(make_error_code(walk_errc::abandoned)));
    }

    /// Ends the visit with success.
    void operator()() { (*this)(visit_outcome()); }
    /// Ends the visit: with success if `exception` is null, else with the exception.
    void operator()(std::exception_ptr exception)
    {
        (*this)(exception ? visit_outcome::failure(std::move(exception)) : visit_outcome());
    }
    /// Ends the visit with an outcome, or with an error code: success is done. \pre The handle was neither called nor moved from.
    void operator()(visit_outcome outcome)
    {
        STRIDER_ASSERT(port_ != nullptr, "a visit handle is called once");
        if (port_ != nullptr) std::exchange(port_, nullptr)->settle(std::move(outcome));
    }

    /// Ends the visit with the error code of an operation that also has results, such as a number of bytes. These are ignored.
    template <class... Results>
        requires(sizeof...(Results) != 0)
    void operator()(error_code error, Results const&...)
    {
        (*this)(visit_outcome(error));
    }

    /// True until the handle is called or moved from.
    [[nodiscard]] explicit operator bool() const noexcept { return port_ != nullptr; }

    /// Returns the strand of the visit; an empty executor if the handle has no visit.
    [[nodiscard]] auto get_executor() const -> executor_type
    {
        return port_ == nullptr ? executor_type() : port_->executor();
    }
    /// Returns the slot of terminal cancellation, emitted on the strand of the visit; an empty one if there is no visit.
    [[nodiscard]] auto get_cancellation_slot() const -> cancellation_slot_type
    {
        return port_ == nullptr ? cancellation_slot_type() : port_->slot();
    }
    /// Returns the token of the visit, for work that polls; one that never requests a stop if there is no visit.
    [[nodiscard]] auto get_stop_token() const -> stop_token { return port_ == nullptr ? stop_token() : port_->stop(); }

private:
    friend detail::walk_access;

    explicit visit_handle(detail::visit_port& port) noexcept : port_(&port) {}

    detail::visit_port* port_;
};

/// A type that a visit may return: `void` (done, unless it throws) or a type that converts to `visit_outcome`, such as an error
/// code.
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

// Kinds of visitors of a vertex with a value of type T.
template <class V, class T>
using visit_return_t = std::invoke_result_t<V&, vertex_id, T const&>;
template <class V, class T>
concept visits_directly = std::invocable<V&, vertex_id, T const&>;
template <class V, class T>
concept visits_by_handle = !visits_directly<V, T> && std::invocable<V&, vertex_id, T const&, visit_handle>;
template <class V, class T>
concept visits_with_stop_token =
    !visits_directly<V, T> && !visits_by_handle<V, T> && std::invocable<V&, vertex_id, T const&, stop_token>;
template <class V, class T>
concept visits_plainly = (visits_directly<V, T> && visit_result<visit_return_t<V, T>>)
    || (visits_with_stop_token<V, T> && visit_result<std::invoke_result_t<V&, vertex_id, T const&, stop_token>>);

template <class R>
struct awaitable_traits : std::false_type {};
template <class T, class E>
struct awaitable_traits<asio::awaitable<T, E>> : std::true_type {
    using value_type = T;
    using executor_type = E;
};

template <class V, class T>
concept visits_by_coroutine = visits_directly<V, T> && awaitable_traits<visit_return_t<V, T>>::value
    && visit_result<typename awaitable_traits<visit_return_t<V, T>>::value_type>;

}  // namespace detail

/// A visitor that is an ordinary function: the visit ends when it returns. It may take a `stop_token` as a third parameter.
template <class V, class G>
concept plain_visitor_for = detail::visits_plainly<V, vertex_value_t<G>>;

/// A visitor that returns a coroutine: `asio::awaitable<T, E>` with `visit_result<T>`.
///
/// The walk stores the visitor until it ends and calls it as an lvalue, so a closure that is a coroutine stays valid.
template <class V, class G>
concept awaitable_visitor_for = detail::visits_by_coroutine<V, vertex_value_t<G>>;

/// A visitor that starts an operation: the visit ends when the given handle is called.
///
/// It must not be callable without the handle, so that generic lambdas are not ambiguous.
template <class V, class G>
concept handle_visitor_for = detail::visits_by_handle<V, vertex_value_t<G>>;

namespace detail {

// True if the strand of a visit converts to `E`. Strands are compared by their inner executors, because Asio declares any
// strand convertible to any other one, also where the conversion is an error.
template <class E, class Strand>
inline constexpr bool fits_strand = std::convertible_to<Strand, E>;
template <class Inner, class OtherInner>
inline constexpr bool fits_strand<asio::strand<Inner>, asio::strand<OtherInner>> =
    std::convertible_to<OtherInner, Inner>;

// For `awaitable<T, E>`, the strand of a visit must convert to `E`, as it does to the default `any_io_executor`.
template <class V, class G, class Executor>
concept awaitable_visitor_on = awaitable_visitor_for<V, G>
    && fits_strand<typename awaitable_traits<visit_return_t<V, vertex_value_t<G>>>::executor_type,
        strand_of_t<Executor>>;
template <class V, class G, class Executor>
concept handle_visitor_on =
    handle_visitor_for<V, G> && std::convertible_to<strand_of_t<Executor>, asio::any_io_executor>;

}  // namespace detail

/// A visitor that walks accept on this executor: a plain one, or an `awaitable_visitor_for` or a `handle_visitor_for` whose
/// strands fit.
template <class V, class G, class Executor>
concept visitor_for = std::move_constructible<V>
    && (plain_visitor_for<V, G> || detail::awaitable_visitor_on<V, G, Executor>
        || detail::handle_visitor_on<V, G, Executor>);

}  // namespace strider

#endif  // STRIDER_WALK_VISITOR_HPP
