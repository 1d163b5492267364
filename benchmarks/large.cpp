// SPDX-License-Identifier: BSL-1.0
// Measures graphs of a million and ten million vertices: nanoseconds and bytes per vertex to build the draft, to freeze
// it, and to walk it with empty visits, once and repeatedly (the median of five). Bytes are the maximum that operator
// new had allocated.
#include "support/shapes.hpp"

#include <strider/core/dag.hpp>
#include <strider/walk/walker.hpp>

#include <benchmark/benchmark.h>
#include <boost/asio/thread_pool.hpp>

#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace {

std::atomic<std::size_t> allocated{0};
std::atomic<std::size_t> most{0};

auto counted(void* p) -> void*
{
    if (p == nullptr) throw std::bad_alloc();
    std::size_t const now = allocated.fetch_add(::malloc_usable_size(p)) + ::malloc_usable_size(p);
    std::size_t before = most.load();
    while (before < now && !most.compare_exchange_weak(before, now)) {}
    return p;
}

void uncounted(void* p) noexcept
{
    if (p != nullptr) allocated.fetch_sub(::malloc_usable_size(p));
    std::free(p);
}

}  // namespace

auto operator new(std::size_t size) -> void*
{
    return counted(std::malloc(size));
}
auto operator new(std::size_t size, std::align_val_t alignment) -> void*
{
    auto const to = static_cast<std::size_t>(alignment);
    return counted(std::aligned_alloc(to, (size + to - 1) / to * to));
}
void operator delete(void* p) noexcept
{
    uncounted(p);
}
void operator delete(void* p, std::size_t) noexcept
{
    uncounted(p);
}
void operator delete(void* p, std::align_val_t) noexcept
{
    uncounted(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept
{
    uncounted(p);
}

namespace {

using namespace strider;

// The time of a function in nanoseconds, and the maximum number of bytes allocated, without those that were allocated
// before the first measurement.
template <class F>
void measured(benchmark::State& state, std::string const& name, double count, F function)
{
    most = allocated.load();
    auto const begin = std::chrono::steady_clock::now();
    function();
    std::chrono::duration<double, std::nano> const took = std::chrono::steady_clock::now() - begin;
    state.counters[name + " ns"] = took.count() / count;
    state.counters[name + " bytes"] = static_cast<double>(most.load()) / count;
}

void large(benchmark::State& state, bench::shape kind, std::size_t size)
{
    for (auto _ : state) {
        auto const count = static_cast<double>(size);
        std::optional<bench::draft> draft;
        measured(state, "draft", count, [&] { draft = bench::make(kind, size); });
        std::optional<dag<std::uint32_t>> graph;
        measured(state, "freeze", count, [&] { graph = freeze(std::move(*draft)).value(); });
        draft.reset();
        state.counters["edges"] = static_cast<double>(graph->edge_count()) / count;
        for (std::size_t const threads : {1U, 2U, 8U, 16U}) {
            if (threads > std::max(2U, std::thread::hardware_concurrency())) continue;
            boost::asio::thread_pool pool(threads);
            auto const visit = [](vertex_id, std::uint32_t const& value) { benchmark::DoNotOptimize(value); };
            std::string const suffix = ", " + std::to_string(threads) + " threads";
            std::size_t done = 0;
            measured(state, "first walk" + suffix, count,
                [&] { done += walker(pool.get_executor(), *graph, visit).run().done(); });
            walker walk(pool.get_executor(), *graph, visit);
            std::array<double, 5> times{};
            for (double& each : times) {
                measured(state, "walk" + suffix, count, [&] { done += walk.run().done(); });
                each = state.counters["walk" + suffix + " ns"];
            }
            std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
            state.counters["walk" + suffix + " ns"] = times[times.size() / 2];
            if (done != (1 + times.size()) * graph->vertex_count()) state.SkipWithError("a vertex was not visited");
        }
    }
}

}  // namespace

auto main(int count, char** arguments) -> int
{
    benchmark::Initialize(&count, arguments);
    for (auto const kind : {bench::shape::tree, bench::shape::layered, bench::shape::infra})
        for (std::size_t const size : {1'000'000U, 10'000'000U}) {
            auto const name =
                std::string(bench::shape_names[static_cast<std::size_t>(kind)]) + "/" + std::to_string(size);
            auto const run = [=](benchmark::State& state) { large(state, kind, size); };
            benchmark::RegisterBenchmark(name.c_str(), run)->Iterations(1);
        }
    benchmark::RunSpecifiedBenchmarks();
}
