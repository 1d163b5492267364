// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_WORKER_RUN_HPP
#define STRIDER_WALK_DETAIL_WORKER_RUN_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/crew.hpp>
#include <strider/walk/detail/hot_records.hpp>
#include <strider/walk/detail/pace.hpp>
#include <strider/walk/detail/partial_choice.hpp>
#include <strider/walk/detail/run_access.hpp>
#include <strider/walk/detail/run_loss.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace strider::detail {

// The data plane: a run by worker handlers, the same code for every graph and visitor.
//
//   in sequence    one worker visits by ascending id, which is an order: nothing is counted. With one worker always; with
//                  more as long as visits are known to be tiny
//   in parallel    every worker visits from its own stack; each vertex has a counter of open dependencies, and who
//                  brings it to 0 has the vertex. While visits are not known to be tiny all but the next vertex is
//                  offered in the worker's deque
class worker_run {
public:
    worker_run(run_setup const& setup, std::shared_ptr<run_access> access)
        : setup_(setup),
          access_(std::move(access)),
          crew_(setup.most_workers, setup.vertices),
          control_(access_->control)
    {
        control_.set(setup.stop_on_first_failure, setup.deadline);
        access_->run = this;
        access_->most_workers = setup_.most_workers;
    }
    worker_run(worker_run const&) = delete;
    auto operator=(worker_run const&) -> worker_run& = delete;
    virtual ~worker_run() = default;

    // Works until the run is over, or there is nothing to do here; what a handler calls, or a thread that waits.
    // Nothing of the run may be touched afterwards but its access.
    static void work(std::shared_ptr<run_access> access, worker* me)
    {
        worker_run& run = *access->run;
        index_t const most = run.setup_.most_workers;
        bool const in_handler = me->in_handler;
        for (;;) {
            bool goes_on = false;
            run_gate::count seen = 0;
            try {
                goes_on = run.advance(*me);
                seen = access->gate.offers();
                if (!goes_on && run.find_work(*me)) continue;
            } catch (...) {
                return abandon(*access, std::current_exception());
            }
            if (goes_on) return run.continue_later(*me);
            run.crew_.leave_place(*me);
            if (access->gate.leave()) return run.finish();
            if (access->gate.offers() == seen || !access->gate.join(most)) return;
            me = &run.take_place(in_handler);
        }
    }

    // What a handler does that was posted to go on.
    static void resume(std::shared_ptr<run_access> access, worker& me)
    {
        me.slice = tick_clock::now();
        work(std::move(access), &me);
    }

    // What a handler does that was posted to help.
    static void help(std::shared_ptr<run_access> access)
    {
        access->gate.unreserve();
        if (!access->gate.join(access->most_workers)) return;
        worker& me = access->run->take_place(true);
        work(std::move(access), &me);
    }

    // A worker cannot go on: its handler was destroyed, or something was thrown where no visitor runs. What it held is lost with
    // it, so the run has no other end than when all others find nothing to do.
    static void abandon(run_access& access, std::exception_ptr thrown)
    {
        worker_run& run = *access.run;
        run.loss_.note(std::move(thrown));
        access.control.request(asio::cancellation_type::partial);
        if (access.gate.leave()) run.finish();
    }

protected:
    // What is known of graph and visitor.
    virtual auto visit(worker& me, index_t v) -> visit_end = 0;
    virtual void visit_in_sequence(worker& me, index_t first, index_t last) = 0;
    virtual void post_helper() = 0;
    virtual void post_continuation(worker& me) = 0;
    // The last worker has left. May destroy the run.
    virtual void finish() = 0;

