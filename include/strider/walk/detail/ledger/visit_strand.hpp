// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP
#define STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/permit.hpp>
#include <strider/walk/detail/ledger/plain_visits.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <boost/smart_ptr/intrusive_ptr.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::detail {

// A strand on which awaitable or handle visits run in sequence, with the signal for terminal cancellation, which is
// emitted on that strand only. The strand is needed because the cancellation state of a coroutine is not thread-safe.
//
// A strand is free when its coroutine has ended, not when it has no vertex to visit: until then its signal is in use.
// It then adds itself to the list, from which the owner of the ledger takes it.
template <class Executor>
struct visit_strand : std::enable_shared_from_this<visit_strand<Executor>> {
    struct list {
        std::atomic<visit_strand*> first{nullptr};
    };

    visit_strand(asio::strand<Executor> on, std::shared_ptr<list> freed)
        : strand(std::move(on)),
          free_list(std::move(freed))
    {}

    void stop()
    {
        asio::post(strand, [self = this->shared_from_this()] {
            if (self->accepts_signals.load(std::memory_order_relaxed))
                self->signal.emit(asio::cancellation_type::terminal);
        });
    }
    void release() noexcept
    {
        next = free_list->first.load(std::memory_order_relaxed);
        while (
            !free_list->first.compare_exchange_weak(next, this, std::memory_order_release, std::memory_order_relaxed)) {
        }
    }

    asio::strand<Executor> strand;
    asio::cancellation_signal signal;
    std::atomic<bool> accepts_signals{true};  // false between two visits by handle: the visit may be destroyed
    std::shared_ptr<list> free_list;
    visit_strand* next = nullptr;  // in the list
};

// The strands of a run; `Strand` is `visit_strand<Executor>` or derives from it. Only the owner of the ledger uses
// it.
template <class Executor, class Strand>
class visit_strands {
public:
    // \param strand_for_new  returns the `asio::strand` of a new strand
    template <class StrandForNew>
    [[nodiscard]] auto take_free(StrandForNew const& strand_for_new) -> std::shared_ptr<Strand>
    {
        if (spare_ == nullptr) spare_ = free_->first.exchange(nullptr, std::memory_order_acquire);
        if (spare_ == nullptr) return all_.emplace_back(std::make_shared<Strand>(strand_for_new(), free_));
        return std::static_pointer_cast<Strand>(std::exchange(spare_, spare_->next)->shared_from_this());
    }
    void stop()
    {
        for (auto const& each : all_) each->stop();
    }

private:
    std::shared_ptr<typename visit_strand<Executor>::list> free_ =
        std::make_shared<typename visit_strand<Executor>::list>();
    visit_strand<Executor>* spare_ = nullptr;
    std::vector<std::shared_ptr<Strand>> all_;
};

// Visits vertices in sequence on its strand, until no vertex is ready or its time slice is over. Cancellation state and `throw_if_cancelled` belong to the coroutine as a
// whole, so they are reset for each visit, and the bookkeeping after a visit ignores cancellation.
template <class AwaitableExecutor, class Run>
auto run_visits(std::shared_ptr<typename Run::visit_strand_type> self, permit<Run> current)
    -> asio::awaitable<void, AwaitableExecutor>
{
    visit_time_slice<Run> slice(current.run());
    // Between visits an exception would lose the permit of the next vertex, and the walk would not end.
    co_await asio::this_coro::throw_if_cancelled(false);
    while (current) {
        visit_outcome outcome;
        if (current.run().stopping()) {
            outcome = current.run().settle_without_visit(current.vertex());
        } else {
            co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
            co_await asio::this_coro::throw_if_cancelled(true);
            try {
                auto visit = current.run().invoke(current.vertex());
                if constexpr (std::is_void_v<typename awaitable_traits<decltype(visit)>::value_type>) {
                    co_await std::move(visit);
                } else {
                    auto returned = co_await std::move(visit);
                    outcome = std::move(returned);
                }
            } catch (...) {
                outcome = visit_outcome::failure(std::current_exception());
            }
            co_await asio::this_coro::throw_if_cancelled(false);
        }
        current = Run::exchange(std::move(current), std::move(outcome), slice.end_visit());
        slice.begin_visit();
        if (!current || !slice.is_over()) continue;
        try {
            auto yielded = asio::post(self->strand, asio::deferred);
            co_await std::move(yielded);
        } catch (...) {
            Run::abort_visit(current.release(), std::current_exception());
        }
    }
}

