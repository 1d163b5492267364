// SPDX-License-Identifier: BSL-1.0
// expect: the visitor refers to the values: give the object a name
#include <strider/core.hpp>
#include <strider/walk.hpp>

auto visitor_of(strider::dag<int> const& graph)
{
    auto const visit = [](strider::vertex_id, int, strider::dependency_values<int>) { return 1; };
    return strider::visit_values<int>(graph).visitor(visit);
}
