// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_EQUIVALENCE_HPP
#define STRIDER_ALGORITHM_EQUIVALENCE_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>

#include <range/v3/algorithm/lower_bound.hpp>
#include <range/v3/algorithm/set_algorithm.hpp>
#include <range/v3/algorithm/sort.hpp>
#include <range/v3/iterator/insert_iterators.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

namespace detail {

template <class Key, class G>
using label_t = std::remove_cvref_t<std::invoke_result_t<Key&, vertex_value_t<G> const&>>;

template <class Key, class G>
[[nodiscard]] auto sorted_labels(G const& g, Key& key) -> std::vector<label_t<Key, G>>
{
    std::vector<label_t<Key, G>> labels;
    labels.reserve(g.vertex_count());
    for (auto const v : g.vertices()) labels.push_back(std::invoke(key, g[v]));
    ranges::sort(labels);
    return labels;
}

// For each vertex the position of its label, or the size of `labels` if `labels` does not contain it.
template <class G, class Key, class Label>
[[nodiscard]] auto label_numbers(G const& g, Key& key, std::vector<Label> const& labels) -> vertex_map_t<G, std::size_t>
{
    vertex_map_t<G, std::size_t> numbers(g.id_bound());
    for (auto const v : g.vertices()) {
        Label const label = std::invoke(key, g[v]);
        auto const found = ranges::lower_bound(labels, label);
        bool const known = found != labels.end() && !(label < *found);
        numbers[v] = known ? static_cast<std::size_t>(found - labels.begin()) : labels.size();
    }
    return numbers;
}

using label_pairs = std::vector<std::pair<std::size_t, std::size_t>>;

template <class G>
[[nodiscard]] auto labelled_edges(G const& g, vertex_map_t<G, std::size_t> const& numbers) -> label_pairs
{
    label_pairs pairs;
    pairs.reserve(g.edge_count());
    for (auto const e : g | views::edges) pairs.emplace_back(numbers[e.dependent], numbers[e.dependency]);
    ranges::sort(pairs);
    return pairs;
}

template <class G>
[[nodiscard]] auto labelled_closure(G const& g, vertex_map_t<G, std::size_t> const& numbers, std::size_t unknown)
    -> label_pairs
{
    auto const closure = dependency_closure(g, [&](vertex_id_t<G> v) { return numbers[v] != unknown; });
    label_pairs pairs;
    for (auto const v : g.vertices())
        for (auto const d : closure[v]) pairs.emplace_back(numbers[v], numbers[d]);
    ranges::sort(pairs);
    return pairs;
}

}  // namespace detail

/// Returns true if two graphs have the same vertices, by key, and the same edges. Ids and origins are ignored.
///
/// Vertices of one graph with equal keys are counted, but not distinguished.
///
/// \complexity O((V + E) log (V + E)).
template <directed_graph A, directed_graph B, class Key = std::identity>
    requires std::totally_ordered<detail::label_t<Key, A>>
    && std::same_as<detail::label_t<Key, A>, detail::label_t<Key, B>>
[[nodiscard]] auto equivalent(A const& a, B const& b, Key key = {}) -> bool
{
    if (a.vertex_count() != b.vertex_count() || a.edge_count() != b.edge_count()) return false;
    auto const labels = detail::sorted_labels<Key>(a, key);
    if (labels != detail::sorted_labels<Key>(b, key)) return false;
    return detail::labelled_edges(a, detail::label_numbers(a, key, labels))
        == detail::labelled_edges(b, detail::label_numbers(b, key, labels));
}

/// Returns true if the vertices common to both graphs, by key, have the same order in both: each has the same direct
/// and indirect dependencies among them, by any path.
///
/// A graph is thus equivalent to its reduction, and to itself with additional join vertices.
///
/// \complexity That of `dependency_closure` and of sorting its result.
template <directed_graph A, directed_graph B, class Key = std::identity>
    requires std::totally_ordered<detail::label_t<Key, A>>
    && std::same_as<detail::label_t<Key, A>, detail::label_t<Key, B>>
[[nodiscard]] auto equal_reachability(A const& a, B const& b, Key key = {}) -> bool
{
    auto const of_a = detail::sorted_labels<Key>(a, key);
    auto const of_b = detail::sorted_labels<Key>(b, key);
    std::remove_const_t<decltype(of_a)> shared;
    ranges::set_intersection(of_a, of_b, ranges::back_inserter(shared));
    return detail::labelled_closure(a, detail::label_numbers(a, key, shared), shared.size())
        == detail::labelled_closure(b, detail::label_numbers(b, key, shared), shared.size());
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_EQUIVALENCE_HPP
