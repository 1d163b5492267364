// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_WALK_TIMES_HPP
#define STRIDER_WALK_WALK_TIMES_HPP

#include <strider/algorithm/topological_order.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>
#include <strider/walk/detail/trace_json.hpp>
#include <strider/walk/trace.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <ostream>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace strider {

/// The time of a walk, divided by its use.
///
/// A visit *waits* until its dependencies are settled, then *queues* until it starts, for a worker, a permit or a place in its
/// resource pool, then *runs*. The *critical path* is the path through the graph with the longest running time: with these
/// visits no walk is shorter. The *slack* of a vertex is the time by which its visit could be longer without a longer critical path.
struct walk_times {
    std::chrono::nanoseconds span{0};  ///< from the first start to the last end
    std::chrono::nanoseconds running{0};  ///< of all visits
    std::chrono::nanoseconds queueing{0};  ///< of all visits
    std::size_t rows = 0;  ///< workers, or visits that ran at the same time
    std::vector<vertex_id> critical_path;  ///< dependencies first
    std::chrono::nanoseconds critical{0};  ///< running time of the critical path
    vertex_map<std::chrono::nanoseconds> ready;  ///< when the dependencies were settled, or the walk began
    /// The time by which each visit could be longer without a longer critical path, on which it is 0.
    vertex_map<std::chrono::nanoseconds> slack;
    std::vector<vertex_id> by_slack;  ///< visited vertices that are not on the critical path, the least slack first

    /// The running time divided by the span of all rows: 1 if no row was ever idle.
    [[nodiscard]] auto utilization() const noexcept -> double
    {
        auto const available = static_cast<double>(span.count()) * static_cast<double>(rows);
        return available > 0 ? static_cast<double>(running.count()) / available : 0;
    }
};

/// Computes where the time of a walk of `g` went.
/// \complexity O(V + E)
template <class Graph>
    requires(directed_graph<Graph> && acyclic_graph<Graph>)
[[nodiscard]] auto measure(Graph const& g, timeline const& line) -> walk_times
{
    using std::chrono::nanoseconds;
    walk_times result;
    result.rows = line.rows();
    result.ready = vertex_map<nanoseconds>(g.id_bound());
    result.slack = vertex_map<nanoseconds>(g.id_bound());
    vertex_map<nanoseconds> until(g.id_bound()), from(g.id_bound());  // heaviest path that ends, or starts, at a vertex
    auto const order = topological_order(g).value();

    nanoseconds first = nanoseconds::max(), last{0};
    for (vertex_id const v : order)
        if (visit_times const its = line[v]; its.is_visited) {
            first = std::min(first, its.start);
            last = std::max(last, its.end);
        }
    if (first > last) return result;
    result.span = last - first;

    for (vertex_id const v : order) {
        visit_times const its = line[v];
        result.ready[v] = first;
        for (vertex_id const d : g.dependencies(v)) {
            result.ready[v] = std::max(result.ready[v], line[d].end);
            until[v] = std::max(until[v], until[d]);
        }
        until[v] += its.running();
        result.critical = std::max(result.critical, until[v]);
        result.running += its.running();
        if (its.is_visited) result.queueing += std::max(its.start - result.ready[v], nanoseconds(0));
    }
    for (vertex_id const v : order | std::views::reverse) {
        for (vertex_id const d : g.dependents(v)) from[v] = std::max(from[v], from[d]);
        result.slack[v] = result.critical - until[v] - from[v];
        from[v] += line[v].running();
    }
    nanoseconds passed{0};
    for (vertex_id const v : order) {
        bool const continues = result.critical_path.empty()
            || std::ranges::find(g.dependencies(v), result.critical_path.back()) != std::ranges::end(g.dependencies(v));
        if (!continues || result.slack[v] != nanoseconds(0)) continue;
        if (until[v] - line[v].running() != passed) continue;
        result.critical_path.push_back(v);
        passed = until[v];
    }
    // Vertices that were not visited connect visits, and take no time.
    std::erase_if(result.critical_path, [&](vertex_id v) { return !line[v].is_visited; });
    for (vertex_id const v : order)
        if (line[v].is_visited && std::ranges::find(result.critical_path, v) == result.critical_path.end())
            result.by_slack.push_back(v);
    std::ranges::sort(result.by_slack, {}, [&](vertex_id v) { return std::pair(result.slack[v], v); });
    return result;
}

/// Writes a summary in a few lines: span, utilization, queueing, the critical path, and the vertices with the
/// least slack, at most `most`.
/// `name_of(v)` returns the name of a vertex.
template <class NameOf>
void write_summary(std::ostream& out, walk_times const& times, NameOf name_of, std::ptrdiff_t most = 5)
{
    auto const milliseconds = [](std::chrono::nanoseconds time) {
        auto const microseconds = std::to_string(time.count() % 1'000'000 / 1000);
        return std::to_string(time.count() / 1'000'000) + '.' + std::string(3 - microseconds.size(), '0') + microseconds
            + " ms";
    };
    auto const percent = static_cast<int>(times.utilization() * 100 + 0.5);
    out << "took " << milliseconds(times.span) << ", of which the critical path is " << milliseconds(times.critical)
        << '\n'
        << "visits ran for " << milliseconds(times.running) << " in " << times.rows << " rows: utilization " << percent
        << " %\n"
        << "visits queued for " << milliseconds(times.queueing) << '\n'
        << "critical path:";
    for (vertex_id const v : times.critical_path)
        out << (v == times.critical_path.front() ? " " : ", ") << std::invoke(name_of, v);
    out << '\n';
    for (vertex_id const v : times.by_slack | std::views::take(most))
        out << "slack of " << std::invoke(name_of, v) << ": " << milliseconds(times.slack[v]) << '\n';
}

