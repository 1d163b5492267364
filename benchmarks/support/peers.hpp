// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_BENCHMARKS_SUPPORT_PEERS_HPP
#define STRIDER_BENCHMARKS_SUPPORT_PEERS_HPP

#include <strider/core/dag.hpp>
#include <strider/walk/walker.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#ifdef STRIDER_BENCH_TASKFLOW
#include <taskflow/taskflow.hpp>
#endif
#ifdef STRIDER_BENCH_DISPENSO
#include <dispenso/graph.h>
#include <dispenso/graph_executor.h>
#include <dispenso/thread_pool.h>
#endif

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <random>
#include <utility>
#include <vector>

/// Other engines that walk a graph. An engine is constructed once for a graph and called for each run.
namespace strider::bench {

using frozen = dag<std::uint32_t>;
using erased_visit = std::function<void(vertex_id, std::uint32_t const&)>;

inline void spin(unsigned count) noexcept
{
    for (std::uint64_t x = count; x != 0; --x) asm volatile("" : "+r"(x));
}

[[nodiscard]] inline auto spins_in_a_microsecond() -> unsigned
{
    constexpr unsigned many = 2'000'000;
    auto best = std::chrono::nanoseconds::max();
    for (int i = 0; i < 7; ++i) {
        auto const begin = std::chrono::steady_clock::now();
        spin(many);
        best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - begin);
    }
    return static_cast<unsigned>(many * 1000.0 / static_cast<double>(best.count()));
}

// Writes a value of its vertex, then runs a loop with the given number of turns.
[[nodiscard]] inline auto body(std::size_t vertices, unsigned spins) -> erased_visit
{
    auto const written = std::make_shared<std::vector<std::uint32_t>>(vertices);
    if (spins == 0) return [written](vertex_id v, std::uint32_t value) { (*written)[v.index()] = value; };
    return [written, spins](vertex_id v, std::uint32_t value) {
        (*written)[v.index()] = value;
        spin(spins);
    };
}

// Writes a value of its vertex, then runs a loop whose length has a heavy-tailed distribution (Pareto, index 1.2): of
// 10 000 visits half take less than 0.18 us, and the longest takes 100 us.
[[nodiscard]] inline auto heavy_tailed_body(std::size_t vertices, unsigned spins_in_a_microsecond) -> erased_visit
{
    std::mt19937_64 random(7);
    std::vector<unsigned> spins(vertices);
    for (unsigned& each : spins) {
        double const uniform = std::generate_canonical<double, 53>(random);
        each = static_cast<unsigned>(std::min(0.1 * std::pow(1 - uniform, -1 / 1.2), 100.0) * spins_in_a_microsecond);
    }
    auto const written = std::make_shared<std::vector<std::uint32_t>>(vertices);
    return [written, spins = std::move(spins)](vertex_id v, std::uint32_t value) {
        (*written)[v.index()] = value;
        spin(spins[v.index()]);
    };
}

// A walker with the interface of the other engines: constructed once, called for each run.
template <bool CallerHelps>
class ours {
public:
    ours(frozen const& g, erased_visit const& visit, unsigned threads)
        : pool_(threads),
          walk_(pool_.get_executor(), g, visit)
    {}
    void operator()()
    {
        if constexpr (CallerHelps) (void)walk_.run(caller_helps);
        else (void)walk_.run();
    }

private:
    boost::asio::thread_pool pool_;
    walker<boost::asio::thread_pool::executor_type, frozen, erased_visit> walk_;
};

// A loop in an order that is known beforehand: a lower bound of the time on one thread.
class known_order {
public:
    known_order(frozen const& g, erased_visit const& visit, unsigned threads)
        : graph_(g),
          visit_(visit),
          threads_(threads)
    {}
    void operator()()
    {
        // With several threads: the share of one thread, as if no thread ever waited.
        auto const end = vertex_id(graph_.vertex_count() / threads_);
        for (vertex_id const v : graph_.vertices()) {
            if (v == end) break;
            visit_(v, graph_[v]);
        }
    }

private:
    frozen const& graph_;
    erased_visit visit_;
    unsigned threads_;
};

