// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_WORKER_RUN_HPP
#define STRIDER_WALK_DETAIL_STEALING_WORKER_RUN_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/outcome_rules.hpp>
#include <strider/walk/detail/run_control.hpp>
#include <strider/walk/detail/stealing/hot_records.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/run_access.hpp>
#include <strider/walk/detail/stealing/run_comparison.hpp>
#include <strider/walk/detail/stealing/sequential_run.hpp>
#include <strider/walk/detail/stealing/visit_cost.hpp>
#include <strider/walk/detail/stealing/worker_handler.hpp>
#include <strider/walk/detail/stealing/worker_set.hpp>
#include <strider/walk/detail/waiting_thread.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace strider::detail {

// A run by worker handlers.
//
//   in sequence    one worker visits in ascending id: always if there is one worker; with more workers while visits
//                  are known to be short
//   in parallel    every worker visits from its own stack; each vertex has a counter of open dependencies, and the
//                  worker that decrements it to 0 takes the vertex. Ready vertices are offered in the worker's deque:
//                  all but the next one, or fewer while visits are known to be short
//
// The active workers own the run: the last one that leaves ends it, by `End`, which may destroy it.
template <class Visits, class End, class Threads = native_threads>
class worker_run : public sequential_run<Visits, Threads> {
    using base = sequential_run<Visits, Threads>;

public:
    using executor_type = typename Visits::executor_type;
    using run_access = detail::run_access<worker_run, Threads>;
    using typename base::worker;

    template <class Graph, class Visitor>
    worker_run(executor_type const& executor, Graph const& graph, Visitor visitor,
        typename Visits::options_type const& options, End end = {})
        : worker_run(Visits::setup(executor, graph, options), Visits(executor, graph, std::move(visitor), options),
              std::move(end), std::make_shared<run_access>())
    {}
    ~worker_run()
    {
        disconnect();
        access_->termination.close();
    }

    // Works until the run is over, or until this worker finds nothing to do. Called by handlers and by a waiting
    // thread. Afterwards nothing of the run may be accessed but its access state.
    // \return false if another handler continues as this worker
    static auto work(std::shared_ptr<run_access> const& access, worker* me) -> bool
    {
        worker_run& run = *access->run;
        index_t const most = run.setup_.max_workers;
        bool const in_handler = me->in_handler;
        for (;;) {
            bool slice_is_over = false;
            termination_counter::count seen = 0;
            try {
                slice_is_over = run.advance(*me);
                seen = access->termination.offers();
                if (!slice_is_over && run.find_work(*me)) continue;
            } catch (...) {
                abandon(*access, *me, std::current_exception());
                return true;
            }
            if (slice_is_over) {
                run.continue_later(*me);
                return false;
            }
            run.workers_.release_slot(*me);
            if (access->termination.leave()) {
                run.finish();
                return true;
            }
            if (access->termination.offers() == seen || !access->termination.join(most)) return true;
            me = &run.acquire_slot(in_handler);
        }
    }

    // The body of a handler that continues.
    static void resume(std::shared_ptr<run_access> access, worker& me)
    {
        me.slice = Threads::clock::now();
        me.cost.restart(me.slice);  // the time in the queue of the executor is not that of visits
        work(access, &me);
    }

    // The body of a handler that helps, and then in the next run if that follows soon: a small run is over before a thread
    // that sleeps is woken.
    static void help(std::shared_ptr<run_access> access)
    {
        auto& termination = access->termination;
        for (bool is_expected = true; is_expected; is_expected = termination.await_offer()) {
            if (termination.join_queued(access->max_workers) && !work(access, &access->run->acquire_slot(true))) return;
            if (!termination.queue_again(access->max_workers)) return;
        }
        if (termination.join_queued(access->max_workers)) work(access, &access->run->acquire_slot(true));
    }

    // Called if a worker cannot continue: its handler was destroyed, or an exception was thrown outside of visitors.
    // Its vertices are lost, so the run ends when all other workers find nothing to do. Its slot becomes free.
    [[gnu::cold]] static void abandon(run_access& access, worker const& me, std::exception_ptr thrown)
    {
        worker_run& run = *access.run;
        run.failure_.note(std::move(thrown));
        access.control.request(asio::cancellation_type::partial);
        run.workers_.release_slot(me);
        if (access.termination.leave()) run.finish();
    }

    using base::deselect;
    using base::select;

