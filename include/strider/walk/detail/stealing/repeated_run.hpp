// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_REPEATED_RUN_HPP
#define STRIDER_WALK_DETAIL_STEALING_REPEATED_RUN_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/detail/run_control.hpp>
#include <strider/walk/detail/stealing/blocking_run.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/walk_completion.hpp>
#include <strider/walk/executor.hpp>
#include <strider/walk/walk_options.hpp>

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

// Ends a run: calls its handler, or wakes the thread that waits for a run without one.
template <class Executor, class Threads>
class call_or_wake {
    using cancellation = run_cancellation<basic_run_control<Threads>>;

public:
    using handler_type = asio::any_completion_handler<walk_signature>;

    // The next run has this handler. Its cancellation slot is connected to `access`.
    template <class Access>
    void expect(handler_type handler, Executor const& executor, std::shared_ptr<Access> const& access)
    {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) {
            cancellation_ = std::make_shared<cancellation>(access->control);
            slot.assign([to = cancellation_](asio::cancellation_type_t type) { to->request(type); });
        }
        completion_.emplace(tracked(asio::get_associated_executor(handler, executor)), std::move(handler));
    }

    // The run may be destroyed as soon as the handler is called.
    template <class Run>
    void operator()(Run& run)
    {
        if (!completion_) return wake_caller()(run);
        if (auto const link = std::exchange(cancellation_, nullptr)) link->disconnect();
        bool const lost = run.failure().has_failed() && !run.failure().has_thrown();
        completion now = std::move(*completion_);
        completion_.reset();
        handler_executor const executor = asio::get_associated_executor(now.handler, run.visits().executor());
        walk_completion<handler_type> call{std::move(now.handler), run.collect()};
        if (!lost) asio::dispatch(executor, std::move(call));
    }

private:
    using handler_executor = asio::associated_executor_t<handler_type, Executor>;

    struct completion {
        completion(tracked_t<handler_executor> on, handler_type then) : work(std::move(on)), handler(std::move(then)) {}

        tracked_t<handler_executor> work;
        handler_type handler;
    };

    std::optional<completion> completion_;  // of a run without a waiting thread
    std::shared_ptr<cancellation> cancellation_;
};

// Repeated walks by workers, partial ones too. A thread waits for the end, or a handler is called.
template <class Executor, class Graph, class Visitor, class Threads = native_threads, class Trace = no_trace>
class repeated_run : public blocking_run<Executor, Graph, Visitor, Threads, Trace, call_or_wake<Executor, Threads>> {
    using base = blocking_run<Executor, Graph, Visitor, Threads, Trace, call_or_wake<Executor, Threads>>;
    using base::run_;

public:
    using handler_type = typename call_or_wake<Executor, Threads>::handler_type;

    using base::base;

    // Makes the next run partial.
    void select(std::span<vertex_id const> changed) { run_.select(changed); }
    void deselect() noexcept { run_.deselect(); }

    void start(handler_type handler)
    {
        run_.end().expect(std::move(handler), run_.visits().executor(), run_.access());
        run_.begin();
        run_.post_worker(&run_.open(true));
    }

    void cancel(asio::cancellation_type_t type) noexcept { run_.access()->control.request(type); }
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_REPEATED_RUN_HPP
