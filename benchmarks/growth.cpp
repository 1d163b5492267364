// SPDX-License-Identifier: BSL-1.0
// Measures a graph that grows during its walk: 1 000 vertices in layers of 100, each of which expands to a grid of the
// given number of vertices. "before": one graph is made, frozen and walked; each grid is between two vertices, as
// without growth. "growing": the first graph is made, frozen and walked, and each visit makes, freezes and adds its
// grid. "shared": each visit adds the same frozen grid. Counters are nanoseconds per vertex.
// usage: bench_growth [SECONDS_PER_CASE] [--benchmark_...]
#include "support/shapes.hpp"
#include "support/turns.hpp"

#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/walk.hpp>
#include <strider/walk/growing_digraph.hpp>

#include <boost/asio/thread_pool.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using draft = digraph<std::uint32_t>;
using frozen = dag<std::uint32_t>;

std::chrono::duration<double> budget(0.5);

constexpr std::size_t firsts = 1000;
constexpr std::uint32_t expands = 1U << 31U;  // marks a vertex that adds a grid

auto first_graph(std::uint32_t mark) -> draft
{
    draft g = bench::make(bench::shape::layered, firsts);
    for (draft_vertex_id const v : g.vertices()) g[v] |= mark;
    return g;
}

// The first graph with all grids.
auto whole_graph(std::size_t grid) -> draft
{
    draft const outline = bench::make(bench::shape::layered, firsts);
    draft const part = bench::make(bench::shape::grid, grid);
    draft g;
    std::vector<draft_vertex_id> ends;
    std::vector<draft_vertex_id> at(part.vertex_count());
    for (draft_vertex_id const v : outline.vertices()) {
        draft_vertex_id const begin = g.add_vertex(outline[v]);
        for (draft_vertex_id const d : outline.dependencies(v)) g.add_edge(begin, depends_on(ends[d.index()]));
        for (draft_vertex_id const u : part.vertices()) {
            at[u.index()] = g.add_vertex(part[u]);
            if (u.index() == 0) g.add_edge(at[0], depends_on(begin));
            for (draft_vertex_id const d : part.dependencies(u)) g.add_edge(at[u.index()], depends_on(at[d.index()]));
        }
        ends.push_back(at.back());
    }
    return g;
}

template <class Visit>
void check(boost::asio::thread_pool& pool, auto const& g, Visit visit, std::size_t vertices)
{
    if (walk(pool, g, std::move(visit)).done() != vertices) std::abort();
}

void answer(benchmark::State& state, std::size_t grid, std::size_t threads)
{
    boost::asio::thread_pool pool(threads);
    auto const part = std::make_shared<frozen const>(freeze(bench::make(bench::shape::grid, grid)).value());
    std::size_t const vertices = firsts * (1 + part->vertex_count());
    std::vector<std::uint32_t> written(vertices);
    auto const write = [&](vertex_id v, std::uint32_t value) { written[v.index()] = value; };
    bench::turns ways;

    ways.add("before", [&] { check(pool, freeze(whole_graph(grid)).value(), write, vertices); });
    ways.add("before, awaitable", [&] {
        auto const visit = [&](vertex_id v, std::uint32_t value) -> boost::asio::awaitable<void> {
            write(v, value);
            co_return;
        };
        check(pool, freeze(whole_graph(grid)).value(), visit, vertices);
    });
    ways.add("growing", [&] {
        growing_digraph<std::uint32_t> const g(freeze(first_graph(expands)).value());
        auto const visit = [&](vertex_id v, std::uint32_t value) {
            write(v, value);
            if ((value & expands) != 0) g.add(v, freeze(bench::make(bench::shape::grid, grid)).value());
        };
        check(pool, g, visit, vertices);
    });
    ways.add("growing, shared", [&] {
        growing_digraph<std::uint32_t> const g(freeze(first_graph(expands)).value());
        auto const visit = [&](vertex_id v, std::uint32_t value) {
            write(v, value);
            if ((value & expands) != 0) g.add(v, part);
        };
        check(pool, g, visit, vertices);
    });
    ways.add("growing, awaitable", [&] {
        growing_digraph<std::uint32_t> const g(freeze(first_graph(expands)).value());
        auto const visit = [&](vertex_id v, std::uint32_t value) -> boost::asio::awaitable<void> {
            write(v, value);
            if ((value & expands) != 0) g.add(v, freeze(bench::make(bench::shape::grid, grid)).value());
            co_return;
        };
        check(pool, g, visit, vertices);
    });
    ways.take(state, budget, vertices);
}

}  // namespace

auto main(int count, char** arguments) -> int
{
    for (std::size_t const threads : {1U, 2U})
        for (std::size_t const grid : {9U, 100U}) {
            std::string const name = "grids/" + std::to_string(grid) + "/" + std::to_string(threads) + "/growth";
            benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                answer(state, grid, threads);
            })->Iterations(1);
        }
    benchmark::Initialize(&count, arguments);
    if (count > 1) budget = std::chrono::duration<double>(std::strtod(arguments[1], nullptr));
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
