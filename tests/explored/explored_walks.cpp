// SPDX-License-Identifier: BSL-1.0
#include <explored/explored_programs.hpp>

#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/walk/detail/engine.hpp>
#include <strider/walk/walk_options.hpp>

#include <support/explored_threads.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using numbered_graph = dag<std::uint32_t>;
using cancel_type = asio::cancellation_type;

enum class explored_cancel : std::uint8_t { none, total, partial, terminal };

// A walk by workers: the caller, as many workers as there are threads, and the tasks that they post.
struct explored_walk {
    std::size_t vertices = 2;
    std::vector<std::pair<std::size_t, std::size_t>> edges = {};  // a vertex, and a dependency with a lower number
    std::size_t threads = 2;
    int runs = 1;
    bool is_helped = false;  // the caller is one of the workers
    bool is_barrier = false;  // no visit of a vertex without dependencies ends before all of these have begun
    bool can_fail = false;  // each visit is done, fails, or throws
    bool stops_on_failure = false;
    bool has_faults = false;  // the executor refuses or destroys any task
    bool is_partial = false;  // the second run and later ones begin at the first vertex
    bool has_long_visits = false;  // a worker continues in another task after each visit
    bool is_asynchronous = false;  // a handler is called at the end; visits may cancel
    explored_cancel cancel = explored_cancel::none;  // by another thread, at any time
};

[[nodiscard]] auto graph_of(explored_walk const& walk) -> numbered_graph
{
    digraph<std::uint32_t> draft;
    for (std::size_t v = 0; v < walk.vertices; ++v) draft.add_vertex(static_cast<std::uint32_t>(v));
    for (auto const& [v, dependency] : walk.edges)
        draft.add_edge(draft_vertex_id(v), depends_on(draft_vertex_id(dependency)));
    return freeze(std::move(draft)).value();
}

[[nodiscard]] auto type_of(explored_cancel cancel) -> cancel_type
{
    if (cancel == explored_cancel::total) return cancel_type::total;
    return cancel == explored_cancel::partial ? cancel_type::partial : cancel_type::terminal;
}

// The data that one execution reads and writes. None of them is atomic, so an access without order is a data race.
class walk_world {
public:
    struct visitor {
        walk_world* world;
        auto operator()(vertex_id v, std::uint32_t) -> visit_outcome { return world->visit(v); }
    };
    using walk_type =
        detail::repeated_walk_of<explored_executor, numbered_graph, visitor, ascending_id, no_trace, explored_threads>;

    walk_world(explored_walk const& walk, numbered_graph const& graph, explored_executor::state& pool)
        : walk_(walk),
          graph_(graph),
          pool_(pool),
          executor_(pool)
    {
        options_.stop_on_first_failure = walk.stops_on_failure;
        options_.granularity = visit_granularity::adaptive;
    }

    static void run(std::shared_ptr<walk_world> const& self)
    {
        if (self->walk_.is_asynchronous) self->walk_asynchronously(self);
        else self->walk_blocking(self);
    }

private:
    struct visit_record {
        int count = 0;
        visit_status ended = visit_status::done;
        int value = 0;  // more than that of each dependency
        bool is_over = false;
        bool has_cancelled = false;
    };

    void walk_blocking(std::shared_ptr<walk_world> const& self)
    {
        begin_run(false);
        auto runner = std::make_unique<walk_type>(executor_, graph_, visitor{this}, options_);
        if (walk_.cancel != explored_cancel::none)
            exploration::start([self, to = runner.get()] {
                to->cancel(type_of(self->walk_.cancel));
                self->has_cancelled_.store(true, std::memory_order_release);
                self->has_cancelled_.notify_one();
            });
        for (int i = 0; i < walk_.runs; ++i) {
            if (i != 0) begin_run(walk_.is_partial);
            if (is_partial_) runner->select(std::vector<vertex_id>{vertex_id(0)});
            walk_report const report = (*runner)(walk_.is_helped);
            is_running_ = false;
            check(report);
        }
        if (walk_.cancel != explored_cancel::none) has_cancelled_.wait(false, std::memory_order_acquire);
        runner.reset();
    }

