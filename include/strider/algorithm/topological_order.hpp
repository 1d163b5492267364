// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_TOPOLOGICAL_ORDER_HPP
#define STRIDER_ALGORITHM_TOPOLOGICAL_ORDER_HPP

#include <strider/algorithm/find_cycle.hpp>
#include <strider/core/detail/kahn.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_naming.hpp>

#include <range/v3/functional/comparisons.hpp>

#include <concepts>
#include <functional>
#include <queue>
#include <type_traits>
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

/// Orders the vertices so that each comes after all of its dependencies. Among the vertices whose dependencies are in the order,
/// the one with the smallest projected value is next; among equals, the one with the smallest id:
/// `topological_order(g, ranges::greater(), &task::priority)`.
///
/// \complexity O(E + V log V); the projection is called O(log V) times per vertex.
/// \return     graph_errc::cycle with `find_cycle(g)` if the graph has a cycle.
template <directed_graph G, class Compare = ranges::less, class Proj = std::identity>
    requires std::strict_weak_order<Compare&, std::invoke_result_t<Proj&, vertex_value_t<G> const&>,
        std::invoke_result_t<Proj&, vertex_value_t<G> const&>>
[[nodiscard]] auto topological_order(G const& g, Compare less, Proj proj = {}) -> result<std::vector<vertex_id_t<G>>>
{
    using id = vertex_id_t<G>;
    auto const later = [&](id a, id b) {
        auto const key = [&](id v) -> decltype(auto) { return std::invoke(proj, g[v]); };
        return std::invoke(less, key(b), key(a)) || (!std::invoke(less, key(a), key(b)) && b < a);
    };
    std::priority_queue<id, std::vector<id>, decltype(later)> ready(later);
    detail::adjacency<direction::dependents, G> const dependents(g);
    detail::kahn_search<G> search(g, dependents);
    std::vector<id> order;
    order.reserve(g.vertex_count());
    auto const enqueue = [&](id v) { ready.push(v); };
    for (search.each_leaf(enqueue); !ready.empty();) {
        order.push_back(ready.top());
        ready.pop();
        search.settle(order.back(), enqueue);
    }
    if (order.size() != g.vertex_count()) return cycle_error(g, find_cycle(g), default_naming{});
    return order;
}

/// Returns true if there is a topological order.
///
/// \complexity O(V + E).
template <directed_graph G>
[[nodiscard]] auto is_acyclic(G const& g) -> bool
{
    return detail::partial_order(g).size() == g.vertex_count();
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_TOPOLOGICAL_ORDER_HPP
