// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_BOTTOM_LEVELS_HPP
#define STRIDER_ALGORITHM_BOTTOM_LEVELS_HPP

#include <strider/algorithm/topological_order.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_map.hpp>

#include <range/v3/view/reverse.hpp>

#include <algorithm>
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

/// Computes for each vertex the weight of the heaviest path from it along dependents, including its own weight.
///
/// This is the minimum remaining time when the vertex starts, for any number of concurrent visits. Starting the
/// vertex with the largest level first shortens the walk.
///
/// \pre        Weights are not negative.
/// \complexity O(V + E); the projection is called once per vertex.
/// \return     graph_errc::cycle if the graph has a cycle.
template <directed_graph G, class Weight = detail::unit_weight>
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
