// SPDX-License-Identifier: BSL-1.0
// Measures the cost of a walk without its visits, in repeated runs of the same graph, for each shape, and compares it
// with: a lower bound (a loop in a known order), Kahn's algorithm on one thread, oneTBB's flow graph, one Asio handler
// per vertex, all bookkeeping on a strand, and Taskflow and dispenso if the build has found them. All call the same
// type-erased visit. "strider" visits in the calling thread, too (`caller_helps`), as oneTBB and dispenso do; "default"
// visits on the executor only. Counters are nanoseconds per vertex; that of an engine that is not measured in a case is
// NaN.
// usage: bench_walks [SECONDS_PER_CASE] [--benchmark_...]
#include "support/peers.hpp"
#include "support/shapes.hpp"
#include "support/turns.hpp"

#include <strider/core/dag.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

namespace {

using namespace strider;
using bench::frozen;

std::chrono::duration<double> budget(0.5);

struct question {
    bench::shape kind;
    std::size_t vertices;
    unsigned threads;
    unsigned spins;
    bool is_heavy_tailed = false;
};

void answer(benchmark::State& state, question const& q)
{
    frozen const g = freeze(bench::make(q.kind, q.vertices)).value();
    bench::erased_visit const visit = q.is_heavy_tailed ? bench::heavy_tailed_body(g.vertex_count(), q.spins)
                                                        : bench::body(g.vertex_count(), q.spins);
    bench::turns engines;
    auto const add = [&]<class Engine>(std::string name, std::in_place_type_t<Engine> type, bool takes_part = true) {
        if (takes_part) engines.add(std::move(name), type, g, visit, q.threads);
        else engines.leave_out(std::move(name));
    };
    bool const alone = q.threads == 1;
    bool const few = q.vertices <= 100'000;
    add("strider", std::in_place_type<bench::ours<true>>);
    add("default", std::in_place_type<bench::ours<false>>);
    add("bound", std::in_place_type<bench::known_order>, alone || q.spins != 0);
    add("counting", std::in_place_type<bench::counting>, alone);
    add("oneTBB", std::in_place_type<bench::tbb_flow_graph>, few);
    add("post", std::in_place_type<bench::handler_per_vertex>, few);
    add("strand", std::in_place_type<bench::one_strand>, q.vertices <= 10'000);
#ifdef STRIDER_BENCH_TASKFLOW
    add("Taskflow", std::in_place_type<bench::taskflow>, few);
#endif
#ifdef STRIDER_BENCH_DISPENSO
    add("dispenso", std::in_place_type<bench::dispenso_alone>, few && alone);
    add("dispenso", std::in_place_type<bench::dispenso_tasks>, few && !alone);
    add("dispenso", std::in_place_type<bench::dispenso_layers>, few && !alone);
#endif
    engines.take(state, budget, g.vertex_count());
}

void ask(question const& q, std::string const& visits)
{
    std::string const name = std::string(bench::shape_names[static_cast<std::size_t>(q.kind)]) + "/"
        + std::to_string(q.vertices) + "/" + std::to_string(q.threads) + "/" + visits;
    benchmark::RegisterBenchmark(name.c_str(), [q](benchmark::State& state) { answer(state, q); })->Iterations(1);
}

}  // namespace

auto main(int count, char** arguments) -> int
{
    unsigned const microsecond = bench::spins_in_a_microsecond();
    for (unsigned const threads : {1U, 2U}) {
        ask({bench::shape::layered, 10, threads, 0}, "empty");
        for (std::size_t const vertices : {1000U, 10'000U, 100'000U, 1'000'000U})
            for (std::size_t k = 0; k < bench::shape_names.size(); ++k)
                ask({static_cast<bench::shape>(k), vertices, threads, 0}, "empty");
        for (std::size_t k = 0; k < bench::shape_names.size(); ++k)
            ask({static_cast<bench::shape>(k), 10'000, threads, microsecond}, "1 us");
        ask({bench::shape::layered, 1000, threads, 10 * microsecond}, "10 us");
    }
    for (auto const kind : {bench::shape::tree, bench::shape::layered, bench::shape::infra}) {
        for (unsigned const nanoseconds : {50U, 200U, 500U})
            ask({kind, 10'000, 2, microsecond * nanoseconds / 1000}, std::to_string(nanoseconds) + " ns");
        ask({kind, 10'000, 2, microsecond, true}, "heavy-tailed");
    }
    benchmark::Initialize(&count, arguments);
    if (count > 1) budget = std::chrono::duration<double>(std::strtod(arguments[1], nullptr));
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
