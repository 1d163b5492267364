// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_TOPOLOGICAL_ORDER_HPP
#define STRIDER_ALGORITHM_TOPOLOGICAL_ORDER_HPP

#include <strider/algorithm/find_cycle.hpp>
#include <strider/core/detail/kahn.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_naming.hpp>

#include <vector>

namespace strider {

/// Orders the vertices so that each comes after all of its dependencies.
///
/// Vertices are taken in first-in, first-out order: leaves in ascending id, then the vertices that become ready.
/// Vertices are therefore also sorted by level, the number of edges of the longest path down to a leaf.
///
/// \complexity O(V + E).
/// \return     graph_errc::cycle with `find_cycle(g)` if the graph has a cycle.
/// \source     A. B. Kahn, "Topological sorting of large networks", 1962.
template <directed_graph G>
[[nodiscard]] auto topological_order(G const& g) -> result<std::vector<vertex_id_t<G>>>
{
    std::vector<vertex_id_t<G>> order = detail::partial_order(g);
    if (order.size() != g.vertex_count()) return cycle_error(g, find_cycle(g), default_naming{});
    return order;
}

/// Returns true if there is a topological order.
///
/// \complexity O(V + E).
template <directed_graph G>
[[nodiscard]] auto is_acyclic(G const& g) -> bool
{
    component_list const components = strong_components(g);
    if (components.size() != g.vertex_count()) return false;
    for (std::size_t c = 0; c < components.size(); ++c)
        if (is_nontrivial(g, components[c])) return false;
    return true;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_TOPOLOGICAL_ORDER_HPP