    struct handler {
        using executor_type = explored_executor;
        std::shared_ptr<walk_world> world;
        [[nodiscard]] auto get_executor() const noexcept -> executor_type
        {
            return explored_executor(world->reliable_);
        }
        void operator()(error_code, walk_report const& report)
        {
            exploration::require(!std::exchange(world->has_ended_, true), "the handler is called once");
            world->is_running_ = false;
            world->check(report);
        }
    };
    void walk_asynchronously(std::shared_ptr<walk_world> const& self)
    {
        begin_run(false);
        auto bound = asio::bind_cancellation_slot(signal_.slot(), handler{self});
        using run_type = detail::run_of_walk<explored_executor, numbered_graph, visitor, ascending_id, no_trace,
            detail::destroy_and_call<explored_executor, decltype(bound)>, explored_threads>;
        try {
            detail::start_walk<run_type>(executor_, std::move(bound), graph_, visitor{this}, options_);
        } catch (std::bad_alloc const&) {
            exploration::require(pool_.has_refused, "an error has a reason");
        }
    }

    void begin_run(bool is_partial)
    {
        visits_.assign(walk_.vertices, {});
        int begin_at_once = 0;
        for (std::size_t v = 0; v < walk_.vertices; ++v)
            begin_at_once += graph_.dependencies(vertex_id(v)).empty() ? 1 : 0;
        left_.store(begin_at_once, std::memory_order_relaxed);
        pool_.has_refused = pool_.has_destroyed = false;
        is_partial_ = is_partial;
        is_running_ = true;
    }

    [[nodiscard]] auto visit(vertex_id v) -> visit_outcome
    {
        exploration::require(is_running_, "no visit begins after the end");
        visit_record& mine = visits_[v.index()];
        exploration::require(mine.count++ == 0, "a vertex is visited once");
        (void)exploration::count();
        for (vertex_id const d : graph_.dependencies(v)) {
            visit_record const& theirs = visits_[d.index()];
            bool const is_selected = !is_partial_ || theirs.count != 0;
            exploration::require(!is_selected || (theirs.is_over && theirs.ended == visit_status::done),
                "a vertex is visited after its dependencies");
            mine.value = std::max(mine.value, theirs.value);
        }
        ++mine.value;
        if (walk_.is_barrier && graph_.dependencies(v).empty()) wait_for_the_others();
        if (walk_.is_asynchronous && walk_.cancel != explored_cancel::none && exploration::choose(2) != 0) {
            mine.has_cancelled = true;
            signal_.emit(type_of(walk_.cancel));
        }
        std::size_t const end = walk_.can_fail ? exploration::choose(3) : 0;
        mine.ended = end == 0 ? visit_status::done : visit_status::failed;
        mine.is_over = true;
        if (end == 1) return make_error_code(boost::system::errc::io_error);
        if (end == 2) throw std::runtime_error("planned");
        return {};
    }

    // The visits take so long that all of them must be made at the same time.
    void wait_for_the_others()
    {
        if (left_.fetch_sub(1, std::memory_order_relaxed) != 1)
            return have_begun_.wait(false, std::memory_order_relaxed);
        have_begun_.store(true, std::memory_order_relaxed);
        have_begun_.notify_all();
    }

    void check(walk_report const& report)
    {
        if (report.exception()) return exploration::require(pool_.has_refused, "an exception has a reason");
        if (report.error() == walk_errc::context_destroyed)
            return exploration::require(pool_.has_destroyed, "a context is lost only if it destroyed a task");
        exploration::require(report.size() == walk_.vertices, "the report is complete");
        bool may_stop = walk_.cancel != explored_cancel::none;
        for (visit_record const& each : visits_)
            may_stop = may_stop || (walk_.stops_on_failure && each.ended != visit_status::done);
        for (std::size_t v = 0; v < walk_.vertices; ++v) check(report, vertex_id(v), may_stop);
        if (walk_.cancel == explored_cancel::total && !walk_.is_asynchronous && !walk_.can_fail)
            exploration::require(report.cancelled() == 0 || report.cancelled() == walk_.vertices,
                "a total cancellation has all or no effect");
    }
    void check(walk_report const& report, vertex_id v, bool may_stop) const
    {
        visit_record const& mine = visits_[v.index()];
        visit_outcome const got = report[v];
        if (mine.count != 0) {
            exploration::require(mine.is_over, "the end comes after all visits");
            return exploration::require(got.status() == mine.ended, "the report tells how a visit ended");
        }
        if (is_partial_ && got.is_unchanged()) return;
        bool skips = false;
        for (vertex_id const d : graph_.dependencies(v)) {
            visit_status const of = report[d].status();
            skips = skips || of == visit_status::failed || of == visit_status::skipped;
        }
        if (skips) exploration::require(got.status() == visit_status::skipped, "a vertex is skipped after a failure");
        else exploration::require(may_stop && got.status() == visit_status::cancelled, "no vertex is left out");
    }

