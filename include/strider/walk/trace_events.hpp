// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_TRACE_EVENTS_HPP
#define STRIDER_WALK_TRACE_EVENTS_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/trace_json.hpp>
#include <strider/walk/timeline.hpp>
#include <strider/walk/walk_times.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace strider {

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
    out << (separator == "[\n" ? "[" : "") << "\n]\n";
}

}  // namespace strider

#endif  // STRIDER_WALK_TRACE_EVENTS_HPP