// Kahn's algorithm on one thread, with a stack.
class counting {
public:
    counting(frozen const& g, erased_visit const& visit, unsigned) : graph_(g), visit_(visit), open_(g.vertex_count())
    {
        for (vertex_id const v : g.vertices()) open_[v.index()] = static_cast<std::uint32_t>(g.dependency_count(v));
        ready_.reserve(g.vertex_count());
    }
    void operator()()
    {
        for (vertex_id const v : graph_.vertices()) {
            if (graph_.dependency_count(v) != 0) break;
            ready_.push_back(v);
        }
        while (!ready_.empty()) {
            vertex_id const v = ready_.back();
            ready_.pop_back();
            open_[v.index()] = static_cast<std::uint32_t>(graph_.dependency_count(v));
            visit_(v, graph_[v]);
            for (vertex_id const d : graph_.dependents(v))
                if (--open_[d.index()] == 0) ready_.push_back(d);
        }
    }

private:
    frozen const& graph_;
    erased_visit visit_;
    std::vector<std::uint32_t> open_;
    std::vector<vertex_id> ready_;
};

class tbb_flow_graph {
    using node = tbb::flow::continue_node<tbb::flow::continue_msg>;

public:
    tbb_flow_graph(frozen const& g, erased_visit const& visit, unsigned threads)
        : visit_(visit),
          control_(tbb::global_control::max_allowed_parallelism, threads),
          arena_(static_cast<int>(threads))
    {
        arena_.execute([&] {
            graph_ = std::make_unique<tbb::flow::graph>();
            for (vertex_id const v : g.vertices())
                nodes_.emplace_back(
                    *graph_, [this, v, value = g[v]](tbb::flow::continue_msg const&) { visit_(v, value); });
            std::vector<node*> at;
            for (node& n : nodes_) at.push_back(&n);
            for (vertex_id const v : g.vertices()) {
                if (g.dependency_count(v) == 0) leaves_.push_back(at[v.index()]);
                for (vertex_id const d : g.dependents(v)) tbb::flow::make_edge(*at[v.index()], *at[d.index()]);
            }
        });
    }
    void operator()()
    {
        arena_.execute([&] {
            for (node* const leaf : leaves_) leaf->try_put(tbb::flow::continue_msg());
            graph_->wait_for_all();
        });
    }

private:
    erased_visit visit_;
    tbb::global_control control_;
    tbb::task_arena arena_;
    std::unique_ptr<tbb::flow::graph> graph_;
    std::list<node> nodes_;
    std::vector<node*> leaves_;
};

// An Asio program that posts a handler for each ready vertex.
class handler_per_vertex {
public:
    handler_per_vertex(frozen const& g, erased_visit const& visit, unsigned threads)
        : graph_(g),
          visit_(visit),
          open_(g.vertex_count()),
          pool_(threads)
    {
        for (vertex_id const v : g.vertices()) restore(v);
    }
    void operator()()
    {
        left_.store(graph_.vertex_count(), std::memory_order_relaxed);
        for (vertex_id const v : graph_.vertices()) {
            if (graph_.dependency_count(v) != 0) break;
            post(v);
        }
        for (auto left = left_.load(); left != 0; left = left_.load()) left_.wait(left);
    }

private:
    void restore(vertex_id v)
    {
        open_[v.index()].store(static_cast<std::uint32_t>(graph_.dependency_count(v)), std::memory_order_relaxed);
    }
    void post(vertex_id v)
    {
        boost::asio::post(pool_, [this, v] {
            restore(v);
            visit_(v, graph_[v]);
            for (vertex_id const d : graph_.dependents(v))
                if (open_[d.index()].fetch_sub(1, std::memory_order_acq_rel) == 1) post(d);
            if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
        });
    }

    frozen const& graph_;
    erased_visit visit_;
    std::vector<std::atomic<std::uint32_t>> open_;
    std::atomic<std::size_t> left_{0};
    boost::asio::thread_pool pool_;
};

