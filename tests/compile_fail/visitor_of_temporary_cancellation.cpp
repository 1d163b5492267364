// SPDX-License-Identifier: BSL-1.0
// expect: the visitor refers to the cancellation: give it a name
#include <strider/core.hpp>
#include <strider/walk/vertex_cancellation.hpp>

auto visitor_of(strider::dag<int> const& graph)
{
    return strider::vertex_cancellation(graph).visitor([](strider::vertex_id, int) {});
}
