// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_LEDGER_RUN_HPP
#define STRIDER_WALK_DETAIL_LEDGER_LEDGER_RUN_HPP

#include <strider/core/assert.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/forwarded_visit.hpp>
#include <strider/walk/detail/ledger/handle_strand.hpp>
#include <strider/walk/detail/ledger/ledger_state.hpp>
#include <strider/walk/detail/ledger/visit_strand.hpp>
#include <strider/walk/detail/ledger/visit_tasks.hpp>
#include <strider/walk/detail/ledger/visit_time.hpp>
#include <strider/walk/detail/ledger/walk_ledger.hpp>
#include <strider/walk/detail/run_control.hpp>
#include <strider/walk/detail/stealing/max_workers.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/waiting_thread.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::detail {

// A run with a ledger. All access to the ledger is
//
//   if the executor is a strand   on that strand, where all visitors run too
//   on another executor           under a mutex, by the thread that ends a visit
//
// All other functions are common to both: visits access the ledger only through `exchange`, which turns the permit to
// visit a vertex into the permit to visit the next one, or ends the run. The strand and the mutex also order the writes of a
// visit before the reads of its dependents.
//
// Each posted function and each running visit owns the run; nothing that the run owns does. The last owner ends it. No function
// is virtual: `End`, which may destroy the run, is known.
template <class Executor, class Graph, class Visitor, class Ready, class Trace, class End,
    class Threads = native_threads>
class ledger_run {
    static_assert(!growing_graph<Graph> || growing_queue_policy<Ready>,
        "a walk of a growing graph needs a ready queue with a member function resize(id_bound)");

    using permit = detail::permit<ledger_run>;
    using control_type = basic_run_control<Threads>;

    static constexpr std::size_t no_limit = static_cast<std::size_t>(-1);
    static constexpr bool is_handle = handle_visitor_for<Visitor, Graph>;
    static constexpr bool is_plain = plain_visitor_for<Visitor, Graph>;

public:
    // Incomplete until a function of this class is compiled.
    using strand_type = std::conditional_t<is_handle, handle_strand<ledger_run>, visit_strand<Executor>>;
    using executor_type = Executor;
    using self_ptr = boost::intrusive_ptr<ledger_run>;
    using options_type = walk_options<Ready, Trace>;
    using time_slice = visit_time_slice<typename Threads::clock>;
    static constexpr bool on_strand = strand_executor<Executor>;
    static constexpr bool is_awaitable = awaitable_visitor_for<Visitor, Graph>;

    ledger_run(Executor const& executor, Graph const& graph, Visitor visitor, options_type options, End end = {})
        : executor_(executor),
          clock_(find_context_clock(executor)),
          graph_(graph),
          visitor_(std::move(visitor)),
          options_(std::move(options)),
          end_(std::move(end)),
          max_concurrency_(options_.max_concurrency == 0 ? no_limit : options_.max_concurrency)
    {
        control_.set(options_.stop_on_first_failure, deadline(options_.timeout, clock_));
        if constexpr (is_plain && on_strand) max_concurrency_ = 1;
        if (is_stepped()) return;
        if constexpr (on_strand) {
            max_starters_ = 1;
        } else {
            index_t const workers = max_workers(executor, is_plain ? options_.max_concurrency : 0, options_.threads,
                growing_graph<Graph> ? no_limit : graph.vertex_count());
            (is_plain ? max_concurrency_ : max_starters_) = workers;
            short_visits_ = short_visits(options_.granularity);
        }
    }
    ~ledger_run() { disconnect(); }

    void select(std::span<vertex_id const> changed) { changed_.emplace(changed.begin(), changed.end()); }
    void deselect() noexcept { changed_.reset(); }
    void prepare()
    {
        auto const changed = std::exchange(changed_, std::nullopt);
        state_.emplace(*this);
        if (changed) state_->ledger.select(*changed);
    }
    void connect(asio::cancellation_slot slot)
    {
        // The request is recorded at once, also if the first function is still queued.
        slot.assign([link = link()](asio::cancellation_type_t type) {
            self_ptr self;
            link->visit([&](ledger_run& run) {
                self = run.try_own();
                if (self) run.control_.request(type);
            });
            if (self) post_requests(std::move(self));
        });
    }
    void start()
    {
        post({self_ptr(this), {}}, [](permit given) {
            ledger_run& run = *given.run;
            run.enter([&run] { run.begin(); });
            leave(std::move(given.run));
        });
    }
    [[nodiscard]] auto start_by_caller(bool /*helps*/) -> bool
    {
        STRIDER_ASSERT(!runs_in_this_thread(executor_),
            "a thread of the executor waits for no walk with coroutines, handles or a ready queue: use async_walk");
        assert_not_stopped(executor_);
        start();
        return false;
    }
    void request(asio::cancellation_type_t type)
    {
        control_.request(type);
        if (self_ptr self = try_own()) post_requests(std::move(self));
    }
    [[nodiscard]] auto end() noexcept -> End& { return end_; }
    [[nodiscard]] auto executor() const noexcept -> Executor const& { return executor_; }
    [[nodiscard]] auto is_lost() const noexcept -> bool { return is_lost_; }
    [[nodiscard]] auto collect() noexcept -> walk_report
    {
        disconnect();
        walk_report report = state_->completed ? state_->ledger.close() : lost_report();
        control_.reset();
        state_.reset();
        return report;
    }

