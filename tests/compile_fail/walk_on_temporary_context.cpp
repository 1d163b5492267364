// SPDX-License-Identifier: BSL-1.0
// expect: the execution context of a walk must outlive the walk: pass a variable that is not const, no temporary object
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <boost/asio/thread_pool.hpp>

void visit_all(strider::dag<int> const& graph)
{
    strider::async_walk(boost::asio::thread_pool(2), graph, [](strider::vertex_id, int) {}, boost::asio::detached);
}
