// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_SEQUENTIAL_RUN_HPP
#define STRIDER_WALK_DETAIL_STEALING_SEQUENTIAL_RUN_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/outcome_rules.hpp>
#include <strider/walk/detail/stealing/hot_records.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/run_access.hpp>
#include <strider/walk/detail/stealing/visit_cost.hpp>
#include <strider/walk/detail/stealing/worker_set.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::detail {

// The vertices of a partial run: those that changed, and their direct and indirect dependents. The counters are set
// to count only edges between them; each is restored when its vertex starts.
class partial_selection {
public:
    template <class Records>
    void select(std::span<vertex_id const> changed, Records& records, std::size_t vertices)
    {
        is_made_ = true;
        if (is_selected_.empty()) is_selected_ = std::vector<std::uint8_t>(vertices);
        auto const add = [this](vertex_id v) {
            if (std::exchange(is_selected_[v.index()], std::uint8_t{1}) == 0) selected_.push_back(v);
        };
        auto const index = [](vertex_id v) { return static_cast<index_t>(v.index()); };
        for (vertex_id const v : changed) add(v);
        for (std::size_t next = 0; next < selected_.size(); ++next)
            for (vertex_id const d : records.dependents(index(selected_[next]))) add(d);
        std::ranges::sort(selected_);
        for (vertex_id const v : selected_) {
            records.expect_none(index(v));
            is_selected_[v.index()] = 0;
        }
        for (vertex_id const v : selected_)
            for (vertex_id const d : records.dependents(index(v))) records.expect_one(index(d));
        for (vertex_id const v : changed) records.pass_on(index(v), inherited::affected);
    }

    [[nodiscard]] auto is_made() const noexcept -> bool { return is_made_; }
    // Ascending.
    [[nodiscard]] auto selected() const noexcept -> std::vector<vertex_id> const& { return selected_; }
    [[nodiscard]] auto take() -> std::vector<vertex_id>
    {
        is_made_ = false;
        return std::exchange(selected_, {});
    }

private:
    std::vector<vertex_id> selected_;
    std::vector<std::uint8_t> is_selected_;  // all zero, except during `select`
    bool is_made_ = false;
};

// Records that a worker failed and lost its vertices, and the exception that caused it. Only the worker that ends the
// run reads the exception: the end of the run is ordered after all records.
template <class Threads = native_threads>
class basic_run_failure {
public:
    // Any worker. \param thrown  null if a handler was destroyed with its context
    void note(std::exception_ptr thrown) noexcept
    {
        if (thrown && !has_thrown_.exchange(true, std::memory_order_acq_rel)) thrown_ = std::move(thrown);
        has_failed_.store(true, std::memory_order_relaxed);
    }

    [[nodiscard]] auto has_failed() const noexcept -> bool { return has_failed_.load(std::memory_order_relaxed); }
    [[nodiscard]] auto has_thrown() const noexcept -> bool { return thrown_ != nullptr; }
    // Returns the exception, or null. Resets the record.
    [[nodiscard]] auto take() noexcept -> std::exception_ptr
    {
        has_failed_.store(false, std::memory_order_relaxed);
        has_thrown_.store(false, std::memory_order_relaxed);
        return std::exchange(thrown_, nullptr);
    }

private:
    shared_atomic<Threads, bool, shared_variable::failed> has_failed_{false};
    shared_atomic<Threads, bool, shared_variable::thrown> has_thrown_{false};
    std::exception_ptr thrown_;
};

// The state of a run, its visits, and the order of one worker: ascending id, which is a valid order without counters.
//
// No function of a run is virtual. The type of the visits is known when a run is compiled; and g++ up to 12.2 replaces a
// call of a virtual function of a run by `__builtin_unreachable()`, see `tests/walk/optimized_walker.test.cpp`.
template <class Visits, class Threads>
class sequential_run {
public:
    using run_control = basic_run_control<Threads>;
    using worker = basic_worker<Threads>;

    sequential_run(sequential_run const&) = delete;
    auto operator=(sequential_run const&) -> sequential_run& = delete;

protected:
    using hot_records = basic_hot_records<Threads>;
    using tracing = typename Visits::tracing;

