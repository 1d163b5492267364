// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_FIND_CYCLE_HPP
#define STRIDER_ALGORITHM_FIND_CYCLE_HPP

#include <strider/algorithm/strong_components.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>

#include <range/v3/algorithm/min_element.hpp>
#include <range/v3/functional/comparisons.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider {

/// Limits of the search for a shorter cycle after the first one.
struct cycle_options {
    /// Maximum number of edges to scan, as a multiple of the edges of the component.
    std::size_t scans_per_edge = 16;
    /// Number of edges that may be scanned in any case, so that the cycle of a small component is a shortest one.
    std::size_t scans_at_least = 1U << 16U;
};

namespace detail {

// Breadth-first searches within one component, each for a shortest path from a vertex back to itself.
template <class G>
class cycle_search {
public:
    cycle_search(G const& g, component_list<vertex_id_t<G>> const& components)
        : g_(g),
          components_(components),
          mark_(g.id_bound()),
          predecessor_(g.id_bound())
    {}

    [[nodiscard, gnu::cold]] auto shortest(std::span<vertex_id_t<G> const> component, cycle_options const& options)
        -> std::vector<edge_t<G>>
    {
        std::size_t edges = 0;
        for (auto const v : component)
            for (auto const d : g_.dependencies(v)) edges += components_.same(v, d) ? 1U : 0U;
        std::size_t const budget = std::max(options.scans_at_least, edges * options.scans_per_edge);

        std::vector<edge_t<G>> best;
        scanned_ = 0;
        for (auto const v : component) {
            if (!best.empty() && (best.size() == 1 || scanned_ >= budget)) break;
            std::vector<edge_t<G>> found = through(v, best.empty() ? component.size() : best.size() - 1);
            if (!found.empty()) best = std::move(found);
        }
        return best;
    }

private:
    // A shortest cycle through `start` of at most `limit` edges.
    [[nodiscard, gnu::cold]] auto through(vertex_id_t<G> start, std::size_t limit) -> std::vector<edge_t<G>>
    {
        ++round_;
        queue_.clear();
        queue_.push_back(start);
        mark_[start] = round_;
        std::size_t depth = 0;
        std::size_t end_of_level = 1;
        for (std::size_t next = 0; next < queue_.size(); ++next) {
            if (next == end_of_level) {
                ++depth;
                end_of_level = queue_.size();
            }
            if (depth == limit) break;
            for (auto const e : g_.dependency_edges(queue_[next])) {
                ++scanned_;
                if (e.dependency == start) return path_to(e, depth + 1);
                if (mark_[e.dependency] == round_ || !components_.same(e.dependency, start)) continue;
                mark_[e.dependency] = round_;
                predecessor_[e.dependency] = e;
                queue_.push_back(e.dependency);
            }
        }
        return {};
    }

    // The path of `size` edges that ends with `e`.
    [[nodiscard, gnu::cold]] auto path_to(edge_t<G> e, std::size_t size) const -> std::vector<edge_t<G>>
    {
        std::vector<edge_t<G>> path(size);
        for (;; e = predecessor_[e.dependent]) {
            path[--size] = e;
            if (size == 0) return path;
        }
    }

    G const& g_;
    component_list<vertex_id_t<G>> const& components_;
    vertex_map_t<G, std::uint32_t> mark_;
    vertex_map_t<G, edge_t<G>> predecessor_;
    std::vector<vertex_id_t<G>> queue_;
    std::size_t scanned_ = 0;
    std::uint32_t round_ = 0;
};

// Calls `f` with one cycle of each strong component that has any.
template <directed_graph G, class F>
void each_cycle(G const& g, component_list<vertex_id_t<G>> const& components, cycle_options const& options, F f)
{
    if (components.size() == 0) return;
    cycle_search<G> search(g, components);
    for (std::size_t c = 0; c < components.size(); ++c)
        if (is_nontrivial(g, components[c])) f(search.shortest(components[c], options));
}

}  // namespace detail

/// Finds one cycle in each strong component that has any, components of dependencies first.
///
/// A cycle is a closed path along dependencies. It is a shortest one through the vertices of smallest id that the
/// options allow to search: all of them in a small component, at least one in any. It starts at the smallest id of
/// those.
///
/// \complexity O(V + E), times `scans_per_edge` in large components; at least `scans_at_least` per component with a
/// cycle, if it has that many edges.
///
/// \param components  `strong_components(g)`
template <directed_graph G>
[[nodiscard]] auto find_cycles(G const& g, component_list<vertex_id_t<G>> const& components,
    cycle_options const& options = {}) -> std::vector<std::vector<edge_t<G>>>
{
    std::vector<std::vector<edge_t<G>>> cycles;
    detail::each_cycle(g, components, options, [&](std::vector<edge_t<G>> path) { cycles.push_back(std::move(path)); });
    return cycles;
}

/// As above, with components that this call computes.
template <directed_graph G>
[[nodiscard]] auto find_cycles(G const& g, cycle_options const& options = {}) -> std::vector<std::vector<edge_t<G>>>
{
    return find_cycles(g, strong_components(g), options);
}

/// Returns the shortest of `find_cycles(g)`, the first among equals; empty if the graph is acyclic.
template <directed_graph G>
[[nodiscard]] auto find_cycle(G const& g, cycle_options const& options = {}) -> std::vector<edge_t<G>>
{
    auto cycles = find_cycles(g, options);
    auto const best = ranges::min_element(cycles, ranges::less(), &std::vector<edge_t<G>>::size);
    return best == cycles.end() ? std::vector<edge_t<G>>() : std::move(*best);
}

/// Formats a path with the origin of each edge: `a -> b (reference) -> a (depends_on)`.
template <directed_graph G, class Name = std::identity>
[[nodiscard]] auto path_text(G const& g, std::span<edge_t<G> const> path, Name name = {}) -> std::string
{
    std::string text;
    if (path.empty()) return text;
    text += std::string_view(std::invoke(name, g[path.front().dependent]));
    for (auto const& e : path) {
        text += " -> ";
        text += std::string_view(std::invoke(name, g[e.dependency]));
        text += " (";
        text += to_string(e.origin.made_by());
        text += ')';
    }
    return text;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_FIND_CYCLE_HPP
