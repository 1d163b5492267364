// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_REACHABILITY_HPP
#define STRIDER_ALGORITHM_REACHABILITY_HPP

#include <strider/algorithm/strong_components.hpp>
#include <strider/algorithm/views.hpp>
#include <strider/core/direction.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>
#include <strider/core/vertex_set.hpp>

#include <range/v3/algorithm/contains.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace strider {

/// Returns `starts` and all vertices reachable from them.
///
/// \complexity O(V + E) of the reached part.
template <directed_graph G, vertex_range<vertex_id_t<G>> Starts>
[[nodiscard]] auto reachable(G const& g, Starts&& starts, direction along) -> vertex_set_t<G>
{
    if (along == direction::dependencies) return vertex_set_t<G>(views::depth_first(g, starts));
    return vertex_set_t<G>(views::depth_first(g, starts, along_dependents));
}

/// Returns true if there is a path from `dependent` to `dependency` of at least one edge. If both are the same
/// vertex, the result is true if it is on a cycle.
///
/// \complexity O(V + E); for many queries see `dependency_closure`.
template <directed_graph G>
[[nodiscard]] auto has_path(G const& g, vertex_id_t<G> dependent, vertex_id_t<G> dependency) -> bool
{
    return ranges::contains(views::ancestors(g, dependent), dependency);
}

/// Returns, for each vertex that satisfies `interesting`, all such vertices among its direct and indirect
/// dependencies, in ascending id.
///
/// One pass serves all vertices, instead of a search for each. Cycles are allowed: a vertex on a cycle depends on
/// itself. The list of any other vertex is empty.
///
/// \complexity O(V + E) and `interesting` once per vertex; then for every 512 interesting vertices at most one pass
/// over the edges, which uses 64 bytes per edge between vertices that reach any of the 512. The size of the result is
/// up to the square of the number of interesting vertices.
template <directed_graph G, std::predicate<vertex_id_t<G>> Interesting>
[[nodiscard]] auto dependency_closure(G const& g, Interesting interesting)
    -> vertex_map_t<G, std::vector<vertex_id_t<G>>>
{
    constexpr std::size_t width = 512;
    using block = std::array<std::uint64_t, width / 64>;

    // Components of dependencies first, each with the distinct components that it depends on.
    component_list const components = strong_components(g);
    std::vector<std::uint32_t> offsets{0};
    std::vector<std::uint32_t> rows;
    offsets.reserve(components.size() + 1);
    rows.reserve(g.edge_count());
    std::vector<char> cyclic(components.size());
    for (std::size_t c = 0; c < components.size(); ++c) {
        auto const first = static_cast<std::ptrdiff_t>(rows.size());
        cyclic[c] = is_nontrivial(g, components[c]) ? 1 : 0;
        for (auto const v : components[c])
            for (auto const d : g.dependencies(v))
                if (components.of(d) != c) rows.push_back(static_cast<std::uint32_t>(components.of(d)));
        if (components[c].size() > 1) {
            std::sort(rows.begin() + first, rows.end());
            rows.erase(std::unique(rows.begin() + first, rows.end()), rows.end());
        }
        offsets.push_back(static_cast<std::uint32_t>(rows.size()));
    }

    std::vector<vertex_id_t<G>> columns;
    std::vector<std::vector<vertex_id_t<G>>> members(components.size());
    for (auto const v : g.vertices())
        if (std::invoke(interesting, v)) {
            columns.push_back(v);
            members[components.of(v)].push_back(v);
        }

    vertex_map_t<G, std::vector<vertex_id_t<G>>> closure(g.id_bound());
    std::vector<block> reached(components.size());
    std::vector<char> any(components.size());
    for (std::size_t base = 0; base < columns.size(); base += width) {
        std::size_t const end = std::min(base + width, columns.size());
        std::size_t first = components.size();
        std::fill(any.begin(), any.end(), char{0});
        for (std::size_t i = base; i < end; ++i) {
            std::size_t const c = components.of(columns[i]);
            first = std::min(first, c);
            if (any[c] == 0) reached[c] = {};
            any[c] = 1;
            reached[c][(i - base) / 64] |= std::uint64_t{1} << ((i - base) % 64);
        }
        for (std::size_t c = first; c < components.size(); ++c) {
            block const own = any[c] != 0 ? reached[c] : block{};
            block behind{};
            bool found = false;
            for (std::uint32_t at = offsets[c]; at != offsets[c + 1]; ++at) {
                if (any[rows[at]] == 0) continue;
                found = true;
                block const& more = reached[rows[at]];
                for (std::size_t w = 0; w < more.size(); ++w) behind[w] |= more[w];
            }
            if (cyclic[c] != 0 && any[c] != 0) {
                found = true;
                for (std::size_t w = 0; w < own.size(); ++w) behind[w] |= own[w];
            }
            if (!found) continue;
            for (auto const v : members[c])
                for (std::size_t w = 0; w < behind.size(); ++w)
                    for (std::uint64_t bits = behind[w]; bits != 0; bits &= bits - 1)
                        closure[v].push_back(columns[base + w * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
            for (std::size_t w = 0; w < own.size(); ++w) reached[c][w] = behind[w] | own[w];
            any[c] = 1;
        }
    }
    return closure;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_REACHABILITY_HPP
