// SPDX-License-Identifier: BSL-1.0
// expect: a visitor with values returns the value of its vertex, a result of it, or an asio::awaitable of one of them
#include <strider/core.hpp>
#include <strider/walk.hpp>
#include <strider/walk/dependency_values.hpp>
#include <strider/walk/visit_values.hpp>

void visit_all(strider::asio::any_io_executor executor, strider::dag<int> const& graph)
{
    strider::visit_values<long> values(graph);
    (void)strider::walk(
        executor, graph, values.visitor([](strider::vertex_id, int, strider::dependency_values<long>) {}));
}
