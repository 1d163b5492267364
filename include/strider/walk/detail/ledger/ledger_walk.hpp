// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_LEDGER_WALK_HPP
#define STRIDER_WALK_DETAIL_LEDGER_LEDGER_WALK_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/call_at.hpp>
#include <strider/walk/detail/forwarded_visit.hpp>
#include <strider/walk/detail/ledger/handle_strand.hpp>
#include <strider/walk/detail/ledger/ledger_run.hpp>
#include <strider/walk/detail/ledger/short_visits.hpp>
#include <strider/walk/detail/ledger/visit_coroutine.hpp>
#include <strider/walk/detail/ledger/visit_strand.hpp>
#include <strider/walk/detail/ledger/visit_time.hpp>
#include <strider/walk/detail/ledger/walk_ledger.hpp>
#include <strider/walk/detail/stealing/max_workers.hpp>
#include <strider/walk/detail/stealing/visit_cost.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

namespace strider::detail {

// Stands for the mutex where a strand serialises all calls.
struct no_mutex {
    void lock() const noexcept {}
    void unlock() const noexcept {}
};

// A walk with a ledger. All access to the ledger is
//
//   if the executor is a strand   on that strand, where all visitors run too
//   on another executor           under a mutex, by the thread that ends a visit
//
// All other functions are common to both: visits access the ledger only through `exchange`, which turns the permit to
// visit a vertex into the permit to visit the next one, or ends the walk.
//
// The strand and the mutex also order the writes of a visit before the reads of its dependents.
template <class Executor, class Graph, class Visitor, class Ready, class Trace>
class ledger_walk : public ledger_run<Executor> {
    static_assert(!growing_graph<Graph> || growing_queue_policy<Ready>,
        "a walk of a growing graph needs a ready queue with a member function resize(id_bound)");

    using base = ledger_run<Executor>;
    using permit_type = permit<Executor>;
    using strand_ptr = visit_strand_ptr<Executor>;

    static constexpr std::size_t no_limit = static_cast<std::size_t>(-1);
    static constexpr bool on_strand = strand_executor<Executor>;
    static constexpr bool is_awaitable = awaitable_visitor_for<Visitor, Graph>;
    static constexpr bool is_handle = handle_visitor_for<Visitor, Graph>;
    static constexpr bool is_plain = !is_awaitable && !is_handle;
    // True if a strand is started only when a visit on the one before suspends.
    static constexpr bool starts_in_sequence = !is_plain;

public:
    // True if several threads visit, unless visits are short.
    static constexpr bool measures_visits = !on_strand;
    using self_ptr = typename base::self_ptr;
    using options_type = walk_options<Ready, Trace>;

    ledger_walk(Executor const& executor, Graph const& graph, Visitor visitor, options_type options)
        : base(executor, options.stop_on_first_failure, options.timeout),
          work_(tracked(executor)),
          graph_(graph),
          visitor_(std::move(visitor)),
          ledger_(graph, {&visitor_, &call_not_visited}, std::move(options.ready), std::move(options.trace),
              this->control_),
          max_concurrency_(options.max_concurrency == 0 ? no_limit : options.max_concurrency)
    {
        if constexpr (is_plain && on_strand) max_concurrency_ = 1;
        if (this->is_stepped()) return;
        if constexpr (on_strand) {
            max_starters_ = 1;
        } else {
            index_t const workers = max_workers(executor, is_plain ? options.max_concurrency : 0, options.threads,
                growing_graph<Graph> ? no_limit : graph.vertex_count());
            (is_plain ? max_concurrency_ : max_starters_) = workers;
            short_visits_ = short_visits(options.granularity);
        }
    }

    void post(run_task<Executor> task) const override
    {
        Executor const place = this->executor_;  // the function may end the walk before the call returns
        asio::post(place, std::move(task));
    }
    void continue_after_handle(strand_ptr on, permit_type ended) override
    {
        if constexpr (is_handle) {
            strand_task<Executor> next{std::move(on), std::move(ended), &continue_by_handles<ledger_walk, Executor>};
            if constexpr (on_strand) {
                Executor const strand = this->executor_;
                asio::dispatch(strand, std::move(next));
            } else {
                next();
            }
        }
    }
    void abort_visit(std::exception_ptr thrown) override
    {
        if constexpr (on_strand) {
            Executor const strand = this->executor_;
            asio::dispatch(strand, abort_task<Executor>{self_ptr(this), std::move(thrown)});
        } else {
            record_lost_visit(std::move(thrown));
        }
    }
    void record_lost_visit(std::exception_ptr thrown) override
    {
        enter([&] { ledger_.abort_visit(std::move(thrown)); });
    }