    // \param control  outlives the run
    sequential_run(run_setup const& setup, run_control& control, Visits visits)
        : visits_(std::move(visits)),
          setup_(setup),
          control_(control)
    {
        control_.set(setup.stop_on_first_failure, setup.end);
    }
    ~sequential_run() = default;

    // Visits one vertex.
    [[nodiscard]] auto visit(worker& me, index_t v) -> visit_end
    {
        if constexpr (tracing::is_on) visits_.trace().started(vertex_id(v), me.slot);
        visit_end const end = call_visitor(me, v);
        if constexpr (tracing::is_on)
            visits_.trace().settled(
                vertex_id(v), end == visit_end::done ? visit_outcome() : me.others.back().second, me.slot);
        return end;
    }
    // No outcome is made of a visit that returns nothing.
    [[nodiscard]] auto call_visitor(worker& me, index_t v) -> visit_end
    {
        stop_token const stop = walk_access::make<stop_token>(control_);
        try {
            if constexpr (std::is_void_v<decltype(visits_(v, stop))>) {
                visits_(v, stop);
            } else if (visit_outcome outcome = visits_(v, stop); !outcome.is_done() || outcome.is_unchanged()) {
                return note(me, v, std::move(outcome));
            }
        } catch (...) {
            return note(me, v, visit_outcome::failure(std::current_exception()));
        }
        return visit_end::done;
    }
    void visit_in_sequence(worker& me, index_t first, index_t last)
    {
        for (index_t v = first; v != last; ++v) {
            if (tracing::is_on || !needs_no_check()) [[unlikely]]
                visit_checked(me, v);
            else if (visit_end const end = call_visitor(me, v); end != visit_end::done) settle_in_sequence(v, end);
        }
    }

    // True if the next visit in sequence needs no check: nothing has failed, and no stop is requested.
    [[nodiscard]] auto needs_no_check() const noexcept -> bool { return control_.bits() == 0; }
    // Visits one vertex in sequence after a failure or a stop request.
    void visit_checked(worker& me, index_t v)
    {
        index_t const inherited = inherited_.empty() ? 0 : std::exchange(inherited_[v], std::uint8_t{0});
        settle_in_sequence(v, decide(me, v, inherited));
    }
    void settle_in_sequence(index_t v, visit_end end)
    {
        index_t const inherited = inherited::after(end);
        if (inherited == 0) return;
        control_.watch_inherited();
        if (inherited_.empty()) inherited_ = std::vector<std::uint8_t>(setup_.vertices());
        for (vertex_id const d : setup_.dependents[v])
            inherited_[d.index()] = static_cast<std::uint8_t>(inherited_[d.index()] | inherited);
    }

    // Records an outcome other than done. \return its kind
    [[nodiscard]] auto note(worker& me, index_t v, visit_outcome outcome) -> visit_end
    {
        outcome = control_.classify(std::move(outcome));
        visit_end const end = end_of(outcome);
        me.others.push_back({vertex_id(v), std::move(outcome)});
        return end;
    }
    // Settles or visits a vertex after a dependency that ended other than done, or while the run is to stop.
    [[nodiscard]] auto decide(worker& me, index_t v, index_t inherited) -> visit_end
    {
        auto settled = outcome_without_visit(inherited, selection_.is_made(), control_.stopping());
        return settled ? settle_without_visit(me, v, std::move(*settled)) : visit(me, v);
    }
    [[nodiscard]] auto settle_without_visit(worker& me, index_t v, visit_outcome outcome) -> visit_end
    {
        visit_end const end = note(me, v, std::move(outcome));
        visits_.settled_unvisited(v, me.others.back().second);
        if constexpr (tracing::is_on) {
            visits_.trace().stopping(control_.bits());
            visits_.trace().settled(vertex_id(v), me.others.back().second, me.slot);
        }
        return end;
    }

