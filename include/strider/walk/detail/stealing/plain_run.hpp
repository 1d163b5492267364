// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_PLAIN_RUN_HPP
#define STRIDER_WALK_DETAIL_STEALING_PLAIN_RUN_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/context_clock.hpp>
#include <strider/walk/detail/deadline.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/run_trace.hpp>
#include <strider/walk/detail/stealing/run_workers.hpp>
#include <strider/walk/detail/stealing/worker_run.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::detail {

// A graph whose dependents are stored in one array, row by row in ascending id.
template <class G>
concept graph_in_rows = frozen_graph<G> && requires(G const& g) {
    { g.all_dependents().data() } -> std::convertible_to<vertex_id const*>;
    { g.first_dependents().data() } -> std::convertible_to<std::uint32_t const*>;
};

// True if workers can walk the graph: visits end when the visitor returns, and no order but that of the edges is
// required.
template <class Visitor, class Graph, class Scheduler, class Ready, class Trace>
concept walked_by_workers = std::same_as<Scheduler, work_stealing_scheduler> && graph_in_rows<Graph>
    && plain_visitor_for<Visitor, Graph> && std::same_as<Ready, ascending_id> && trace_policy<Trace>;

// A run by workers over a given graph with a plain visitor.
template <class Executor, class Graph, class Visitor, class Threads = native_threads, class Trace = no_trace>
class plain_run : public basic_worker_run<Threads> {
    using base = basic_worker_run<Threads>;
    using base::needs_no_check;
    using base::note;
    using base::settle_in_sequence;
    using base::visit_checked;
    using typename base::worker;
    using tracing = run_trace<Trace>;

public:
    using options_type = walk_options<work_stealing_scheduler, ascending_id, Trace>;

    plain_run(Executor const& executor, Graph const& graph, Visitor visitor, options_type const& options)
        : base(setup_of(executor, graph, options), std::make_shared<basic_run_access<Threads>>()),
          executor_(executor),
          graph_(graph),
          visitor_(std::move(visitor)),
          trace_(options.trace)
    {}

protected:
    ~plain_run() = default;

    [[nodiscard]] auto executor() const noexcept -> Executor const& { return executor_; }

    void begin()
    {
        if constexpr (tracing::is_on) trace_.begin();
        base::begin();
    }

    auto visit(worker& me, index_t v) -> visit_end final
    {
        if constexpr (tracing::is_on) {
            trace_.started(vertex_id(v), me.slot);
            visit_end const end = call_visitor(me, v);
            trace_.settled(vertex_id(v), end == visit_end::done ? visit_outcome() : me.others.back().second, me.slot);
            return end;
        } else {
            return call_visitor(me, v);
        }
    }
    void settled_unvisited(worker& me, index_t v) final
    {
        notify_not_visited(visitor_, vertex_id(v), me.others.back().second);
        if constexpr (tracing::is_on) {
            trace_.stopping(this->access()->control.bits());
            trace_.settled(vertex_id(v), me.others.back().second, me.slot);
        }
    }
    auto call_visitor(worker& me, index_t v) -> visit_end
    {
        try {
            if constexpr (std::is_void_v<decltype(invoke(v))>) {
                invoke(v);
            } else if (visit_outcome outcome = invoke(v); !outcome.is_done() || outcome.is_unchanged()) {
                return note(me, v, std::move(outcome));
            }
        } catch (...) {
            return note(me, v, visit_outcome::failure(std::current_exception()));
        }
        return visit_end::done;
    }

    // One `try` block around the whole loop: an exception belongs to the vertex at the current position.
    void visit_in_sequence(worker& me, index_t first, index_t last) final
    {
        index_t v = first;
        if constexpr (tracing::is_on)
            for (; v != last; ++v) visit_checked(me, v);
        while (v != last) {
            try {
                for (; v != last; ++v) {
                    if (!needs_no_check()) [[unlikely]] {
                        visit_checked(me, v);
                    } else if constexpr (std::is_void_v<decltype(invoke(v))>) {
                        invoke(v);
                    } else if (visit_outcome outcome = invoke(v); !outcome.is_done() || outcome.is_unchanged()) {
                        settle_in_sequence(v, note(me, v, std::move(outcome)));
                    }
                }
            } catch (...) {
                settle_in_sequence(v, note(me, v, visit_outcome::failure(std::current_exception())));
                ++v;
            }
        }
    }

    // Posts as `asio::post` does; its header and its initiation would take more time to compile.
    void post_worker(worker* me) final
    {
        asio::require(executor_, asio::execution::blocking.never).execute(worker_handler<Threads>(this->access(), me));
    }

private:
    [[nodiscard]] static auto setup_of(Executor const& executor, Graph const& graph, options_type const& options)
        -> run_setup
    {
        run_setup setup;
        setup.dependents = {graph.vertex_count(), graph.all_dependents().data(), graph.first_dependents().data()};
        setup.granularity = options.scheduler.granularity;
        setup.stop_on_first_failure = options.stop_on_first_failure;
        context_clock const* const clock = find_context_clock(executor);
        setup.is_stepped = clock != nullptr;
        if (!setup.is_stepped)
            setup.max_workers =
                max_workers(executor, options.max_concurrency, options.scheduler.threads, graph.vertex_count());
        setup.end = deadline(options.timeout, clock);
        return setup;
    }
    auto invoke(index_t v) -> decltype(auto) { return std::invoke(visitor_, vertex_id(v), graph_[vertex_id(v)]); }

    Executor executor_;
    Graph const& graph_;
    Visitor visitor_;
    [[no_unique_address]] tracing trace_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_PLAIN_RUN_HPP