    // True if the time of the walk is virtual: each visit begins as a task, and nothing depends on real time.
    [[nodiscard]] auto is_stepped() const noexcept -> bool { return clock_ != nullptr; }
    [[nodiscard]] auto stop() const -> stop_token { return walk_access::make<stop_token>(control_); }
    // Any thread.
    [[nodiscard]] auto stopping() -> bool
    {
        control_.check_deadline();
        return control_.stopping();
    }
    // Called instead of a visit if the walk is to stop.
    [[nodiscard]] auto settle_without_visit(vertex_id v) noexcept -> visit_outcome
    {
        visit_outcome outcome = visit_outcome::cancelled();
        notify_not_visited(visitor_, v, outcome);
        return outcome;
    }
    [[nodiscard]] auto visit_plainly(vertex_id v) noexcept -> visit_outcome
    {
        return detail::visit_plainly(visitor_, v, graph_[v], stop());
    }
    template <class... Rest>
    auto invoke(vertex_id v, Rest&&... rest) -> decltype(auto)
    {
        return std::invoke(visitor_, v, graph_[v], std::forward<Rest>(rest)...);
    }
    // Settles a visit that ended and returns the permit for the next vertex, if there is one. Called by the owner of
    // the ledger.
    [[nodiscard]] static auto exchange(permit ended, visit_outcome&& outcome, visit_time time) -> permit
    {
        ledger_run& run = *ended.run;
        vertex_id next;
        run.enter([&] { next = run.settle_and_take(ended.vertex, std::move(outcome), time); });
        if (next) return {std::move(ended.run), next};
        leave(std::move(ended.run));
        return {};
    }
    // Accesses the ledger, applies stop requests, starts ready vertices, and completes the walk if nothing is left. An
    // exception of a policy or an allocation ends the walk as soon as nothing runs. The caller owns the run.
    template <class F>
    void enter(F f)
    {
        std::unique_lock lock(mutex_, std::defer_lock);
        if constexpr (!on_strand) lock.lock();
        run_state& state = *state_;
        if (state.completed) return;
        try {
            if (state.begun)
                control_.check_deadline();  // a visit that is aborted after the deadline counts as cancelled
            f();
            if (state.begun) apply_stops();
            start_ready();
            bool const waits = is_idle() && state.ledger.has_waiting();
            if (waits && !state.wait) state.wait = wait_for_others();
            else if (!waits && state.wait) state.wait.reset();
        } catch (...) {
            state.ledger.abort(std::current_exception());
            state.wait = nullptr;
        }
        state.completed = is_idle() && !state.wait;
    }
    // Called on any thread if a permit was lost because of an exception: ends the walk.
    void abort_visit(std::exception_ptr thrown)
    {
        auto const record = [](ledger_run& run, std::exception_ptr lost) {
            run.enter([&] { run.state_->ledger.abort_visit(std::move(lost)); });
        };
        if constexpr (on_strand) {
            asio::dispatch(Executor(executor_), [self = self_ptr(this), thrown = std::move(thrown), record]() mutable {
                record(*self, std::move(thrown));
                leave(std::move(self));
            });
        } else {
            record(*this, std::move(thrown));
        }
    }
    [[nodiscard]] auto may_take() const -> bool
    {
        bool const alone = is_plain && short_visits_.are_expected();
        return state_->ledger.running() < (alone ? 1 : max_concurrency_) && state_->ledger.ready() != 0;
    }
    [[nodiscard]] auto starter_limit() const noexcept -> std::size_t
    {
        return short_visits_.are_expected() ? 1 : max_starters_;
    }
    // Called in `enter`.
    [[nodiscard]] auto state() noexcept -> auto& { return *state_; }
    // Posts a function that owns the run, which may end before the call returns.
    template <class F>
    static void post(permit given, F step)
    {
        Executor const place = given.run->executor_;
        asio::post(place, [given = std::move(given), step]() mutable { step(std::move(given)); });
    }
    // Ends an ownership, with the call of the handler in place.
    static void leave(self_ptr self)
    {
        if (ledger_run* const left = self.detach(); left != nullptr && release(*left)) left->finish(true);
    }

private:
    struct run_state : ledger_state<Executor, strand_type> {
        explicit run_state(ledger_run& run)
            : ledger_state<Executor, strand_type>(run.executor_),
              ledger(run.graph_, run.visitor_, run.options_.ready, run.options_.trace, run.control_)
        {}

        walk_ledger<Graph, Visitor, Ready, Trace, control_type> ledger;
    };

    [[nodiscard]] auto lost_report() const noexcept -> walk_report
    {
        return walk_access::make<walk_report>(report_content{
            .size = graph_.vertex_count(), .id_bound = graph_.id_bound(), .is_rest_cancelled = true, .is_lost = true});
    }
    static void post_requests(self_ptr self)
    {
        post({std::move(self), {}}, [](permit given) {
            given.run->enter([] {});
            leave(std::move(given.run));
        });
    }

