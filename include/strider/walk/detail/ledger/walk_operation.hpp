// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_WALK_OPERATION_HPP
#define STRIDER_WALK_DETAIL_LEDGER_WALK_OPERATION_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/context_clock.hpp>
#include <strider/walk/detail/deadline.hpp>
#include <strider/walk/detail/ledger/handle_visit.hpp>
#include <strider/walk/detail/ledger/operation_link.hpp>
#include <strider/walk/detail/ledger/owned_operation.hpp>
#include <strider/walk/detail/ledger/permit.hpp>
#include <strider/walk/detail/ledger/plain_visits.hpp>
#include <strider/walk/detail/ledger/short_visits.hpp>
#include <strider/walk/detail/ledger/visit_strand.hpp>
#include <strider/walk/detail/ledger/walk_ledger.hpp>
#include <strider/walk/detail/stealing/run_workers.hpp>
#include <strider/walk/detail/stealing/visit_cost.hpp>
#include <strider/walk/detail/walk_completion.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <utility>

namespace strider::detail {

// Stands for the mutex where a strand serialises all calls.
struct no_mutex {
    void lock() const noexcept {}
    void unlock() const noexcept {}
};

struct no_strand {
    explicit no_strand(auto const&) noexcept {}
};

// A walk with a ledger. All access to the ledger is
//
//   under `strand_scheduler`          on the strand of the walk, where all visitors run too
//   under `work_stealing_scheduler`   under a mutex, by the thread that ends a visit
//
// All other functions are common to both: visits access the ledger only through `exchange`, which turns the permit to
// visit a vertex into the permit to visit the next one, or ends the walk.
//
// The strand and the mutex also order the writes of a visit before the reads of its dependents.
//
// Each posted function and each running visit owns the operation; nothing that the operation owns does. The last owner
// destroys it, releases its memory and then calls the handler, so no other function still uses the walk when the handler
// is called. If the context is destroyed before the walk has completed, nothing is called.
template <class Executor, class Graph, class Visitor, class Handler, class Scheduler, class Ready, class Trace>
class walk_operation final
    : public owned_operation<walk_operation<Executor, Graph, Visitor, Handler, Scheduler, Ready, Trace>> {
    static_assert(!growing_graph<Graph> || growing_queue_policy<Ready>,
        "a walk of a growing graph needs a ready queue with a member function resize(id_bound)");

    using self_ptr = boost::intrusive_ptr<walk_operation>;
    using handler_executor = asio::associated_executor_t<Handler, Executor>;
    using start_type = typename start_on_strand<walk_operation, Visitor, Graph>::type;
    using allocator =
        typename std::allocator_traits<asio::associated_allocator_t<Handler>>::template rebind_alloc<walk_operation>;

    static constexpr bool is_awaitable = awaitable_visitor_for<Visitor, Graph>;
    static constexpr bool is_handle = handle_visitor_for<Visitor, Graph>;
    static constexpr bool is_plain = !is_awaitable && !is_handle;
    // True if a strand is started only when a visit on the one before suspends.
    static constexpr bool starts_in_sequence = !is_plain;

public:
    using executor_type = Executor;
    using options_type = walk_options<Scheduler, Ready, Trace>;
    using visit_strand_type = std::conditional_t<is_handle, handle_strand<walk_operation>, visit_strand<Executor>>;
    using permit_type = permit<walk_operation>;
    struct visit_strand_start {
        std::shared_ptr<visit_strand_type> visit_strand;
        permit_type current;
    };

    static constexpr std::size_t no_limit = static_cast<std::size_t>(-1);
    static constexpr bool on_strand = std::same_as<Scheduler, strand_scheduler>;
    // True if several threads visit, unless visits are short.
    static constexpr bool measures_visits = !on_strand;

    walk_operation(Executor const& executor, Graph const& graph, Visitor visitor, options_type options, Handler handler)
        : executor_(executor),
          clock_(find_context_clock(executor)),
          strand_(executor),
          work_(tracked(executor)),
          handler_work_(tracked(asio::get_associated_executor(handler, executor))),
          graph_(graph),
          visitor_(std::move(visitor)),
          handler_(std::move(handler)),
          ledger_(graph, visitor_, std::move(options.ready), std::move(options.trace), options.stop_on_first_failure),
          deadline_(options.timeout, clock_),
          max_concurrency_(options.max_concurrency == 0 ? no_limit : options.max_concurrency)
    {
        if constexpr (is_plain && on_strand) max_concurrency_ = 1;
        if (is_stepped()) return;
        if constexpr (on_strand) {
            max_starters_ = 1;
        } else {
            index_t const workers = max_workers(executor, is_plain ? options.max_concurrency : 0,
                options.scheduler.threads, growing_graph<Graph> ? no_limit : graph.vertex_count());
            (is_plain ? max_concurrency_ : max_starters_) = workers;
            short_visits_ = short_visits(options.scheduler.granularity);
        }
    }

    walk_operation(walk_operation const&) = delete;
    auto operator=(walk_operation const&) -> walk_operation& = delete;
    ~walk_operation()
    {
        if (link_) link_->disconnect();
    }

    using link_type = operation_link<walk_operation>;
    // Called by a slot before the walk begins, or by the owner of the ledger.
    [[nodiscard]] auto link() -> std::shared_ptr<link_type>
    {
        if (!link_) link_ = std::make_shared<link_type>(*this);
        return link_;
    }

    // Allocates the operation with the handler's allocator, and connects the handler's cancellation slot.
    [[nodiscard]] static auto make(Executor const& executor, Graph const& graph, Visitor visitor, options_type options,
        Handler handler) -> self_ptr
    {
        auto slot = asio::get_associated_cancellation_slot(handler);
        self_ptr run = walk_operation::create(allocator(asio::get_associated_allocator(handler)), executor, graph,
            std::move(visitor), std::move(options), std::move(handler));
        if (slot.is_connected())
            slot.assign([link = run->link()](asio::cancellation_type_t type) { request(link, type); });
        return run;
    }
    // Makes the walk partial. Called before `launch`.
    void select(std::span<vertex_id const> changed) { ledger_.select(changed); }
    static void launch(self_ptr run)
    {
        auto const place = run->place();
        asio::post(place, [run = std::move(run)]() mutable { begin(std::move(run)); });
    }

    // The first function of the walk.
    static void begin(self_ptr self)
    {
        enter(self, [&self] {
            self->begun_ = true;
            if (self->deadline_.is_set()) self->deadline_.start();
            self->request_at_deadline();
            self->apply_requests();
            self->ledger_.begin();
        });
        walk_operation::leave(std::move(self));
    }

    // Called by the slot of the handler. The request is recorded at once, also if `begin` is still queued.
    static void request(std::shared_ptr<link_type> const& link, asio::cancellation_type_t type)
    {
        self_ptr const self = link->lock();
        if (!self) return;
        self->ledger_.request(type);
        asio::post(self->place(), [link] {
            self_ptr alive = link->lock();
            if (alive) enter(alive, [] {});
            walk_operation::leave(std::move(alive));
        });
    }

    // Used by visits, on any thread.
    [[nodiscard]] auto executor() const noexcept -> Executor const& { return executor_; }
    // True if the time of the walk is virtual: each visit begins as a task, and nothing depends on real time.
    [[nodiscard]] auto is_stepped() const noexcept -> bool { return clock_ != nullptr; }
    [[nodiscard]] auto stopping() const -> bool { return ledger_.stopping() || is_overdue(); }
    template <class... Rest>
    auto invoke(vertex_id v, Rest&&... rest) -> decltype(auto)
    {
        return std::invoke(visitor_, v, graph_[v], std::forward<Rest>(rest)...);
    }
    // Called instead of `invoke` if the walk is to stop. \return the outcome of the vertex
    [[nodiscard]] auto settle_without_visit(vertex_id v) noexcept -> visit_outcome
    {
        visit_outcome outcome = visit_outcome::cancelled();
        notify_not_visited(visitor_, v, outcome);
        return outcome;
    }
    // The executor on which plain visitors are called, and to which the first function and requests are posted.
    [[nodiscard]] auto place() const -> decltype(auto)
    {
        if constexpr (on_strand) return (strand_);
        else return (executor_);
    }

    // Settles a visit that ended and returns the permit for the next vertex, if there is one. Called by the owner of
    // the ledger.
    [[nodiscard]] static auto exchange(permit_type ended, visit_outcome&& outcome, visit_time time) -> permit_type
    {
        vertex_id const v = ended.vertex();
        vertex_id next;
        self_ptr self = ended.release();
        enter(self, [&] { next = self->settle_and_take(v, std::move(outcome), time); });
        if (next) return permit_type(std::move(self), next);
        walk_operation::leave(std::move(self));
        return {};
    }

    // As above, from any thread, for a visit that did not end before the visitor returned; calls `then(permit)`
    // afterwards, without waiting for it.
    template <class Then>
    static void exchange_and(permit_type ended, visit_outcome outcome, Then then)
    {
        if constexpr (on_strand) {
            asio::strand<Executor> const strand = ended.run().strand_;
            asio::dispatch(
                strand, [ended = std::move(ended), outcome = std::move(outcome), then = std::move(then)]() mutable {
                    then(exchange(std::move(ended), std::move(outcome), visit_time{.duration = long_measurement}));
                });
        } else {
            then(exchange(std::move(ended), std::move(outcome), visit_time{.duration = long_measurement}));
        }
    }

    // Takes a vertex for a starter of strands. \return none: the starter has ended
    // \param is_new  the starter has not taken a vertex before
    [[nodiscard]] static auto next_start(self_ptr self, bool is_new) -> visit_strand_start
    {
        visit_strand_start next;
        enter(self, [&] {
            if (is_new) --self->new_starters_;
            --self->starters_;
            if (!self->may_take() || self->starters_ >= self->starter_limit()) return;
            next.visit_strand = self->free_visit_strand();
            next.current = permit_type(self, self->ledger_.take());
            ++self->starters_;
        });
        walk_operation::leave(std::move(self));
        return next;
    }

    // Called if a starter could not be posted again: ends the walk.
    static void abort_starter(self_ptr self, std::exception_ptr thrown)
    {
        enter(self, [&] {
            --self->starters_;
            self->ledger_.abort(std::move(thrown));
        });
        walk_operation::leave(std::move(self));
    }

    // Called on any thread if a permit was lost because of an exception: ends the walk.
    static void abort_visit(self_ptr self, std::exception_ptr thrown)
    {
        auto const abort_one = [thrown = std::move(thrown)](self_ptr run) {
            enter(run, [&] { run->ledger_.abort_visit(thrown); });
            walk_operation::leave(std::move(run));
        };
        if constexpr (on_strand) {
            asio::strand<Executor> const strand = self->strand_;
            asio::dispatch(strand, [self = std::move(self), abort_one]() mutable { abort_one(std::move(self)); });
        } else {
            abort_one(std::move(self));
        }
    }

    // Called by the last owner. Destroys the operation and, if the walk has completed, submits the call of the handler.
    template <bool InPlace>
    static void end(walk_operation* self)
    {
        bool const completed = self->completed_;
        Executor const own = self->executor_;
        auto work = self->handler_work_;
        handler_executor const executor = asio::get_associated_executor(self->handler_, own);
        // The memory may belong to the handler, so the handler is the last to be destroyed.
        allocator memory(asio::get_associated_allocator(self->handler_));
        walk_completion<Handler> completion{
            std::move(self->handler_), completed ? self->ledger_.close() : walk_report()};
        walk_operation::destroy(std::move(memory), self);
        if (!completed) return;
        if constexpr (InPlace) {
            asio::dispatch(executor, std::move(completion));
        } else {
            asio::post(own, [executor, work = std::move(work), completion = std::move(completion)]() mutable {
                (void)work;
                asio::dispatch(executor, std::move(completion));
            });
        }
    }

private:
    // Accesses the ledger, applies stop requests, starts ready vertices, and completes the walk if nothing is left. An
    // exception of a policy or an allocation ends the walk as soon as nothing runs.
    template <class F>
    static void enter(self_ptr const& self, F f)
    {
        std::lock_guard const lock(self->mutex_);
        if (self->completed_) return;
        try {
            if (self->begun_) self->request_at_deadline();
            f();
            if (self->begun_) self->apply_requests();
            self->start_ready(self);
        } catch (...) {
            self->ledger_.abort(std::current_exception());
        }
        self->completed_ = self->begun_ && self->ledger_.running() == 0 && self->starters_ == 0;
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

    [[nodiscard]] auto is_overdue() const -> bool { return deadline_.is_set() && deadline_.has_passed(); }
    // Called before a visit is settled: one that is aborted after the deadline counts as cancelled.
    void request_at_deadline()
    {
        if (is_overdue()) ledger_.request(asio::cancellation_type::partial);
    }
    void apply_requests()
    {
        if (ledger_.apply_requests()) visit_strands_.stop();
    }

    // Starts ready vertices while permits are available.
    void start_ready(self_ptr const& self)
    {
        if constexpr (starts_in_sequence) {
            for (; may_take() && starters_ < starter_limit() && new_starters_ < ledger_.ready(); ++new_starters_) {
                asio::post(place(), visit_strand_starter<walk_operation, start_type>(self));
                ++starters_;
            }
        } else {
            while (may_take()) {
                permit_type given(self, ledger_.take());
                try {
                    asio::post(place(), plain_worker<walk_operation>(std::move(given)));
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
    [[nodiscard]] auto free_visit_strand() -> std::shared_ptr<visit_strand_type>
    {
        return visit_strands_.take_free([this] {
            if constexpr (on_strand) return strand_;
            else return asio::strand<Executor>(executor_);
        });
    }

    Executor executor_;
    context_clock const* clock_;  // null: time is real
    [[no_unique_address]] std::conditional_t<on_strand, asio::strand<Executor>, no_strand> strand_;
    tracked_t<Executor> work_;
    tracked_t<handler_executor> handler_work_;
    Graph const& graph_;
    Visitor visitor_;
    Handler handler_;
    walk_ledger<Graph, Visitor, Ready, Trace> ledger_;
    [[no_unique_address]] std::conditional_t<on_strand, no_mutex, std::mutex> mutex_;
    deadline deadline_;
    visit_strands<Executor, visit_strand_type> visit_strands_;
    std::shared_ptr<link_type> link_;
    std::size_t max_concurrency_;
    short_visits short_visits_{visit_granularity::coarse};
    std::size_t max_starters_ = no_limit;
    std::size_t starters_ = 0;  // starters of strands that are queued or running
    std::size_t new_starters_ = 0;  // those that have not taken a vertex yet
    bool begun_ = false;
    bool completed_ = false;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_WALK_OPERATION_HPP