    // \pre the previous run has been collected.
    void prepare()
    {
        if constexpr (base::tracing::is_on) visits_.trace().begin();
        control_.open(selection_.is_made());
        at_ = 0;
        has_fanned_out_ = false;
        shares_ = is_compared() && is_short() && comparison_.choose(setup_.vertices(), Threads::least_shared_run);
        in_sequence_ =
            !shares_ && (setup_.max_workers == 1 || setup_.granularity == visit_granularity::fine || is_short());
        if (is_compared()) begin_ = Threads::clock::now();
    }
    void connect(asio::cancellation_slot slot)
    {
        link_ = std::make_shared<run_link<worker_run, Threads>>(*this);
        slot.assign([link = link_](asio::cancellation_type_t type) {
            link->visit([type](worker_run& run) { run.request(type); });
        });
    }
    void start() { post_worker(&open(true)); }
    // The thread is the first worker if it helps, and if it is a thread of the executor: no other one may be free.
    [[nodiscard]] auto start_by_caller(bool helps) -> bool
    {
        helps = helps || runs_in_this_thread(executor());
        if (helps && walk_on_caller()) return true;
        worker& first = open(!helps);
        if (helps) {
            work(access_, &first);
        } else {
            assert_not_stopped(executor());
            continue_later(first);
        }
        return false;
    }
    void request(asio::cancellation_type_t type) noexcept { control_.request(type); }
    [[nodiscard]] auto end() noexcept -> End& { return end_; }
    [[nodiscard]] auto executor() const noexcept -> executor_type const& { return visits_.executor(); }
    [[nodiscard]] auto is_lost() const noexcept -> bool { return failure_.has_failed() && !failure_.has_thrown(); }
    // Called by the worker that ended the run, or the thread that waits for it.
    [[nodiscard]] auto collect() noexcept -> walk_report
    {
        disconnect();
        report_content content{.size = setup_.vertices(), .id_bound = setup_.vertices()};
        content.is_timed_out = control_.timed_out();
        try {
            content.not_done = workers_.take_not_done();
        } catch (...) {
            failure_.note(std::current_exception());
        }
        if (is_compared() && control_.bits() == 0 && !failure_.has_failed()) record_run(Threads::clock::now() - begin_);
        control_.reset();
        inherited_.clear();
        if (selection_.is_made()) content.selected = selection_.take();
        if (failure_.has_failed()) {
            records_ = {};
            workers_.clear();
            content.selected.reset();
            content.exception = failure_.take();
            content.is_lost = content.exception == nullptr;
            content.is_rest_cancelled = true;
        }
        return walk_access::make<walk_report>(std::move(content));
    }

private:
    using base::at_;
    using base::control_;
    using base::failure_;
    using base::in_sequence_;
    using base::inherited_;
    using base::is_short;
    using base::records_;
    using base::selection_;
    using base::setup_;
    using base::shares_;
    using base::short_;
    using base::take_time;
    using base::to_index;
    using base::visits_;

    worker_run(run_setup const& setup, Visits visits, End end, std::shared_ptr<run_access> access)
        : base(setup, access->control, std::move(visits)),
          access_(std::move(access)),
          workers_(setup.max_workers, setup.vertices()),
          end_(std::move(end))
    {
        access_->run = this;
        access_->max_workers = setup.max_workers;
    }

    // The last worker has left. May destroy the run.
    void finish() { end_(*this); }
    void disconnect()
    {
        if (auto const to_run = std::exchange(link_, nullptr)) to_run->disconnect();
    }
    // Posts a handler that continues as this worker, or may join as another one if `me` is null.
    void post_worker(worker* me) { visits_.post(worker_handler<worker_run>(access_, me)); }
    // Visits in sequence on the calling thread. No other worker can join, so none is notified.
    // \return true if all vertices were visited; otherwise `open` and `work` must follow.
    [[nodiscard]] auto walk_on_caller() -> bool
    {
        if (selection_.is_made() || !in_sequence_) return false;
        worker& me = workers_.first();
        me.in_handler = false;
        me.cost.begin(
            setup_.max_workers == 1 ? typename Threads::clock::time_point() : Threads::clock::now(), is_short());
        control_.start();
        try {
            this->advance_in_sequence(me);
            if (this->is_to_fan_out(me)) fan_out(me);
        } catch (...) {
            failure_.note(std::current_exception());
            return true;
        }
        return me.ready.empty();
    }
    // Opens the run with this thread as the first worker; `work` must follow.
    auto open(bool in_handler) -> worker&
    {
        worker& me = acquire_slot(in_handler);
        me.leads = true;
        access_->termination.open();
        return me;
    }

    // Posts a handler that continues as this worker. Afterwards nothing of the run may be accessed.
    void continue_later(worker& me) noexcept
    {
        posting_mark const mark(&me);
        try {
            post_worker(&me);
        } catch (...) {}  // the handler was destroyed, and has abandoned the run
    }

    [[nodiscard]] auto acquire_slot(bool in_handler) -> worker&
    {
        worker& me = workers_.acquire_slot();
        me.leads = false;
        me.in_handler = in_handler;
        me.slice = Threads::clock::now();
        me.cost.begin(me.slice, is_short());
        return me;
    }

    // Visits until no vertex is at hand. \return true if the time slice of this handler ended first
    auto advance(worker& me) -> bool
    {
        if (me.leads && at_ != setup_.vertices() && begin_visits(me)) return true;
        return advance_in_parallel(me);
    }
    // Called by the first worker: visits in sequence, or collects ready vertices. \return true if the time slice
    // ended
    auto begin_visits(worker& me) -> bool
    {
        control_.start();
        if (selection_.is_made()) {
            if (setup_.max_workers == 1) return this->advance_in_selection(me);
            for (vertex_id const v : selection_.selected())
                if (records_.is_ready(to_index(v))) me.ready.push_back(to_index(v));
            at_ = static_cast<index_t>(setup_.vertices());
            return false;
        }
        bool const slice_is_over = in_sequence_ && this->advance_in_sequence(me);
        if (!in_sequence_ || this->is_to_fan_out(me)) fan_out(me);
        return slice_is_over;
    }

