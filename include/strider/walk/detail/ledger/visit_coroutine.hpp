// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_VISIT_COROUTINE_HPP
#define STRIDER_WALK_DETAIL_LEDGER_VISIT_COROUTINE_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/visit_strand.hpp>
#include <strider/walk/visitor.hpp>
#include <strider/walk/walk_report.hpp>

#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace strider::detail {

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

// The coroutines of visits. They are members of a class template, because g++ 12 ignores the template arguments of another function
// in the linkage of its frame, and warns if a member of the frame has a type in an anonymous namespace, such as that of a visitor.
template <class Run>
class visit_coroutine {
public:
    // Starts a coroutine of visits on its strand: the last coroutine of a reused strand may still be unwinding when the
    // ledger assigns the strand. The function is stored in the outer frame of the coroutine, so the strand outlives all users of
    // its signal.
    static void spawn(std::shared_ptr<visit_strand<typename Run::executor_type>> on, permit<Run> first)
    {
        auto run = first.run;
        auto const strand = on->strand;
        visits_ended<typename Run::executor_type> ended{on};
        auto visits = [on = std::move(on), first = std::move(first)]() mutable -> asio::awaitable<void, executor_type> {
            auto const of = first.run;
            try {
                return await_visits(on, std::move(first));
            } catch (...) {  // no memory for its frame
                of->abort_visit(std::current_exception());
                throw;
            }
        };
        try {
            asio::co_spawn(strand, std::move(visits), std::move(ended));
        } catch (...) {
            run->abort_visit(std::current_exception());
        }
        Run::leave(std::move(run));
    }

private:
    using executor_type = typename awaitable_traits<decltype(std::declval<Run&>().invoke(vertex_id()))>::executor_type;

    // Visits vertices in sequence on its strand, until no vertex is ready. Cancellation state and `throw_if_cancelled` belong
    // to the coroutine as a whole, so they are reset for each visit, and the bookkeeping after a visit ignores cancellation.
    static auto await_visits(std::shared_ptr<visit_strand<typename Run::executor_type>> on, permit<Run> current)
        -> asio::awaitable<void, executor_type>
    {
        typename Run::time_slice slice(current.run->is_stepped());
        // Between visits an exception would lose the permit of the next vertex, and the walk would not end.
        co_await asio::this_coro::throw_if_cancelled(false);
        while (current) {
            visit_outcome outcome;
            if (current.run->stopping()) {
                outcome = current.run->settle_without_visit(current.vertex);
            } else {
                co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
                co_await asio::this_coro::throw_if_cancelled(true);
                try {
                    auto visit = current.run->invoke(current.vertex);
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
                auto yielded = asio::post(on->strand, asio::deferred);
                co_await std::move(yielded);
            } catch (...) {
                auto run = std::move(current.run);
                run->abort_visit(std::current_exception());
                Run::leave(std::move(run));
            }
        }
    }
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_VISIT_COROUTINE_HPP
