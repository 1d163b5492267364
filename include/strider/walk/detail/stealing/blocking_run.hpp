// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_BLOCKING_RUN_HPP
#define STRIDER_WALK_DETAIL_STEALING_BLOCKING_RUN_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/plain_visits.hpp>
#include <strider/walk/detail/stealing/worker_run.hpp>
#include <strider/walk/detail/waiting_thread.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <utility>

namespace strider::detail {

// Ends a run for which a thread waits. The run may be destroyed as soon as that thread sees the end.
struct wake_caller {
    template <class Run>
    void operator()(Run& run) const noexcept
    {
        auto const shared = run.access();
        shared->ended.store(true, std::memory_order_release);
        shared->ended.notify_one();
    }
};

// Repeated walks by workers. A thread waits for the end. It is the first worker if it helps, and if it is a thread of the
// executor: no other one may be free.
template <class Executor, class Graph, class Visitor, class Threads = native_threads, class Trace = no_trace,
    class End = wake_caller>
class blocking_run {
    using visits = plain_visits<Executor, Graph, Visitor, Trace>;

public:
    using options_type = typename visits::options_type;

    blocking_run(Executor const& executor, Graph const& graph, Visitor visitor, options_type const& options)
        : run_(visits::setup(executor, graph, options), visits(executor, graph, std::move(visitor), options))
    {}

    auto operator()(bool caller_helps = false) -> walk_report
    {
        bool const helps = caller_helps || runs_in_this_thread(run_.visits().executor());
        if (!helps) assert_not_stopped(run_.visits().executor());
        run_.begin();
        if (helps && run_.walk_on_caller()) return run_.collect();
        auto& shared = *run_.access();
        auto& first = run_.open(!helps);
        if (helps) run::work(run_.access(), &first);
        else run_.continue_later(first);
        for (int round = 0; round < Threads::caller_spin_rounds && !shared.ended.load(std::memory_order_acquire);
            ++round)
            Threads::pause_caller(round);
        shared.ended.wait(false, std::memory_order_acquire);
        return run_.collect();
    }

protected:
    using run = worker_run<visits, End, Threads>;

    run run_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_BLOCKING_RUN_HPP
