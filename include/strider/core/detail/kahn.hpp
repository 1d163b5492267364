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

// Kahn's algorithm, one vertex at a time. The caller selects the order of the vertices that are ready.
// \source A. B. Kahn, "Topological sorting of large networks", 1962.
template <directed_graph G>
class kahn_search {
public:
    using id = vertex_id_t<G>;

    kahn_search(G const& g, adjacency<direction::dependents, G> const& dependents)
        : graph_(&g),
          dependents_(&dependents),
          open_(g.id_bound())
    {
        for (id const v : g.vertices())
            if constexpr (requires { g.dependency_count(v); })
                open_[v.index()] = static_cast<std::uint32_t>(g.dependency_count(v));
            else
                for (id const d : dependents[v]) ++open_[d.index()];
    }

    // Calls `f` with the vertices without dependencies, in ascending id.
    template <class F>
    void each_leaf(F f) const
    {
        for (id const v : graph_->vertices())
            if (open_[v.index()] == 0) f(v);
    }
    // Calls `f` with the vertices of which `v` was the last dependency. Each vertex is settled once.
    template <class F>
    void settle(id v, F f)
    {
        for (id const d : (*dependents_)[v])
            if (--open_[d.index()] == 0) f(d);
    }

private:
    G const* graph_;
    adjacency<direction::dependents, G> const* dependents_;
    std::vector<std::uint32_t> open_;  // the dependencies that are not settled
};

/// Orders the vertices so that each comes after all of its dependencies, leaves in ascending id first.
///
/// The order lacks the vertices of cycles, and those that depend on them.
///
/// \complexity O(V + E).
template <directed_graph G>
[[nodiscard]] auto partial_order(G const& g, adjacency<direction::dependents, G> const& dependents)
    -> std::vector<vertex_id_t<G>>
{
    kahn_search<G> search(g, dependents);
    std::vector<vertex_id_t<G>> order;
    order.reserve(g.vertex_count());
    auto const append = [&](vertex_id_t<G> v) { order.push_back(v); };
    search.each_leaf(append);
    for (std::size_t next = 0; next < order.size(); ++next) search.settle(order[next], append);
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
