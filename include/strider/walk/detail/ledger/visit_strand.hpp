// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP
#define STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/permit.hpp>
#include <strider/walk/detail/ledger/plain_visits.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::detail {

// A strand on which visits that are awaited or complete by handle run one after another, because the cancellation state of
// a coroutine is not thread-safe (its own, or that of a walk on which all are), and the signal by which terminal
// cancellation reaches the visit, emitted on that strand only.
//
// It is free when its coroutine has ended for good, not when it has nothing to visit: until then its signal is in use. Then it
// puts itself on the list, from which the owner of the ledger takes it.
template <class Executor>
struct visit_strand : std::enable_shared_from_this<visit_strand<Executor>> {
    struct list {
        std::atomic<visit_strand*> first{nullptr};
    };

    visit_strand(asio::strand<Executor> on, std::shared_ptr<list> freed)
        : strand(std::move(on)),
          free_ones(std::move(freed))
    {}

    void stop()
    {
        asio::post(strand, [self = this->shared_from_this()] {
            if (self->listens.load(std::memory_order_relaxed)) self->signal.emit(asio::cancellation_type::terminal);
        });
    }
    void give_back() noexcept
    {
        next = free_ones->first.load(std::memory_order_relaxed);
        while (
            !free_ones->first.compare_exchange_weak(next, this, std::memory_order_release, std::memory_order_relaxed)) {
        }
    }

    asio::strand<Executor> strand;
    asio::cancellation_signal signal;
    std::atomic<bool> listens{true};  // not between two visits by handle: what is over may be gone
    std::shared_ptr<list> free_ones;
    visit_strand* next = nullptr;  // on the list
};

// The strands of a run; `Strand` is `visit_strand<Executor>` or derives from it. Used by the owner of the ledger only.
template <class Executor, class Strand>
class visit_strands {
public:
    // \param strand_for_new  returns the `asio::strand` for a new one
    template <class StrandForNew>
    [[nodiscard]] auto free_one(StrandForNew const& strand_for_new) -> std::shared_ptr<Strand>
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

// Visits one vertex after another, on its strand. Cancellation state and `throw_if_cancelled` belong to the coroutine as a whole,
// so each visit gets them fresh, and bookkeeping after it is deaf to cancellation.
template <class AwaitableExecutor, class Run>
auto run_visits(std::shared_ptr<typename Run::visit_strand_type> self, permit<Run> current)
    -> asio::awaitable<void, AwaitableExecutor>
{
    visit_time_slice<typename Run::executor_type> mine;
    while (current) {
        visit_outcome outcome;
        if (current.run().stopping()) {
            outcome = visit_outcome::cancelled();
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
        current = Run::exchange(std::move(current), std::move(outcome));
        if (!current || !mine.is_over()) continue;
        auto yielded = asio::post(self->strand, asio::deferred);
        co_await std::move(yielded);
        mine = {};
    }
}

// The completion handler of a coroutine of visits. It has no associated executor on purpose: Asio then emits cancellation into the
// coroutine on the spot. With an executor Asio would dispatch the emission by a pointer to memory that is released by
// then if the executor queues.
template <class Executor>
struct visits_ended {
    using cancellation_slot_type = asio::cancellation_slot;

    visit_strand<Executor>* which;  // lives as long as the frame of the coroutine

    [[nodiscard]] auto get_cancellation_slot() const noexcept -> cancellation_slot_type { return which->signal.slot(); }
    void operator()(std::exception_ptr const&) const noexcept { which->give_back(); }
};

// Starts the coroutine of visits, on its strand: one that is used again may still be unwinding its last coroutine when the
// ledger hands it out.
template <class AwaitableExecutor, class Run>
struct start_visits {
    std::shared_ptr<typename Run::visit_strand_type> visit_strand;
    permit<Run> first;

    void operator()()
    {
        auto run = first.share();
        visits_ended<typename Run::executor_type> const ended{visit_strand.get()};
        asio::strand<typename Run::executor_type> const strand = visit_strand->strand;
        // The lambda stays in the coroutine's outer frame, so the strand outlives all that looks at its signal.
        try {
            asio::co_spawn(
                strand,
                [visit_strand = std::move(visit_strand), first = std::move(first)]() mutable {
                    return run_visits<AwaitableExecutor, Run>(visit_strand, std::move(first));
                },
                ended);
        } catch (...) {
            Run::lose(std::move(run), std::current_exception());
        }
    }
};

// A handler that starts one strand after another, as long as a vertex is ready and there are permits. A strand visits in place
// until a visit suspends, so another strand is started only where a coroutine waits, and not for each vertex that is ready. The
// vertex is taken when the handler runs: on one thread visits start in the order of the ready queue.
//
// It owns the walk, which does not complete while a starter is under way.
template <class AwaitableExecutor, class Run>
class visit_strand_starter {
public:
    explicit visit_strand_starter(std::shared_ptr<Run> run) noexcept : run_(std::move(run)) {}

    void operator()()
    {
        visit_time_slice<typename Run::executor_type> const mine;
        do {
            auto next = Run::next_start(std::move(run_), std::exchange(is_new_, false));
            if (!next.current) return;
            run_ = next.current.share();
            asio::strand<typename Run::executor_type> const strand = next.visit_strand->strand;
            try {
                asio::dispatch(strand,
                    start_visits<AwaitableExecutor, Run>{std::move(next.visit_strand), std::move(next.current)});
            } catch (...) {
                Run::lose(run_, std::current_exception());
            }
        } while (!mine.is_over());
        auto run = run_;
        auto const place = run->place();
        try {
            asio::post(place, std::move(*this));
        } catch (...) {
            Run::lose_starter(std::move(run), std::current_exception());
        }
    }

private:
    std::shared_ptr<Run> run_;
    bool is_new_ = true;  // it has not run yet
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_VISIT_STRAND_HPP
