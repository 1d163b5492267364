// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_SIMULATE_WALK_HPP
#define STRIDER_SIM_SIMULATE_WALK_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>
#include <strider/sim/detail/simulated_pool.hpp>
#include <strider/sim/manual_executor.hpp>
#include <strider/sim/virtual_timer.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/detail/engine.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace strider::sim {

/// A visit of a simulated walk: its duration and its outcome.
struct simulated_visit {
    /// A visit that takes this virtual time, and ends like this.
    template <class Rep, class Period>
    simulated_visit(std::chrono::duration<Rep, Period> time, visit_outcome end = {})
        : duration(std::chrono::duration_cast<std::chrono::nanoseconds>(time)),
          outcome(std::move(end))
    {}

    /// The virtual time that the visit takes.
    std::chrono::nanoseconds duration;
    /// The outcome of the visit.
    visit_outcome outcome;
};

/// The time of a visit, since the walk was started. Without an end, the vertex was not visited, or `visit_of` threw.
struct visit_time {
    /// The virtual time at which the visit begins, since the begin of the walk; 0 without an end.
    std::chrono::nanoseconds start{};
    /// The virtual time at which the visit ends, since the begin of the walk.
    std::optional<std::chrono::nanoseconds> end;
};

/// The result of a simulated walk.
template <class Id>
struct simulated_walk {
    /// The outcomes of the vertices.
    walk_report report;
    /// The virtual time from the begin of the walk to its end.
    std::chrono::nanoseconds duration{};
    /// The times of all vertices; those that were not visited have no end.
    basic_vertex_map<Id, visit_time> times;
};

namespace detail {

template <class F, class Graph>
concept simulated_visitor = std::invocable<F&, vertex_id, vertex_value_t<Graph> const&>
    && std::convertible_to<std::invoke_result_t<F&, vertex_id, vertex_value_t<Graph> const&>, simulated_visit>;

// The number of threads of a simulated pool if the options do not limit it.
inline constexpr std::uint32_t default_threads = 256;

// The world of the calling thread that simulates asynchronous visits.
inline thread_local manual_context const* current_world = nullptr;

// Makes a world the current one, during its lifetime.
class entered_world {
public:
    explicit entered_world(manual_context const& world) noexcept : before_(std::exchange(current_world, &world)) {}
    entered_world(entered_world const&) = delete;
    auto operator=(entered_world const&) -> entered_world& = delete;
    ~entered_world() { current_world = before_; }

private:
    manual_context const* before_;
};

}  // namespace detail

/// The virtual time since the begin of the simulated walk that calls this function, for the trace of the walk; 0 outside of
/// simulated walks: `timeline line(&sim::simulated_time)`.
[[nodiscard]] inline auto simulated_time() -> std::chrono::nanoseconds
{
    if (auto const* pool = detail::simulated_pool::current()) return pool->now().time_since_epoch();
    return detail::current_world == nullptr ? std::chrono::nanoseconds(0)
                                            : detail::current_world->now().time_since_epoch();
}

/// Walks a graph in virtual time as `async_walk` does with an awaitable visitor: a visit waits without a thread. The duration of
/// a walk is known without running it.
///
/// \param visit_of  called as `visit_of(v, graph[v])` when the vertex starts; returns a `simulated_visit`, or a duration
/// \param options   of the walk; its timeout is virtual time; its trace sees virtual time if its clock is `simulated_time`
/// \param seed      0: tasks that are ready at the same time run in the order of their arrival; other values select at random
/// \complexity O((V + E) log V)
/// \throws what a copy or a function of the ready queue or of the trace throws, and std::bad_alloc; an exception of `visit_of` is the
///         outcome of its vertex
template <acyclic_graph Graph, class VisitOf, class Ready = ascending_id, class Trace = no_trace>
    requires detail::simulated_visitor<VisitOf, Graph>
