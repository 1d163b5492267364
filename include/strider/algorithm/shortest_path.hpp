// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_SHORTEST_PATH_HPP
#define STRIDER_ALGORITHM_SHORTEST_PATH_HPP

#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>
#include <strider/core/vertex_set.hpp>

#include <range/v3/algorithm/reverse.hpp>

#include <cstddef>
#include <vector>

namespace strider {

/// Finds a path of fewest edges from any of `dependents` along dependencies to any of `dependencies`.
///
/// Each edge starts where the previous one ends. The result is empty if there is no path. A path has at least one
/// edge, even if a vertex is in both sets. Among paths of equal length, the first start and the first edges are
/// preferred.
///
/// \complexity O(V + E) of the reached part.
template <directed_graph G, vertex_range<vertex_id_t<G>> From, vertex_range<vertex_id_t<G>> To>
[[nodiscard]] auto shortest_path(G const& g, From&& dependents, To&& dependencies) -> std::vector<edge_t<G>>
{
    vertex_set_t<G> const targets(dependencies);
    vertex_set_t<G> seen(g.id_bound());
    vertex_map_t<G, edge_t<G>> predecessor(g.id_bound());
    std::vector<vertex_id_t<G>> queue;
    for (auto const v : dependents)
        if (seen.insert(v)) queue.push_back(v);

    for (std::size_t next = 0; next < queue.size(); ++next)
        for (auto const e : g.dependency_edges(queue[next])) {
            if (targets.contains(e.dependency)) {
                std::vector<edge_t<G>> path{e};
                for (edge_t<G> before = predecessor[e.dependent]; before.dependent;
                    before = predecessor[before.dependent])
                    path.push_back(before);
                ranges::reverse(path);
                return path;
            }
            if (!seen.insert(e.dependency)) continue;
            predecessor[e.dependency] = e;
            queue.push_back(e.dependency);
        }
    return {};
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_SHORTEST_PATH_HPP
