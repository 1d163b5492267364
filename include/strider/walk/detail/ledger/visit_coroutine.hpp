// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_VISIT_COROUTINE_HPP
#define STRIDER_WALK_DETAIL_LEDGER_VISIT_COROUTINE_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/ledger_run.hpp>
#include <strider/walk/detail/ledger/visit_strand.hpp>
#include <strider/walk/detail/ledger/visit_time.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <type_traits>
#include <utility>

namespace strider::detail {

// A coroutine that visits vertices in sequence on a strand.
template <class AwaitableExecutor, class Executor>
using visit_coroutine = asio::awaitable<void, AwaitableExecutor> (*)(visit_strand_ptr<Executor>, permit<Executor>);

// The completion handler of a coroutine of visits. It intentionally has no associated executor: Asio then emits
// cancellation into the coroutine directly. With an executor that queues, Asio would dispatch the emission with a
// pointer to memory that is already released.
template <class Executor>
struct visits_ended {
    using cancellation_slot_type = asio::cancellation_slot;

    visit_strand_ptr<Executor> which;  // the frame of the coroutine may end first, if the executor queues

    [[nodiscard]] auto get_cancellation_slot() const noexcept -> cancellation_slot_type { return which->signal.slot(); }
    void operator()(std::exception_ptr const&) const noexcept { which->release(); }
};

// The function that Asio calls for the coroutine. It is stored in the outer frame of the coroutine, so the strand
// outlives all users of its signal.
template <class AwaitableExecutor, class Executor>
struct coroutine_start {
    visit_strand_ptr<Executor> on;
    permit<Executor> first;
    visit_coroutine<AwaitableExecutor, Executor> visits;

    auto operator()() -> asio::awaitable<void, AwaitableExecutor>
    {
        auto const run = first.share();
        try {
            return visits(on, std::move(first));
        } catch (...) {  // no memory for its frame
            run->abort_visit(std::current_exception());
            throw;
        }
    }
};

// Starts a coroutine of visits on its strand: the last coroutine of a reused strand may still be unwinding when the
// ledger assigns the strand.
template <class AwaitableExecutor, class Executor>
void spawn_visits(
    visit_strand_ptr<Executor> on, permit<Executor> first, visit_coroutine<AwaitableExecutor, Executor> visits)
{
    auto run = first.share();
    visits_ended<Executor> ended{on};
    strand_of_t<Executor> const strand = on->strand;
    try {
        asio::co_spawn(strand, coroutine_start<AwaitableExecutor, Executor>{std::move(on), std::move(first), visits},
            std::move(ended));
    } catch (...) {
        run->abort_visit(std::current_exception());
    }
    ledger_run<Executor>::leave(std::move(run));
}

// Visits vertices in sequence on its strand, until no vertex is ready. Cancellation state and `throw_if_cancelled` belong
// to the coroutine as a whole, so they are reset for each visit, and the bookkeeping after a visit ignores cancellation.
// Walk: a `ledger_walk` whose visitor returns an awaitable.
template <class AwaitableExecutor, class Walk, class Executor>
auto await_visits(visit_strand_ptr<Executor> on, permit<Executor> current) -> asio::awaitable<void, AwaitableExecutor>
{
    visit_time_slice slice(current.run().is_stepped());
    // Between visits an exception would lose the permit of the next vertex, and the walk would not end.
    co_await asio::this_coro::throw_if_cancelled(false);
    while (current) {
        visit_outcome outcome;
        if (current.run().stopping()) {
            outcome = Walk::of(current).settle_without_visit(current.vertex());
        } else {
            co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
            co_await asio::this_coro::throw_if_cancelled(true);
            try {
                auto visit = Walk::of(current).invoke(current.vertex());
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
        current = Walk::exchange(std::move(current), std::move(outcome), slice.end_visit());
        slice.begin_visit();
        if (!current || !slice.is_over()) continue;
        try {
            auto yielded = asio::post(on->strand, asio::deferred);
            co_await std::move(yielded);
        } catch (...) {
            auto run = current.release();
            run->abort_visit(std::current_exception());
            ledger_run<Executor>::leave(std::move(run));
        }
    }
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_VISIT_COROUTINE_HPP
