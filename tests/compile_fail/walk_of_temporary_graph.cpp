// SPDX-License-Identifier: BSL-1.0
// expect: deleted function
#include <strider/core.hpp>
#include <strider/walk.hpp>

void visit_all(strider::asio::any_io_executor executor, strider::digraph<int> draft)
{
    strider::async_walk(
        executor, strider::freeze(draft).value(), [](strider::vertex_id, int) {}, {.max_concurrency = 4},
        strider::asio::detached);
}
