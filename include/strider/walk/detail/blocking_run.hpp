// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_BLOCKING_RUN_HPP
#define STRIDER_WALK_DETAIL_BLOCKING_RUN_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/native_threads.hpp>
#include <strider/walk/detail/plain_run.hpp>
#include <strider/walk/detail/run_workers.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <memory>
#include <span>
#include <utility>

namespace strider::detail {

// Walks by workers that a thread waits for, as often as wanted. That thread is the first worker if `caller_helps` is set.
template <class Executor, class Graph, class Visitor, class Threads = native_threads>
class blocking_run final : public plain_run<Executor, Graph, Visitor, Threads> {
    using base = plain_run<Executor, Graph, Visitor, Threads>;
    using run_access = basic_run_access<Threads>;
    using worker = basic_worker<Threads>;

public:
    blocking_run(Executor const& executor, Graph const& graph, Visitor visitor, walk_options<> const& options)
        : base(executor, graph, std::move(visitor), options),
          caller_helps_(!is_strand<Executor> && options.control.caller_helps)
    {}

    auto operator()(std::span<vertex_id const> changed) -> walk_report
    {
        this->choose(changed);
        return (*this)();
    }
    auto operator()() -> walk_report
    {
        this->begin();
        if (caller_helps_ && this->walk_alone()) return this->collect();
        run_access& shared = *this->access();
        worker& first = this->open(!caller_helps_);
        if (caller_helps_) base::work(this->access(), &first);
        else this->continue_later(first);
        for (int round = 0; round < Threads::patience_of_caller && !shared.ended.load(std::memory_order_acquire);
            ++round)
            Threads::pause(round);
        shared.ended.wait(false, std::memory_order_acquire);
        return this->collect();
    }

    void request(asio::cancellation_type_t type) noexcept { this->access()->control.request(type); }

private:
    // The run may be gone as soon as the waiting thread sees that it has ended.
    void finish() override
    {
        std::shared_ptr<run_access> const shared = this->access();
        shared->ended.store(true, std::memory_order_release);
        shared->ended.notify_one();
    }

    bool caller_helps_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_BLOCKING_RUN_HPP
