// SPDX-License-Identifier: BSL-1.0
// unit: only the header of walks by workers
// expect: a visitor returns void, a visit_outcome, or an asio::awaitable of one of them
// expect: the latter needs <strider/walk/async_walk.hpp>
#include <strider/core.hpp>
#include <strider/walk/walk.hpp>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>

void visit_all(boost::asio::thread_pool& pool, strider::dag<int> const& graph)
{
    (void)strider::walk(pool, graph, [](strider::vertex_id, int) -> boost::asio::awaitable<void> { co_return; });
}
