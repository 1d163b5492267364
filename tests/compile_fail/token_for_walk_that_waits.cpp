// SPDX-License-Identifier: BSL-1.0
// expect: the fourth argument of walk is options, such as {.max_concurrency = 2}; a completion token belongs to async_walk
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <boost/asio/thread_pool.hpp>

void visit_all(boost::asio::thread_pool& pool, strider::dag<int> const& graph)
{
    (void)strider::walk(
        pool, graph, [](strider::vertex_id, int) {}, [](strider::error_code, strider::walk_report const&) {});
}
