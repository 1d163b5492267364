// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_DEPENDENCY_COUNT_HPP
#define STRIDER_ALGORITHM_DEPENDENCY_COUNT_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>

#include <range/v3/range/operations.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace strider {

/// Returns the number of dependencies of a vertex: its out-degree, because edges point to dependencies.
///
/// \complexity O(1) for the graphs of this library, else O(dependencies of `v`).
template <directed_graph G>
[[nodiscard]] auto dependency_count(G const& g, vertex_id_t<G> v) -> std::size_t
{
    if constexpr (requires {
                      { g.dependency_count(v) } -> std::convertible_to<std::size_t>;
                  }) {
        return g.dependency_count(v);
    } else {
        return static_cast<std::size_t>(ranges::distance(g.dependencies(v)));
    }
}

/// Returns the number of dependencies of every vertex.
///
/// \complexity O(V), or O(V + E) for a graph without `dependency_count`.
template <directed_graph G>
[[nodiscard]] auto dependency_counts(G const& g) -> vertex_map_t<G, std::uint32_t>
{
    vertex_map_t<G, std::uint32_t> counts(g.id_bound());
    for (auto const v : g.vertices()) counts[v] = static_cast<std::uint32_t>(dependency_count(g, v));
    return counts;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_DEPENDENCY_COUNT_HPP
