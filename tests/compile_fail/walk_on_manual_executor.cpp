// SPDX-License-Identifier: BSL-1.0
// expect: a manual executor is stepped by the thread that would wait for the walk: use async_walk
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

void visit_all(strider::sim::manual_executor executor, strider::dag<int> const& graph)
{
    (void)strider::walk(executor, graph, [](strider::vertex_id, int) {});
}
