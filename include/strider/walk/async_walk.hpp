// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ASYNC_WALK_HPP
#define STRIDER_WALK_ASYNC_WALK_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/engine.hpp>
#include <strider/walk/detail/ill_formed_walk.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace strider {

namespace detail {

// True for the token of executors without a choice of their own: `void`, or since Boost 1.86 `deferred`.
template <class Token>
inline constexpr bool is_usual_token = std::is_void_v<Token> || std::is_same_v<Token, asio::deferred_t>;

}  // namespace detail

/// Default completion token of a walk: the executor's `default_completion_token_t`, or `as_tuple(deferred)` if the executor has
/// only that of Asio. A plain `deferred` throws on an error and loses the report.
template <class Executor>
using default_walk_token_t = std::conditional_t<detail::is_usual_token<asio::default_completion_token_t<Executor>>,
    asio::as_tuple_t<asio::deferred_t>, asio::default_completion_token_t<Executor>>;

namespace detail {

/// The initiation. `deferred` stores it and its arguments by value, hence the graph by address.
template <class Executor>
class initiate_walk {
public:
    using executor_type = Executor;

    explicit initiate_walk(Executor executor) noexcept : executor_(std::move(executor)) {}
    [[nodiscard]] auto get_executor() const noexcept -> executor_type { return executor_; }

    template <class Handler, class Graph, class Visitor, class Ready, class Trace>
    void operator()(Handler&& handler, Graph const* graph, Visitor visitor, walk_options<Ready, Trace> options) const
    {
        using handler_type = std::decay_t<Handler>;
        using run = run_of_walk<Executor, Graph, Visitor, Ready, Trace, destroy_and_call<Executor, handler_type>>;
        start_walk<run>(
            executor_, handler_type(std::forward<Handler>(handler)), *graph, std::move(visitor), std::move(options));
    }

private:
    Executor executor_;
};

}  // namespace detail

/// Visits every vertex of a graph after all of its dependencies, on an executor that the caller owns.
///
/// The visitor is called with the id and the value of a vertex. A visit ends when the visitor returns (plain), when
/// the `asio::awaitable` that it returned ends, or when the `visit_handle` that it received is called. The result or
/// the exception of the visit is the outcome of the vertex. If a dependency failed, the vertex is skipped as soon as
/// all of its dependencies are settled; other branches continue. Plain visits run on all threads of the executor;
/// awaitable and handle visits start as soon as they are ready. `options.max_concurrency` limits the number of visits
/// that run at once. The ready queue selects among ready vertices, by default the smallest id. The writes of a visit
/// are visible to the visits of all dependents, and to the handler. Visits may run at the same time.
///
/// The executor is the only policy of execution. On a `strand_executor`, such as `asio::make_strand(pool)`, all visits, the
/// ready queue and the trace run on the strand: the events of the walk have one total order, and data that visitors share
/// needs no lock. Plain visits then run in sequence; awaitable visits alternate where they suspend; a handle may be called
/// on any thread. A strand inside an `any_io_executor` is not recognised: visits still run one at a time, but the ready queue
/// and the trace are called under a mutex, also by the thread that calls a handle.
///
/// The handler is called exactly once, never from inside this call, on its associated executor. As for every asynchronous
/// operation, the execution context of that executor must exist until the thread that posts the handler has returned from the
/// post: if the handler belongs to another context, join the context of the walk before that one is destroyed.
///
/// \par Exceptions
/// An exception of a visitor is the outcome of its vertex. An exception of a ready queue, a limit function, a trace
/// or an allocation ends the walk: no further vertex is visited, running visits end, and the handler receives the
/// error; `walk_report::exception` returns the exception. An exception thrown before this call returns propagates to
/// the caller, and the handler is not called. An exception of the handler leaves the function that its executor runs.
///
/// \par Locks
/// Visitors and the handler are called without a lock of the walk. A ready queue with its limit functions, and the trace
/// of a walk with awaitable or handle visits or with another ready queue, are called on the strand if the executor is
/// one, else under the mutex of the walk: they must not block, and must not cancel or wait for the walk.
///
/// \par Allocation
/// The operation and the call of the handler use the handler's associated allocator, in this call and in the thread
/// that completes the walk; all of that memory is released before the handler is called. Memory that has another
/// lifetime, or that several threads allocate at once, comes from `std::allocator`: a block that queued functions and
/// the cancellation slot share with the operation, arrays with one element per vertex or worker, the ready queue, the
/// report, strands, coroutine frames, and the functions that the walk posts.
///
/// \par Completion signature
/// `void(error_code, walk_report)`; success or the error of the report, see `walk_report::error`; the report is complete in each
/// case. \see default_walk_token_t
///
/// \par Cancellation
/// Emit on the handler's associated executor. *Partial*: nothing new starts; running visits complete. *Terminal*:
/// also emits terminal cancellation to the running awaitable and handle visits; a visit that then ends with
/// `operation_aborted` counts as cancelled. *Total*: takes effect only if no visit has started.
///
/// \pre The graph exists and does not change until the handler is called.
/// \complexity O(V + E)
template <walk_executor Executor, acyclic_graph Graph, class Visitor, class Ready = ascending_id,
    class Trace = no_trace, detail::walk_token Token = default_walk_token_t<Executor>>
    requires visitor_for<Visitor, Graph, Executor>