[[nodiscard]] auto simulate_async_walk(Graph const& graph, VisitOf visit_of, walk_options<Ready, Trace> options = {},
    std::uint64_t seed = 0) -> simulated_walk<vertex_id>
{
    manual_context world(seed);
    simulated_walk<vertex_id> result;
    result.times = basic_vertex_map<vertex_id, visit_time>(graph.id_bound());
    auto const visitor = [&](vertex_id v, vertex_value_t<Graph> const& value) -> asio::awaitable<visit_outcome> {
        simulated_visit visit = std::invoke(visit_of, v, value);
        result.times[v].start = simulated_time();
        if (visit.duration.count() > 0) {
            virtual_timer timer(co_await asio::this_coro::executor, visit.duration);
            auto waiting = timer.async_wait(asio::use_awaitable);
            co_await std::move(waiting);
        }
        result.times[v].end = simulated_time();
        co_return std::move(visit.outcome);
    };
    detail::entered_world const entered(world);
    async_walk(world.get_executor(), graph, visitor, std::move(options), [&](error_code, walk_report report) {
        result.report = std::move(report);
        result.duration = simulated_time();
    });
    world.run();
    return result;
}

/// Walks a graph in virtual time as `walk` does with a plain visitor, which uses a thread until it returns: the same workers
/// visit, steal from one another and sleep, in simulated threads. The duration of a walk is known without running it.
///
/// The walk has `options.threads` threads, 256 if that is 0, of which at most `options.max_concurrency` visit. A visit takes
/// its duration; a thread that looks for work, or sleeps, takes no time. As in a real walk, visits that are measured as
/// short stay with one worker, unless the granularity is `coarse`: a visit that takes no time is short.
///
/// \param visit_of  called as `visit_of(v, graph[v])` when the vertex starts, by one thread at a time, which need not be the
///                  calling one; returns a `simulated_visit`, or a duration
/// \param options   of the walk; its timeout is virtual time; its trace sees virtual time if its clock is `simulated_time`
/// \param seed      0: threads that are ready at the same time run in the order in which they became ready; other values select
///                  at random
/// \complexity O((V + E) log V). Starts as many threads of the system as there are concurrent visits.
/// \throws std::system_error if a thread cannot be started; an exception of `visit_of` is the outcome of its vertex
template <acyclic_graph Graph, class VisitOf, class Ready = ascending_id, class Trace = no_trace>
    requires detail::simulated_visitor<VisitOf, Graph>
[[nodiscard]] auto simulate_walk(Graph const& graph, VisitOf visit_of, walk_options<Ready, Trace> options = {},
    std::uint64_t seed = 0) -> simulated_walk<vertex_id>
{
    simulated_walk<vertex_id> result;
    result.times = basic_vertex_map<vertex_id, visit_time>(graph.id_bound());
    std::uint32_t const threads = options.threads == 0 ? detail::default_threads : options.threads;
    auto const visitor = [&](vertex_id v, vertex_value_t<Graph> const& value) -> visit_outcome {
        simulated_visit visit = std::invoke(visit_of, v, value);
        result.times[v].start = simulated_time();
        detail::simulated_pool::current()->sleep(visit.duration);
        result.times[v].end = simulated_time();
        return std::move(visit.outcome);
    };
    auto const ended = [&result](error_code, walk_report report) {
        result.report = std::move(report);
        result.duration = simulated_time();
    };
    using executor = detail::simulated_pool::executor_type;
    using end = strider::detail::destroy_and_call<executor, std::remove_const_t<decltype(ended)>>;
    using run = strider::detail::run_of_walk<executor, Graph, std::remove_const_t<decltype(visitor)>, Ready, Trace, end,
        detail::simulated_threads>;
    std::exception_ptr thrown;
    detail::simulated_pool pool(threads, seed);
    pool.get_executor().execute([&] {
        try {
            strider::detail::start_walk<run>(pool.get_executor(), ended, graph, visitor, std::move(options));
        } catch (...) {
            thrown = std::current_exception();
        }
    });
    pool.run();
    if (thrown) std::rethrow_exception(thrown);
    return result;
}

}  // namespace strider::sim

#endif  // STRIDER_SIM_SIMULATE_WALK_HPP
