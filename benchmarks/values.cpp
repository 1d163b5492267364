// SPDX-License-Identifier: BSL-1.0
// Measures a value of 8 bytes along each edge. Each visit adds the values of its dependencies. Counters are nanoseconds
// per vertex. "plain" writes a value of its vertex and reads none; "in rows" reads the same number of values from an
// array that contains them in the order in which visits read them, which no layout of values can improve; "by hand"
// uses elements of an array that visits index; "values" uses `visit_values`; the values of "released" have a destructor
// and so need reference counters; oneTBB's flow graph passes values as messages or uses an array, whichever is faster.
// "helping" walks visit in the calling thread, too, as oneTBB does.
// usage: bench_values [SECONDS_PER_CASE] [--benchmark_...]
#include "support/peers.hpp"
#include "support/shapes.hpp"
#include "support/turns.hpp"

#include <strider/core/dag.hpp>
#include <strider/walk/visit_values.hpp>
#include <strider/walk/walker.hpp>

#include <boost/asio/thread_pool.hpp>

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using bench::frozen;
using number = std::uint64_t;

std::chrono::duration<double> budget(0.5);

// A value of the size of a number, with a destructor that has an effect.
class released_number {
public:
    explicit released_number(number value) noexcept : value_(value) {}
    released_number(released_number&& other) noexcept : value_(other.value_) {}
    ~released_number() { benchmark::DoNotOptimize(value_); }
    [[nodiscard]] operator number() const noexcept { return value_; }

private:
    number value_;
};

template <class T>
using reading_visit = std::function<T(vertex_id, std::uint32_t const&, dependency_values<T>)>;

template <class T>
auto sum() -> reading_visit<T>
{
    return [](vertex_id, std::uint32_t value, dependency_values<T> inputs) {
        number total = value;
        for (T const& each : inputs) total += each;
        return T(total);
    };
}

template <class Visitor>
class walking {
public:
    walking(frozen const& g, Visitor visitor, unsigned threads, bool helps)
        : pool_(threads),
          walk_(pool_.get_executor(), g, std::move(visitor)),
          helps_(helps)
    {}
    void operator()() { benchmark::DoNotOptimize((helps_ ? walk_.run(caller_helps) : walk_.run()).size()); }

private:
    boost::asio::thread_pool pool_;
    walker<boost::asio::thread_pool::executor_type, frozen, Visitor> walk_;
    bool helps_;
};

// Values as messages: each vertex counts the messages that arrive.
class tbb_messages {
    using node = tbb::flow::multifunction_node<number, std::tuple<number>>;
    struct state {
        number total = 0;
        std::size_t arrived = 0;
    };

public:
    tbb_messages(frozen const& g, unsigned threads)
        : control_(tbb::global_control::max_allowed_parallelism, threads),
          arena_(static_cast<int>(threads)),
          states_(g.vertex_count())
    {
        arena_.execute([&] {
            graph_ = std::make_unique<tbb::flow::graph>();
            std::vector<node*> at;
            for (vertex_id const v : g.vertices()) {
                std::size_t const needed = std::max<std::size_t>(g.dependency_count(v), 1);
                std::function<number(number)> const visit = [value = g[v]](number total) { return total + value; };
                at.push_back(&nodes_.emplace_back(
                    *graph_, tbb::flow::serial, [this, v, needed, visit](number input, node::output_ports_type& out) {
                        state& mine = states_[v.index()];
                        mine.total += input;
                        if (++mine.arrived != needed) return;
                        (void)std::get<0>(out).try_put(visit(std::exchange(mine.total, 0)));
                        mine.arrived = 0;
                    }));
            }
            for (vertex_id const v : g.vertices()) {
                if (g.dependency_count(v) == 0) leaves_.push_back(at[v.index()]);
                for (vertex_id const d : g.dependents(v))
                    tbb::flow::make_edge(tbb::flow::output_port<0>(*at[v.index()]), *at[d.index()]);
            }
        });
    }
    void operator()()
    {
        arena_.execute([&] {
            for (node* const leaf : leaves_) leaf->try_put(0);
            graph_->wait_for_all();
        });
    }

private:
    tbb::global_control control_;
    tbb::task_arena arena_;
    std::vector<state> states_;
    std::unique_ptr<tbb::flow::graph> graph_;
    std::list<node> nodes_;
    std::vector<node*> leaves_;
};

void answer(benchmark::State& state, std::size_t vertices, unsigned threads)
{
    frozen const g = freeze(bench::make(bench::shape::layered, vertices)).value();
    std::vector<number> written(g.vertex_count());
    bench::erased_visit const plain = [&](vertex_id v, std::uint32_t value) { written[v.index()] = value; };
    std::vector<number> const row_values(g.edge_count(), 1);  // one per edge
    bench::erased_visit const in_rows = [&, base = g.dependencies(vertex_id(0)).data()](
                                            vertex_id v, std::uint32_t value) {
        number total = value;
        auto const row = g.dependencies(v);
        for (auto at = row.data() - base; row.size() != 0 && at != row.data() + row.size() - base; ++at)
            total += row_values[static_cast<std::size_t>(at)];
        written[v.index()] = total;
    };
    bench::erased_visit const by_hand = [&](vertex_id v, std::uint32_t value) {
        number total = value;
        for (vertex_id const d : g.dependencies(v)) total += written[d.index()];
        written[v.index()] = total;
    };
    visit_values<number> values(g);
    visit_values<released_number> released(g);
    bench::turns ways;
    auto const add = [&](std::string name, auto const& visitor) {
        using engine = walking<std::decay_t<decltype(visitor)>>;
        ways.add(name, std::in_place_type<engine>, g, visitor, threads, false);
        ways.add(name + ", helping", std::in_place_type<engine>, g, visitor, threads, true);
    };
    add("plain", plain);
    add("in rows", in_rows);
    add("by hand", by_hand);
    add("values", values.visitor(sum<number>()));
    add("released", released.visitor(sum<released_number>()));
    ways.add("oneTBB", std::in_place_type<bench::tbb_flow_graph>, g, by_hand, threads);
    ways.add("oneTBB", std::in_place_type<tbb_messages>, g, threads);
    ways.take(state, budget, g.vertex_count());
}

}  // namespace

auto main(int count, char** arguments) -> int
{
    for (unsigned const threads : {1U, 2U})
        for (std::size_t const vertices : {1000U, 10'000U, 100'000U}) {
            std::string const name = "layered/" + std::to_string(vertices) + "/" + std::to_string(threads) + "/8 bytes";
            benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
                answer(state, vertices, threads);
            })->Iterations(1);
        }
    benchmark::Initialize(&count, arguments);
    if (count > 1) budget = std::chrono::duration<double>(std::strtod(arguments[1], nullptr));
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
}
