// SPDX-License-Identifier: BSL-1.0
// Measures the time to remove redundant edges from graphs of 10^5 vertices, and for comparison the time to order them.
#include "support/shapes.hpp"

#include <strider/algorithm/redundant_edges.hpp>
#include <strider/algorithm/strong_components.hpp>
#include <strider/algorithm/topological_order.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

using namespace strider;
using strider::bench::infrastructure;
using graph = strider::bench::draft;

auto shuffled_vertices(graph& g, std::size_t count, std::mt19937_64& random) -> std::vector<draft_vertex_id>
{
    std::vector<draft_vertex_id> at(count);
    for (auto& v : at) v = g.add_vertex(0);
    std::shuffle(at.begin(), at.end(), random);
    return at;
}

// Four edges per vertex, between any two vertices. This is the worst case for the search, because hardly any edge is
// redundant.
auto any_edges(std::size_t count) -> graph
{
    std::mt19937_64 random(1);
    graph g;
    auto const at = shuffled_vertices(g, count, random);
    while (g.edge_count() < 4 * count) {
        std::size_t const a = random() % count;
        std::size_t const b = random() % count;
        if (a != b) g.add_edge(at[std::max(a, b)], depends_on(at[std::min(a, b)]));
    }
    return g;
}

// Each edge leads to one of the preceding thousand vertices. The graph is deep and has many alternative paths.
auto band(std::size_t count) -> graph
{
    std::mt19937_64 random(2);
    graph g;
    auto const at = shuffled_vertices(g, count, random);
    for (std::size_t i = 1; i < count; ++i)
        for (int edges = 0; edges < 4; ++edges)
            g.add_edge(at[i], depends_on(at[i - 1 - random() % std::min<std::size_t>(i, 1000)]));
    return g;
}

void order(benchmark::State& state, graph (*make)(std::size_t))
{
    graph const g = make(static_cast<std::size_t>(state.range(0)));
    for (auto _ : state) {
        benchmark::DoNotOptimize(topological_order(g));
        benchmark::DoNotOptimize(strong_components(g));
    }
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetComplexityN(state.range(0));
}

void reduce(benchmark::State& state, graph (*make)(std::size_t), reduction_options options)
{
    graph const g = make(static_cast<std::size_t>(state.range(0)));
    std::size_t redundant = 0;
    for (auto _ : state) redundant = redundant_edges(g, options)->size();
    state.counters["edges"] = static_cast<double>(g.edge_count());
    state.counters["redundant"] = static_cast<double>(redundant);
    state.SetItemsProcessed(state.iterations() * state.range(0));
    state.SetComplexityN(state.range(0));
}

constexpr reduction_options by_default{};
constexpr reduction_options searches_alone{.scans_per_edge = std::numeric_limits<std::size_t>::max()};
constexpr reduction_options bit_sets_alone{.scans_per_edge = 0};

void sizes(benchmark::internal::Benchmark* b)
{
    b->RangeMultiplier(10)->Range(1000, 100'000)->Unit(benchmark::kMillisecond)->Complexity();
}

BENCHMARK_CAPTURE(order, infrastructure, infrastructure)->Apply(sizes);
BENCHMARK_CAPTURE(reduce, infrastructure, infrastructure, by_default)->Apply(sizes);
BENCHMARK_CAPTURE(reduce, infrastructure_bit_sets_alone, infrastructure, bit_sets_alone)->Apply(sizes);
BENCHMARK_CAPTURE(order, any_edges, any_edges)->Apply(sizes);
BENCHMARK_CAPTURE(reduce, any_edges, any_edges, by_default)->Apply(sizes);
BENCHMARK_CAPTURE(reduce, any_edges_searches_alone, any_edges, searches_alone)->Apply(sizes);
BENCHMARK_CAPTURE(reduce, any_edges_bit_sets_alone, any_edges, bit_sets_alone)->Apply(sizes);
BENCHMARK_CAPTURE(reduce, band, band, by_default)->Apply(sizes);
BENCHMARK_CAPTURE(reduce, band_bit_sets_alone, band, bit_sets_alone)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
