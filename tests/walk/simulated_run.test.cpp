// SPDX-License-Identifier: BSL-1.0
// Walks by workers, each with a seed that selects graph, visits, options, threads, and an order of their atomic
// operations and of the tasks of the executor that the memory model permits. STRIDER_RUN_SEEDS is the number of seeds,
// STRIDER_RUN_SEED the first one; STRIDER_RUN_TRACE prints each operation.
#include <strider/core/dag.hpp>
#include <strider/core/digraph.hpp>
#include <strider/walk/detail/engine.hpp>
#include <strider/walk/walk_options.hpp>

#include <support/simulated_executor.hpp>
#include <support/simulated_threads.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using numbered_graph = dag<std::uint32_t>;
using visitor = std::function<visit_outcome(vertex_id, std::uint32_t)>;
using executor = simulated_pool::executor_type;
using cancel = asio::cancellation_type;

enum class plan : std::uint8_t { done, unchanged, fails, throws, aborts };

struct visit_record {
    std::uint32_t count = 0;  // in this run
    std::size_t fibre = 0;
    std::uint32_t at = 0;
};

[[nodiscard]] auto random_graph(simulation& world) -> numbered_graph
{
    digraph<std::uint32_t> draft;
    bool const with_hub = world.one_in(12);
    std::uint32_t const count = with_hub ? 66 + world.random(6) : 1 + world.random(world.one_in(4) ? 24 : 9);
    std::uint32_t const edges = world.random(4);
    for (std::uint32_t v = 0; v < count; ++v) {
        draft.add_vertex(v);
        for (std::uint32_t i = 0; v != 0 && i < edges; ++i)
            draft.add_edge(draft_vertex_id(v), depends_on(draft_vertex_id(world.random(v))));
    }
    for (std::uint32_t v = 0; with_hub && v + 1 < count; ++v)
        draft.add_edge(draft_vertex_id(count - 1), depends_on(draft_vertex_id(v)));
    return freeze(std::move(draft)).value();
}

// One seed: some runs over one numbered_graph, and the laws that they must obey.
class scenario {
public:
    scenario(std::uint64_t seed, planted_fault fault) : world_(seed, fault) {}

    /// \return the violated law, or an empty string
    [[nodiscard]] auto run() -> std::string
    {
        std::size_t const threads = 1 + world_.random(4);
        is_hostile_ = world_.one_in(6);
        pool_.emplace(world_, threads, is_hostile_ && world_.one_in(2) ? 2 + world_.random(6) : 0,
            is_hostile_ && world_.one_in(2) ? 2 + world_.random(6) : 0);
        world_.add([this] { caller(); });
        for (std::size_t i = 0; i < threads; ++i) world_.add([this] { pool_->work(); });
        is_cancelled_ = !world_.one_in(4);
        if (!is_cancelled_) world_.add([this] { canceller(); });
        return world_.run();
    }

    [[nodiscard]] auto describe() const -> std::string
    {
        auto const flag = [](bool is, char const* text) { return is ? std::string(", ") + text : std::string(); };
        std::string text = std::to_string(graph_ ? graph_->vertex_count() : 0) + " vertices, "
            + std::to_string(graph_ ? graph_->edge_count() : 0) + " edges, " + std::to_string(pool_->threads())
            + " threads, max_concurrency " + std::to_string(options_.max_concurrency) + ", granularity "
            + std::to_string(static_cast<int>(options_.granularity));
        text += flag(is_helped_, "the caller helps")
            + flag(options_.stop_on_first_failure, "stops on the first failure")
            + flag(options_.timeout.has_value(), "timeout") + flag(is_partial_, "partial")
            + flag(pool_->has_refused(), "a post was refused") + flag(pool_->has_destroyed(), "a task was destroyed")
            + flag(was_cancelled_, "cancelled") + flag(was_asked_in_total_, "total cancellation")
            + flag(is_asynchronous_, "asynchronous");
        if (patient_) text += ", vertex " + std::to_string(patient_->index()) + " waits for the others";
        return text;
    }

private:
    void caller()
    {
        graph_.emplace(random_graph(world_));
        plan_visits();
        choose_options();
        // An operation destroys itself at its end, which may be too early because of a fault.
        is_asynchronous_ = world_.one_in(3) && world_.fault() == planted_fault::none;
        if (is_asynchronous_) walk_asynchronously();
        else walk_blocking();
        world_.wait_until([this] { return pool_->is_idle() && is_cancelled_; });
        pool_->close();
    }

