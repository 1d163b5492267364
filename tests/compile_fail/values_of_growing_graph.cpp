// SPDX-License-Identifier: BSL-1.0
// expect: values along edges need a dag
#include <strider/core.hpp>
#include <strider/walk.hpp>
#include <strider/walk/growing_digraph.hpp>
#include <strider/walk/visit_values.hpp>

void visit_all(strider::growing_digraph<int> const& graph)
{
    strider::visit_values<int> values(graph);
}
