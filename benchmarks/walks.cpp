// SPDX-License-Identifier: BSL-1.0
// What does a walk cost beside its visits? Runs again of the same graph, every shape, beside what else one would use:
// a bound (the order known, a loop), counting on one thread, oneTBB's flow graph, one Asio handler per vertex, all
// bookkeeping on a strand; and Taskflow and dispenso where the build found them. Both sides call the same erased visit.
#include "support/peers.hpp"
#include "support/shapes.hpp"

#include <strider/core/frozen_digraph.hpp>
#include <strider/walk/walker.hpp>

#include <boost/asio/thread_pool.hpp>

#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace strider;
using bench::frozen;

// One graph of a size is enough for all that walk it.
auto graph_of(bench::shape kind, std::size_t count) -> frozen const&
{
    static std::map<std::pair<bench::shape, std::size_t>, std::unique_ptr<frozen>> known;
    auto& g = known[{kind, count}];
    if (!g) g = std::make_unique<frozen>(freeze(bench::make(kind, count)).value());
    return *g;
}

// A walker as the others are: made once, called for each run.
class ours {
public:
    ours(frozen const& g, bench::erased_visit const& visit, unsigned threads)
        : pool_(threads),
          walk_(pool_.get_executor(), g, visit)
    {}
    void operator()() { benchmark::DoNotOptimize(walk_().size()); }

private:
    boost::asio::thread_pool pool_;
    walker<boost::asio::thread_pool::executor_type, frozen, bench::erased_visit> walk_;
};

template <class Engine>
void rerun(benchmark::State& state, bench::shape kind, std::size_t count, unsigned threads, unsigned spins)
{
    frozen const& g = graph_of(kind, count);
    bench::erased_visit const visit = bench::body(g.vertex_count(), spins);
    Engine run(g, visit, threads);
    for (int i = 0; i < 3; ++i) run();
    for (auto _ : state) run();
    state.counters["ns/vertex"] = benchmark::Counter(static_cast<double>(g.vertex_count()) * 1e-9,
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Engine>
void add(std::string const& name, bench::shape kind, std::size_t count, unsigned threads, unsigned spins)
{
    std::string const full = name + "/" + std::string(bench::shape_names[static_cast<std::size_t>(kind)]) + "/"
        + std::to_string(count) + "/T" + std::to_string(threads) + (spins == 0 ? "/empty" : "/spins");
    benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
        rerun<Engine>(state, kind, count, threads, spins);
    })->UseRealTime();
}

void add_all(bench::shape kind, std::size_t count, unsigned threads, unsigned spins)
{
    add<ours>("strider", kind, count, threads, spins);
    if (threads == 1 || spins != 0) add<bench::known_order>("bound", kind, count, threads, spins);
    if (threads == 1) add<bench::counting>("counting", kind, count, threads, spins);
    add<bench::tbb_flow_graph>("oneTBB", kind, count, threads, spins);
    add<bench::handler_per_vertex>("post", kind, count, threads, spins);
    if (count <= 10'000) add<bench::one_strand>("strand", kind, count, threads, spins);
#ifdef STRIDER_BENCH_TASKFLOW
    add<bench::taskflow>("Taskflow", kind, count, threads, spins);
#endif
#ifdef STRIDER_BENCH_DISPENSO
    add<bench::dispenso_graph>("dispenso", kind, count, threads, spins);
#endif
}

}  // namespace

auto main(int count, char** arguments) -> int
{
    unsigned const microsecond = bench::spins_in_a_microsecond();
    for (unsigned const threads : {1U, 2U}) {
        add_all(bench::shape::layered, 10, threads, 0);
        for (std::size_t k = 0; k < bench::shape_names.size(); ++k) {
            auto const kind = static_cast<bench::shape>(k);
            for (std::size_t const vertices : {1000U, 10'000U, 100'000U, 1'000'000U})
                add_all(kind, vertices, threads, 0);
            add_all(kind, 10'000, threads, microsecond);
            if (kind == bench::shape::layered) add_all(kind, 1000, threads, 10 * microsecond);
        }
    }
    benchmark::Initialize(&count, arguments);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
