// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_REMAINING_HPP
#define STRIDER_WALK_REMAINING_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/walk/walk_report.hpp>

#include <concepts>
#include <vector>

namespace strider {

/// Returns the vertices that a later run must visit, in ascending id: those that are not done, and all that depend on them,
/// directly or not. A partial run of a `walker` visits exactly these, in the order of the edges.
///
/// \param is_done  returns true for a vertex whose visit was done in an earlier run, or an earlier process
/// \complexity O(V + E)
/// \see to_text, read_vertices to store the vertices by name
template <acyclic_graph G, std::predicate<vertex_id> IsDone>
[[nodiscard]] auto remaining(G const& g, IsDone is_done) -> std::vector<vertex_id>
{
    std::vector<vertex_id> found;
    vertex_set below(g.id_bound());
    for (vertex_id const v : g.vertices()) {
        if (is_done(v) && !below.contains(v)) continue;
        found.push_back(v);
        for (vertex_id const dependent : g.dependents(v)) below.insert(dependent);
    }
    return found;
}

/// Returns the vertices that a run has not done, because it failed or was cancelled, and all that depend on them.
/// \pre `report` is that of a walk of `g`
/// \complexity O(V log V + E)
template <acyclic_graph G>
[[nodiscard]] auto remaining(G const& g, walk_report const& report) -> std::vector<vertex_id>
{
    return remaining(g, [&report](vertex_id v) { return report[v].is_done(); });
}

}  // namespace strider

#endif  // STRIDER_WALK_REMAINING_HPP
