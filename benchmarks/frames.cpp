// SPDX-License-Identifier: BSL-1.0
// Measures the latency of small graphs that run often, such as the frames of a game or the blocks of an audio engine: 60
// visits of a microsecond in six layers, 10 000 times. Counters are the microseconds of the median and of the 99th
// percentile of each engine; engines take turns of 100 frames. A bound is 60 us divided by the threads.
// usage: bench_frames [FRAMES] [--benchmark_...]
#include "support/peers.hpp"

#include <strider/core/make_digraph.hpp>

#include <range/v3/algorithm/nth_element.hpp>
#include <range/v3/view/iota.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using bench::frozen;

std::size_t frames = 10'000;
constexpr std::uint32_t layer = 10;
constexpr std::uint32_t visits = 60;

// Each vertex depends on two of the layer before.
auto frame() -> frozen
{
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t v = layer; v < visits; ++v)
        for (std::uint32_t const d : {v, v + 3}) edges.emplace_back(v, v / layer * layer - layer + d % layer);
    return freeze(make_digraph(ranges::views::iota(0U, visits), edges).value()).value();
}

struct measured {
    std::string name;
    std::function<void()> run;
    std::vector<double> microseconds;

    auto percentile(std::size_t percent) -> double
    {
        auto const at = microseconds.begin() + static_cast<std::ptrdiff_t>(microseconds.size() * percent / 100);
        ranges::nth_element(microseconds, at);
        return *at;
    }
};

void answer(benchmark::State& state, unsigned threads, unsigned microsecond)
{
    frozen const g = frame();
    bench::erased_visit const visit = bench::body(g.vertex_count(), microsecond);
    std::vector<measured> engines;
    auto const add = [&]<class Engine>(std::string name, std::in_place_type_t<Engine>) {
        auto const engine = std::make_shared<Engine>(g, visit, threads);
        for (int i = 0; i < 100; ++i) (*engine)();
        engines.push_back({std::move(name), [engine] { (*engine)(); }, {}});
    };
    add("strider, helping", std::in_place_type<bench::ours<true>>);
    add("strider, default", std::in_place_type<bench::ours<false>>);
    add("oneTBB", std::in_place_type<bench::tbb_flow_graph>);
#ifdef STRIDER_BENCH_TASKFLOW
    add("Taskflow", std::in_place_type<bench::taskflow>);
#endif
#ifdef STRIDER_BENCH_DISPENSO
    add("dispenso", std::in_place_type<bench::dispenso_tasks>);
#endif
    for (auto _ : state)
        for (std::size_t done = 0; done < frames; done += 100)
            for (measured& each : engines)
                for (int i = 0; i < 100; ++i) {
                    auto const begin = std::chrono::steady_clock::now();
                    each.run();
                    std::chrono::duration<double, std::micro> const took = std::chrono::steady_clock::now() - begin;
                    each.microseconds.push_back(took.count());
                }
    for (measured& each : engines) {
        state.counters[each.name + " p50"] = each.percentile(50);
        state.counters[each.name + " p99"] = each.percentile(99);
    }
}

}  // namespace

auto main(int count, char** arguments) -> int
{
    unsigned const microsecond = bench::spins_in_a_microsecond();
    for (unsigned const threads : {1U, 2U})
        benchmark::RegisterBenchmark(("frames/60/" + std::to_string(threads)).c_str(), [=](benchmark::State& state) {
            answer(state, threads, microsecond);
        })->Iterations(1);
    benchmark::Initialize(&count, arguments);
    if (count > 1) frames = std::strtoul(arguments[1], nullptr, 10);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
