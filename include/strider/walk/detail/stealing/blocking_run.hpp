// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_BLOCKING_RUN_HPP
#define STRIDER_WALK_DETAIL_STEALING_BLOCKING_RUN_HPP

#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/plain_run.hpp>
#include <strider/walk/detail/stealing/run_workers.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <memory>
#include <utility>

namespace strider::detail {

// Repeated walks by workers. A thread waits for the end, and is the first worker if `caller_helps` is set.
template <class Executor, class Graph, class Visitor, class Threads = native_threads, class Trace = no_trace>
class blocking_run : public plain_run<Executor, Graph, Visitor, Threads, Trace> {
    using base = plain_run<Executor, Graph, Visitor, Threads, Trace>;
    using run_access = basic_run_access<Threads>;
    using worker = basic_worker<Threads>;

public:
    blocking_run(
        Executor const& executor, Graph const& graph, Visitor visitor, typename base::options_type const& options)
        : base(executor, graph, std::move(visitor), options),
          caller_helps_(!strand_executor<Executor> && options.scheduler.caller_helps)
    {}
    ~blocking_run() = default;

    auto operator()() -> walk_report
    {
        this->begin();
        if (caller_helps_ && this->walk_on_caller()) return this->collect();
        run_access& shared = *this->access();
        worker& first = this->open(!caller_helps_);
        if (caller_helps_) base::work(this->access(), &first);
        else this->continue_later(first);
        for (int round = 0; round < Threads::caller_spin_rounds && !shared.ended.load(std::memory_order_acquire);
            ++round)
            Threads::pause_caller(round);
        shared.ended.wait(false, std::memory_order_acquire);
        return this->collect();
    }

protected:
    // The run may be destroyed as soon as the waiting thread sees its end.
    void finish() override
    {
        std::shared_ptr<run_access> const shared = this->access();
        shared->ended.store(true, std::memory_order_release);
        shared->ended.notify_one();
    }

private:
    bool caller_helps_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_BLOCKING_RUN_HPP
