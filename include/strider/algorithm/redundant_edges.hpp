// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_REDUNDANT_EDGES_HPP
#define STRIDER_ALGORITHM_REDUNDANT_EDGES_HPP

#include <strider/algorithm/topological_order.hpp>
#include <strider/core/detail/adjacency.hpp>
#include <strider/core/direction.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>

#include <range/v3/algorithm/partition.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace strider {

/// Limit after which bit sets replace the search edge by edge. It does not change the result.
struct reduction_options {
    /// Maximum number of edges to scan in searches, as a multiple of the edges of the graph.
    std::size_t scans_per_edge = 50;
};

namespace detail {

// Works on the graph renumbered in topological order: a dependency has a smaller number than its dependents, and
// numbers ascend with the level of a vertex, the length of the longest path down to a leaf.
template <class Id>
class reduction {
public:
    template <class G>
    reduction(G const& g, std::vector<Id> const& order)
        : targets_(g.edge_count()),
          vertices_(order.size()),
          number_(g.id_bound())
    {
        adjacency<direction::dependencies, G> const dependencies(g);
        for (std::size_t n = 0; n < order.size(); ++n) number_[order[n]] = static_cast<index>(n);
        index end = 0;
        for (index n = 0; n < size(); ++n) {
            vertex& v = vertices_[n];
            v.first = end;
            for (auto const d : dependencies[order[n]]) {
                targets_[end++] = number_[d];
                v.level = std::max(v.level, vertices_[number_[d]].level + 1);
            }
            v.end = v.kept = end;
            for (index const d : kept(n))
                if (vertices_[d].entered == none) vertices_[d].entered = n;
                else if (is_candidate(n, d)) count_candidate(n, d);
        }
    }

    void run(reduction_options const& options)
    {
        std::size_t const edges = targets_.size();
        std::size_t const most = std::numeric_limits<std::size_t>::max();
        std::size_t const budget =
            edges != 0 && options.scans_per_edge > most / edges ? most : edges * options.scans_per_edge;
        sweep(frequent_candidates(), 0, 1);
        std::size_t const undecided = search(budget);
        if (undecided < size()) sweep(undecided_dependencies(undecided), undecided, 8);
    }

    // Redundant edges were moved to the end of their row.
    [[nodiscard]] auto redundant(Id v) const -> std::span<std::uint32_t const>
    {
        vertex const& at = vertices_[number_[v]];
        return std::span(targets_).subspan(at.kept, at.end - at.kept);
    }
    [[nodiscard]] auto number(Id v) const -> std::uint32_t { return number_[v]; }

private:
    using index = std::uint32_t;
    static constexpr index none = std::numeric_limits<index>::max();
    struct vertex {
        index first = 0;  // the begin of its row
        index kept = 0;   // the end of the edges of the row that are not redundant
        index end = 0;
        index level = 0;
        index entered = none;  // the first dependent; none after the edges to the vertex are decided
        index candidates = 0;  // the number of edges to the vertex that may be redundant
        index last = 0;        // the last dependent among them
    };

    [[nodiscard]] auto size() const noexcept -> std::size_t { return vertices_.size(); }

    // The dependencies of a vertex without those over redundant edges.
    [[nodiscard]] auto kept(index n) const -> std::span<index const>
    {
        return std::span(targets_).subspan(vertices_[n].first, vertices_[n].kept - vertices_[n].first);
    }

    // True if the edge can be redundant: a longer path must enter the dependency through another of its dependents,
    // at a level in between.
    [[nodiscard]] auto is_candidate(index dependent, index dependency) const -> bool
    {
        index const entered = vertices_[dependency].entered;
        return entered < dependent && vertices_[entered].level < vertices_[dependent].level;
    }
    void count_candidate(index dependent, index dependency)
    {
        ++vertices_[dependency].candidates;
        vertices_[dependency].last = dependent;
    }

    template <class Redundant>
    void remove_from(index n, Redundant is_redundant)
    {
        auto const row = std::span(targets_).subspan(vertices_[n].first, kept(n).size());
        auto const redundant = ranges::partition(row, [&](index d) { return !is_redundant(d); });
        vertices_[n].kept = vertices_[n].first + static_cast<index>(redundant - row.begin());
    }

    // Searches from each vertex along kept edges that may lead to its candidates. \return the first vertex that the
    // budget did not suffice for.
    auto search(std::size_t budget) -> std::size_t
    {
        // In the search from vertex n, the mark of another vertex is 2 n if it is a candidate, 2 n + 1 if it was
        // seen.
        std::vector<index> mark(size());
        std::vector<index> stack;
        std::size_t scanned = 0;
        for (index n = 0; n < size(); ++n) {
            if (kept(n).size() < 2) continue;
            index const candidate = 2 * n;
            index const seen = candidate + 1;
            index bound = n;  // vertices below lead to no candidate
            index candidates = 0;
            for (index const d : kept(n))
                if (is_candidate(n, d)) {
                    bound = std::min(bound, vertices_[d].entered);
                    mark[d] = candidate;
                    ++candidates;
                }
            if (candidates == 0) continue;
            if (scanned >= budget) return n;

            index open = candidates;
            stack.clear();
            for (index const d : kept(n))
                if (d >= bound) stack.push_back(d);
            while (!stack.empty() && open != 0) {
                std::span<index const> const next = kept(stack.back());
                stack.pop_back();
                scanned += next.size();
                for (index const d : next) {
                    if (mark[d] == candidate) {
                        mark[d] = seen;
                        --open;  // it is on the stack already, if it has to be
                    } else if (d >= bound && mark[d] != seen) {
                        mark[d] = seen;
                        stack.push_back(d);
                    }
                }
            }
            if (open != candidates) remove_from(n, [&](index d) { return mark[d] == seen; });
        }
        return size();
    }

