// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_BOTTOM_LEVELS_HPP
#define STRIDER_ALGORITHM_BOTTOM_LEVELS_HPP

#include <strider/algorithm/topological_order.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_map.hpp>

#include <range/v3/view/reverse.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace strider {

namespace detail {

struct unit_weight {
    template <class V>
    [[nodiscard]] constexpr auto operator()(V const&) const noexcept -> std::size_t
    {
        return 1;
    }
};

}  // namespace detail

/// The type of the weights that a projection returns.
template <class Weight, class G>
using weight_t = std::remove_cvref_t<std::invoke_result_t<Weight&, vertex_value_t<G> const&>>;

/// A projection of the values of a graph to weights: numbers, durations and other types with an order and a sum. `T()` is the
/// weight of an empty path.
template <class Weight, class G>
concept weight_for = std::regular_invocable<Weight&, vertex_value_t<G> const&> && std::regular<weight_t<Weight, G>>
    && std::totally_ordered<weight_t<Weight, G>> && requires(weight_t<Weight, G> weight) {
           { std::move(weight) + weight } -> std::convertible_to<weight_t<Weight, G>>;
       };

/// Computes for each vertex the weight of the heaviest path from it along dependents, including its own weight.
///
/// This is the minimum remaining time when the vertex starts, for any number of concurrent visits. Starting the
/// vertex with the largest level first shortens the walk.
///
/// \pre        Weights are not negative.
/// \complexity O(V + E); the projection is called once per vertex.
/// \return     graph_errc::cycle if the graph has a cycle.
template <directed_graph G, weight_for<G> Weight = detail::unit_weight>
[[nodiscard]] auto bottom_levels(G const& g, Weight weight = {}) -> result<vertex_map_t<G, weight_t<Weight, G>>>
{
    auto const order = topological_order(g);
    if (!order) return order.error();
    vertex_map_t<G, weight_t<Weight, G>> remaining(g.id_bound());
    for (auto const v : *order | ranges::views::reverse) {
        weight_t<Weight, G> most{};
        for (auto const d : g.dependents(v)) most = std::max(most, remaining[d]);
        remaining[v] = std::move(most) + std::invoke(weight, g[v]);
    }
    return remaining;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_BOTTOM_LEVELS_HPP
