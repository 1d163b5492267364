// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_DETAIL_ADJACENCY_HPP
#define STRIDER_ALGORITHM_DETAIL_ADJACENCY_HPP

#include <strider/algorithm/depth_first.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strider::detail {

template <class G>
concept lists_all_edges = requires(G const& g) {
    { g.edges() } -> edge_range;
};

/// The neighbours of every vertex, for algorithms that look at all of them.
///
/// A graph that is built edge by edge keeps the edges of a vertex far apart, and each step to the next one waits for
/// memory. Where a graph lists all its edges they are sorted by counting first, in two passes that do not wait; this costs
/// less than to visit them once in another order than they were made in.
template <direction D, directed_graph G>
class adjacency {
public:
    explicit adjacency(G const& g) : graph_(g) {}
    [[nodiscard]] auto operator[](vertex_id_t<G> v) const { return incident<D>(graph_, v); }

private:
    G const& graph_;
};

template <direction D, directed_graph G>
    requires lists_all_edges<G>
class adjacency<D, G> {
public:
    explicit adjacency(G const& g) : offsets_(g.id_bound() + 2), neighbours_(g.edge_count())
    {
        // Shifted by one, so that filling a row moves its start to where it belongs.
        for (auto const e : g.edges()) ++offsets_[from(e).index() + 2];
        for (std::size_t i = 2; i < offsets_.size(); ++i) offsets_[i] += offsets_[i - 1];
        for (auto const e : g.edges()) neighbours_[offsets_[from(e).index() + 1]++] = to(e);
    }

    [[nodiscard]] auto operator[](vertex_id_t<G> v) const -> std::span<vertex_id_t<G> const>
    {
        std::size_t const first = offsets_[v.index()];
        return std::span(neighbours_).subspan(first, offsets_[v.index() + 1] - first);
    }

private:
    [[nodiscard]] static auto from(edge_t<G> const& e) -> vertex_id_t<G>
    {
        return D == direction::dependencies ? e.dependent : e.dependency;
    }
    [[nodiscard]] static auto to(edge_t<G> const& e) -> vertex_id_t<G>
    {
        return D == direction::dependencies ? e.dependency : e.dependent;
    }

    std::vector<std::uint32_t> offsets_;
    std::vector<vertex_id_t<G>> neighbours_;
};

}  // namespace strider::detail

#endif  // STRIDER_ALGORITHM_DETAIL_ADJACENCY_HPP
