// SPDX-License-Identifier: BSL-1.0
// expect: a walk takes an acyclic graph: freeze(graph).value() makes one of a digraph
#include <strider/core.hpp>
#include <strider/walk.hpp>

void visit_all(strider::asio::any_io_executor executor, strider::digraph<int> const& graph)
{
    (void)strider::walk(executor, graph, [](strider::draft_vertex_id, int) {});
}