    // Changes from sequence to counters: settles what was visited, and collects all ready vertices.
    void fan_out(worker& me)
    {
        has_fanned_out_ = true;
        this->prepare_records();
        for (index_t v = 0; v < at_; ++v)
            for (vertex_id const d : records_.dependents(v))
                if (d.index() >= at_ && records_.settle_one(to_index(d))) me.ready.push_back(to_index(d));
        for (index_t v = at_; v < records_.leaves(); ++v) me.ready.push_back(v);
        std::ranges::reverse(me.ready);
        for (index_t v = at_; v < inherited_.size(); ++v) records_.pass_on(v, inherited_[v]);
        at_ = static_cast<index_t>(setup_.vertices());
    }

    auto advance_in_parallel(worker& me) -> bool
    {
        me.cost.restart(Threads::clock::now());
        for (;;) {
            index_t v = me.ready.empty() ? me.offers.pop() : work_deque::none;
            if (v == work_deque::none) {
                if (me.ready.empty()) me.settle_deferred(records_);
                if (me.ready.empty()) return false;
                v = me.ready.back();
                me.ready.pop_back();
                if (std::size_t const count = to_offer(me); count != 0) offer(me, count);
            }
            control_.check_deadline();
            visit_in_parallel(me, v);
            if (me.cost.count_one() && take_time(me)) return true;
        }
    }

    void visit_in_parallel(worker& me, index_t v)
    {
        visit_end const end =
            control_.bits() == 0 ? this->visit(me, v) : this->decide(me, v, records_.take_inherited(v));
        records_.restore(v);
        if (end != visit_end::done || selection_.is_made()) [[unlikely]] {
            control_.watch_inherited();
            for (vertex_id const d : records_.dependents(v)) records_.pass_on(to_index(d), inherited::after(end));
        }
        if (setup_.granularity != visit_granularity::coarse && me.cost.may_defer() && records_.feeds_high_fan_in(v))
            return me.defer_settling(records_, v);
        for (vertex_id const d : records_.dependents(v))
            if (records_.settle_one(to_index(d))) me.ready.push_back(to_index(d));
    }

    // The number of ready vertices to offer before the next visit: all, because it may take long, except
    //   while visits take less than a microsecond and others are offered already: a few stay with this worker;
    //   while visits are short: none, or half if workers share them and none are offered.
    [[nodiscard]] auto to_offer(worker const& me) const -> std::size_t
    {
        constexpr std::size_t few = 4;
        std::size_t const ready = me.ready.size();
        if (ready == 0 || setup_.granularity == visit_granularity::coarse) return ready;
        if (me.cost.is_short()) return shares_ && me.offers.size() == 0 ? ready / 2 : 0;
        return me.cost.is_brief() && me.offers.size() != 0 ? ready - std::min(ready, few) : ready;
    }

    // Offers so many ready vertices, the oldest first, and ensures that a worker can take them.
    void offer(worker& me, std::size_t most)
    {
        std::size_t const count = me.offers.push(me.ready.data(), most);
        me.ready.erase(me.ready.begin(), me.ready.begin() + static_cast<std::ptrdiff_t>(count));
        if (me.offers.size() <= count) access_->termination.offer();
        if (access_->termination.reserve(setup_.max_workers)) post_worker(nullptr);
    }

    // Steals from other workers. Each offer wakes one helper, so a helper that leaves vertices wakes the next.
    auto find_work(worker& me) -> bool
    {
        int const rounds = me.cost.is_short() && !shares_ ? 8 : Threads::worker_spin_rounds;
        if (setup_.max_workers == 1 || !workers_.search_for(me, access_->termination, rounds)) return false;
        if (workers_.offers_something() && access_->termination.reserve(setup_.max_workers)) post_worker(nullptr);
        return true;
    }

    // Called after a run in which all vertices were visited.
    void record_run(std::chrono::nanoseconds duration)
    {
        if (is_short() && shares_ == has_fanned_out_) comparison_.record(shares_, duration);
        if (!is_short()
            && comparison_.may_be_short(duration * setup_.max_workers / static_cast<std::ptrdiff_t>(setup_.vertices())))
            short_.store(true, std::memory_order_relaxed);
    }
    // True if the duration of this run determines how the next one begins.
    [[nodiscard]] auto is_compared() const noexcept -> bool
    {
        return setup_.max_workers > 1 && setup_.granularity == visit_granularity::adaptive
            && setup_.vertices() >= Threads::least_compared_vertices && !selection_.is_made();
    }

    std::shared_ptr<run_access> access_;
    std::shared_ptr<run_link<worker_run, Threads>> link_;  // of a handler that can be cancelled
    basic_worker_set<Threads> workers_;
    End end_;
    run_comparison comparison_;
    typename Threads::clock::time_point begin_;  // of a run that is compared
    bool has_fanned_out_ = false;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_WORKER_RUN_HPP