    [[nodiscard]] static auto of(permit_type const& given) noexcept -> ledger_walk&
    {
        return static_cast<ledger_walk&>(given.run());
    }
    // Settles a visit that ended and returns the permit for the next vertex, if there is one. Called by the owner of
    // the ledger.
    [[nodiscard]] static auto exchange(permit_type ended, visit_outcome&& outcome, visit_time time) -> permit_type
    {
        ledger_walk& run = of(ended);
        vertex_id next;
        run.enter([&] { next = run.settle_and_take(ended.vertex(), std::move(outcome), time); });
        if (next) return permit_type(ended.release(), next);
        base::leave(ended.release());
        return {};
    }

    // Called instead of `invoke` if the walk is to stop. \return the outcome of the vertex
    [[nodiscard]] auto settle_without_visit(vertex_id v) noexcept -> visit_outcome
    {
        visit_outcome outcome = visit_outcome::cancelled();
        notify_not_visited(visitor_, v, outcome);
        return outcome;
    }
    template <class... Rest>
    auto invoke(vertex_id v, Rest&&... rest) -> decltype(auto)
    {
        return std::invoke(visitor_, v, graph_[v], std::forward<Rest>(rest)...);
    }

protected:
    ~ledger_walk() = default;

    // Makes the walk partial. Called before the first function.
    void select(std::span<vertex_id const> changed) { ledger_.select(changed); }
    // Called once, when the walk has completed.
    [[nodiscard]] auto close() noexcept -> walk_report { return ledger_.close(); }

    // The first function of the walk.
    static void begin(permit_type given)
    {
        ledger_walk& run = of(given);
        run.enter([&run] {
            run.begun_ = true;
            if constexpr (waking_queue_policy<Ready>) run.ledger_.set_waker(wake_walk<Executor>{run.link()});
            run.control_.open(false);
            run.request_at_deadline();
            run.apply_stops();
            run.ledger_.begin();
        });
        base::leave(given.release());
    }

private:
    static void call_not_visited(void* visitor, vertex_id v, visit_outcome const& outcome) noexcept
    {
        notify_not_visited(*static_cast<Visitor*>(visitor), v, outcome);
    }

    void apply_requests() override
    {
        enter([] {});
    }

    // Visits vertices in sequence, until no vertex is ready or its time slice is over.
    static void visit_in_sequence(permit_type current)
    {
        visit_time_slice slice(current.run().is_stepped());
        do {
            ledger_walk& run = of(current);
            vertex_id const v = current.vertex();
            visit_outcome outcome = run.stopping() ? run.settle_without_visit(v)
                                                   : detail::visit_plainly(run.visitor_, v, run.graph_[v], run.stop());
            current = exchange(std::move(current), std::move(outcome), slice.end_visit());
            if (!current) return;
            slice.begin_visit();
        } while (!slice.is_over());
        self_ptr run = current.share();
        try {
            run->post({std::move(current), &visit_in_sequence});
        } catch (...) {
            run->abort_visit(std::current_exception());
        }
        base::leave(std::move(run));
    }
    // Starts strands in sequence, while vertices are ready and permits are available. A strand visits directly until a
    // visit suspends, so another strand is started only if a visit waits, not for each ready vertex. If time is virtual,
    // each first visit is a task, so that a seed decides which of several ready visits begins first. The vertex is taken
    // when the function runs: with one thread, visits start in the order of the ready queue.
    //
    // The walk does not complete while a starter is queued or running.
    //
    // IsNew: the starter has not taken a vertex before
    template <bool IsNew>
    static void start_strands(permit_type given)
    {
        self_ptr run = given.release();
        visit_time_slice slice(run->is_stepped());
        bool is_new = IsNew;
        do {
            strand_task<Executor> next = next_start(std::move(run), std::exchange(is_new, false));
            if (!next.given) return;
            run = next.given.share();
            auto const strand = next.on->strand;
            try {
                if (run->is_stepped()) asio::post(strand, std::move(next));
                else asio::dispatch(strand, std::move(next));
            } catch (...) {
                run->abort_visit(std::current_exception());
            }
            (void)slice.end_visit();
        } while (!slice.is_over());
        try {
            run->post({permit_type(run, {}), &start_strands<false>});
        } catch (...) {
            auto& lost = static_cast<ledger_walk&>(*run);
            lost.enter([&lost] {
                --lost.starters_;
                lost.ledger_.abort(std::current_exception());
            });
        }
        base::leave(std::move(run));
    }
    // Takes a vertex for a starter of strands. \return none: the starter has ended
    [[nodiscard]] static auto next_start(self_ptr self, bool is_new) -> strand_task<Executor>
    {
        strand_task<Executor> next{};
        auto& run = static_cast<ledger_walk&>(*self);
        run.enter([&] {
            if (is_new) --run.new_starters_;
            --run.starters_;
            if (!run.may_take() || run.starters_ >= run.starter_limit()) return;
            strand_ptr on = run.free_visit_strand();
            vertex_id const v = run.ledger_.take();
            if (!v) return on->release();
            next.on = std::move(on);
            next.step = &begin_on_strand;
            next.given = permit_type(self, v);
            ++run.starters_;
        });
        base::leave(std::move(self));
        return next;
    }
    static void begin_on_strand(strand_ptr on, permit_type first)
    {
        if constexpr (is_awaitable) {
            using awaitable_executor =
                typename awaitable_traits<visit_return_t<Visitor, vertex_value_t<Graph>>>::executor_type;
            spawn_visits<awaitable_executor, Executor>(
                std::move(on), std::move(first), &await_visits<awaitable_executor, ledger_walk, Executor>);
        } else {
            visit_by_handles<ledger_walk>(std::move(on), std::move(first));
        }
    }

