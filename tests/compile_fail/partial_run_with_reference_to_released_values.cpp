// SPDX-License-Identifier: BSL-1.0
// expect: a partial run needs the values of vertices that it does not visit
#include <strider/core.hpp>
#include <strider/walk.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/visit_values.hpp>

#include <functional>
#include <span>

void visit_part(strider::asio::any_io_executor executor, strider::dag<int> const& graph,
    std::span<strider::vertex_id const> changed)
{
    strider::visit_values<long> values(graph);
    auto visitor = values.visitor([](strider::vertex_id, int, strider::dependency_values<long>) { return 1L; });
    strider::walker walks(executor, graph, std::ref(visitor));
    (void)walks.run(changed);
}
