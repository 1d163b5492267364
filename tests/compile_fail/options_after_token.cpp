// SPDX-License-Identifier: BSL-1.0
// expect: the arguments of async_walk are executor, graph, visitor, options, token
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <boost/asio/thread_pool.hpp>

void visit_all(boost::asio::thread_pool& pool, strider::dag<int> const& graph)
{
    strider::async_walk(pool, graph, [](strider::vertex_id, int) {}, boost::asio::detached, strider::walk_options<>());
}