    void plan_visits()
    {
        std::size_t const count = graph_->vertex_count();
        plans_.assign(count, plan::done);
        durations_.assign(count, {});
        std::uint32_t const trouble = world_.random(3) == 0 ? 2 + world_.random(8) : 0;
        std::uint32_t const kind = world_.random(4);
        for (std::size_t v = 0; v < count; ++v) {
            if (world_.one_in(trouble)) plans_[v] = static_cast<plan>(1 + world_.random(4));
            durations_[v] = std::chrono::nanoseconds(kind == 0 ? 20
                    : kind == 1                                ? 5'000
                    : world_.one_in(8)                         ? 1'200'000
                                                               : 30);
        }
    }
    void choose_options()
    {
        options_.max_concurrency = world_.one_in(3) ? 1 + world_.random(4) : 64;
        options_.granularity = static_cast<visit_granularity>(world_.random(3));
        is_helped_ = world_.one_in(2);
        options_.stop_on_first_failure = world_.one_in(5);
        if (world_.one_in(6)) options_.timeout = std::chrono::microseconds(world_.random(30));
        workers_ = std::min<std::size_t>(pool_->threads(), options_.max_concurrency);
    }

    void walk_blocking()
    {
        using walk =
            detail::repeated_walk_of<executor, numbered_graph, visitor, ascending_id, no_trace, simulated_threads>;
        auto run = std::make_unique<walk>(
            pool_->get_executor(), *graph_, [this](vertex_id v, std::uint32_t) { return visit(v); }, options_);
        request_ = [&run](cancel type) { run->cancel(type); };
        may_cancel_ = true;
        made_at_ = world_.clocks();
        std::uint32_t const count = 1 + world_.random(3);
        for (std::uint32_t i = 0; i < count; ++i) {
            bool const is_refused = is_cancelled_ && world_.one_in(8);
            begin_run(i != 0 && world_.one_in(2));
            if (is_refused) {
                was_cancelled_ = true;
                run->cancel(world_.one_in(2) ? cancel::partial : cancel::total);
            }
            if (is_partial_) run->select(changed_);
            walk_report const report = (*run)(is_helped_);
            check(report);
            if (is_refused && report.cancelled() + report.unchanged() != report.size() && !report.exception())
                world_.violate("a request before a run has no effect");
            is_running_ = false;
        }
        if (world_.fault() != planted_fault::none) world_.wait_until([this] { return pool_->is_idle(); });
        world_.wait_until([this] { return is_cancelled_; });
        run.reset();
    }

    // The handler is called once, or destroyed if the executor has destroyed a task.
    struct handler {
        using executor_type = executor;
        scenario* self;
        std::shared_ptr<int> calls;
        [[nodiscard]] auto get_executor() const noexcept -> executor_type { return self->pool_->get_safe_executor(); }
        void operator()(error_code, walk_report const& report)
        {
            if (++*calls != 1) self->world_.violate("the handler was called twice");
            self->is_running_ = false;
            if (!self->pool_->has_destroyed()) self->check(report);
        }
    };
    void walk_asynchronously()
    {
        asio::cancellation_signal signal;
        auto const calls = std::make_shared<int>(0);
        cancels_in_visit_ = world_.one_in(3);
        begin_run(false);
        request_ = [&signal](cancel type) { signal.emit(type); };
        is_helped_ = false;
        auto bound = asio::bind_cancellation_slot(signal.slot(), handler{this, calls});
        using run = detail::run_of_walk<executor, numbered_graph, visitor, ascending_id, no_trace,
            detail::destroy_and_call<executor, decltype(bound)>, simulated_threads>;
        bool is_begun = false;
        try {
            detail::start_walk<run>(pool_->get_executor(), std::move(bound), *graph_,
                visitor([this](vertex_id v, std::uint32_t) { return visit(v); }), options_);
            is_begun = true;
        } catch (std::bad_alloc const&) {
            if (!pool_->has_refused()) throw;
        }
        is_cancelled_ = true;
        may_cancel_ = true;
        std::weak_ptr<int> const left = calls;
        world_.wait_until([&] { return *calls != 0 || left.use_count() == 1; });
        if (*calls == 0 && is_begun && !pool_->has_destroyed() && !pool_->has_refused())
            world_.violate("the handler was destroyed without a call");
        if (*calls != 0 && !is_begun) world_.violate("the handler was called although the call has thrown");
        world_.wait_until([this] { return pool_->is_idle(); });
        if (*calls > 1) world_.violate("the handler was called twice");
    }

