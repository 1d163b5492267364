// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_TRANSITIVE_REDUCTION_HPP
#define STRIDER_ALGORITHM_TRANSITIVE_REDUCTION_HPP

#include <strider/algorithm/topological_order.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace strider {

/// When to stop searching edge by edge and to use bit sets instead; either way gives the same result.
struct reduction_options {
    /// Edges to look at in searches, as a multiple of the edges of the graph.
    std::size_t scans_per_edge = 50;
};

namespace detail {

// Works on the graph renumbered in topological order: a dependency has a smaller number than its dependents, and
// numbers ascend with the level of a vertex, the length of the longest path down to a leaf.
class reduction {
public:
    template <class G>
    reduction(G const& g, std::vector<vertex_id> const& order) : number_(g.id_bound())
    {
        std::size_t const count = order.size();
        for (std::size_t n = 0; n < count; ++n) number_[order[n]] = static_cast<index>(n);
        rows_.reserve(count);
        targets_.reserve(g.edge_count());
        level_.resize(count);
        dependents_.resize(count);
        for (vertex_id const v : order) {
            auto const first = static_cast<index>(targets_.size());
            index level = 0;
            for (vertex_id const d : g.dependencies(v)) {
                index const n = number_[d];
                targets_.push_back(n);
                ++dependents_[n];
                level = std::max(level, level_[n] + 1);
            }
            level_[rows_.size()] = level;
            auto const last = static_cast<index>(targets_.size());
            rows_.push_back({first, last, last});
        }
    }

    void run(reduction_options const& options)
    {
        std::size_t const edges = targets_.size();
        std::size_t const most = std::numeric_limits<std::size_t>::max();
        std::size_t const budget =
            edges != 0 && options.scans_per_edge > most / edges ? most : edges * options.scans_per_edge;
        std::size_t const undecided = search(budget);
        if (undecided < rows_.size()) sweep(undecided);
    }

    // Redundant edges have been moved to the end of their row.
    [[nodiscard]] auto redundant(vertex_id v) const -> std::span<std::uint32_t const>
    {
        row const& r = rows_[number_[v]];
        return std::span(targets_).subspan(r.kept, r.last - r.kept);
    }
    [[nodiscard]] auto number(vertex_id v) const -> std::uint32_t { return number_[v]; }

private:
    using index = std::uint32_t;
    struct row {
        index first;
        index kept;
        index last;
    };

    // Whether an edge can be redundant at all: some longer path needs another way out of one end, another
    // way into the other, and a level in between.
    [[nodiscard]] auto is_candidate(index dependent, index dependency) const -> bool
    {
        return dependents_[dependency] > 1 && level_[dependent] > level_[dependency] + 1;
    }

    template <class Redundant>
    void remove_from(row& r, Redundant is_redundant)
    {
        auto const at = [this](index i) { return targets_.begin() + static_cast<std::ptrdiff_t>(i); };
        auto const middle = std::partition(at(r.first), at(r.kept), [&](index d) { return !is_redundant(d); });
        for (auto i = middle; i != at(r.kept); ++i) --dependents_[*i];
        r.kept = static_cast<index>(middle - targets_.begin());
    }

    // From each vertex along edges that are kept, down to its deepest candidate; returns the first
    // vertex that the budget did not suffice for.
    auto search(std::size_t budget) -> std::size_t
    {
        std::vector<index> seen(rows_.size());     // by the search with this number plus one
        std::vector<index> wanted(rows_.size());
        std::vector<index> stack;
        std::size_t scanned = 0;
        for (std::size_t n = 0; n < rows_.size(); ++n) {
            row& r = rows_[n];
            if (r.kept - r.first < 2) continue;
            auto const dependent = static_cast<index>(n);
            auto const round = dependent + 1;
            index deepest = dependent;
            index candidates = 0;
            for (index i = r.first; i != r.kept; ++i)
                if (is_candidate(dependent, targets_[i])) {
                    deepest = std::min(deepest, targets_[i]);
                    wanted[targets_[i]] = round;
                    ++candidates;
                }
            if (candidates == 0) continue;
            if (scanned > budget) return n;

            index open = candidates;
            stack.clear();
            for (index i = r.first; i != r.kept; ++i)
                if (targets_[i] > deepest) stack.push_back(targets_[i]);
            while (!stack.empty() && open != 0) {
                row const& next = rows_[stack.back()];
                stack.pop_back();
                scanned += next.kept - next.first;
                for (index i = next.first; i != next.kept; ++i) {
                    index const d = targets_[i];
                    if (d < deepest || seen[d] == round) continue;
                    seen[d] = round;
                    if (wanted[d] == round) --open;
                    else if (d > deepest) stack.push_back(d);
                }
            }
            if (open != candidates) remove_from(r, [&](index d) { return wanted[d] == round && seen[d] == round; });
        }
        return rows_.size();
    }

