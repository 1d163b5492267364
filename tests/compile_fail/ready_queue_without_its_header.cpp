// SPDX-License-Identifier: BSL-1.0
// unit: only the header of walks by workers
// expect: a walk with a scheduler, a ready queue or a graph of this type needs <strider/walk/async_walk.hpp>
#include <strider/core.hpp>
#include <strider/walk/walk.hpp>

#include <boost/asio/thread_pool.hpp>

void visit_all(boost::asio::thread_pool& pool, strider::dag<int> const& graph)
{
    strider::walk_options<strider::work_stealing_scheduler, strider::fifo> options;
    (void)strider::walk(pool, graph, [](strider::vertex_id, int) {}, options);
}
