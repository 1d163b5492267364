// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_DETAIL_TENTATIVE_EDGES_HPP
#define STRIDER_LIFECYCLE_DETAIL_TENTATIVE_EDGES_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/algorithm/strong_components.hpp>
#include <strider/core/edge.hpp>
#include <strider/lifecycle/rules.hpp>

#include <algorithm>
#include <vector>

namespace strider::detail {

/// The rule of a tentative edge in place of E3 or E4, at the same place.
[[nodiscard]] inline auto tentative_rule(edge_origin required) -> edge_origin
{
    bool const destroys = required.made_by() == edge_rules::destroy_order;
    return edge_origin(
        destroys ? edge_rules::tentative_destroy_order : edge_rules::tentative_after_destruction_of_dependent)
        .at(required.place());
}

/// True if the order of two vertices was tentative when `destroy_split` added the edge.
template <class Edge>
[[nodiscard]] auto is_tentative(Edge const& e) -> bool
{
    edge_rule const rule = e.origin.made_by();
    return rule == edge_rules::tentative_destroy_order || rule == edge_rules::tentative_after_destruction_of_dependent;
}

/// Removes tentative edges until none of them is part of a cycle. The others stay, in the order of their vertices.
/// \param reversed    tentative edges that have another rule since they were reversed
/// \complexity O(V + E) if no tentative edge is part of a cycle; otherwise also a search per such edge.
template <class G>
void remove_cyclic_tentative_edges(G& g, std::vector<edge_t<G>> const& reversed)
{
    std::vector<edge_t<G>> all = reversed;
    for (auto const v : g.vertices())
        for (auto const e : g.dependency_edges(v))
            if (is_tentative(e)) all.push_back(e);
    if (all.empty()) return;
    auto const components = strong_components(g);
    std::erase_if(all, [&](edge_t<G> const& e) { return !components.same(e.dependent, e.dependency); });
    for (auto const& e : all) g.erase_edge(e.dependent, depends_on(e.dependency));
    for (auto const& e : all)
        if (!has_path(g, e.dependency, e.dependent)) g.add_edge(e.dependent, depends_on(e.dependency), e.origin);
}

}  // namespace strider::detail

#endif  // STRIDER_LIFECYCLE_DETAIL_TENTATIVE_EDGES_HPP
