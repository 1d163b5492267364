// SPDX-License-Identifier: BSL-1.0
// expect: the first argument of walk is an executor or a context, such as a thread_pool
#include <strider/core.hpp>
#include <strider/walk.hpp>

void visit_all(strider::dag<int> const& graph)
{
    (void)strider::walk(graph, [](strider::vertex_id, int) {});
}
