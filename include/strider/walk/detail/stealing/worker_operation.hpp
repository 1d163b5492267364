// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_WORKER_OPERATION_HPP
#define STRIDER_WALK_DETAIL_STEALING_WORKER_OPERATION_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/plain_run.hpp>
#include <strider/walk/detail/stealing/run_workers.hpp>
#include <strider/walk/detail/walk_completion.hpp>
#include <strider/walk/walk_options.hpp>
#include <strider/walk/walk_report.hpp>

#include <memory>
#include <utility>

namespace strider::detail {

// One asynchronous walk by workers. Its active workers own it: the last one to leave destroys it, and then dispatches
// the handler, or destroys the handler if a worker was lost with its context.
//
// Cancellation is recorded in the state shared with handlers, which outlives the operation.
template <class Executor, class Graph, class Visitor, class Handler, class Threads = native_threads,
    class Trace = no_trace>
class worker_operation final : public plain_run<Executor, Graph, Visitor, Threads, Trace> {
    using base = plain_run<Executor, Graph, Visitor, Threads, Trace>;
    using worker = basic_worker<Threads>;
    using allocator_type =
        typename std::allocator_traits<asio::associated_allocator_t<Handler>>::template rebind_alloc<worker_operation>;
    using handler_executor = asio::associated_executor_t<Handler, Executor>;

public:
    static void start(Executor const& executor, Graph const& graph, Visitor visitor,
        typename base::options_type const& options, Handler handler)
    {
        allocator_type allocator(asio::get_associated_allocator(handler));
        auto slot = asio::get_associated_cancellation_slot(handler);
        auto* const memory = std::allocator_traits<allocator_type>::allocate(allocator, 1);
        worker_operation* run = nullptr;
        try {
            run = new (memory) worker_operation(executor, graph, std::move(visitor), options, std::move(handler));
        } catch (...) {
            std::allocator_traits<allocator_type>::deallocate(allocator, memory, 1);
            throw;
        }
        if (slot.is_connected())
            slot.assign([access = run->access()](asio::cancellation_type_t type) { access->control.request(type); });
        run->begin();
        worker& first = run->open(true);
        run->post_worker(&first);
    }

private:
    worker_operation(Executor const& executor, Graph const& graph, Visitor visitor,
        typename base::options_type const& options, Handler handler)
        : base(executor, graph, std::move(visitor), options),
          handler_work_(tracked(asio::get_associated_executor(handler, executor))),
          handler_(std::move(handler))
    {}

    void finish() override
    {
        [[maybe_unused]] auto const work = handler_work_;
        bool const lost = this->failure().has_failed() && !this->failure().has_thrown();
        handler_executor const executor = asio::get_associated_executor(handler_, this->executor());
        walk_completion<Handler> completion{std::move(handler_), this->collect()};
        allocator_type allocator(asio::get_associated_allocator(completion.handler));
        this->~worker_operation();
        std::allocator_traits<allocator_type>::deallocate(allocator, this, 1);
        if (!lost) asio::dispatch(executor, std::move(completion));
    }

    tracked_t<handler_executor> handler_work_;
    Handler handler_;
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_WORKER_OPERATION_HPP
