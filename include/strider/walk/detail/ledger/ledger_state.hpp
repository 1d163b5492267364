// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_LEDGER_LEDGER_STATE_HPP
#define STRIDER_WALK_DETAIL_LEDGER_LEDGER_STATE_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/visit_strand.hpp>
#include <strider/walk/executor.hpp>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

namespace strider::detail {

// Stores `f` until the returned object or the context of the executor is destroyed, and calls it at a time of the clock of
// that context, on any thread. A context without a timer calls nothing. Simulated threads have timers of their own.
//
// \tparam Timer  that of a ready queue which waits for other walks: only such a walk needs one
// \param clock  null: time is real
// \param then   since the epoch of the clock; the last one: never
template <class Threads, class Timer, class Executor>
[[nodiscard]] auto call_at(Executor const& executor, context_clock* clock, std::chrono::steady_clock::duration then,
    std::function<void()> f) -> std::shared_ptr<void>
{
    if constexpr (requires { Threads::call_at(then, f); }) return Threads::call_at(then, f);
    if (clock != nullptr) {
        if (auto timer = clock->call_at(context_clock::time_point(then), f)) return timer;
    } else if constexpr (std::convertible_to<Executor const&, asio::any_io_executor>) {
        auto timer = std::make_shared<Timer>(executor, typename Timer::time_point(then));
        timer->async_wait([f = std::move(f)](error_code error) {
            if (!error) f();
        });
        return timer;
    }
    return std::make_shared<std::function<void()>>(std::move(f));
}

// The state of a run beside its ledger. Only the owner of the ledger uses it.
template <class Executor, class Strand>
struct ledger_state {
    explicit ledger_state(Executor const& executor) : work(tracked(executor)) {}

    tracked_t<Executor> work;
    visit_strands<Strand, Executor> strands;
    std::shared_ptr<void> wait;  // while all vertices that are left wait for other walks
    std::size_t starters = 0;  // starters of strands that are queued or running
    std::size_t new_starters = 0;  // those that have not taken a vertex yet
    bool begun = false;
    bool completed = false;
    bool end_is_posted = false;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_LEDGER_LEDGER_STATE_HPP
