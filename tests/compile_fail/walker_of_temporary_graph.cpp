// SPDX-License-Identifier: BSL-1.0
// expect: deleted
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <boost/asio/thread_pool.hpp>

void visit_all(strider::asio::thread_pool& pool, strider::digraph<int> const& draft)
{
    strider::walker walks(pool, strider::freeze(draft).value(), [](strider::vertex_id, int) {});
    (void)walks.run();
}
