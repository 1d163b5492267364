// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DETAIL_ADJACENCY_HPP
#define STRIDER_CORE_DETAIL_ADJACENCY_HPP

#include <strider/core/detail/compressed_rows.hpp>
#include <strider/core/direction.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/range/concepts.hpp>
#include <range/v3/range/operations.hpp>

#include <cstddef>
#include <span>
#include <utility>

namespace strider::detail {

/// The neighbours of every vertex, for algorithms that visit all of them.
///
/// A mutable graph stores the edges of a vertex at distant addresses, so each step is a cache miss. If the graph
/// lists all its edges, they are counting-sorted first, in two sequential passes, which is faster than one traversal
/// in another order than that of insertion.
template <direction D, directed_graph G>
class adjacency {
public:
    explicit adjacency(G const& g) : graph_(g) {}
    [[nodiscard]] auto operator[](vertex_id_t<G> v) const { return incident<D>(graph_, v); }
    [[nodiscard]] auto size(vertex_id_t<G> v) const -> std::size_t
    {
        return static_cast<std::size_t>(ranges::distance((*this)[v]));
    }

private:
    G const& graph_;
};

template <direction D, directed_graph G>
    requires lists_all_edges<G> && (!lists_edges_by_row<G>)
    && (!ranges::contiguous_range<decltype(incident<D>(std::declval<G const&>(), vertex_id_t<G>()))>)
class adjacency<D, G> {
public:
    explicit adjacency(G const& g) : rows_(g.id_bound())
    {
        for (edge_t<G> const e : g.edges()) rows_.count(from(e));
        rows_.seal();
        for (edge_t<G> const e : g.edges()) rows_.put(from(e), to(e));
    }

    [[nodiscard]] auto operator[](vertex_id_t<G> v) const -> std::span<vertex_id_t<G> const> { return rows_[v]; }
    [[nodiscard]] auto size(vertex_id_t<G> v) const -> std::size_t { return rows_.size(v); }

private:
    [[nodiscard]] static auto from(edge_t<G> const& e) -> vertex_id_t<G>
    {
        return D == direction::dependencies ? e.dependent : e.dependency;
    }
    [[nodiscard]] static auto to(edge_t<G> const& e) -> vertex_id_t<G>
    {
        return D == direction::dependencies ? e.dependency : e.dependent;
    }

    compressed_rows<vertex_id_t<G>> rows_;
};

}  // namespace strider::detail

#endif  // STRIDER_CORE_DETAIL_ADJACENCY_HPP