    void canceller()
    {
        world_.wait_until([this] { return may_cancel_; });
        world_.see(made_at_);
        for (std::uint32_t delay = world_.random(60); delay != 0; --delay) {
            world_.step();
            world_.yield();
        }
        if (!is_cancelled_) {
            std::array<cancel, 3> constexpr types{cancel::total, cancel::partial, cancel::terminal};
            cancel const type = types[world_.random(3)];
            (type == cancel::total ? was_asked_in_total_ : is_cancelled_from_outside_) = true;
            request_(type);
        }
        is_cancelled_ = true;
    }

    void begin_run(bool partial)
    {
        std::size_t const count = graph_->vertex_count();
        visits_.assign(count, {});
        is_changed_.assign(count, false);
        changed_.clear();
        is_partial_ = partial;
        for (std::size_t v = 0; partial && v < count; ++v)
            if (world_.one_in(3)) {
                is_changed_[v] = true;
                changed_.emplace_back(v);
            }
        is_chosen_ = is_changed_;
        for (std::size_t v = 0; v < count; ++v)
            for (vertex_id const d : graph_->dependencies(vertex_id(v)))
                if (is_chosen_[d.index()]) is_chosen_[v] = true;
        was_cancelled_ = is_cancelled_from_outside_;
        patient_.reset();
        if (!partial && is_calm() && workers_ > 1 && options_.granularity == visit_granularity::coarse
            && world_.one_in(2))
            patient_ = vertex_id(world_.random(count));
        is_running_ = true;
    }
    // Nothing stops the run before its end.
    [[nodiscard]] auto is_calm() const -> bool
    {
        return !options_.timeout && is_cancelled_ && !is_hostile_ && !cancels_in_visit_
            && std::ranges::all_of(plans_, [](plan p) { return p == plan::done; });
    }

    [[nodiscard]] auto visit(vertex_id v) -> visit_outcome
    {
        world_.step();
        if (!is_running_) world_.violate("a visit begins after the end");
        if (++inside_ > workers_) world_.violate("more visits at once than permitted");
        if (world_.me() == 0 && !is_helped_) world_.violate("the caller visits");
        visit_record& mine = visits_[v.index()];
        if (mine.count++ != 0) world_.violate("a vertex was visited twice");
        for (vertex_id const d : graph_->dependencies(v)) {
            visit_record const& theirs = visits_[d.index()];
            if (theirs.count == 0 && !is_partial_) world_.violate("a vertex was visited before a dependency");
            if (theirs.count != 0 && (theirs.at == 0 || world_.clocks()[theirs.fibre] < theirs.at))
                world_.violate("a visit does not see a visit of a dependency");
        }
        world_.pass(durations_[v.index()]);
        world_.yield();
        if (cancels_in_visit_ && !std::exchange(was_cancelled_, true))
            request_(world_.one_in(2) ? cancel::partial : cancel::terminal);
        if (patient_ == v) wait_for_the_others(v);
        world_.step();
        mine.fibre = world_.me();
        mine.at = world_.clocks()[world_.me()];
        --inside_;
        switch (plans_[v.index()]) {
        case plan::done: return {};
        case plan::unchanged: return visit_outcome::unchanged();
        case plan::fails: return make_error_code(boost::system::errc::io_error);
        case plan::throws: throw std::runtime_error("planned");
        case plan::aborts: return error_code(asio::error::operation_aborted);
        }
        return {};
    }
    // A long visit: all vertices that do not depend on it continue in the meantime.
    void wait_for_the_others(vertex_id v)
    {
        std::vector<bool> follows(visits_.size(), false);
        follows[v.index()] = true;
        for (std::size_t w = v.index(); w < visits_.size(); ++w)
            for (vertex_id const d : graph_->dependencies(vertex_id(w)))
                if (follows[d.index()]) follows[w] = true;
        world_.wait_until([this, follows] {
            for (std::size_t w = 0; w < visits_.size(); ++w)
                if (!follows[w] && visits_[w].at == 0) return false;
            return true;
        });
    }

