// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_SIMULATE_WALK_HPP
#define STRIDER_SIM_SIMULATE_WALK_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>
#include <strider/sim/manual_executor.hpp>
#include <strider/sim/virtual_timer.hpp>
#include <strider/walk/async_walk.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <chrono>
#include <concepts>
#include <cstdint>
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
    vertex_map<visit_time, Id> times;
};

/// Walks a graph in virtual time, with the ready queue and the limits that `async_walk` has: the duration of a walk is known
/// without running it.
///
/// \param visit_of  called as `visit_of(v, graph[v])` when the vertex starts; returns a `simulated_visit`, or a duration
/// \param options   of the walk; its timeout is virtual time; its trace sees virtual time if it uses `virtual_clock`
/// \param seed      0: tasks that are ready at the same time run in the order of their arrival; other values select at random
/// \complexity O((V + E) log V)
/// \throws the exception of `visit_of` is the outcome of its vertex
template <acyclic_graph Graph, class VisitOf, class Ready = ascending_id, class Trace = no_trace>
    requires std::invocable<VisitOf&, vertex_id, vertex_value_t<Graph> const&>
    && std::convertible_to<std::invoke_result_t<VisitOf&, vertex_id, vertex_value_t<Graph> const&>, simulated_visit>
[[nodiscard]] auto simulate_walk(Graph const& graph, VisitOf visit_of, walk_options<Ready, Trace> options = {},
    std::uint64_t seed = 0) -> simulated_walk<vertex_id>
{
    manual_context world(seed);
    simulated_walk<vertex_id> result;
    result.times = vertex_map<visit_time, vertex_id>(graph.id_bound());
    auto const begun = world.now();
    auto const visitor = [&](vertex_id v, vertex_value_t<Graph> const& value) -> asio::awaitable<visit_outcome> {
        simulated_visit visit = std::invoke(visit_of, v, value);
        result.times[v].start = world.now() - begun;
        if (visit.duration.count() > 0) {
            virtual_timer timer(co_await asio::this_coro::executor, visit.duration);
            auto waiting = timer.async_wait(asio::use_awaitable);
            co_await std::move(waiting);
        }
        result.times[v].end = world.now() - begun;
        co_return std::move(visit.outcome);
    };
    async_walk(world.get_executor(), graph, visitor, std::move(options), [&](error_code, walk_report report) {
        result.report = std::move(report);
        result.duration = world.now() - begun;
    });
    world.run();
    return result;
}

}  // namespace strider::sim

#endif  // STRIDER_SIM_SIMULATE_WALK_HPP
