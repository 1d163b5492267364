// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_PLAIN_VISITS_HPP
#define STRIDER_WALK_DETAIL_STEALING_PLAIN_VISITS_HPP

#include <strider/core/detail/compressed_rows.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/forwarded_visit.hpp>
#include <strider/walk/detail/run_control.hpp>
#include <strider/walk/detail/stealing/max_workers.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/run_access.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/trace.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace strider::detail {

// The trace of a run by workers. Each worker calls it.
template <class Trace>
class run_trace {
    using stops = basic_run_control<native_threads>;

public:
    static constexpr bool is_on = true;

    explicit run_trace(Trace trace) : trace_(std::move(trace)) {}
    // Only a trace that has not begun is moved.
    run_trace(run_trace&& other) noexcept(std::is_nothrow_move_constructible_v<Trace>) : trace_(std::move(other.trace_))
    {}
    auto operator=(run_trace&&) -> run_trace& = delete;
    ~run_trace() = default;

    void begin() { reported_.store(0, std::memory_order_relaxed); }
    void started(vertex_id v, std::uint32_t index) { trace_.started(v, index); }
    void settled(vertex_id v, visit_outcome const& outcome, std::uint32_t index) { trace_.settled(v, outcome, index); }
    // Each reason is reported once, by the first worker that observes it.
    void stopping(unsigned bits)
    {
        unsigned const now = bits & stops::any_stop;
        if ((now & ~reported_.load(std::memory_order_relaxed)) == 0) return;
        unsigned const fresh = now & ~reported_.fetch_or(now, std::memory_order_relaxed);
        if ((fresh & stops::by_partial) != 0) trace_.stopping(stop_reason::partial);
        if ((fresh & stops::by_terminal) != 0) trace_.stopping(stop_reason::terminal);
        if ((fresh & stops::by_total) != 0) trace_.stopping(stop_reason::total);
        if ((fresh & stops::by_timeout) != 0) trace_.stopping(stop_reason::timeout);
        if ((fresh & stops::by_failure) != 0) trace_.stopping(stop_reason::first_failure);
    }

private:
    Trace trace_;
    std::atomic<unsigned> reported_{0};
};

template <>
class run_trace<no_trace> {
public:
    static constexpr bool is_on = false;

    explicit run_trace(no_trace) {}
};

// A graph whose dependents are stored in one array, row by row in ascending id.
template <class G>
concept graph_in_rows = acyclic_graph<G> && requires(G const& g) { dag_access::dependents(g); };

// True if workers can walk the graph: visits end when the visitor returns, and no order but that of the edges is
// required.
template <class Visitor, class Graph, class Ready, class Trace>
concept walked_by_workers = graph_in_rows<Graph> && plain_visitor_for<Visitor, Graph>
    && std::same_as<Ready, ascending_id> && trace_policy<Trace>;

// The visits of a run by workers: the visitor, the graph whose values it receives, the executor on which it is called,
// and the trace.
template <class Executor, class Graph, class Visitor, class Trace = no_trace>
class plain_visits {
public:
    using executor_type = Executor;
    using options_type = walk_options<ascending_id, Trace>;
    using tracing = run_trace<Trace>;

    plain_visits(Executor const& executor, Graph const& graph, Visitor visitor, options_type const& options)
        : executor_(executor),
          graph_(graph),
          visitor_(std::move(visitor)),
          trace_(options.trace)
    {}

    // The settings of the runs that make these visits.
    [[nodiscard]] static auto setup(Executor const& executor, Graph const& graph, options_type const& options)
        -> run_setup
    {
        run_setup setup;
        setup.dependents = dag_access::dependents(graph);
        setup.granularity = options.granularity;
        setup.stop_on_first_failure = options.stop_on_first_failure;
        context_clock const* const clock = find_context_clock(executor);
        setup.is_stepped = clock != nullptr;
        if (!setup.is_stepped)
            setup.max_workers = max_workers(executor, options.max_concurrency, options.threads, graph.vertex_count());
        setup.end = deadline(options.timeout, clock);
        return setup;
    }

    [[nodiscard]] auto executor() const noexcept -> Executor const& { return executor_; }
    [[nodiscard]] auto trace() noexcept -> tracing& { return trace_; }

    auto operator()(index_t v, stop_token stop) -> decltype(auto)
    {
        return call_plainly(visitor_, vertex_id(v), graph_[vertex_id(v)], stop);
    }
    // Notifies the visitor of an outcome without a visit.
    void settled_unvisited(index_t v, visit_outcome const& outcome)
    {
        notify_not_visited(visitor_, vertex_id(v), outcome);
    }
    // Posts as `asio::post` does, without the allocator and the executor that a handler may be associated with.
    template <class Handler>
    void post(Handler handler) const
    {
        asio::require(executor_, asio::execution::blocking.never).execute(std::move(handler));
    }

private:
    Executor executor_;
    Graph const& graph_;
    Visitor visitor_;
    [[no_unique_address]] tracing trace_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_PLAIN_VISITS_HPP
