// SPDX-License-Identifier: BSL-1.0
// expect: visit_values<T> needs a movable object type: no reference, no array, not const
#include <strider/core.hpp>
#include <strider/walk.hpp>
#include <strider/walk/visit_values.hpp>

void visit_all(strider::dag<int> const& graph)
{
    strider::visit_values<int const> values(graph);
}
