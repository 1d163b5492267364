// SPDX-License-Identifier: BSL-1.0
// expect: the id belongs to the draft: graph.forward_map()[id] is the id in the dag
#include <strider/core.hpp>

int value_of(strider::dag<int> const& graph, strider::draft_vertex_id v)
{
    return graph[v];
}