    void check(walk_report const& report)
    {
        if (inside_ != 0) world_.violate("the end comes before a visit ends");
        for (visit_record const& each : visits_)
            if (each.count != 0 && world_.clocks()[each.fibre] < each.at)
                world_.violate("the end does not see a visit");
        if (report.exception()) {
            if (!(pool_->has_refused() || pool_->has_destroyed())
                || report.error() != boost::system::errc::not_enough_memory)
                world_.violate("an error without a reason");
            return;
        }
        if (report.size() != graph_->vertex_count()) world_.violate("the report is not complete");
        if (report.error() == walk_errc::context_destroyed) {
            if (!pool_->has_destroyed()) world_.violate("a context was reported as destroyed that is not");
            return;
        }
        for (std::size_t v = 0; v < visits_.size(); ++v) check(report, vertex_id(v));
        if (was_asked_in_total_ && !may_stop(report) && report.cancelled() != 0
            && report.done() + report.failed() != report.unchanged())
            world_.violate("a total cancellation took effect in part");
    }
    [[nodiscard]] auto may_stop(walk_report const& report) const -> bool
    {
        return was_cancelled_ || is_cancelled_from_outside_ || options_.timeout
            || (options_.stop_on_first_failure && report.failed() != 0);
    }
    // Compares the outcome of a vertex with the one that follows from its dependencies.
    void check(walk_report const& report, vertex_id v)
    {
        visit_outcome const& got = report[v];
        bool const visited = visits_[v.index()].count != 0;
        bool blamed = false;
        bool has_reason = !is_partial_ || is_changed_[v.index()];
        bool held_up = false;
        for (vertex_id const d : graph_->dependencies(v)) {
            if (is_partial_ && !is_chosen_[d.index()]) continue;
            visit_outcome const& theirs = report[d];
            blamed = blamed || theirs.status() == visit_status::failed || theirs.status() == visit_status::skipped;
            held_up = held_up || theirs.status() == visit_status::cancelled;
            has_reason = has_reason || !theirs.is_unchanged();
        }
        auto const expect = [&](bool visit, bool as_expected, char const* law) {
            if (visited != visit || !as_expected) world_.violate(law);
        };
        if (is_partial_ && !is_chosen_[v.index()])
            return expect(false, got.is_unchanged(), "a vertex that was not chosen is not unchanged");
        if (blamed)
            return expect(false, got.status() == visit_status::skipped, "a dependent of a failure is not skipped");
        if (!has_reason) return expect(false, got.is_unchanged(), "a vertex without a reason is not unchanged");
        if (held_up)
            return expect(
                false, got.status() == visit_status::cancelled, "a dependent of a cancelled one is not cancelled");
        if (!visited) {
            if (got.status() != visit_status::cancelled) world_.violate("a vertex was left out");
            if (!may_stop(report) && !was_asked_in_total_) world_.violate("a vertex is cancelled without a reason");
            return;
        }
        switch (plans_[v.index()]) {
        case plan::done: return expect(true, got.is_done() && !got.is_unchanged(), "a visit is not done");
        case plan::unchanged: return expect(true, got.is_unchanged(), "a visit is not unchanged");
        case plan::fails:
            return expect(true, got.status() == visit_status::failed && !got.exception(), "a visit has not failed");
        case plan::throws:
            return expect(true, got.status() == visit_status::failed && got.exception(), "a visit has not thrown");
        case plan::aborts:
            return expect(true,
                got.status() == visit_status::failed
                    || (got.status() == visit_status::cancelled
                        && (was_cancelled_ || is_cancelled_from_outside_ || was_asked_in_total_ || options_.timeout)),
                "an aborted visit is neither failed nor cancelled");
        }
    }

