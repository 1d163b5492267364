// SPDX-License-Identifier: BSL-1.0
// expect: a walk of a growing graph needs a ready queue with a member function resize(id_bound)
#include <strider/core.hpp>
#include <strider/walk.hpp>
#include <strider/walk/growing_digraph.hpp>

void visit_all(strider::asio::any_io_executor executor, strider::dag<int> const& first)
{
    auto order = strider::critical_path_first(first);
    strider::growing_digraph<int> const graph(first);
    (void)strider::walk(
        executor, graph, [](strider::vertex_id, int) {}, strider::walk_options<decltype(order)>{.ready = order});
}