    // The dependencies with candidate edges from this dependent on, ascending.
    [[nodiscard]] auto undecided_dependencies(std::size_t undecided) -> std::vector<index>
    {
        for (vertex& v : vertices_) v.candidates = 0;
        for (auto n = static_cast<index>(undecided); n < size(); ++n)
            for (index const d : kept(n))
                if (is_candidate(n, d)) count_candidate(n, d);
        return with_candidates(1);
    }

    // The few dependencies that are candidates in most searches, ascending: nearly every vertex depends on them.
    [[nodiscard]] auto frequent_candidates() const -> std::vector<index>
    {
        constexpr std::size_t most = 64;
        index least = 64;
        std::vector<index> found = with_candidates(least);
        while (found.size() > most) {
            least *= 2;
            std::vector<index> more_frequent = with_candidates(least);
            if (more_frequent.size() >= most) found = std::move(more_frequent);
            else
                while (found.size() > most) found.pop_back();
        }
        return found;
    }

    [[nodiscard]] auto with_candidates(index least) const -> std::vector<index>
    {
        std::vector<index> found;
        for (index d = 0; d < size(); ++d)
            if (vertices_[d].candidates >= least) found.push_back(d);
        return found;
    }

    // Computes, for 64 columns per word, the dependencies that each vertex reaches.
    void sweep(std::vector<index> const& columns, std::size_t undecided, std::size_t words)
    {
        if (columns.empty()) return;
        std::size_t const width = words * 64;
        std::vector<index> column(size(), none);
        for (std::size_t c = 0; c < columns.size(); ++c) column[columns[c]] = static_cast<index>(c);
        std::vector<std::uint64_t> reached(size() * words);
        for (std::size_t base = 0; base < columns.size(); base += width) {
            std::size_t const end = std::min(base + width, columns.size());
            auto const in_block = [&](index d) { return column[d] >= base && column[d] < end; };
            index const first = columns[base];
            index last = first;
            for (std::size_t i = base; i < end; ++i) last = std::max(last, vertices_[columns[i]].last);
            for (index n = first + 1; n <= last; ++n) {
                std::uint64_t* const behind = &reached[n * words];  // reached by paths of two or more edges
                std::fill_n(behind, words, 0);
                for (index const d : kept(n)) {
                    if (d <= first) continue;
                    std::uint64_t const* const more = &reached[d * words];
                    for (std::size_t w = 0; w < words; ++w) behind[w] |= more[w];
                }
                auto const is_behind = [&](index d) {
                    return in_block(d) && (behind[(column[d] - base) / 64] >> ((column[d] - base) % 64) & 1U) != 0;
                };
                if (n >= undecided) remove_from(n, is_behind);
                for (index const d : kept(n))
                    if (in_block(d)) {
                        std::size_t const bit = column[d] - base;
                        behind[bit / 64] |= std::uint64_t{1} << (bit % 64);
                    }
            }
        }
        for (index const d : columns) vertices_[d].entered = none;
    }

    std::vector<index> targets_;  // row by row
    std::vector<vertex> vertices_;
    basic_vertex_map<Id, index> number_;
};

// The redundant edges of an acyclic graph. \param order  a topological order
template <directed_graph G>
[[nodiscard]] auto redundant_edges(
    G const& g, std::vector<vertex_id_t<G>> const& order, reduction_options const& options) -> std::vector<edge_t<G>>
{
    reduction<vertex_id_t<G>> reduced(g, order);
    reduced.run(options);

    std::vector<edge_t<G>> redundant;
    std::vector<std::uint32_t> chosen(order.size());
    for (auto const v : g.vertices()) {
        auto const numbers = reduced.redundant(v);
        if (numbers.empty()) continue;
        for (auto const n : numbers) chosen[n] = 1;
        for (auto const e : g.dependency_edges(v))
            if (chosen[reduced.number(e.dependency)] != 0) redundant.push_back(e);
        for (auto const n : numbers) chosen[n] = 0;
    }
    return redundant;
}

}  // namespace detail

/// Finds the redundant edges: `u -> w` where a longer path leads from `u` to `w`.
///
/// Without them the graph is its transitive reduction, which is unique for an acyclic graph. Edges are listed in
/// ascending id of the dependent, then in order of insertion.
///
/// \complexity O(V + E), plus searches that skip edges that cannot be redundant and stop where no candidate is
/// reachable, at most `scans_per_edge` times E; beyond that one pass over the edges for every 512 undecided
/// dependencies, O(V E / 512) with 64 bytes per vertex.
/// \return     graph_errc::cycle if the graph has a cycle.
/// \source     A. V. Aho, M. R. Garey, J. D. Ullman, "The transitive reduction of a directed graph", 1972.
template <directed_graph G>
[[nodiscard]] auto redundant_edges(G const& g, reduction_options const& options = {}) -> result<std::vector<edge_t<G>>>
{
    auto const order = topological_order(g);
    if (!order) return order.error();
    return detail::redundant_edges(g, *order, options);
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_REDUNDANT_EDGES_HPP