/// The pools and categories of `write_trace_events`, if a walk has none.
struct without_pools {
    /// Returns an empty name.
    [[nodiscard]] auto operator()(vertex_id) const -> std::string { return {}; }
};

/// Writes a walk as `trace_event` JSON for Perfetto, in groups of rows: visits that run, by worker; vertices that wait for their
/// dependencies, and those that queue, each as a bar of its own; the critical path; and the visits of each pool that run, as a
/// counter.
///
/// `name_of(v)` returns the name of a vertex; one without a name is omitted. `pool_of(v)` returns the name of its
/// resource pool, or nothing; `category_of(v)` a category that the visit has beside its status, or nothing.
/// \source Google, "Trace Event Format", https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
template <class Graph, class NameOf, class PoolOf = without_pools, class CategoryOf = without_pools>
    requires(directed_graph<Graph> && acyclic_graph<Graph>)
void write_trace_events(std::ostream& out, Graph const& g, timeline const& line, NameOf name_of, PoolOf pool_of = {},
    CategoryOf category_of = {})
{
    using std::chrono::nanoseconds;
    enum group { running = 1, queueing, waiting, critical };
    walk_times const times = measure(g, line);
    std::string_view separator = "[\n";
    auto const begin = [&](std::string_view phase, std::string_view name, group of, std::size_t row,
                           nanoseconds at) -> std::ostream& {
        out << std::exchange(separator, ",\n") << "{\"ph\":\"" << phase << "\",\"name\":";
        detail::write_quoted(out, name);
        out << ",\"pid\":";
        detail::write_number(out, static_cast<int>(of));
        out << ",\"tid\":";
        detail::write_number(out, row);
        out << ",\"ts\":";
        detail::write_microseconds(out, at);
        return out;
    };
    auto const title = [&](group of, std::string_view name) {
        begin("M", "process_name", of, 0, nanoseconds(0)) << ",\"args\":{\"name\":\"" << name << "\"}}";
    };
    auto const bar = [&](vertex_id v, group of, std::size_t row) {
        begin("X", std::invoke(name_of, v), of, row, line[v].start) << ",\"dur\":";
        detail::write_microseconds(out, line[v].running());
        std::string categories(to_string(line[v].status));
        if (std::string const own = std::invoke(category_of, v); !own.empty()) categories += ',' + own;
        out << ",\"cat\":";
        detail::write_quoted(out, categories);
        out << ",\"args\":{\"slack\":";
        detail::write_microseconds(out, times.slack[v]);
        out << "}}";
    };
    // Bars that overlap belong to no row: each has its vertex as its identity.
    auto const interval = [&](vertex_id v, group of, std::string_view category, nanoseconds from, nanoseconds to) {
        if (to <= from) return;
        for (auto const& [phase, at] : {std::pair("b", from), std::pair("e", to)}) {
            begin(phase, std::invoke(name_of, v), of, 0, at) << ",\"cat\":\"" << category << "\",\"id\":";
            detail::write_number(out, v.index());
            out << '}';
        }
    };

    title(running, "running, by worker");
    title(queueing, "ready, waiting to start");
    title(waiting, "waiting for dependencies");
    title(critical, "critical path");
    nanoseconds first = nanoseconds::max();
    for (vertex_id const v : g.vertices())
        if (line[v].is_visited) first = std::min(first, line[v].start);
    std::vector<std::tuple<nanoseconds, int, std::string>> changes;  // of the number of visits of a pool
    for (vertex_id const v : g.vertices()) {
        if (std::string(std::invoke(name_of, v)).empty()) continue;
        visit_times const its = line[v];
        interval(v, waiting, "waiting", first, times.ready[v]);
        if (!its.is_visited) continue;
        std::string const pool = std::invoke(pool_of, v);
        interval(v, queueing, pool.empty() ? "ready" : "pool", times.ready[v], its.start);
        bar(v, running, its.row + 1);
        if (pool.empty()) continue;
        changes.emplace_back(its.start, 1, pool);
        changes.emplace_back(its.end, -1, pool);
    }
    for (vertex_id const v : times.critical_path) bar(v, critical, 1);
    std::ranges::sort(changes);
    std::map<std::string, int> count;
    for (auto const& [at, change, pool] : changes) {
        begin("C", "pool " + pool, running, 0, at) << ",\"args\":{\"running\":";
        detail::write_number(out, count[pool] += change);
        out << "}}";
    }
    out << "\n]\n";
}

}  // namespace strider

#endif  // STRIDER_WALK_WALK_TIMES_HPP
