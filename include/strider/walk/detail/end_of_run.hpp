// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_END_OF_RUN_HPP
#define STRIDER_WALK_DETAIL_END_OF_RUN_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/walk_report.hpp>

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

// The ends of runs: the last user of a run calls `end(run)`.
namespace strider::detail {

// The call of a handler on its executor.
template <class Handler>
struct walk_completion {
    using allocator_type = asio::associated_allocator_t<Handler>;

    Handler handler;
    walk_report report;

    [[nodiscard]] auto get_allocator() const noexcept -> allocator_type
    {
        return asio::get_associated_allocator(handler);
    }
    void operator()()
    {
        auto slot = asio::get_associated_cancellation_slot(handler);
        if (slot.is_connected()) slot.clear();
        error_code const error = report.error();
        std::move(handler)(error, std::move(report));
    }
};

// A handler, whose executor has work until it is called.
template <class Executor, class Handler>
class pending_handler {
    using handler_executor = asio::associated_executor_t<Handler, Executor>;

public:
    pending_handler(Executor const& executor, Handler handler)
        : executor_(asio::get_associated_executor(handler, executor)),
          work_(tracked(executor_)),
          completion_{std::move(handler), {}}
    {}

    // Takes the report of a run that has ended, which may then be destroyed.
    template <class Run>
    void collect(Run& run)
    {
        is_lost_ = run.is_lost();
        completion_.report = run.collect();
    }
    // Calls the handler, unless the run was lost with its context.
    void call() &&
    {
        if (!is_lost_) asio::dispatch(executor_, std::move(completion_));
    }

private:
    handler_executor executor_;
    tracked_t<handler_executor> work_;
    walk_completion<Handler> completion_;
    bool is_lost_ = false;
};

// Ends an asynchronous walk: destroys the run, releases its memory, which is that of the handler's allocator, and then
// calls the handler.
template <class Executor, class Handler>
class destroy_and_call {
public:
    template <class Run>
    using allocator_for =
        typename std::allocator_traits<asio::associated_allocator_t<Handler>>::template rebind_alloc<Run>;

    destroy_and_call(Executor const& executor, Handler handler)
        : memory_(asio::get_associated_allocator(handler)),
          handler_(executor, std::move(handler))
    {}

    template <class Run>
    void operator()(Run& run)
    {
        allocator_for<Run> memory(memory_);
        auto ended = std::move(handler_);
        ended.collect(run);
        std::destroy_at(&run);
        std::allocator_traits<allocator_for<Run>>::deallocate(memory, &run, 1);
        std::move(ended).call();
    }

private:
    asio::associated_allocator_t<Handler> memory_;
    pending_handler<Executor, Handler> handler_;
};

// Starts an asynchronous walk, which its run owns itself.
template <class Run, class Executor, class Handler, class... Args>
void start_walk(Executor const& executor, Handler handler, Args&&... args)
{
    using allocator_type = typename destroy_and_call<Executor, Handler>::template allocator_for<Run>;
    allocator_type memory(asio::get_associated_allocator(handler));
    auto slot = asio::get_associated_cancellation_slot(handler);
    Run* const run = std::allocator_traits<allocator_type>::allocate(memory, 1);
    bool is_made = false;
    try {
        std::construct_at(run, executor, std::forward<Args>(args)...,
            destroy_and_call<Executor, Handler>(executor, std::move(handler)));
        is_made = true;
        run->prepare();
    } catch (...) {
        if (is_made) std::destroy_at(run);
        std::allocator_traits<allocator_type>::deallocate(memory, run, 1);
        throw;
    }
    if (slot.is_connected()) run->connect(slot);
    run->start();
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_END_OF_RUN_HPP
