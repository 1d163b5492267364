// SPDX-License-Identifier: BSL-1.0
// expect: the arguments of walk are executor, graph, visitor, options: a completion token belongs to async_walk
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <boost/asio/thread_pool.hpp>

void visit_all(boost::asio::thread_pool& pool, strider::dag<int> const& graph)
{
    (void)strider::walk(
        pool, graph, [](strider::vertex_id, int) {}, [](strider::error_code, strider::walk_report const&) {});
}