    // Accesses the ledger, applies stop requests, starts ready vertices, and completes the walk if nothing is left. An
    // exception of a policy or an allocation ends the walk as soon as nothing runs. The caller owns the walk.
    template <class F>
    void enter(F f)
    {
        std::lock_guard const lock(mutex_);
        if (this->completed_) return;
        try {
            if (begun_) request_at_deadline();
            f();
            if (begun_) apply_stops();
            start_ready();
            if (!is_idle() || !ledger_.has_waiting()) wait_ = nullptr;
            else if (!wait_) wait_for_others();
        } catch (...) {
            ledger_.abort(std::current_exception());
            wait_ = nullptr;
        }
        this->completed_ = is_idle() && !wait_;
    }
    [[nodiscard]] auto is_idle() const noexcept -> bool { return begun_ && ledger_.running() == 0 && starters_ == 0; }
    // All vertices that are left wait for other walks: a wait owns this one, until its deadline.
    void wait_for_others()
    {
        wait_ = call_at(this->executor_, this->clock_, this->control_.end(),
            [self = self_ptr(this)] { base::post_apply_requests(self); });
    }

    // \return none if no vertex is ready, or if a starter continues: after a time slice, or alone because visits are short
    [[nodiscard]] auto settle_and_take(vertex_id v, visit_outcome&& outcome, visit_time time) -> vertex_id
    {
        if (ledger_.settle(v, std::move(outcome))) visit_strands_.stop();
        if constexpr (measures_visits) short_visits_.count(time.duration);
        if (starts_in_sequence && (time.slice_is_over || starters_ > starter_limit())) return {};
        if (!may_take()) return {};
        return ledger_.take();
    }

    // Called before a visit is settled: one that is aborted after the deadline counts as cancelled.
    void request_at_deadline() { this->control_.check_deadline(); }
    void apply_stops()
    {
        if (ledger_.apply_requests()) visit_strands_.stop();
    }

    // Starts ready vertices while permits are available.
    void start_ready()
    {
        if constexpr (starts_in_sequence) {
            for (; may_take() && starters_ < starter_limit() && new_starters_ < ledger_.ready(); ++new_starters_) {
                post({permit_type(self_ptr(this), {}), &start_strands<true>});
                ++starters_;
            }
        } else {
            while (may_take()) {
                vertex_id const next = ledger_.take();
                if (!next) continue;
                permit_type given(self_ptr(this), next);
                try {
                    post({std::move(given), &visit_in_sequence});
                } catch (...) {
                    ledger_.abort_visit(std::current_exception());
                }
            }
        }
    }
    [[nodiscard]] auto may_take() const -> bool
    {
        bool const alone = is_plain && short_visits_.are_expected();
        return ledger_.running() < (alone ? 1 : max_concurrency_) && ledger_.ready() != 0;
    }
    [[nodiscard]] auto starter_limit() const noexcept -> std::size_t
    {
        return short_visits_.are_expected() ? 1 : max_starters_;
    }
    [[nodiscard]] auto free_visit_strand() -> strand_ptr
    {
        return visit_strands_.take_free([this](auto const& freed) -> strand_ptr {
            using made = std::conditional_t<is_handle, handle_strand<Executor>, visit_strand<Executor>>;
            return std::make_shared<made>(strand_of_t<Executor>(this->executor_), freed);
        });
    }

    tracked_t<Executor> work_;
    Graph const& graph_;
    Visitor visitor_;
    walk_ledger<Graph, Ready, Trace> ledger_;
    [[no_unique_address]] std::conditional_t<on_strand, no_mutex, std::mutex> mutex_;
    visit_strands<Executor> visit_strands_;
    std::size_t max_concurrency_;
    short_visits short_visits_{visit_granularity::coarse};
    std::size_t max_starters_ = no_limit;
    std::size_t starters_ = 0;  // starters of strands that are queued or running
    std::size_t new_starters_ = 0;  // those that have not taken a vertex yet
    bool begun_ = false;
    std::shared_ptr<void> wait_;  // while all vertices that are left wait for other walks
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_LEDGER_WALK_HPP