    // Begins a run. \pre the run before it has been collected.
    void begin()
    {
        control_.open(choice_.is_made());
        at_ = 0;
        in_sequence_ = setup_.most_workers == 1 || setup_.share == sharing::tiny || is_quick();
    }
    // The calling thread visits in sequence what it can. Nobody may join, so nobody has to be told of anything.
    // \return whether that was all; else `open` and `work` must follow.
    [[nodiscard]] auto walk_alone() -> bool
    {
        if (choice_.is_made() || !in_sequence_) return false;
        worker& me = crew_.first();
        me.in_handler = false;
        me.pace.begin(setup_.most_workers == 1 ? 0 : tick_clock::now(), is_quick());
        control_.start();
        try {
            advance_in_sequence(me);
        } catch (...) {
            loss_.note(std::current_exception());
            return true;
        }
        return me.ready.empty();
    }
    // Lets workers in, the first of them here; `work` must follow.
    auto open(bool in_handler) -> worker&
    {
        access_->ended.store(false, std::memory_order_relaxed);
        worker& me = take_place(in_handler);
        me.leads = true;
        access_->gate.open();
        return me;
    }

    // The run to come is partial: these, and what depends on them.
    void choose(std::span<vertex_id const> changed)
    {
        try {
            if (records_.empty()) records_ = hot_records(setup_.dependents, setup_.firsts);
            choice_.choose(changed, records_, setup_.vertices);
        } catch (...) {
            choice_ = {};
            records_ = {};
            throw;
        }
    }

    // What became of the run; afterwards the next one may begin. Only by who has ended it.
    [[nodiscard]] auto collect() noexcept -> walk_report
    {
        std::vector<walk_report::entry> others;
        try {
            others = crew_.take_others();
        } catch (...) {
            loss_.note(std::current_exception());
        }
        control_.reset();
        fates_.clear();
        bool const partial = choice_.is_made();
        std::vector<vertex_id> chosen = partial ? choice_.take() : std::vector<vertex_id>();
        if (!loss_.is_lost())
            return partial ? walk_report(setup_.vertices, std::move(others), std::move(chosen))
                           : walk_report(setup_.vertices, std::move(others));
        records_ = {};
        crew_.clear();
        std::exception_ptr thrown = loss_.take();
        if (!thrown) return {};
        return walk_report::ended_by(std::move(thrown), setup_.vertices, setup_.vertices, std::move(others), false);
    }

    [[nodiscard]] auto setup() const noexcept -> run_setup const& { return setup_; }
    [[nodiscard]] auto access() const noexcept -> std::shared_ptr<run_access> const& { return access_; }
    // Only by who has ended the run.
    [[nodiscard]] auto loss() const noexcept -> run_loss const& { return loss_; }

    // Whether the next visit in sequence needs no second look.
    [[nodiscard]] auto is_plain_sailing() const noexcept -> bool { return control_.bits() == 0; }
    // One vertex in sequence where something has failed or stopped before.
    void visit_with_care(worker& me, index_t v)
    {
        index_t const fate = fates_.empty() ? 0 : std::exchange(fates_[v], std::uint8_t{0});
        settle_in_sequence(v, decide(me, v, fate));
    }
    void settle_in_sequence(index_t v, visit_end end)
    {
        index_t const fate = fates::after(end);
        if (fate == 0) return;
        control_.mind_fates();
        if (fates_.empty()) fates_.resize(setup_.vertices);
        for (vertex_id const d : setup_.dependents.subspan(setup_.firsts[v], setup_.firsts[v + 1] - setup_.firsts[v]))
            fates_[d.index()] = static_cast<std::uint8_t>(fates_[d.index()] | fate);
    }

