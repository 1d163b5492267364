// SPDX-License-Identifier: BSL-1.0
// expect: a visitor returns void, a visit_outcome, an error code, or an asio::awaitable of one of them
#include <strider/core.hpp>
#include <strider/walk.hpp>

void visit_all(strider::asio::any_io_executor executor, strider::dag<int> const& graph)
{
    (void)strider::walk(executor, graph, [](strider::vertex_id, int) { return 42; });
}
