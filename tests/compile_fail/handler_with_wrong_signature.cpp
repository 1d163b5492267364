// SPDX-License-Identifier: BSL-1.0
// expect: the last argument of a walk is a completion token: a handler is called as handler(error_code, walk_report)
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <boost/asio/thread_pool.hpp>

void visit_all(boost::asio::thread_pool& pool, strider::dag<int> const& graph)
{
    strider::async_walk(pool, graph, [](strider::vertex_id, int) {}, [](strider::error_code) {});
}