    // A visit was not simply done. \return in short how it ended
    [[nodiscard]] auto note(worker& me, index_t v, visit_outcome outcome) -> visit_end
    {
        outcome = control_.judge(std::move(outcome));
        visit_end const end = outcome.is_unchanged() ? visit_end::unchanged : static_cast<visit_end>(outcome.status());
        me.others.emplace_back(v, std::move(outcome));
        return end;
    }

private:
    // Nothing of the run may be touched afterwards.
    void continue_later(worker& me) noexcept
    {
        posting_mark const mark(access_, me.bit());
        try {
            post_continuation(me);
        } catch (...) {}  // its handler is destroyed, and has abandoned the run
    }
    [[nodiscard]] auto take_place(bool in_handler) -> worker&
    {
        worker& me = crew_.take_place();
        me.leads = false;
        me.in_handler = in_handler;
        me.slice = tick_clock::now();
        me.pace.begin(me.slice, is_quick());
        return me;
    }
    [[nodiscard]] auto is_quick() const noexcept -> bool
    {
        return setup_.share != sharing::unknown && quick_.load(std::memory_order_relaxed);
    }

    // Visits until nothing is at hand. \return true if the time of this handler is over before
    auto advance(worker& me) -> bool
    {
        if (me.leads && at_ != setup_.vertices) {
            control_.start();
            if (!choice_.is_made() && !in_sequence_) fan_out(me);
            else if (choice_.is_made() ? advance_in_choice(me) : advance_in_sequence(me)) return true;
        }
        return advance_in_parallel(me);
    }

    auto advance_in_sequence(worker& me) -> bool
    {
        auto const end = static_cast<index_t>(setup_.vertices);
        bool const may_fan_out = setup_.most_workers > 1 && setup_.share != sharing::tiny;
        if (!may_fan_out && !me.in_handler && !control_.has_deadline()) {
            visit_in_sequence(me, 0, end);
            at_ = end;
        }
        while (at_ != end) {
            index_t const next = at_ + std::min(me.pace.together(), end - at_);
            visit_in_sequence(me, at_, next);
            at_ = next;
            if (at_ == end) break;
            bool const slice_is_over = take_time(me);
            if (may_fan_out && !me.pace.is_quick()) {
                fan_out(me);
                return slice_is_over;
            }
            if (slice_is_over) return true;
        }
        return false;
    }

    // From sequence to counters: what has been visited is made good. All is ready that waits for nothing else.
    void fan_out(worker& me)
    {
        if (records_.empty()) records_ = hot_records(setup_.dependents, setup_.firsts);
        for (index_t v = 0; v < at_; ++v)
            for (vertex_id const d : records_.dependents(v))
                if (d.index() >= at_ && records_.settle_one(to_index(d))) me.ready.push_back(to_index(d));
        for (index_t v = at_; v < records_.leaves(); ++v) me.ready.push_back(v);
        std::reverse(me.ready.begin(), me.ready.end());
        for (index_t v = at_; v < fates_.size(); ++v) records_.pass_on(v, fates_[v]);
        at_ = static_cast<index_t>(setup_.vertices);
    }

    // A partial run: by ascending id with one worker, else by counters of what was chosen.
    auto advance_in_choice(worker& me) -> bool
    {
        if (setup_.most_workers == 1) {
            for (; at_ != choice_.chosen().size(); ++at_) {
                if (me.pace.count_one() && take_time(me)) return true;
                index_t const v = to_index(choice_.chosen()[at_]);
                records_.restore(v);
                visit_end const end = decide(me, v, records_.take_fate(v));
                for (vertex_id const d : records_.dependents(v)) records_.pass_on(to_index(d), fates::after(end));
            }
        } else {
            for (vertex_id const v : choice_.chosen())
                if (records_.is_ready(to_index(v))) me.ready.push_back(to_index(v));
        }
        at_ = static_cast<index_t>(setup_.vertices);
        return false;
    }

    auto advance_in_parallel(worker& me) -> bool
    {
        me.pace.go_on(tick_clock::now());
        for (;;) {
            index_t v = me.ready.empty() ? me.offers.pop() : work_deque::none;
            if (v == work_deque::none) {
                if (me.ready.empty()) me.pay_hubs(records_);
                if (me.ready.empty()) return false;
                v = me.ready.back();
                me.ready.pop_back();
                if (!me.pace.is_quick() && !me.ready.empty()) offer(me);
            }
            visit_in_parallel(me, v);
            if (me.pace.count_one() && take_time(me)) return true;
        }
    }

