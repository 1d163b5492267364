// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_BLOCKING_RUN_HPP
#define STRIDER_WALK_DETAIL_STEALING_BLOCKING_RUN_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/plain_run.hpp>
#include <strider/walk/detail/stealing/run_workers.hpp>
#include <strider/walk/detail/walk_completion.hpp>
#include <strider/walk/walk_executor.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

namespace strider::detail {

// A reference from a cancellation slot to the run that it belongs to, until that run ends: a later request must not
// cancel the next run.
template <class Control>
class run_cancellation {
public:
    explicit run_cancellation(Control& of) noexcept : control_(&of) {}

    void request(asio::cancellation_type_t type)
    {
        std::lock_guard const lock(mutex_);
        if (control_ != nullptr) control_->request(type);
    }
    void disconnect()
    {
        std::lock_guard const lock(mutex_);
        control_ = nullptr;
    }

private:
    std::mutex mutex_;
    Control* control_;
};

// Repeated walks by workers. A thread waits for the end, and is the first worker if `caller_helps` is set; or a
// handler is called.
template <class Executor, class Graph, class Visitor, class Threads = native_threads, class Trace = no_trace>
class blocking_run final : public plain_run<Executor, Graph, Visitor, Threads, Trace> {
    using base = plain_run<Executor, Graph, Visitor, Threads, Trace>;
    using run_access = basic_run_access<Threads>;
    using worker = basic_worker<Threads>;
    using cancellation = run_cancellation<basic_run_control<Threads>>;

public:
    using handler_type = asio::any_completion_handler<walk_signature>;

    blocking_run(
        Executor const& executor, Graph const& graph, Visitor visitor, typename base::options_type const& options)
        : base(executor, graph, std::move(visitor), options),
          caller_helps_(!is_strand<Executor> && options.scheduler.caller_helps)
    {}

    using base::select;

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

    void start(handler_type handler)
    {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) {
            cancellation_ = std::make_shared<cancellation>(this->access()->control);
            slot.assign([to = cancellation_](asio::cancellation_type_t type) { to->request(type); });
        }
        completion_.emplace(tracked(asio::get_associated_executor(handler, this->executor())), std::move(handler));
        this->begin();
        this->post_continuation(this->open(true));
    }

    void cancel(asio::cancellation_type_t type) noexcept { this->access()->control.request(type); }

private:
    using handler_executor = asio::associated_executor_t<handler_type, Executor>;

    struct completion {
        completion(tracked_t<handler_executor> on, handler_type then) : work(std::move(on)), handler(std::move(then)) {}

        tracked_t<handler_executor> work;
        handler_type handler;
    };

    // The run may be destroyed as soon as the waiting thread sees its end, or the handler is called.
    void finish() override
    {
        if (completion_) return complete();
        std::shared_ptr<run_access> const shared = this->access();
        shared->ended.store(true, std::memory_order_release);
        shared->ended.notify_one();
    }
    void complete()
    {
        if (auto const link = std::exchange(cancellation_, nullptr)) link->disconnect();
        bool const lost = this->failure().has_failed() && !this->failure().has_thrown();
        completion now = std::move(*completion_);
        completion_.reset();
        handler_executor const executor = asio::get_associated_executor(now.handler, this->executor());
        walk_completion<handler_type> call{std::move(now.handler), this->collect()};
        if (!lost) asio::dispatch(executor, std::move(call));
    }

    std::optional<completion> completion_;  // of a run without a waiting thread
    std::shared_ptr<cancellation> cancellation_;
    bool caller_helps_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_BLOCKING_RUN_HPP
