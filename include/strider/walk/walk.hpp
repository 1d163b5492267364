// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALK_HPP
#define STRIDER_WALK_WALK_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/engine.hpp>
#include <strider/walk/detail/ill_formed_walk.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <utility>

namespace strider {

/// Walks as `async_walk` does and waits for the end. `walk_report::error()` returns the error of the walk.
///
/// If the context of the executor is destroyed during the walk, the error is `walk_errc::context_destroyed`.
///
/// The calling thread does not visit, unless the last argument is `caller_helps`, or the thread runs a function of the executor:
/// so a visitor may walk on its own pool.
///
/// \pre The context of the executor is not stopped until the walk has ended: a stopped `asio::thread_pool` or
/// `asio::io_context` neither runs nor destroys the functions that were posted to it, so the walk would not end. A stopped
/// `io_context` is asserted when the walk begins. To end a walk early, cancel it.
/// \pre A walk with coroutines, handles, or a ready queue is not called by a thread of its executor (asserted if the executor
/// has `running_in_this_thread`). With a strand, the caller is no thread that the inner executor needs.
/// \see `walker` to walk the same graph many times
template <walk_executor Executor, acyclic_graph Graph, class Visitor, class Ready = ascending_id,
    class Trace = no_trace, std::same_as<caller_helps_t>... Helps>
    requires(visitor_for<Visitor, Graph, Executor> && !is_manual_executor_v<Executor> && sizeof...(Helps) <= 1)
[[nodiscard]] auto walk(Executor executor, Graph const& graph, Visitor visitor, walk_options<Ready, Trace> options = {},
    Helps... helps) -> walk_report
{
    constexpr bool by_workers = detail::walked_by_workers<Visitor, Graph, Ready, Trace>;
    detail::check_caller<by_workers && !strand_executor<Executor>>(helps...);
    detail::repeated_walk_of<Executor, Graph, Visitor, Ready, Trace> run(
        executor, graph, std::move(visitor), std::move(options));
    return run(sizeof...(Helps) != 0);
}

/// As above, on the executor of a context.
template <walk_context Context, acyclic_graph Graph, class Visitor, class Ready = ascending_id, class Trace = no_trace,
    std::same_as<caller_helps_t>... Helps>
    requires(visitor_for<Visitor, Graph, typename Context::executor_type>
        && !is_manual_executor_v<typename Context::executor_type> && sizeof...(Helps) <= 1)
[[nodiscard]] auto walk(Context& context, Graph const& graph, Visitor visitor, walk_options<Ready, Trace> options = {},
    Helps... helps) -> walk_report
{
    return walk(context.get_executor(), graph, std::move(visitor), std::move(options), helps...);
}

/// Rejects other arguments with a readable error.
template <class Target, class Graph, class Visitor, class Ready = ascending_id, class Trace = no_trace>
    requires(detail::ill_formed_walk<Target, Graph, Visitor> || is_manual_executor_v<detail::executor_of_t<Target>>)
auto walk(Target&&, Graph const&, Visitor, walk_options<Ready, Trace> const& = {}) -> walk_report
{
    static_assert(!is_manual_executor_v<detail::executor_of_t<Target>>,
        "a manual executor is stepped by the thread that would wait for the walk: use async_walk");
    detail::report_ill_formed_walk<Target, Graph, Visitor>();
    return {};
}

/// Rejects a walk without an executor.
template <acyclic_graph Graph, visitor_for<Graph, asio::any_io_executor> Visitor, class... Options>
    requires(!detail::walk_target<Graph>)
auto walk(Graph const&, Visitor const&, Options const&...) -> walk_report
{
    static_assert(sizeof(Graph) == 0, "the first argument of walk is an executor or a context, such as a thread_pool");
    return {};
}

/// Rejects a completion token.
template <detail::walk_target Target, class Graph, class Visitor, class Token, class... Rest>
    requires(!detail::any_walk_options<Token> || !(std::same_as<Rest, caller_helps_t> && ...) || sizeof...(Rest) > 1)
auto walk(Target&&, Graph const&, Visitor, Token&&, Rest const&...) -> walk_report
{
    static_assert(sizeof(Token) == 0,
        "the fourth argument of walk is options, such as {.max_concurrency = 2}; a completion token belongs to "
        "async_walk");
    return {};
}

}  // namespace strider

#endif  // STRIDER_WALK_WALK_HPP
