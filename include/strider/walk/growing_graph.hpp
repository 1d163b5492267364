// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_GROWING_GRAPH_HPP
#define STRIDER_WALK_GROWING_GRAPH_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <concepts>
#include <cstddef>

namespace strider {

/// A graph to which visits add vertices. The walk calls `restart` when it begins. When the visit of `v` has ended, it calls
/// `attach(v)`, which makes the `added_count(v)` vertices that the visit added a part of the graph, with ids from the former
/// `id_bound()` on, or `discard(v)`.
template <class G>
concept growing_graph = acyclic_graph<G> && requires(G const& g, vertex_id v) {
    g.restart();
    { g.added_count(v) } -> std::convertible_to<std::size_t>;
    g.attach(v);
    g.discard(v);
};

}  // namespace strider

#endif  // STRIDER_WALK_GROWING_GRAPH_HPP