    [[nodiscard]] auto link() -> std::shared_ptr<run_link<ledger_run, Threads>>
    {
        if (!link_) link_ = std::make_shared<run_link<ledger_run, Threads>>(*this);
        return link_;
    }
    void disconnect()
    {
        if (auto const to_run = std::exchange(link_, nullptr)) to_run->disconnect();
    }
    // \return null if the run has no owner left
    [[nodiscard]] auto try_own() noexcept -> self_ptr
    {
        std::size_t owners = owners_.load(std::memory_order_relaxed);
        while (owners != 0)
            if (owners_.compare_exchange_weak(owners, owners + 1, std::memory_order_relaxed))
                return self_ptr(this, false);
        return nullptr;
    }
    // Called by the last owner. Unless `in_place`, the call of the handler is posted: an exception of it cannot leave a
    // destructor.
    void finish(bool in_place)
    {
        if (!in_place && state_->completed && !std::exchange(state_->end_is_posted, true))
            return post({self_ptr(this), {}}, [](permit given) { leave(std::move(given.run)); });
        is_lost_ = !in_place || !state_->completed;
        end_(*this);
    }
    friend void intrusive_ptr_add_ref(ledger_run* of) noexcept { of->owners_.fetch_add(1, std::memory_order_relaxed); }
    friend void intrusive_ptr_release(ledger_run* of) noexcept
    {
        if (!release(*of)) return;
        try {
            of->finish(false);
        } catch (...) {
            // Without memory for the call, the handler is destroyed as if its context were.
        }
    }
    [[nodiscard]] static auto release(ledger_run& of) noexcept -> bool
    {
        return of.owners_.fetch_sub(1, std::memory_order_acq_rel) == 1;
    }

    void begin()
    {
        state_->begun = true;
        if constexpr (waking_queue_policy<Ready>)
            state_->ledger.set_waker([link = link()]() noexcept {
                // Called on any thread, without a lock of this walk. Without memory for the post, the walk looks again when one
                // of its own visits ends, or when it is cancelled.
                try {
                    self_ptr self;
                    link->visit([&](ledger_run& run) { self = run.try_own(); });
                    if (self) post_requests(std::move(self));
                } catch (...) {}
            });
        control_.open(false);
        control_.check_deadline();
        apply_stops();
        state_->ledger.begin();
    }

    [[nodiscard]] auto is_idle() const noexcept -> bool
    {
        return state_->begun && state_->ledger.running() == 0 && state_->starters == 0;
    }
    // All vertices that are left wait for other walks: a wait owns this one, until its deadline.
    [[nodiscard]] auto wait_for_others() -> std::shared_ptr<void>
    {
        if constexpr (!waking_queue_policy<Ready>) return nullptr;
        else
            return call_at<Threads, typename Ready::timer_type>(
                executor_, clock_, control_.end(), [self = self_ptr(this)] { post_requests(self); });
    }

    // \return none if no vertex is ready, or if a starter continues: after a time slice, or alone because visits are short
    [[nodiscard]] auto settle_and_take(vertex_id v, visit_outcome&& outcome, visit_time time) -> vertex_id
    {
        if (state_->ledger.settle(v, std::move(outcome))) state_->strands.cancel();
        if constexpr (!on_strand) short_visits_.count(time.duration);
        if (!is_plain && (time.slice_is_over || state_->starters > starter_limit())) return {};
        return may_take() ? state_->ledger.take() : vertex_id();
    }
    void apply_stops()
    {
        if (state_->ledger.apply_requests()) state_->strands.cancel();
    }
    // Starts ready vertices while permits are available.
    void start_ready()
    {
        if constexpr (!is_plain) {
            run_state& state = *state_;
            for (; may_take() && state.starters < starter_limit() && state.new_starters < state.ledger.ready();
                ++state.new_starters) {
                post({self_ptr(this), {}}, [](permit given) { start_strands(std::move(given), true); });
                ++state.starters;
            }
        } else {
            while (may_take()) {
                vertex_id const next = state_->ledger.take();
                if (!next) continue;
                try {
                    post({self_ptr(this), next}, &visit_in_sequence<ledger_run>);
                } catch (...) {
                    state_->ledger.abort_visit(std::current_exception());
                }
            }
        }
    }
    Executor executor_;
    context_clock* clock_;  // null: time is real
    control_type control_;
    Graph const& graph_;
    Visitor visitor_;
    options_type options_;
    End end_;
    std::optional<std::vector<vertex_id>> changed_;  // of the next run, if it is partial
    std::optional<run_state> state_;
    std::mutex mutex_;  // not locked on a strand
    std::size_t max_concurrency_;
    std::size_t max_starters_ = no_limit;
    short_visits short_visits_{visit_granularity::coarse};
    std::shared_ptr<run_link<ledger_run, Threads>> link_;
    std::atomic<std::size_t> owners_{0};
    bool is_lost_ = false;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_LEDGER_RUN_HPP