    void visit_in_parallel(worker& me, index_t v)
    {
        records_.expect_settling(v);
        visit_end const end = control_.bits() == 0 ? visit(me, v) : decide(me, v, records_.take_fate(v));
        if (!me.pace.is_quick()) records_.expect_settling(v);  // meanwhile others may have changed it, too
        records_.restore(v);
        if (end != visit_end::done || choice_.is_made()) [[unlikely]] {
            control_.mind_fates();
            for (vertex_id const d : records_.dependents(v)) records_.pass_on(to_index(d), fates::after(end));
        }
        if (setup_.share != sharing::unknown && me.pace.is_brisk() && records_.feeds_hub(v))
            return me.settle_later(records_, v);
        for (vertex_id const d : records_.dependents(v))
            if (records_.settle_one(to_index(d))) me.ready.push_back(to_index(d));
    }

    // What becomes of a vertex if something it waited for was not simply done, or the run is to stop.
    [[nodiscard]] auto decide(worker& me, index_t v, index_t fate) -> visit_end
    {
        if ((fate & fates::skip) != 0) return note(me, v, visit_outcome::skipped());
        if (choice_.is_made() && fate == 0) return note(me, v, visit_outcome::unchanged());
        if ((fate & fates::cancel) != 0 || (control_.bits() & run_control::any_stop) != 0)
            return note(me, v, visit_outcome::cancelled());
        return visit(me, v);
    }

    // All that is ready, except what comes next here, the oldest first; and somebody must be there to take it.
    void offer(worker& me)
    {
        std::size_t const count = me.offers.push(me.ready);
        me.ready.erase(me.ready.begin(), me.ready.begin() + static_cast<std::ptrdiff_t>(count));
        if (me.offers.size() <= count) access_->gate.offer();
        if (access_->gate.reserve(setup_.most_workers)) post_helper();
    }

    // From what others offer. Each offer wakes one helper, so a helper that leaves something wakes the next.
    auto find_work(worker& me) -> bool
    {
        constexpr int patience = 500;
        if (setup_.most_workers == 1) return false;
        for (int round = 0; round < (me.pace.is_quick() ? 8 : patience); ++round) {
            theft const found = crew_.steal_for(me);
            if (found == theft::some) {
                if (crew_.offers_something() && access_->gate.reserve(setup_.most_workers)) post_helper();
                return true;
            }
            if (found == theft::none && access_->gate.active() == 1) return false;
            wait_a_little(round);
        }
        return false;
    }

    // After some visits: were they tiny? Is the time up, for the run or for this handler? \return the latter
    auto take_time(worker& me) -> bool
    {
        tick_clock::ticks const now = tick_clock::now();
        bool const before = me.pace.is_quick();
        me.pace.measure(now, setup_.share != sharing::unknown);
        if (me.pace.is_quick() != before) quick_.store(me.pace.is_quick(), std::memory_order_relaxed);
        if (!me.pace.is_quick()) me.pay_hubs(records_);
        control_.look_at_the_clock();
        return me.in_handler && now - me.slice > turn;
    }

    [[nodiscard]] static auto to_index(vertex_id v) noexcept -> index_t { return static_cast<index_t>(v.index()); }

    run_setup setup_;
    std::shared_ptr<run_access> access_;
    crew crew_;
    hot_records records_;  // made when a run fans out for the first time
    std::vector<std::uint8_t> fates_;  // in sequence, once something was not simply done
    partial_choice choice_;
    index_t at_ = 0;  // of the first worker: all before have been visited in sequence
    bool in_sequence_ = false;  // of the first worker
    run_control& control_;
    alignas(64) std::atomic<bool> quick_{false};
    run_loss loss_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_WORKER_RUN_HPP
