// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_TRANSITIVE_REDUCTION_HPP
#define STRIDER_ALGORITHM_TRANSITIVE_REDUCTION_HPP

#include <strider/algorithm/detail/adjacency.hpp>
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
#include <iterator>
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
    reduction(G const& g, std::vector<Id> const& order) : number_(g.id_bound())
    {
        adjacency<direction::dependencies, G> const dependencies(g);
        std::size_t const count = order.size();
        for (std::size_t n = 0; n < count; ++n) number_[order[n]] = static_cast<index>(n);
        rows_.reserve(count);
        targets_.reserve(g.edge_count());
        level_.resize(count);
        entered_.resize(count, none);
        undecided_.resize(count);
        for (auto const v : order) {
            auto const first = static_cast<index>(targets_.size());
            index level = 0;
            for (auto const d : dependencies[v]) {
                index const n = number_[d];
                targets_.push_back(n);
                level = std::max(level, level_[n] + 1);
            }
            auto const n = static_cast<index>(rows_.size());
            level_[n] = level;
            auto const last = static_cast<index>(targets_.size());
            for (index i = first; i != last; ++i) {
                index const d = targets_[i];
                if (entered_[d] == none) entered_[d] = n;
                else if (is_candidate(n, d)) undecided_[d] = {d, undecided_[d].candidates + 1, n};
            }
            rows_.push_back({first, last, last});
        }
    }

    void run(reduction_options const& options)
    {
        std::size_t const edges = targets_.size();
        std::size_t const most = std::numeric_limits<std::size_t>::max();
        std::size_t const budget =
            edges != 0 && options.scans_per_edge > most / edges ? most : edges * options.scans_per_edge;
        sweep<1>(frequent_candidates(), 0);
        std::size_t const undecided = search(budget);
        if (undecided < rows_.size()) sweep<8>(undecided_dependencies(undecided), undecided);
    }

    // Redundant edges were moved to the end of their row.
    [[nodiscard]] auto redundant(Id v) const -> std::span<std::uint32_t const>
    {
        row const& r = rows_[number_[v]];
        return std::span(targets_).subspan(r.kept, r.last - r.kept);
    }
    [[nodiscard]] auto number(Id v) const -> std::uint32_t { return number_[v]; }

