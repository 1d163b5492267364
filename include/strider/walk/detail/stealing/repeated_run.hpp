// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_REPEATED_RUN_HPP
#define STRIDER_WALK_DETAIL_STEALING_REPEATED_RUN_HPP

#include <strider/walk/asio_handlers.hpp>
#include <strider/walk/detail/stealing/blocking_run.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/walk_completion.hpp>
#include <strider/walk/walk_executor.hpp>
#include <strider/walk/walk_options.hpp>

#include <memory>
#include <mutex>
#include <optional>
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

// Repeated walks by workers, partial ones too. A thread waits for the end, or a handler is called.
template <class Executor, class Graph, class Visitor, class Threads = native_threads, class Trace = no_trace>
class repeated_run final : public blocking_run<Executor, Graph, Visitor, Threads, Trace> {
    using base = blocking_run<Executor, Graph, Visitor, Threads, Trace>;
    using cancellation = run_cancellation<basic_run_control<Threads>>;

public:
    using handler_type = asio::any_completion_handler<walk_signature>;

    using base::base;
    using base::deselect;
    using base::select;

    void start(handler_type handler)
    {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) {
            cancellation_ = std::make_shared<cancellation>(this->access()->control);
            slot.assign([to = cancellation_](asio::cancellation_type_t type) { to->request(type); });
        }
        completion_.emplace(tracked(asio::get_associated_executor(handler, this->executor())), std::move(handler));
        this->begin();
        this->post_worker(&this->open(true));
    }

    void cancel(asio::cancellation_type_t type) noexcept { this->access()->control.request(type); }

private:
    using handler_executor = asio::associated_executor_t<handler_type, Executor>;

    struct completion {
        completion(tracked_t<handler_executor> on, handler_type then) : work(std::move(on)), handler(std::move(then)) {}

        tracked_t<handler_executor> work;
        handler_type handler;
    };

    // The run may be destroyed as soon as the handler is called.
    void finish() override
    {
        if (!completion_) return base::finish();
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
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_REPEATED_RUN_HPP
