// SPDX-License-Identifier: BSL-1.0
// expect: a pipeline rewrites a digraph: run its stages before freeze(graph)
#include <strider/core.hpp>
#include <strider/transform.hpp>

void reduce(strider::dag<int> const& graph)
{
    auto const stages = strider::transitive_reduction{} | strider::cycle_validation{};
    stages(graph);
}
