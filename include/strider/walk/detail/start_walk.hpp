// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_START_WALK_HPP
#define STRIDER_WALK_DETAIL_START_WALK_HPP

#include <strider/walk/asio.hpp>
#include <strider/walk/detail/ledger/walk_operation.hpp>
#include <strider/walk/detail/stealing/plain_visits.hpp>
#include <strider/walk/detail/stealing/worker_operation.hpp>
#include <strider/walk/walk_options.hpp>

#include <utility>

namespace strider::detail {

// Starts a walk: by workers if possible, else as an operation with a ledger. Returns before the first visit and
// before the end of the walk.
template <class Executor, class Graph, class Visitor, class Ready, class Trace, class Handler>
void start_walk(
    Executor const& executor, Graph const& graph, Visitor visitor, walk_options<Ready, Trace> options, Handler handler)
{
    if constexpr (walked_by_workers<Visitor, Graph, Ready, Trace>) {
        worker_operation<Executor, Graph, Visitor, Handler, native_threads, Trace>::start(
            executor, graph, std::move(visitor), options, std::move(handler));
    } else {
        using operation = walk_operation<Executor, Graph, Visitor, Handler, Ready, Trace>;
        operation::launch(operation::make(executor, graph, std::move(visitor), std::move(options), std::move(handler)));
    }
}

}  // namespace strider::detail

#endif  // STRIDER_WALK_DETAIL_START_WALK_HPP
