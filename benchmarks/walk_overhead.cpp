// SPDX-License-Identifier: BSL-1.0
// What does a walk cost per vertex, beyond the visits? Empty visits on graphs of several shapes, beside a bound: the same
// order found by counting, on one thread, in a plain loop.
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <boost/asio/thread_pool.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

using graph_type = strider::frozen_digraph<std::uint32_t>;

enum shape : std::int64_t { chain, layered, wide };

// A repeatable stream: the graphs are the same in every run.
auto next(std::uint64_t& state) -> std::uint64_t
{
    state = state * 6364136223846793005U + 1442695040888963407U;
    return state >> 33U;
}

auto make_graph(std::int64_t kind, std::size_t count) -> graph_type
{
    strider::digraph<std::uint32_t> g;
    std::vector<strider::vertex_id> ids;
    for (std::size_t i = 0; i < count; ++i) ids.push_back(g.add_vertex(0));
    std::uint64_t random = 1;
    for (std::size_t i = 1; i < count; ++i) {
        if (kind == chain) g.add_edge(ids[i], ids[i - 1]);
        if (kind == wide) g.add_edge(ids[i], ids[0]);
        if (kind == layered && i >= 100)
            for (int k = 0; k < 4; ++k) g.add_edge(ids[i], ids[(i / 100 - 1) * 100 + next(random) % 100]);
    }
    return strider::freeze(std::move(g)).value();
}

void count_vertices(benchmark::State& state, std::size_t vertices)
{
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(vertices));
    state.counters["per_vertex"] = benchmark::Counter(
        static_cast<double>(vertices), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void bound(benchmark::State& state)
{
    graph_type const g = make_graph(state.range(0), static_cast<std::size_t>(state.range(1)));
    std::vector<std::uint32_t> open(g.vertex_count());
    std::vector<strider::vertex_id> ready;
    ready.reserve(g.vertex_count());
    for (auto _ : state) {
        ready.clear();
        for (strider::vertex_id const v : g.vertices()) {
            open[v.index()] = static_cast<std::uint32_t>(g.in_degree(v));
            if (open[v.index()] == 0) ready.push_back(v);
        }
        for (std::size_t i = 0; i < ready.size(); ++i) {
            benchmark::DoNotOptimize(g[ready[i]]);
            for (strider::vertex_id const d : g.dependents(ready[i]))
                if (--open[d.index()] == 0) ready.push_back(d);
        }
        benchmark::DoNotOptimize(ready.data());
    }
    count_vertices(state, g.vertex_count());
}

template <class Visitor>
void walk_with(benchmark::State& state, Visitor visitor)
{
    graph_type const g = make_graph(state.range(0), static_cast<std::size_t>(state.range(1)));
    boost::asio::thread_pool pool(static_cast<std::size_t>(state.range(2)));
    strider::walk_options<strider::strict_strand> options;
    options.control.batch = static_cast<std::uint32_t>(state.range(3));
    for (auto _ : state) {
        strider::walk_report const report = strider::walk(pool.get_executor(), g, visitor, options);
        if (report.done() != g.vertex_count()) state.SkipWithError("a vertex was not visited");
    }
    count_vertices(state, g.vertex_count());
}

void strict_plain(benchmark::State& state)
{
    walk_with(state, [](strider::vertex_id, std::uint32_t value) { benchmark::DoNotOptimize(value); });
}

void strict_awaitable(benchmark::State& state)
{
    walk_with(state, [](strider::vertex_id, std::uint32_t value) -> boost::asio::awaitable<void> {
        benchmark::DoNotOptimize(value);
        co_return;
    });
}

void sizes(benchmark::internal::Benchmark* b)
{
    for (std::int64_t const kind : {chain, layered, wide}) b->Args({kind, 10'000});
}

void sizes_and_threads(benchmark::internal::Benchmark* b)
{
    for (std::int64_t const kind : {chain, layered, wide})
        for (std::int64_t const threads : {1, 2})
            for (std::int64_t const batch : {1, 64}) b->Args({kind, 10'000, threads, batch});
}

void sizes_and_threads_without_batch(benchmark::internal::Benchmark* b)
{
    for (std::int64_t const kind : {chain, layered, wide})
        for (std::int64_t const threads : {1, 2}) b->Args({kind, 10'000, threads, 1});
}

BENCHMARK(bound)->Apply(sizes)->ArgNames({"shape", "vertices"});
BENCHMARK(strict_plain)->Apply(sizes_and_threads)->ArgNames({"shape", "vertices", "threads", "batch"})->UseRealTime();
BENCHMARK(strict_awaitable)
    ->Apply(sizes_and_threads_without_batch)
    ->ArgNames({"shape", "vertices", "threads", "batch"})
    ->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
