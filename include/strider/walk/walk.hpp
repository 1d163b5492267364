// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALK_HPP
#define STRIDER_WALK_WALK_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/walk/asio_execution.hpp>
#include <strider/walk/detail/ill_formed_walk.hpp>
#include <strider/walk/detail/stealing/blocking_run.hpp>
#include <strider/walk/is_manual_executor.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_executor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <type_traits>
#include <utility>

namespace strider {

namespace detail {

// A walk with a ledger, and a thread that waits for its end. `async_walk.hpp` defines it.
template <class Executor>
struct waiting_walk;

}  // namespace detail

/// Walks as `async_walk` does and waits for the end. `walk_report::error()` returns the error of the walk.
///
/// If the context of the executor is destroyed during the walk, the error is `walk_errc::context_destroyed`.
///
/// The calling thread does not visit, unless `work_stealing_scheduler::caller_helps` is set and workers visit in
/// `async_walk`, or the thread runs a function of the executor: so a visitor may walk on its own pool.
///
/// This header alone compiles faster than `async_walk.hpp`, and suffices for plain visitors, `work_stealing_scheduler`,
/// `ascending_id` and graphs such as `dag`. Other walks need `async_walk.hpp` too.
///
/// \pre The context of the executor is not stopped until the walk has ended: a stopped `asio::thread_pool` or
/// `asio::io_context` neither runs nor destroys the functions that were posted to it, so the walk would not end. A stopped
/// `io_context` is asserted when the walk begins. To end a walk early, cancel it.
/// \pre A walk with coroutines, handles, or a ready queue is not called by a thread of its executor (asserted if the executor
/// has `running_in_this_thread`). With a strand, the caller is no thread that the inner executor needs.
/// \see `walker` to walk the same graph many times
template <walk_executor Executor, acyclic_graph Graph, class Visitor, class Scheduler = work_stealing_scheduler,
    class Ready = ascending_id, class Trace = no_trace>
    requires(visitor_for<Visitor, Graph, Executor> && !is_manual_executor_v<Executor>)
[[nodiscard]] auto walk(Executor executor, Graph const& graph, Visitor visitor,
    walk_options<Scheduler, Ready, Trace> options = {}) -> walk_report
{
    if constexpr (detail::walked_by_workers<Visitor, Graph, Scheduler, Ready, Trace>) {
        detail::blocking_run<Executor, Graph, Visitor, detail::native_threads, Trace> run(
            executor, graph, std::move(visitor), options);
        return run();
    } else if constexpr (requires { sizeof(detail::waiting_walk<Executor>); }) {
        return detail::waiting_walk<Executor>::run(std::move(executor), graph, std::move(visitor), std::move(options));
    } else {
        static_assert(detail::walked_by_workers<Visitor, Graph, Scheduler, Ready, Trace>,
            "a walk with a scheduler, a ready queue or a graph of this type needs <strider/walk/async_walk.hpp>");
    }
}

/// As above, on the executor of a context.
template <walk_context Context, acyclic_graph Graph, class Visitor, class Scheduler = work_stealing_scheduler,
    class Ready = ascending_id, class Trace = no_trace>
    requires(visitor_for<Visitor, Graph, typename Context::executor_type>
        && !is_manual_executor_v<typename Context::executor_type>)
[[nodiscard]] auto walk(Context& context, Graph const& graph, Visitor visitor,
    walk_options<Scheduler, Ready, Trace> options = {}) -> walk_report
{
    return walk(context.get_executor(), graph, std::move(visitor), std::move(options));
}

/// Rejects an executor that cannot post.
template <asio::execution::executor Executor, acyclic_graph Graph, class Visitor,
    class Scheduler = work_stealing_scheduler, class Ready = ascending_id, class Trace = no_trace>
    requires(!walk_executor<Executor>)
auto walk(Executor const&, Graph const&, Visitor&&, walk_options<Scheduler, Ready, Trace> const& = {}) -> walk_report
{
    detail::report_invalid_executor<Executor>();
    return {};
}

/// Rejects a mutable graph or a visitor that cannot be called, with a readable error.
template <class Target, class Graph, class Visitor, class Scheduler = work_stealing_scheduler,
    class Ready = ascending_id, class Trace = no_trace>
    requires detail::ill_formed_walk<std::remove_cvref_t<Target>, Graph, Visitor>
auto walk(Target&&, Graph const&, Visitor, walk_options<Scheduler, Ready, Trace> const& = {}) -> walk_report
{
    detail::report_ill_formed_walk<std::remove_cvref_t<Target>, Graph, Visitor>();
    return {};
}

}  // namespace strider

#endif  // STRIDER_WALK_WALK_HPP
