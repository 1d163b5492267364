// SPDX-License-Identifier: BSL-1.0
// expect: a visitor is called as visit(vertex_id, value const&) or as visit(vertex_id, value const&, visit_handle)
#include <strider/core.hpp>
#include <strider/walk.hpp>

void visit_all(strider::asio::any_io_executor executor, strider::dag<int> const& graph)
{
    (void)strider::walk(executor, graph, [](char const*, int) {});
}