auto async_walk(Executor executor, Graph const& graph, Visitor visitor, walk_options<Ready, Trace> options = {},
    Token&& token = Token())
{
    return asio::async_initiate<Token, walk_signature>(detail::initiate_walk<Executor>(std::move(executor)), token,
        std::addressof(graph), std::move(visitor), std::move(options));
}

/// As above, with the default options.
template <walk_executor Executor, acyclic_graph Graph, class Visitor, detail::walk_token Token>
    requires visitor_for<Visitor, Graph, Executor>
auto async_walk(Executor executor, Graph const& graph, Visitor visitor, Token&& token)
{
    return async_walk(std::move(executor), graph, std::move(visitor), walk_options<>(), std::forward<Token>(token));
}

/// As above, on the executor of a context.
template <walk_context Context, acyclic_graph Graph, class Visitor, class Ready = ascending_id, class Trace = no_trace,
    detail::walk_token Token = default_walk_token_t<typename Context::executor_type>>
    requires visitor_for<Visitor, Graph, typename Context::executor_type>
auto async_walk(Context& context, Graph const& graph, Visitor visitor, walk_options<Ready, Trace> options = {},
    Token&& token = Token())
{
    return async_walk(
        context.get_executor(), graph, std::move(visitor), std::move(options), std::forward<Token>(token));
}

/// As above, on the executor of a context, with the default options.
template <walk_context Context, acyclic_graph Graph, class Visitor, detail::walk_token Token>
    requires visitor_for<Visitor, Graph, typename Context::executor_type>
auto async_walk(Context& context, Graph const& graph, Visitor visitor, Token&& token)
{
    return async_walk(context.get_executor(), graph, std::move(visitor), walk_options<>(), std::forward<Token>(token));
}

/// Deleted: the walk would refer to a temporary graph.
template <detail::walk_target Target, acyclic_graph Graph, class Visitor, class Ready = ascending_id,
    class Trace = no_trace, class Token = asio::as_tuple_t<asio::deferred_t>>
void async_walk(Target&& target, Graph const&& graph, Visitor visitor, walk_options<Ready, Trace> options = {},
    Token&& token = Token()) = delete;
/// Deleted, as above.
template <detail::walk_target Target, acyclic_graph Graph, class Visitor, detail::walk_token Token>
void async_walk(Target&& target, Graph const&& graph, Visitor visitor, Token&& token) = delete;

/// Rejects other arguments with a readable error.
template <class Target, class Graph, class Visitor, class Ready = ascending_id, class Trace = no_trace,
    class Token = asio::as_tuple_t<asio::deferred_t>>
    requires detail::ill_formed_walk<Target, Graph, Visitor, Token>
void async_walk(Target&&, Graph const&, Visitor, walk_options<Ready, Trace> const& = {}, Token&& = Token())
{
    detail::report_ill_formed_walk<Target, Graph, Visitor>();
    detail::report_invalid_token<Token>();
}

/// Rejects what is neither options nor a completion token.
template <detail::walk_target Target, class Graph, class Visitor, class Token, class... Rest>
    requires(!detail::any_walk_options<Token>
        && (sizeof...(Rest) != 0 || detail::ill_formed_walk<Target, Graph, Visitor, Token>))
void async_walk(Target&&, Graph const&, Visitor, Token&&, Rest&&...)
{
    detail::report_ill_formed_walk<Target, Graph, Visitor>();
    detail::report_invalid_token<Token>();
    static_assert(sizeof...(Rest) == 0, "the arguments of async_walk are executor, graph, visitor, options, token");
}

}  // namespace strider

#endif  // STRIDER_WALK_ASYNC_WALK_HPP
