// SPDX-License-Identifier: BSL-1.0
// Measures the cost of a graph before a walk: to build it vertex by vertex and edge by edge, and to freeze it. The
// graph has layers of a hundred vertices, four edges per vertex, and sixteen bytes of data in each vertex.
#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using capture = std::array<std::uint64_t, 2>;

void build_and_freeze(benchmark::State& state)
{
    auto const count = static_cast<std::size_t>(state.range(0));
    std::mt19937_64 random(1);
    std::vector<std::size_t> below(4 * count);
    for (std::size_t& each : below) each = random() % 100;
    for (auto _ : state) {
        digraph<capture> g;
        std::vector<draft_vertex_id> at(count);
        for (std::size_t i = 0; i < count; ++i) {
            at[i] = g.add_vertex({i, i});
            for (std::size_t k = 0; k < 4 && i >= 100; ++k)
                g.add_edge(at[i], depends_on(at[(i / 100 - 1) * 100 + below[4 * i + k]]));
        }
        benchmark::DoNotOptimize(freeze(std::move(g)).value().vertex_count());
    }
    state.counters["ns"] = benchmark::Counter(
        static_cast<double>(count) * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(build_and_freeze)->RangeMultiplier(10)->Range(1000, 1'000'000);

}  // namespace

BENCHMARK_MAIN();
