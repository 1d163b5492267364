// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_START_WALK_HPP
#define STRIDER_WALK_DETAIL_START_WALK_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/plain_run.hpp>
#include <strider/walk/detail/walk_operation.hpp>
#include <strider/walk/detail/worker_operation.hpp>
#include <strider/walk/walk_options.hpp>

#include <memory>
#include <utility>

namespace strider::detail {

// Begins a walk; `async_walk` finds the operation by the control policy. Never visits, never completes in here.
template <class Executor, class Graph, class Visitor, class Ready, class Trace, class Handler>
void start_walk(Executor const& executor, Graph const& graph, Visitor visitor,
    walk_options<strict_strand, Ready, Trace> options, Handler handler)
{
    using operation = walk_operation<Executor, Graph, Visitor, Handler, Ready, Trace>;
    auto const allocator = asio::get_associated_allocator(handler);
    auto slot = asio::get_associated_cancellation_slot(handler);
    auto run = std::allocate_shared<operation>(
        allocator, executor, graph, std::move(visitor), std::move(options), std::move(handler));
    if (slot.is_connected()) {
        slot.assign([weak = std::weak_ptr<operation>(run)](asio::cancellation_type_t type) {
            if (auto const alive = weak.lock()) operation::request(alive, type);
        });
    }
    auto const strand = run->strand();
    asio::post(strand, [run = std::move(run)]() mutable { operation::begin(std::move(run)); });
}

// Begins a walk; what workers cannot walk is walked on a strand.
template <class Executor, class Graph, class Visitor, class Ready, class Trace, class Handler>
void start_walk(Executor const& executor, Graph const& graph, Visitor visitor,
    walk_options<worker_handlers, Ready, Trace> options, Handler handler)
{
    if constexpr (walked_by_workers<Visitor, Graph, worker_handlers, Ready, Trace>) {
        worker_operation<Executor, Graph, Visitor, Handler>::start(
            executor, graph, std::move(visitor), options, std::move(handler));
    } else {
        walk_options<strict_strand, Ready, Trace> strict{.limit = options.limit,
            .stop_on_first_failure = options.stop_on_first_failure,
            .deadline = options.deadline,
            .ready = std::move(options.ready),
            .trace = std::move(options.trace)};
        start_walk(executor, graph, std::move(visitor), std::move(strict), std::move(handler));
    }
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_START_WALK_HPP
