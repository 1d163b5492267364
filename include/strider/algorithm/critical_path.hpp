// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_CRITICAL_PATH_HPP
#define STRIDER_ALGORITHM_CRITICAL_PATH_HPP

#include <strider/algorithm/bottom_levels.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/algorithm/max.hpp>
#include <range/v3/range/primitives.hpp>

#include <utility>
#include <vector>

namespace strider {

/// The heaviest path through a graph, in the order of visits: from a leaf to a root.
template <class W, class Id = vertex_id>
struct weighted_path {
    std::vector<Id> vertices;  ///< the leaf first, the root last; empty if the graph is empty
    W weight{};  ///< the sum of the weights of the vertices; `W{}` if there are none
};

/// Finds the heaviest path; among equals, at each step the vertex with the smallest id.
///
/// A walk takes at least as long as the visits of this path in sequence.
///
/// \pre        Weights are not negative.
/// \complexity O(V + E); the projection is called once per vertex.
/// \return     graph_errc::cycle if the graph has a cycle; an empty path for an empty graph.
template <directed_graph G, weight_for<G> Weight = detail::unit_weight>
[[nodiscard]] auto critical_path(G const& g, Weight weight = {})
    -> result<weighted_path<weight_t<Weight, G>, vertex_id_t<G>>>
{
    auto const remaining = bottom_levels(g, std::move(weight));
    if (!remaining) return remaining.error();
    weighted_path<weight_t<Weight, G>, vertex_id_t<G>> path;
    auto const lighter = [&](vertex_id_t<G> a, vertex_id_t<G> b) {
        return (*remaining)[a] < (*remaining)[b] || (!((*remaining)[b] < (*remaining)[a]) && b < a);
    };
    auto const heaviest = [&](auto&& choice) {
        return ranges::empty(choice) ? vertex_id_t<G>() : ranges::max(choice, lighter);
    };
    vertex_id_t<G> v = heaviest(g.vertices());
    if (v) path.weight = (*remaining)[v];
    for (; v; v = heaviest(g.dependents(v))) path.vertices.push_back(v);
    return path;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_CRITICAL_PATH_HPP
