// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_ASYNC_WALK_HPP
#define STRIDER_WALK_ASYNC_WALK_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/refused_walk.hpp>
#include <strider/walk/detail/start_walk.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_executor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <memory>
#include <type_traits>
#include <utility>

namespace strider {

namespace detail {

/// The initiation: `deferred` keeps it and its arguments by value, hence the graph by address.
template <class Executor>
class initiate_walk {
public:
    using executor_type = Executor;

    explicit initiate_walk(Executor executor) noexcept : executor_(std::move(executor)) {}
    [[nodiscard]] auto get_executor() const noexcept -> executor_type { return executor_; }

    template <class Handler, class Graph, class Visitor, class Options>
    void operator()(Handler&& handler, Graph const* graph, Visitor&& visitor, Options&& options) const
    {
        start_walk(executor_, *graph, std::decay_t<Visitor>(std::forward<Visitor>(visitor)),
            std::decay_t<Options>(std::forward<Options>(options)),
            std::decay_t<Handler>(std::forward<Handler>(handler)));
    }

private:
    Executor executor_;
};

}  // namespace detail

/// Visits every vertex of a graph after all of its dependencies, on an executor of the caller's.
///
/// The visitor is called with the id and the value of a vertex and ends in one of three ways: by returning (plain), by
/// ending the `asio::awaitable` that it returned, or by calling the `visit_handle` that it was given. What it returns
/// or throws becomes the outcome of the vertex. If a dependency failed, the vertex is skipped as soon as all of them
/// are settled; other branches go on. As many visits run at once as the executor has threads, of awaitable and handle visits as
/// many as are ready, but at most `options.max_concurrency`; among vertices that are ready the ready queue chooses, by default the
/// smallest id. What a visitor wrote is visible to the visitors of
/// all dependents, and in the end to the handler. Visits themselves may run at the same time, but not under
/// `strand_scheduler`.
///
/// The handler is called exactly once, never from inside this call, on its associated executor.
///
/// \par Exceptions
/// An exception of a visitor is the outcome of its vertex. An exception of a ready queue, a limit function, a trace or an allocation
/// ends the walk: nothing more is visited, visits that run end, and the handler gets the error; `walk_report::exception` has the
/// exception. An exception thrown before this call returns leaves it, and the handler is not called. An exception of the handler leaves
/// the function that its executor runs.
///
/// \par Locks
/// Visitors and the handler are called without a lock of the walk. Under `work_stealing_scheduler` a ready queue with its limit functions, and
/// the trace of a walk with a ledger, are called under the mutex of the walk: they must not block, and must not cancel or
/// wait for the walk.
///
/// \par Allocation
/// The operation and the call of the handler use the handler's associated allocator, in this call and in the thread that completes the
/// walk; all of it is released before the handler is called. `std::allocator` makes what has another lifetime or is used by several
/// threads at once: a block that queued functions and the cancellation slot share with the operation, arrays of the number of
/// vertices or workers, the ready queue, the report, strands, coroutine frames, and the functions that the walk posts.
///
/// \par Completion signature
/// `void(error_code, walk_report)`; success, `walk_errc::vertex_failed`, `walk_errc::cancelled`, `walk_errc::policy_threw` or
/// `errc::not_enough_memory`; the report is complete in each case. \see default_walk_token_t
///
/// \par Cancellation
/// Emit on the handler's associated executor. *Partial*: starts nothing new and waits for what runs. *Terminal*: also
/// emits terminal cancellation to the awaitable and handle visits that run; a visit that then ends with
/// `operation_aborted` counts as cancelled. *Total*: obeyed as long as nothing has started, else refused.
///
/// \pre The graph stays alive and unchanged until the handler is called.
/// \complexity O(V + E)
template <walk_executor Executor, frozen_graph Graph, class Visitor, class Scheduler = work_stealing_scheduler,
    class Ready = ascending_id, class Trace = no_trace,
    asio::completion_token_for<walk_signature> Token = default_walk_token_t<Executor>>
    requires visitor_for<Visitor, Graph, Executor>
auto async_walk(Executor executor, Graph const& graph, Visitor visitor,
    walk_options<Scheduler, Ready, Trace> options = {}, Token&& token = Token())
{
    return asio::async_initiate<Token, walk_signature>(detail::initiate_walk<Executor>(std::move(executor)), token,
        std::addressof(graph), std::move(visitor), std::move(options));
}

/// The same on the executor of a context.
template <walk_context Context, frozen_graph Graph, class Visitor, class Scheduler = work_stealing_scheduler,
    class Ready = ascending_id, class Trace = no_trace,
    asio::completion_token_for<walk_signature> Token = default_walk_token_t<typename Context::executor_type>>
    requires visitor_for<Visitor, Graph, typename Context::executor_type>
auto async_walk(Context& context, Graph const& graph, Visitor visitor,
    walk_options<Scheduler, Ready, Trace> options = {}, Token&& token = Token())
{
    return async_walk(
        context.get_executor(), graph, std::move(visitor), std::move(options), std::forward<Token>(token));
}

/// A walk of a temporary graph would outlive it.
template <class Executor, class Graph, class Visitor, class Scheduler = work_stealing_scheduler,
    class Ready = ascending_id, class Trace = no_trace, class Token = asio::as_tuple_t<asio::deferred_t>>
void async_walk(Executor&& executor, Graph const&& graph, Visitor visitor,
    walk_options<Scheduler, Ready, Trace> options = {}, Token&& token = Token()) = delete;

/// Refuses an executor that cannot post.
template <asio::execution::executor Executor, frozen_graph Graph, class Visitor,
    class Scheduler = work_stealing_scheduler, class Ready = ascending_id, class Trace = no_trace,
    class Token = asio::as_tuple_t<asio::deferred_t>>
    requires(!walk_executor<Executor>)
void async_walk(
    Executor const&, Graph const&, Visitor&&, walk_options<Scheduler, Ready, Trace> const& = {}, Token&& = Token())
{
    detail::refuse_executor<Executor>();
}

/// Refuses a graph that may change and a visitor that cannot be called, with a sentence.
template <class Target, class Graph, class Visitor, class Scheduler = work_stealing_scheduler,
    class Ready = ascending_id, class Trace = no_trace, class Token = asio::as_tuple_t<asio::deferred_t>>
    requires detail::refused_walk<std::remove_cvref_t<Target>, Graph, Visitor>
void async_walk(Target&&, Graph const&, Visitor, walk_options<Scheduler, Ready, Trace> const& = {}, Token&& = Token())
{
    detail::refuse_walk<std::remove_cvref_t<Target>, Graph, Visitor>();
}

}  // namespace strider

#endif  // STRIDER_WALK_ASYNC_WALK_HPP
