// SPDX-License-Identifier: BSL-1.0
// Measures the cost of limits, orders, traces, coroutines, handles and the strand, with empty visits of 10 000
// vertices. Counters are nanoseconds per vertex.
// usage: bench_policies [SECONDS_PER_CASE] [--benchmark_...]
#include "support/shapes.hpp"
#include "support/turns.hpp"

#include <strider/core/dag.hpp>
#include <strider/walk.hpp>

#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using frozen = dag<std::uint32_t>;

std::chrono::duration<double> budget(0.5);

struct counting_trace {
    struct alignas(64) count {
        std::size_t events = 0;
    };

    count* of_worker;
    void started(vertex_id, std::uint32_t worker) const { ++of_worker[worker].events; }
    void settled(vertex_id, visit_outcome const&, std::uint32_t worker) const { ++of_worker[worker].events; }
    void stopping(stop_reason) const {}
};

void answer(benchmark::State& state, bench::shape kind, std::size_t threads)
{
    frozen const g = freeze(bench::make(kind, 10'000)).value();
    boost::asio::thread_pool pool(threads);
    std::vector<std::uint32_t> written(g.vertex_count());
    std::vector<counting_trace::count> events(threads);
    std::function<void(vertex_id, std::uint32_t const&)> const plain = [&](vertex_id v, std::uint32_t value) {
        written[v.index()] = value;
    };
    auto const awaitable = [&](vertex_id v, std::uint32_t value) -> boost::asio::awaitable<void> {
        written[v.index()] = value;
        co_return;
    };
    auto const handle = [&](vertex_id v, std::uint32_t value, visit_handle done) {
        written[v.index()] = value;
        done();
    };
    resource_pools classes([](vertex_id v) { return resource_pool{v.index() % 4, 3}; });
    counting_trace const trace{events.data()};
    bench::turns ways;
    auto const add_on = [&](auto executor, std::string name, auto const& visitor, auto const& options, auto... helps) {
        ways.add(std::move(name), [&, executor, options, helps...] {
            walk_report const report = walk(executor, g, visitor, options, helps...);
            if (report.done() != g.vertex_count()) std::abort();
        });
    };
    auto const add = [&](std::string name, auto const& visitor, auto const& options, auto... helps) {
        add_on(pool.get_executor(), std::move(name), visitor, options, helps...);
    };
    auto const add_on_strand = [&](std::string name, auto const& visitor, auto const& options) {
        add_on(boost::asio::make_strand(pool), std::move(name), visitor, options);
    };

    add("plain", plain, walk_options<>{});
    add("plain, caller helps", plain, walk_options<>{}, caller_helps);
    add("plain, classes", plain, walk_options{.ready = classes});
    add("plain, fifo", plain, walk_options<fifo>{});
    auto heavy = critical_path_first(g);
    add("plain, critical path", plain, walk_options{.ready = heavy});
    add("plain, trace", plain, walk_options<ascending_id, counting_trace>{.trace = trace});
    add("awaitable", awaitable, walk_options<>{});
    add("awaitable, 10 at once", awaitable, walk_options<>{.max_concurrency = 10});
    add("awaitable, classes", awaitable, walk_options{.ready = classes});
    add("awaitable, trace", awaitable, walk_options<ascending_id, counting_trace>{.trace = trace});
    add("handle", handle, walk_options<>{});
    add("handle, 10 at once", handle, walk_options<>{.max_concurrency = 10});
    add_on_strand("strand, plain", plain, walk_options<>{});
    add_on_strand("strand, plain, fifo", plain, walk_options<fifo>{});
    add_on_strand("strand, plain, trace", plain, walk_options{.trace = trace});
    add_on_strand("strand, awaitable", awaitable, walk_options<>{});
    add_on_strand("strand, handle", handle, walk_options<>{});
    ways.take(state, budget, g.vertex_count());
    benchmark::DoNotOptimize(events.data());
}

}  // namespace

auto main(int count, char** arguments) -> int
{
    for (std::size_t const threads : {1U, 2U})
        for (auto const kind : {bench::shape::layered, bench::shape::chain, bench::shape::wide}) {
            std::string const name = std::string(bench::shape_names[static_cast<std::size_t>(kind)]) + "/10000/"
                + std::to_string(threads) + "/empty";
            benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                answer(state, kind, threads);
            })->Iterations(1);
        }
    benchmark::Initialize(&count, arguments);
    if (count > 1) budget = std::chrono::duration<double>(std::strtod(arguments[1], nullptr));
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