// Visits run on the pool and the bookkeeping on a strand, with two posts per vertex.
class one_strand {
public:
    one_strand(frozen const& g, erased_visit const& visit, unsigned threads)
        : graph_(g),
          visit_(visit),
          open_(g.vertex_count()),
          pool_(threads),
          strand_(pool_.get_executor())
    {
        for (vertex_id const v : g.vertices()) open_[v.index()] = static_cast<std::uint32_t>(g.dependency_count(v));
    }
    void operator()()
    {
        left_.store(graph_.vertex_count());
        boost::asio::post(strand_, [this] {
            for (vertex_id const v : graph_.vertices()) {
                if (graph_.dependency_count(v) != 0) break;
                start(v);
            }
        });
        for (auto left = left_.load(); left != 0; left = left_.load()) left_.wait(left);
    }

private:
    void start(vertex_id v)
    {
        boost::asio::post(pool_, [this, v] {
            visit_(v, graph_[v]);
            boost::asio::post(strand_, [this, v] {
                open_[v.index()] = static_cast<std::uint32_t>(graph_.dependency_count(v));
                for (vertex_id const d : graph_.dependents(v))
                    if (--open_[d.index()] == 0) start(d);
                if (left_.fetch_sub(1) == 1) left_.notify_one();
            });
        });
    }

    frozen const& graph_;
    erased_visit visit_;
    std::vector<std::uint32_t> open_;
    std::atomic<std::size_t> left_{0};
    boost::asio::thread_pool pool_;
    boost::asio::strand<boost::asio::thread_pool::executor_type> strand_;
};

#ifdef STRIDER_BENCH_TASKFLOW
class taskflow {
public:
    taskflow(frozen const& g, erased_visit const& visit, unsigned threads) : visit_(visit), executor_(threads)
    {
        std::vector<tf::Task> tasks;
        for (vertex_id const v : g.vertices())
            tasks.push_back(flow_.emplace([this, v, value = g[v]] { visit_(v, value); }));
        for (vertex_id const v : g.vertices())
            for (vertex_id const d : g.dependents(v)) tasks[v.index()].precede(tasks[d.index()]);
    }
    void operator()() { executor_.run(flow_).wait(); }

private:
    erased_visit visit_;
    tf::Executor executor_;
    tf::Taskflow flow_;
};
#endif

#ifdef STRIDER_BENCH_DISPENSO
class dispenso_graph {
public:
    dispenso_graph(frozen const& g, erased_visit const& visit) : visit_(visit)
    {
        std::vector<dispenso::Node*> nodes;
        for (vertex_id const v : g.vertices())
            nodes.push_back(&graph_.addNode([this, v, value = g[v]] { visit_(v, value); }));
        for (vertex_id const v : g.vertices())
            for (vertex_id const d : g.dependents(v)) nodes[d.index()]->dependsOn(*nodes[v.index()]);
    }
    // The graph in its state before a run.
    [[nodiscard]] auto fresh() -> dispenso::Graph&
    {
        setAllNodesIncomplete(graph_);  // a friend, found only by argument-dependent lookup
        return graph_;
    }

private:
    erased_visit visit_;
    dispenso::Graph graph_;
};

class dispenso_alone {
public:
    dispenso_alone(frozen const& g, erased_visit const& visit, unsigned) : graph_(g, visit) {}
    void operator()() { execute_(graph_.fresh()); }

private:
    dispenso_graph graph_;
    dispenso::SingleThreadExecutor execute_;
};

// One task for each node. The calling thread also runs tasks.
class dispenso_tasks {
public:
    dispenso_tasks(frozen const& g, erased_visit const& visit, unsigned threads) : graph_(g, visit), pool_(threads - 1)
    {}
    void operator()() { execute_(tasks_, graph_.fresh()); }

private:
    dispenso_graph graph_;
    dispenso::ThreadPool pool_;
    dispenso::ConcurrentTaskSet tasks_{pool_};
    dispenso::ConcurrentTaskSetExecutor execute_;
};

// A parallel loop for each layer.
class dispenso_layers {
public:
    dispenso_layers(frozen const& g, erased_visit const& visit, unsigned threads) : graph_(g, visit), pool_(threads - 1)
    {}
    void operator()() { execute_(tasks_, graph_.fresh()); }

private:
    dispenso_graph graph_;
    dispenso::ThreadPool pool_;
    dispenso::TaskSet tasks_{pool_};
    dispenso::ParallelForExecutor execute_;
};
#endif

}  // namespace strider::bench

#endif  // STRIDER_BENCHMARKS_SUPPORT_PEERS_HPP
