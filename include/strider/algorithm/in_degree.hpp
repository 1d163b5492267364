// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_IN_DEGREE_HPP
#define STRIDER_ALGORITHM_IN_DEGREE_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

namespace strider {

/// Counts the dependencies of one vertex; asks the graph where it knows.
///
/// \complexity O(1) for the graphs of this library, else O(dependencies of `v`).
template <directed_graph G>
[[nodiscard]] auto in_degree(G const& g, vertex_id_t<G> v) -> std::size_t
{
    if constexpr (requires {
                      { g.in_degree(v) } -> std::convertible_to<std::size_t>;
                  }) {
        return g.in_degree(v);
    } else {
        std::size_t count = 0;
        for ([[maybe_unused]] auto const d : g.dependencies(v)) ++count;
        return count;
    }
}

/// Counts for every vertex the dependencies that it waits for.
///
/// \complexity O(V), or O(V + E) for a graph that does not know its degrees.
template <directed_graph G>
[[nodiscard]] auto in_degree(G const& g) -> vertex_map_t<G, std::uint32_t>
{
    vertex_map_t<G, std::uint32_t> degree(g.id_bound());
    for (auto const v : g.vertices()) degree[v] = static_cast<std::uint32_t>(in_degree(g, v));
    return degree;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_IN_DEGREE_HPP