    explored_walk const& walk_;
    numbered_graph const& graph_;
    explored_executor::state& pool_;
    explored_executor::state reliable_;
    explored_executor executor_;
    walk_options<> options_;
    std::vector<visit_record> visits_;
    asio::cancellation_signal signal_;
    bool is_partial_ = false;
    bool is_running_ = false;
    bool has_ended_ = false;
    explored_atomic<bool, -1> has_cancelled_{false};
    explored_atomic<int, -1> left_{0};  // visits that have not begun
    explored_atomic<bool, -1> have_begun_{false};
};

[[nodiscard]] auto program_of(std::string name, explored_walk const& walk, search_bounds bounds = {})
    -> explored_program
{
    auto const explore = [walk](search_bounds of) {
        numbered_graph const graph = graph_of(walk);
        explored_executor::state pool;
        explored_threads::clock::step =
            walk.has_long_visits ? std::chrono::milliseconds(2) : std::chrono::microseconds(1);
        return exploration::run(of, [&] {
            pool = {.threads = walk.threads, .has_faults = walk.has_faults};
            walk_world::run(std::make_shared<walk_world>(walk, graph, pool));
        });
    };
    return {std::move(name), explore, bounds};
}

}  // namespace

auto explored_walks() -> std::vector<explored_program>
{
    using edges = std::vector<std::pair<std::size_t, std::size_t>>;
    edges const chain{{1, 0}};
    edges const fork{{1, 0}, {2, 0}};
    edges const join{{2, 0}, {2, 1}};
    edges const diamond{{1, 0}, {2, 0}, {3, 1}, {3, 2}};
    edges const inverse{{1, 0}, {2, 0}, {3, 0}};
    search_bounds const all{};
    search_bounds const some{.deviations = 8};
    search_bounds const few{.deviations = 5};
    return {
        program_of("chain", {.edges = chain}),
        program_of("chain, visits fail", {.edges = chain, .can_fail = true}),
        program_of("chain in two runs, the executor fails", {.edges = chain, .runs = 2, .has_faults = true}),
        program_of("two", {}, all),
        program_of("two at once", {.is_barrier = true}, all),
        program_of("two, the caller helps", {.is_helped = true}, some),
        program_of("two, visits fail", {.can_fail = true}, some),
        program_of("two, visits fail and stop", {.can_fail = true, .stops_on_failure = true}, some),
        program_of("two, the executor fails", {.has_faults = true}, some),
        program_of("two, long visits", {.has_long_visits = true}, some),
        program_of("two in two runs", {.runs = 2}, few),
        program_of("two in two runs, the caller helps, the executor fails",
            {.runs = 2, .is_helped = true, .has_faults = true}, few),
        program_of("two in two runs, the second one partial", {.runs = 2, .is_partial = true}, few),
        program_of("fork in two runs, the second one partial",
            {.vertices = 3, .edges = fork, .runs = 2, .is_partial = true}, few),
        program_of("two, cancelled in total", {.cancel = explored_cancel::total}, some),
        program_of("two, cancelled", {.cancel = explored_cancel::partial}, some),
        program_of("two, cancelled by a visit", {.is_asynchronous = true, .cancel = explored_cancel::terminal}, some),
        program_of("two, asynchronous, the executor fails", {.has_faults = true, .is_asynchronous = true}, some),
        program_of("join", {.vertices = 3, .edges = join}, all),
        program_of("join, visits fail", {.vertices = 3, .edges = join, .can_fail = true}, some),
        program_of("join at once", {.vertices = 3, .edges = join, .is_barrier = true}, some),
        program_of(
            "join at once, visits fail", {.vertices = 3, .edges = join, .is_barrier = true, .can_fail = true}, few),
        program_of("fork", {.vertices = 3, .edges = fork}, some),
        program_of("diamond", {.vertices = 4, .edges = diamond}, some),
        program_of("three", {.vertices = 3}, some),
        program_of("three by three", {.vertices = 3, .threads = 3}, some),
        program_of("three by three at once", {.vertices = 3, .threads = 3, .is_barrier = true}, few),
        program_of("four, three wait for the first", {.vertices = 4, .edges = inverse}, some),
    };
}

}  // namespace strider::test
