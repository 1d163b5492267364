// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_CRITICAL_PATH_FIRST_HPP
#define STRIDER_WALK_CRITICAL_PATH_FIRST_HPP

#include <strider/algorithm/bottom_levels.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/walk/ready_queue.hpp>

#include <utility>

namespace strider {

/// Makes a ready queue that starts the vertex with the longest remaining path first, which shortens the walk for any
/// number of concurrent visits. `weight` returns the duration of a visit: an estimate, or a time recorded in an
/// earlier walk.
///
/// \complexity O(V + E).
/// \see        bottom_levels
template <class Graph, class Weight = detail::unit_weight>
    requires(directed_graph<Graph> && acyclic_graph<Graph>)
[[nodiscard]] auto critical_path_first(Graph const& g, Weight weight = {}) -> priority_first<weight_t<Weight, Graph>>
{
    return priority_first(bottom_levels(g, std::move(weight)).value());
}

}  // namespace strider

#endif  // STRIDER_WALK_CRITICAL_PATH_FIRST_HPP