// The completion handler of a coroutine of visits. It intentionally has no associated executor: Asio then emits
// cancellation into the coroutine directly. With an executor that queues, Asio would dispatch the emission with a
// pointer to memory that is already released.
template <class Executor>
struct visits_ended {
    using cancellation_slot_type = asio::cancellation_slot;

    std::shared_ptr<visit_strand<Executor>> which;  // the frame of the coroutine may end first, if the executor queues

    [[nodiscard]] auto get_cancellation_slot() const noexcept -> cancellation_slot_type { return which->signal.slot(); }
    void operator()(std::exception_ptr const&) const noexcept { which->release(); }
};

// Starts the coroutine of visits on its strand: the last coroutine of a reused strand may still be unwinding when the
// ledger assigns the strand.
template <class AwaitableExecutor, class Run>
struct start_visits {
    std::shared_ptr<typename Run::visit_strand_type> visit_strand;
    permit<Run> first;

    void operator()()
    {
        auto run = first.share();
        visits_ended<typename Run::executor_type> ended{visit_strand};
        asio::strand<typename Run::executor_type> const strand = visit_strand->strand;
        // The lambda is stored in the outer frame of the coroutine, so the strand outlives all users of its signal.
        try {
            asio::co_spawn(
                strand,
                [visit_strand = std::move(visit_strand), first = std::move(first)]() mutable {
                    auto its = first.share();
                    try {
                        return run_visits<AwaitableExecutor, Run>(visit_strand, std::move(first));
                    } catch (...) {  // no memory for its frame
                        Run::abort_visit(std::move(its), std::current_exception());
                        throw;
                    }
                },
                std::move(ended));
        } catch (...) {
            Run::abort_visit(std::move(run), std::current_exception());
        }
        Run::leave(std::move(run));
    }
};

// A handler that starts strands in sequence, while vertices are ready and permits are available. A strand visits
// directly until a visit suspends, so another strand is started only if a visit waits, not for each ready vertex. If time
// is virtual, each first visit is a task, so that a seed decides which of several ready visits begins first.
// The vertex is taken when the handler runs: with one thread, visits start in the order of the ready queue.
//
// It owns the walk, which does not complete while a starter is queued or running.
//
// Start: the function that begins visits on a strand.
template <class Run, class Start>
class visit_strand_starter {
public:
    explicit visit_strand_starter(boost::intrusive_ptr<Run> run) noexcept : run_(std::move(run)) {}

    void operator()()
    {
        visit_time_slice<Run> slice(*run_);
        do {
            auto next = Run::next_start(std::move(run_), std::exchange(is_new_, false));
            if (!next.current) return;
            run_ = next.current.share();
            asio::strand<typename Run::executor_type> const strand = next.visit_strand->strand;
            Start start{std::move(next.visit_strand), std::move(next.current)};
            try {
                if (run_->is_stepped()) asio::post(strand, std::move(start));
                else asio::dispatch(strand, std::move(start));
            } catch (...) {
                Run::abort_visit(run_, std::current_exception());
            }
            (void)slice.end_visit();
        } while (!slice.is_over());
        auto run = run_;
        auto const place = run->place();
        try {
            asio::post(place, std::move(*this));
        } catch (...) {
            Run::abort_starter(std::move(run), std::current_exception());
        }
        Run::leave(std::move(run));
    }

private:
    boost::intrusive_ptr<Run> run_;
    bool is_new_ = true;  // it has not run yet
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP
