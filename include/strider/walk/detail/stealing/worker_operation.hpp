// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEALING_WORKER_OPERATION_HPP
#define STRIDER_WALK_DETAIL_STEALING_WORKER_OPERATION_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/stealing/native_threads.hpp>
#include <strider/walk/detail/stealing/plain_visits.hpp>
#include <strider/walk/detail/stealing/worker_run.hpp>
#include <strider/walk/detail/walk_completion.hpp>
#include <strider/walk/walk_options.hpp>

#include <memory>
#include <utility>

namespace strider::detail {

// Ends an asynchronous walk: destroys the run, releases its memory, which is that of the handler's allocator, and then
// dispatches the handler, or destroys it if a worker was lost with its context.
template <class Executor, class Handler>
class destroy_and_call {
    using handler_executor = asio::associated_executor_t<Handler, Executor>;

public:
    template <class Run>
    using allocator_for =
        typename std::allocator_traits<asio::associated_allocator_t<Handler>>::template rebind_alloc<Run>;

    destroy_and_call(Executor const& executor, Handler handler)
        : work_(tracked(asio::get_associated_executor(handler, executor))),
          handler_(std::move(handler))
    {}

    template <class Run>
    void operator()(Run& run)
    {
        [[maybe_unused]] auto const work = work_;
        bool const lost = run.failure().has_failed() && !run.failure().has_thrown();
        handler_executor const executor = asio::get_associated_executor(handler_, run.visits().executor());
        walk_completion<Handler> completion{std::move(handler_), run.collect()};
        allocator_for<Run> allocator(asio::get_associated_allocator(completion.handler));
        std::destroy_at(&run);
        std::allocator_traits<allocator_for<Run>>::deallocate(allocator, &run, 1);
        if (!lost) asio::dispatch(executor, std::move(completion));
    }

private:
    tracked_t<handler_executor> work_;
    Handler handler_;
};

// One asynchronous walk by workers. Its active workers own it: the last one to leave ends it.
//
// Cancellation is recorded in the state shared with handlers, which outlives the run.
template <class Executor, class Graph, class Visitor, class Handler, class Threads = native_threads,
    class Trace = no_trace>
class worker_operation {
    using visits = plain_visits<Executor, Graph, Visitor, Trace>;
    using end = destroy_and_call<Executor, Handler>;
    using run = worker_run<visits, end, Threads>;
    using allocator_type = typename end::template allocator_for<run>;

public:
    static void start(Executor const& executor, Graph const& graph, Visitor visitor,
        typename visits::options_type const& options, Handler handler)
    {
        allocator_type allocator(asio::get_associated_allocator(handler));
        auto slot = asio::get_associated_cancellation_slot(handler);
        run* const started = std::allocator_traits<allocator_type>::allocate(allocator, 1);
        try {
            std::construct_at(started, visits::setup(executor, graph, options),
                visits(executor, graph, std::move(visitor), options), end(executor, std::move(handler)));
        } catch (...) {
            std::allocator_traits<allocator_type>::deallocate(allocator, started, 1);
            throw;
        }
        if (slot.is_connected())
            slot.assign(
                [access = started->access()](asio::cancellation_type_t type) { access->control.request(type); });
        started->begin();
        started->post_worker(&started->open(true));
    }
};

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_STEALING_WORKER_OPERATION_HPP
