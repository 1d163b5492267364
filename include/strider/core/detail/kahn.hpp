// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DETAIL_KAHN_HPP
#define STRIDER_CORE_DETAIL_KAHN_HPP

#include <strider/core/detail/adjacency.hpp>
#include <strider/core/direction.hpp>
#include <strider/core/graph_concepts.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace strider::detail {

/// Kahn's algorithm: orders the vertices so that each comes after all of its dependencies, leaves in ascending id first.
///
/// The order lacks the vertices of cycles, and those that depend on them.
///
/// \complexity O(V + E).
/// \source A. B. Kahn, "Topological sorting of large networks", 1962.
template <directed_graph G>
[[nodiscard]] auto partial_order(G const& g, adjacency<direction::dependents, G> const& dependents)
    -> std::vector<vertex_id_t<G>>
{
    using id = vertex_id_t<G>;
    std::vector<std::uint32_t> open(g.id_bound());  // the dependencies that the order does not have yet
    for (id const v : g.vertices())
        if constexpr (requires { g.dependency_count(v); })
            open[v.index()] = static_cast<std::uint32_t>(g.dependency_count(v));
        else
            for (id const d : dependents[v]) ++open[d.index()];
    std::vector<id> order(g.vertex_count());
    std::size_t end = 0;
    for (id const v : g.vertices())
        if (open[v.index()] == 0) order[end++] = v;
    for (std::size_t next = 0; next < end; ++next)
        for (id const d : dependents[order[next]])
            if (--open[d.index()] == 0) order[end++] = d;
    while (order.size() != end) order.pop_back();
    return order;
}

/// As above, for a graph whose rows of dependents are used only once.
template <directed_graph G>
[[nodiscard]] auto partial_order(G const& g) -> std::vector<vertex_id_t<G>>
{
    return partial_order(g, adjacency<direction::dependents, G>(g));
}

}  // namespace strider::detail

#endif  // STRIDER_CORE_DETAIL_KAHN_HPP
