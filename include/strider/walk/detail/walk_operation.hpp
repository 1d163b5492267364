// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_WALK_OPERATION_HPP
#define STRIDER_WALK_DETAIL_WALK_OPERATION_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/deadline_timer.hpp>
#include <strider/walk/detail/handle_visit.hpp>
#include <strider/walk/detail/lane.hpp>
#include <strider/walk/detail/walk_completion.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::detail {

// One walk under `strict_strand`.
//
//   initiating call ──post──> control strand: settle, take, stop, complete        ──dispatch──> handler's executor
//                               │        ^
//                             post      post
//                               v        │
//                             inner executor: plain visits    lanes (strand each): awaitable and handle visits
//
// All state is touched on the control strand only, with three exceptions: the outcome of a vertex, written where its
// visit ended and read on the control strand after the post that says so; `handed_`, whose entries a batch reads after
// the post that handed them over; and the flag by which visits that have not begun learn that they should not.
// These posts also order what a visitor wrote before everything that visitors of dependents read.
//
// Each function that is posted, and each lane that has a vertex, owns the operation; nothing it owns does. So a context
// that is destroyed in the middle frees everything, and the last function to run is the one that completes.
//
//   cancellation   nothing started        something started
//   total          all are cancelled      refused: no effect
//   partial        all are cancelled      starts nothing new, waits for what runs
//   terminal       all are cancelled      and signals the visits that run, each on its lane
template <class Executor, class Graph, class Visitor, class Handler, class Ready, class Trace>
class walk_operation final
    : public std::enable_shared_from_this<walk_operation<Executor, Graph, Visitor, Handler, Ready, Trace>> {
    using self_ptr = std::shared_ptr<walk_operation>;
    using lane_type = lane<Executor>;
    using visit_type = handle_visit<walk_operation>;
    using handler_executor = asio::associated_executor_t<Handler, Executor>;

    static constexpr bool is_awaitable = awaitable_visitor_for<Visitor, Graph>;
    static constexpr bool is_handle = handle_visitor_for<Visitor, Graph>;

    // What awaits a vertex, by the worst of its dependencies.
    enum class fate : std::uint8_t { visit, cancel, skip };
    struct row {
        std::uint32_t open = 0;
        fate next = fate::visit;
        bool settled = false;
    };

public:
    using executor_type = Executor;
    using options_type = walk_options<strict_strand, Ready, Trace>;

    walk_operation(Executor const& executor, Graph const& graph, Visitor visitor, options_type options, Handler handler)
        : executor_(executor),
          strand_(executor),
          work_(tracked(executor)),
          handler_work_(tracked(asio::get_associated_executor(handler, executor))),
          graph_(graph),
          visitor_(std::move(visitor)),
          options_(std::move(options)),
          handler_(std::move(handler)),
          rows_(graph.vertex_count()),
          outcomes_(graph.vertex_count())
    {
        if (options_.limit == 0) options_.limit = options_type::default_limit;
        options_.ready.reset(rows_.size());
        if constexpr (!is_awaitable && !is_handle) handed_.reserve(rows_.size());
    }

    // The first function of the walk on the control strand.
    static void begin(self_ptr self)
    {
        self->begun_ = true;
        self->obey();
        if (self->options_.deadline) self->start_deadline();
        for (vertex_id const v : self->graph_.vertices()) {
            self->rows_[v.index()].open = static_cast<std::uint32_t>(self->graph_.in_degree(v));
            if (self->rows_[v.index()].open == 0) self->arrange(v);
        }
        self->propagate();
        proceed(std::move(self));
    }

    void start_deadline()
    {
        timer_.emplace(strand_);
        call_after(*timer_, *options_.deadline, [weak = this->weak_from_this()] {
            if (self_ptr const run = weak.lock()) request(run, asio::cancellation_type::partial);
        });
    }

    // What the slot of the handler calls. Remembered at once, so that it counts although `begin` may be queued before.
    static void request(self_ptr const& self, asio::cancellation_type_t type)
    {
        self->requested_.fetch_or(static_cast<unsigned>(type), std::memory_order_relaxed);
        asio::post(self->strand_, [weak = std::weak_ptr<walk_operation>(self)] {
            self_ptr run = weak.lock();
            if (!run || !run->begun_ || run->completed_) return;
            run->obey();
            proceed(std::move(run));
        });
    }

    // What lanes and visits need to know. Any thread.
    [[nodiscard]] auto executor() const noexcept -> Executor const& { return executor_; }
    [[nodiscard]] auto strand() const noexcept -> asio::strand<Executor> const& { return strand_; }
    [[nodiscard]] auto stopping() const noexcept -> bool { return stopping_.load(std::memory_order_relaxed); }
    void record(vertex_id v, visit_outcome outcome) noexcept { outcomes_[v.index()] = std::move(outcome); }
    template <class... Rest>
    auto invoke(vertex_id v, Rest&&... rest) -> decltype(auto)
    {
        return std::invoke(visitor_, v, graph_[v], std::forward<Rest>(rest)...);
    }

    // A visit ended and its outcome is recorded. On the control strand; `proceed` must follow.
    void settle(vertex_id v)
    {
        visit_outcome& outcome = outcomes_[v.index()];
        if (was_cancelled_ && outcome.status() == visit_status::failed
            && outcome.error() == asio::error::operation_aborted)
            outcome = visit_outcome::cancelled(outcome.error());
        --running_;
        make_room_after(v);
        conclude(v);
        if (outcome.status() == visit_status::failed && options_.stop_on_first_failure)
            stop(stop_reason::first_failure);
        propagate();
    }

    // The next vertex to visit, if there is one. The caller has a token, so the limit holds.
    [[nodiscard]] auto take() -> vertex_id
    {
        if (options_.ready.size() == 0) return {};
        vertex_id const v = options_.ready.pop();
        started_ = true;
        ++running_;
        options_.trace.started(v);
        return v;
    }

    void give_back(std::shared_ptr<lane_type> from) { idle_.push_back(std::move(from)); }
    void forget(visit_type const* visit)
    {
        std::erase_if(visits_, [visit](auto const& known) { return known.first == visit; });
    }

    // Hands over what may start, or completes. Last in every function on the control strand.
    static void proceed(self_ptr self)
    {
        self->hand_over(self);
        if (self->running_ != 0) return;
        if (self->settled_ != self->rows_.size()) self->give_up();
        complete(std::move(self));
    }

private:
    struct settled_batch {
        self_ptr run;
        vertex_id const* first;
        vertex_id const* last;

        void operator()()
        {
            --run->batches_;
            for (vertex_id const* v = first; v != last; ++v) run->settle(*v);
            proceed(std::move(run));
        }
    };

    struct visit_batch {
        self_ptr run;
        vertex_id const* first;
        vertex_id const* last;

        void operator()()
        {
            for (vertex_id const* v = first; v != last; ++v) run->visit(*v);
            auto const& strand = run->strand_;
            asio::dispatch(strand, settled_batch{std::move(run), first, last});
        }
    };

    void visit(vertex_id v) noexcept
    {
        if (stopping()) return record(v, visit_outcome::cancelled());
        try {
            if constexpr (std::is_void_v<decltype(invoke(v))>) {
                invoke(v);
            } else {
                visit_outcome outcome = invoke(v);
                record(v, std::move(outcome));
            }
        } catch (...) {
            record(v, visit_outcome::failure(std::current_exception()));
        }
    }

    // All dependencies of a vertex are settled: what becomes of it follows from the worst of them.
    void arrange(vertex_id v)
    {
        fate const next = rows_[v.index()].next;
        if (next == fate::visit && !stopping()) return options_.ready.push(v);
        record(v, next == fate::skip ? visit_outcome::skipped() : visit_outcome::cancelled());
        conclude(v);
    }

    // Last of what concerns a vertex that was taken from the ready queue.
    void make_room_after(vertex_id v)
    {
        if constexpr (settling_queue_policy<Ready>) options_.ready.settled(v);
    }

    void conclude(vertex_id v)
    {
        rows_[v.index()].settled = true;
        ++settled_;
        options_.trace.settled(v, outcomes_[v.index()]);
        concluded_.push_back(v);
    }

    void propagate()
    {
        while (!concluded_.empty()) {
            vertex_id const v = concluded_.back();
            concluded_.pop_back();
            fate const passed_on = fate_after(outcomes_[v.index()].status());
            for (vertex_id const dependent : graph_.dependents(v)) {
                row& r = rows_[dependent.index()];
                if (r.open == 0) continue;
                r.next = std::max(r.next, passed_on);
                if (--r.open == 0) arrange(dependent);
            }
        }
    }

    [[nodiscard]] static auto fate_after(visit_status status) noexcept -> fate
    {
        if (status == visit_status::done) return fate::visit;
        return status == visit_status::cancelled ? fate::cancel : fate::skip;
    }

    void obey()
    {
        auto const type = static_cast<asio::cancellation_type_t>(requested_.load(std::memory_order_relaxed));
        auto const asks = [type](
                              asio::cancellation_type_t bit) { return (type & bit) != asio::cancellation_type::none; };
        if (asks(asio::cancellation_type::terminal)) stop(stop_reason::terminal);
        else if (asks(asio::cancellation_type::partial)) stop(stop_reason::partial);
        else if (asks(asio::cancellation_type::total) && !started_) stop(stop_reason::total);
    }

    void stop(stop_reason reason)
    {
        bool const again = stopping() && (reason != stop_reason::terminal || signalled_);
        was_cancelled_ = was_cancelled_ || reason != stop_reason::first_failure;
        if (again) return;
        stopping_.store(true, std::memory_order_relaxed);
        options_.trace.stopping(reason);
        while (options_.ready.size() != 0) {
            vertex_id const v = options_.ready.pop();
            make_room_after(v);
            record(v, visit_outcome::cancelled());
            conclude(v);
        }
        propagate();
        if (reason != stop_reason::terminal) return;
        signalled_ = true;
        for (std::shared_ptr<lane_type> const& each : lanes_) each->stop(each);
        for (auto const& [_, visit] : visits_)
            if (auto const running = visit.lock()) running->stop();
    }

    void hand_over(self_ptr const& self)
    {
        if constexpr (is_awaitable) {
            using awaitable_executor = typename awaitable_traits<visit_return_t<Visitor, Graph>>::executor_type;
            while (running_ < options_.limit && options_.ready.size() != 0) {
                std::shared_ptr<lane_type> free = free_lane();
                asio::strand<Executor> const strand = free->strand;
                asio::post(strand,
                    start_lane<awaitable_executor, walk_operation, lane_type>{
                        std::move(free), grant<walk_operation>(self, take())});
            }
        } else if constexpr (is_handle) {
            while (running_ < options_.limit && options_.ready.size() != 0) {
                auto const next = std::make_shared<visit_type>(self, take());
                visits_.emplace_back(next.get(), next);
                next->start();
            }
        } else {
            while (batches_ < options_.limit && options_.ready.size() != 0) {
                std::size_t const workers = options_.limit - batches_;
                std::size_t const share = (options_.ready.size() + workers - 1) / workers;
                std::size_t count = std::clamp<std::size_t>(options_.control.batch, 1, share);
                vertex_id const* const first = handed_.data() + handed_.size();
                for (; count != 0; --count) handed_.push_back(take());
                ++batches_;
                asio::post(executor_, visit_batch{self, first, handed_.data() + handed_.size()});
            }
        }
    }

    [[nodiscard]] auto free_lane() -> std::shared_ptr<lane_type>
    {
        if (idle_.empty()) return lanes_.emplace_back(std::make_shared<lane_type>(executor_));
        std::shared_ptr<lane_type> last = std::move(idle_.back());
        idle_.pop_back();
        return last;
    }

    // Nothing runs, nothing is ready, and yet vertices wait: the degrees of the graph do not match its edges.
    void give_up()
    {
        for (vertex_id const v : graph_.vertices()) {
            if (rows_[v.index()].settled) continue;
            record(v, visit_outcome::cancelled(make_error_code(walk_errc::stalled)));
            conclude(v);
        }
    }

    static void complete(self_ptr self)
    {
        self->completed_ = true;
        [[maybe_unused]] auto const work = self->handler_work_;
        handler_executor const executor = asio::get_associated_executor(self->handler_, self->executor_);
        walk_completion<Handler> completion{std::move(self->handler_), walk_report(std::move(self->outcomes_))};
        self.reset();
        asio::dispatch(executor, std::move(completion));
    }

    Executor executor_;
    asio::strand<Executor> strand_;
    tracked_t<Executor> work_;
    tracked_t<handler_executor> handler_work_;
    Graph const& graph_;
    Visitor visitor_;
    options_type options_;
    Handler handler_;

    std::vector<row> rows_;
    std::vector<visit_outcome> outcomes_;
    std::vector<vertex_id> handed_;  // plain visits, in the order in which they were handed over; never reallocated
    std::vector<vertex_id> concluded_;  // settled, dependents not yet told
    std::vector<std::shared_ptr<lane_type>> lanes_;
    std::vector<std::shared_ptr<lane_type>> idle_;
    std::vector<std::pair<visit_type const*, std::weak_ptr<visit_type>>> visits_;

    std::optional<typename timer_for<Executor>::type> timer_;

    std::size_t settled_ = 0;
    std::uint32_t running_ = 0;
    std::uint32_t batches_ = 0;
    std::atomic<unsigned> requested_{0};
    std::atomic<bool> stopping_{false};
    bool begun_ = false;
    bool started_ = false;
    bool was_cancelled_ = false;
    bool signalled_ = false;
    bool completed_ = false;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_WALK_OPERATION_HPP