private:
    using index = std::uint32_t;
    static constexpr index none = std::numeric_limits<index>::max();
    struct row {
        index first;
        index kept;
        index last;
    };

    struct undecided_dependency {
        index dependency;
        index candidates;  // number of edges to it that may be redundant
        index last;        // the last dependent among them
    };

    // True if the edge can be redundant: a longer path must enter the dependency through another of its dependents,
    // at a level in between.
    [[nodiscard]] auto is_candidate(index dependent, index dependency) const -> bool
    {
        return entered_[dependency] < dependent && level_[entered_[dependency]] < level_[dependent];
    }

    template <class Redundant>
    void remove_from(row& r, Redundant is_redundant)
    {
        auto const at = [this](index i) { return targets_.begin() + static_cast<std::ptrdiff_t>(i); };
        auto const middle = std::partition(at(r.first), at(r.kept), [&](index d) { return !is_redundant(d); });
        r.kept = static_cast<index>(middle - targets_.begin());
    }

    // Searches from each vertex along kept edges that may lead to its candidates. \return the first vertex that the
    // budget did not suffice for.
    auto search(std::size_t budget) -> std::size_t
    {
        // In the search from vertex n, the mark of another vertex is 2 n if it is a candidate, 2 n + 1 if it was
        // seen.
        std::vector<index> mark(rows_.size());
        std::vector<index> stack;
        std::size_t scanned = 0;
        for (std::size_t n = 0; n < rows_.size(); ++n) {
            row& r = rows_[n];
            if (r.kept - r.first < 2) continue;
            auto const candidate = static_cast<index>(2 * n);
            index const seen = candidate + 1;
            auto bound = static_cast<index>(n);  // vertices below lead to no candidate
            index candidates = 0;
            for (index i = r.first; i != r.kept; ++i)
                if (is_candidate(static_cast<index>(n), targets_[i])) {
                    bound = std::min(bound, entered_[targets_[i]]);
                    mark[targets_[i]] = candidate;
                    ++candidates;
                }
            if (candidates == 0) continue;
            if (scanned >= budget) return n;

            index open = candidates;
            stack.clear();
            for (index i = r.first; i != r.kept; ++i)
                if (targets_[i] >= bound) stack.push_back(targets_[i]);
            while (!stack.empty() && open != 0) {
                row const& next = rows_[stack.back()];
                stack.pop_back();
                scanned += next.kept - next.first;
                for (index i = next.first; i != next.kept; ++i) {
                    index const d = targets_[i];
                    if (mark[d] == candidate) {
                        mark[d] = seen;
                        --open;  // it is on the stack already, if it has to be
                    } else if (d >= bound && mark[d] != seen) {
                        mark[d] = seen;
                        stack.push_back(d);
                    }
                }
            }
            if (open != candidates) remove_from(r, [&](index d) { return mark[d] == seen; });
        }
        return rows_.size();
    }

    // The dependencies with candidate edges from this dependent on, ascending.
    [[nodiscard]] auto undecided_dependencies(std::size_t undecided) const -> std::vector<undecided_dependency>
    {
        std::vector<undecided_dependency> found(rows_.size());
        for (std::size_t n = undecided; n < rows_.size(); ++n)
            for (index i = rows_[n].first; i != rows_[n].kept; ++i)
                if (index const d = targets_[i]; is_candidate(static_cast<index>(n), d))
                    found[d] = {d, found[d].candidates + 1, static_cast<index>(n)};
        std::erase_if(found, [](undecided_dependency const& q) { return q.candidates == 0; });
        return found;
    }

    // The few dependencies that are candidates in most searches: nearly every vertex depends on them.
    [[nodiscard]] auto frequent_candidates() const -> std::vector<undecided_dependency>
    {
        constexpr std::ptrdiff_t most = 64;
        constexpr index at_least = 64;
        std::vector<undecided_dependency> found;
        std::copy_if(undecided_.begin(), undecided_.end(), std::back_inserter(found),
            [](undecided_dependency const& q) { return q.candidates >= at_least; });
        if (std::ssize(found) > most) {
            std::nth_element(found.begin(), found.begin() + most, found.end(),
                [](undecided_dependency const& a, undecided_dependency const& b) {
                    return a.candidates != b.candidates ? a.candidates > b.candidates : a.dependency < b.dependency;
                });
            found.resize(most);
            std::sort(found.begin(), found.end(), [](undecided_dependency const& a, undecided_dependency const& b) {
                return a.dependency < b.dependency;
            });
        }
        return found;
    }

    // Computes, for 64 columns per word, the dependencies that each vertex reaches.
    template <std::size_t Words>
    void sweep(std::vector<undecided_dependency> const& columns, std::size_t undecided)
    {
        constexpr std::size_t width = Words * 64;
        using block = std::array<std::uint64_t, Words>;

        if (columns.empty()) return;
        std::vector<index> column(rows_.size(), none);
        for (std::size_t c = 0; c < columns.size(); ++c) column[columns[c].dependency] = static_cast<index>(c);
        std::vector<block> reached(rows_.size());
        for (std::size_t base = 0; base < columns.size(); base += width) {
            std::size_t const end = std::min(base + width, columns.size());
            auto const in_block = [&](index d) { return column[d] >= base && column[d] < end; };
            index const first = columns[base].dependency;
            index last = first;
            for (std::size_t i = base; i < end; ++i) last = std::max(last, columns[i].last);
            reached[first] = {};
            for (index n = first + 1; n <= last; ++n) {
                row& r = rows_[n];
                block behind{};  // reached by paths of two or more edges
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
        for (undecided_dependency const& q : columns) entered_[q.dependency] = none;
    }

    std::vector<row> rows_;
    std::vector<index> targets_;
    std::vector<index> level_;
    std::vector<index> entered_;  // the first dependent; none after the edges to the vertex are decided
    std::vector<undecided_dependency> undecided_;  // by dependency, before any edge is decided
    vertex_map<index, Id> number_;
};

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
    detail::reduction<vertex_id_t<G>> reduction(g, *order);
    reduction.run(options);

    std::vector<edge_t<G>> redundant;
    std::vector<char> chosen(order->size());
    for (auto const v : g.vertices()) {
        auto const numbers = reduction.redundant(v);
        if (numbers.empty()) continue;
        for (auto const n : numbers) chosen[n] = 1;
        for (auto const e : g.dependency_edges(v))
            if (chosen[reduction.number(e.dependency)] != 0) redundant.push_back(e);
        for (auto const n : numbers) chosen[n] = 0;
    }
    return redundant;
}

/// Removes the redundant edges. The order and the reachability of vertices do not change.
///
/// \return The number of removed edges; on graph_errc::cycle the graph is unchanged.
/// \see    redundant_edges
template <mutable_digraph G>
[[nodiscard]] auto reduce_in_place(G& g, reduction_options const& options = {}) -> result<std::size_t>
{
    auto const redundant = redundant_edges(g, options);
    if (!redundant) return redundant.error();
    for (auto const& e : *redundant) g.erase_edge(e.dependent, e.dependency);
    return redundant->size();
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_TRANSITIVE_REDUCTION_HPP