    // For 512 dependencies at a time: which of them does each vertex reach?
    void sweep(std::size_t undecided)
    {
        constexpr std::size_t width = 512;
        using block = std::array<std::uint64_t, width / 64>;
        constexpr index none = std::numeric_limits<index>::max();

        std::vector<index> last_use(rows_.size());  // the last dependent that has such a candidate
        for (std::size_t n = undecided; n < rows_.size(); ++n)
            for (index i = rows_[n].first; i != rows_[n].kept; ++i)
                if (is_candidate(static_cast<index>(n), targets_[i])) last_use[targets_[i]] = static_cast<index>(n);
        std::vector<index> columns;
        std::vector<index> column(rows_.size(), none);
        for (std::size_t n = 0; n < rows_.size(); ++n)
            if (last_use[n] != 0) {
                column[n] = static_cast<index>(columns.size());
                columns.push_back(static_cast<index>(n));
            }

        std::vector<block> reached(rows_.size());
        for (std::size_t base = 0; base < columns.size(); base += width) {
            std::size_t const end = std::min(base + width, columns.size());
            auto const in_block = [&](index d) { return column[d] >= base && column[d] < end; };
            index const first = columns[base];
            index last = first;
            for (std::size_t i = base; i < end; ++i) last = std::max(last, last_use[columns[i]]);
            reached[first] = {};
            for (index n = first + 1; n <= last; ++n) {
                row& r = rows_[n];
                block behind{};  // reached by paths of two edges or more
                for (index i = r.first; i != r.kept; ++i) {
                    if (targets_[i] <= first) continue;
                    block const& more = reached[targets_[i]];
                    for (std::size_t w = 0; w < behind.size(); ++w) behind[w] |= more[w];
                }
                auto const is_behind = [&](index d) {
                    return in_block(d) && (behind[(column[d] - base) / 64] >> ((column[d] - base) % 64) & 1U) != 0;
                };
                if (n >= undecided) remove_from(r, is_behind);
                for (index i = r.first; i != r.kept; ++i)
                    if (in_block(targets_[i])) {
                        std::size_t const bit = column[targets_[i]] - base;
                        behind[bit / 64] |= std::uint64_t{1} << (bit % 64);
                    }
                reached[n] = behind;
            }
        }
    }

    std::vector<row> rows_;
    std::vector<index> targets_;
    std::vector<index> level_;
    std::vector<index> dependents_;
    vertex_map<index> number_;
};

}  // namespace detail

/// Finds the edges that the order does without: `u -> w` where `w` can be reached from `u` by a longer path.
///
/// Without them the graph is its transitive reduction, which for an acyclic graph is unique. Edges are listed by
/// ascending dependent, then in order of insertion.
///
/// \complexity O(V + E) plus searches that skip what cannot be redundant and do not go below the deepest candidate,
///             at most `scans_per_edge` times E; beyond that one pass over the edges for every 512 dependencies
///             that are still in question, O(V E / 512) with 64 bytes per vertex.
/// \return     graph_errc::cycle if there is one.
/// \source     A. V. Aho, M. R. Garey, J. D. Ullman, "The transitive reduction of a directed graph", 1972.
template <directed_graph G>
[[nodiscard]] auto redundant_edges(G const& g, reduction_options const& options = {}) -> result<std::vector<edge>>
{
    auto const order = topological_order(g);
    if (!order) return order.error();
    detail::reduction reduction(g, *order);
    reduction.run(options);

    std::vector<edge> redundant;
    std::vector<char> chosen(order->size());
    for (vertex_id const v : g.vertices()) {
        auto const numbers = reduction.redundant(v);
        if (numbers.empty()) continue;
        for (auto const n : numbers) chosen[n] = 1;
        for (edge const e : g.dependency_edges(v))
            if (chosen[reduction.number(e.dependency)] != 0) redundant.push_back(e);
        for (auto const n : numbers) chosen[n] = 0;
    }
    return redundant;
}

/// Removes the redundant edges; the order of the vertices, and which reaches which, stay as they are.
///
/// \return How many edges are gone; on graph_errc::cycle the graph is unchanged.
/// \see    redundant_edges
template <mutable_digraph G>
[[nodiscard]] auto reduce_in_place(G& g, reduction_options const& options = {}) -> result<std::size_t>
{
    auto const redundant = redundant_edges(g, options);
    if (!redundant) return redundant.error();
    for (edge const& e : *redundant) g.erase_edge(e.dependent, e.dependency);
    return redundant->size();
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_TRANSITIVE_REDUCTION_HPP