    simulation world_;
    std::optional<simulated_pool> pool_;
    std::optional<numbered_graph> graph_;
    std::vector<plan> plans_;
    std::vector<std::chrono::nanoseconds> durations_;
    std::vector<visit_record> visits_;
    std::vector<bool> is_changed_;
    std::vector<bool> is_chosen_;
    std::vector<vertex_id> changed_;
    std::function<void(cancel)> request_;
    walk_options<> options_;
    std::optional<vertex_id> patient_;
    std::size_t workers_ = 1;
    std::size_t inside_ = 0;
    fibre_clocks made_at_{};  // of the run
    bool is_hostile_ = false;  // the executor refuses or destroys tasks
    bool is_helped_ = false;  // the calling thread visits too
    bool is_asynchronous_ = false;
    bool is_partial_ = false;
    bool is_running_ = false;
    bool may_cancel_ = false;
    bool is_cancelled_ = false;  // the canceller is done, or there is none
    bool was_cancelled_ = false;
    bool is_cancelled_from_outside_ = false;  // maybe in this run
    bool was_asked_in_total_ = false;
    bool cancels_in_visit_ = false;
};

[[nodiscard]] auto number(char const* name, std::uint64_t otherwise) -> std::uint64_t
{
    char const* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

struct failure {
    std::uint64_t seed;
    std::string law;
};
// The scenario outlives its run, and a failed one is never destroyed: its fibres still refer to it.
[[nodiscard]] auto first_failure(std::uint64_t first, std::uint64_t count, planted_fault fault)
    -> std::optional<failure>
{
    for (std::uint64_t seed = first; seed != first + count; ++seed) {
        auto one = std::make_unique<scenario>(seed, fault);
        std::string law = one->run();
        if (law.empty()) continue;
        law += " (" + one->describe() + ")";
        (void)one.release();
        return failure{seed, std::move(law)};
    }
    return std::nullopt;
}

// All simulated threads are fibres of one thread, in which ThreadSanitizer finds no race; the tests with real threads run sanitized.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;
#elif defined(__has_feature)
constexpr bool is_sanitized = __has_feature(thread_sanitizer) || __has_feature(address_sanitizer);
#else
constexpr bool is_sanitized = false;
#endif

TEST(SimulatedRun, SatisfiesTheInvariantsForEverySeed)
{
    if (is_sanitized) GTEST_SKIP() << "sanitizers do not follow fibres";
    std::uint64_t const first = number("STRIDER_RUN_SEED", 0);

    auto const failed = first_failure(first, number("STRIDER_RUN_SEEDS", 2000), planted_fault::none);

    if (failed) ADD_FAILURE() << "STRIDER_RUN_SEED=" << failed->seed << " STRIDER_RUN_SEEDS=1: " << failed->law;
}

struct fault_case {
    char const* name;
    planted_fault fault;
    std::uint64_t seeds;
};
class PlantedFault : public testing::TestWithParam<fault_case> {};

// A law that no fault violates would check nothing.
TEST_P(PlantedFault, ViolatesAnInvariant)
{
    if (is_sanitized) GTEST_SKIP() << "sanitizers do not follow fibres";
    auto const found = first_failure(0, GetParam().seeds, GetParam().fault);

    ASSERT_TRUE(found);
    std::printf("%s: seed %d, %s\n", GetParam().name, static_cast<int>(found->seed), found->law.c_str());
}

INSTANTIATE_TEST_SUITE_P(Each, PlantedFault,
    testing::Values(fault_case{"relaxed_counters", planted_fault::relaxed_counters, 1000},
        fault_case{"relaxed_termination", planted_fault::relaxed_termination, 1000},
        fault_case{"relaxed_deque", planted_fault::relaxed_deque, 1000},
        fault_case{"no_second_look", planted_fault::no_second_look, 30000},
        fault_case{"no_last_element_race", planted_fault::no_last_element_race, 1000},
        fault_case{"double_settle", planted_fault::double_settle, 1000},
        fault_case{"late_join", planted_fault::late_join, 3000},
        fault_case{"lost_offer", planted_fault::lost_offer, 30000}),
    [](auto const& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace strider::test