    // Makes the next run partial: these vertices and their dependents.
    void select(std::span<vertex_id const> changed)
    {
        try {
            prepare_records();
            selection_.select(changed, records_, setup_.vertices());
        } catch (...) {
            deselect();
            throw;
        }
    }
    // Makes the next run complete, if it has not begun.
    void deselect() noexcept
    {
        selection_ = {};
        records_ = {};
    }
    void prepare_records()
    {
        if (records_.empty()) records_ = hot_records(setup_.dependents);
    }

    [[nodiscard]] auto is_short() const noexcept -> bool
    {
        return setup_.granularity != visit_granularity::coarse && short_.load(std::memory_order_relaxed);
    }

    // Visits from `at_` on, until all vertices are visited, the time slice of this handler is over, or other workers
    // would save time.
    // \return true if the time slice ended first
    auto advance_in_sequence(worker& me) -> bool
    {
        auto const end = static_cast<index_t>(setup_.vertices());
        if (!may_fan_out() && !me.in_handler && !control_.has_deadline()) {
            visit_in_sequence(me, 0, end);
            at_ = end;
        }
        while (at_ != end) {
            index_t const next = at_ + std::min(me.cost.together(), end - at_);
            if (control_.has_deadline()) {
                for (; at_ != next; ++at_) {
                    control_.check_deadline();
                    visit_in_sequence(me, at_, at_ + 1);
                }
            }
            visit_in_sequence(me, at_, next);
            at_ = next;
            if (at_ == end) break;
            bool const slice_is_over = take_time(me);
            if (slice_is_over || is_to_fan_out(me)) return slice_is_over;
        }
        return false;
    }
    [[nodiscard]] auto is_to_fan_out(worker const& me) const noexcept -> bool
    {
        return at_ != setup_.vertices() && may_fan_out() && !me.cost.is_short();
    }
    [[nodiscard]] auto may_fan_out() const noexcept -> bool
    {
        return setup_.max_workers > 1 && setup_.granularity != visit_granularity::fine;
    }
    // A partial run by one worker. \return true if the time slice ended first
    auto advance_in_selection(worker& me) -> bool
    {
        for (; at_ != selection_.selected().size(); ++at_) {
            if (me.cost.count_one() && take_time(me)) return true;
            control_.check_deadline();
            index_t const v = to_index(selection_.selected()[at_]);
            records_.restore(v);
            visit_end const end = decide(me, v, records_.take_inherited(v));
            for (vertex_id const d : records_.dependents(v)) records_.pass_on(to_index(d), inherited::after(end));
        }
        at_ = static_cast<index_t>(setup_.vertices());
        return false;
    }

    // Called after some visits: updates their measured duration. If time is virtual, it is called after each visit. \return true if the time slice of this handler is over
    auto take_time(worker& me) -> bool
    {
        auto const now = Threads::clock::now();
        if (setup_.is_stepped) {
            me.cost.restart(now);
            return false;
        }
        bool const before = me.cost.is_short();
        me.cost.measure(now, short_limit());
        if (me.cost.is_short() != before) short_.store(me.cost.is_short(), std::memory_order_relaxed);
        if (!me.cost.is_short()) me.settle_deferred(records_);
        return me.in_handler && now - me.slice > max_time_slice;
    }

    // Visits that take less are short. Workers that share visits also wait for one another's caches.
    [[nodiscard]] auto short_limit() const noexcept -> visit_cost::duration
    {
        if (setup_.granularity == visit_granularity::coarse) return visit_cost::duration::zero();
        return shares_ ? 3 * short_visit : short_visit;
    }

    [[nodiscard]] static auto to_index(vertex_id v) noexcept -> index_t { return static_cast<index_t>(v.index()); }

    Visits visits_;
    run_setup setup_;
    hot_records records_;  // created when a run first uses several workers
    std::vector<std::uint8_t> inherited_;  // in sequence, after an outcome other than done
    partial_selection selection_;
    index_t at_ = 0;  // of the first worker: all vertices before have been visited in sequence
    bool in_sequence_ = false;  // of the first worker
    bool shares_ = false;  // workers share visits of this run though they are short
    run_control& control_;
    alignas(64) shared_atomic<Threads, bool, shared_variable::short_visits> short_{false};
    basic_run_failure<Threads> failure_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_SEQUENTIAL_RUN_HPP
