// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_REPEATED_WALK_HPP
#define STRIDER_WALK_DETAIL_REPEATED_WALK_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/end_of_run.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <utility>

namespace strider::detail {

// Ends a run: calls its handler, or wakes the thread that waits for a run without one. The run may be destroyed as soon as
// the handler is called, or that thread sees the end.
template <class Executor, class Threads>
class call_or_wake {
public:
    using handler_type = asio::any_completion_handler<walk_signature>;

    // The next run has this handler.
    void expect(Executor const& executor, handler_type handler) { handler_.emplace(executor, std::move(handler)); }
    // A thread waits for the next run.
    void expect_thread() { waiting_->ended.store(false, std::memory_order_relaxed); }
    [[nodiscard]] auto wait() const -> walk_report
    {
        auto& ended = waiting_->ended;
        for (int round = 0; round < Threads::caller_spin_rounds && !ended.load(std::memory_order_acquire); ++round)
            Threads::pause_idle(round);
        ended.wait(false, std::memory_order_acquire);
        return std::move(waiting_->report);
    }

    template <class Run>
    void operator()(Run& run)
    {
        if (handler_) {
            auto ended = std::move(*handler_);
            handler_.reset();
            ended.collect(run);
            return std::move(ended).call();
        }
        auto const waiting = waiting_;
        waiting->report = run.collect();
        waiting->ended.store(true, std::memory_order_release);
        waiting->ended.notify_one();
    }

private:
    struct waiting_thread {
        shared_atomic<Threads, bool, shared_variable::ended> ended{false};
        walk_report report;
    };

    std::optional<pending_handler<Executor, handler_type>> handler_;  // of a run without a waiting thread
    std::shared_ptr<waiting_thread> waiting_ = std::make_shared<waiting_thread>();
};

// Repeated walks, partial ones too. A thread waits for the end, or a handler is called.
template <class Run>
class repeated_walk {
public:
    using handler_type = asio::any_completion_handler<walk_signature>;

    template <class Executor, class... Args>
    explicit repeated_walk(Executor const& executor, Args&&... args) : run_(executor, std::forward<Args>(args)...)
    {}

    // Makes the next run partial.
    void select(std::span<vertex_id const> changed) { run_.select(changed); }
    void deselect() noexcept { run_.deselect(); }

    auto operator()(bool caller_helps = false) -> walk_report
    {
        run_.end().expect_thread();
        run_.prepare();
        return run_.start_by_caller(caller_helps) ? run_.collect() : run_.end().wait();
    }
    void start(handler_type handler)
    {
        auto slot = asio::get_associated_cancellation_slot(handler);
        run_.prepare();
        if (slot.is_connected()) run_.connect(slot);
        run_.end().expect(run_.executor(), std::move(handler));
        run_.start();
    }
    // The current run, or else the next one. Any thread.
    void cancel(asio::cancellation_type_t type) { run_.request(type); }

private:
    Run run_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_REPEATED_WALK_HPP
