// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_FROZEN_DIGRAPH_HPP
#define STRIDER_CORE_FROZEN_DIGRAPH_HPP

#include <strider/core/assert.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/view/subrange.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

namespace strider {

/// An acyclic graph that no longer changes, in compressed rows, numbered in topological order.
///
/// Every dependency has a smaller id than its dependents, and among vertices that become ready together the order of
/// the source graph is kept. The source id of each vertex is remembered. Reading is free of data races.
template <class V>
class frozen_digraph {
    using index = std::uint32_t;

public:
    using value_type = V;
    static constexpr bool is_frozen = true;

    class id_iterator;

    frozen_digraph() = default;

    [[nodiscard]] auto operator[](vertex_id v) const -> V const&
    {
        STRIDER_ASSERT(v.index() < values_.size(), "the vertex is in the graph");
        return values_[v.index()];
    }
    [[nodiscard]] auto operator[](vertex_id v) -> V&
    {
        STRIDER_ASSERT(v.index() < values_.size(), "the vertex is in the graph");
        return values_[v.index()];
    }

    [[nodiscard]] auto vertex_count() const noexcept -> std::size_t { return values_.size(); }
    [[nodiscard]] auto edge_count() const noexcept -> std::size_t { return dependents_.targets.size(); }
    [[nodiscard]] auto id_bound() const noexcept -> std::size_t { return values_.size(); }
    /// How many dependencies `v` waits for; `in_degree` is the same, by its name in walks.
    [[nodiscard]] auto dependency_count(vertex_id v) const -> std::size_t
    {
        return dependencies_.offsets[v.index() + 1] - dependencies_.offsets[v.index()];
    }
    [[nodiscard]] auto in_degree(vertex_id v) const -> std::size_t { return dependency_count(v); }
    /// How many vertices wait for `v`.
    [[nodiscard]] auto dependent_count(vertex_id v) const -> std::size_t
    {
        return dependents_.offsets[v.index() + 1] - dependents_.offsets[v.index()];
    }
    /// The id that `v` had in the graph that was frozen.
    [[nodiscard]] auto source(vertex_id v) const -> vertex_id { return source_[v.index()]; }

    [[nodiscard]] auto vertices() const
    {
        return ranges::subrange(id_iterator(0), id_iterator(static_cast<index>(values_.size())));
    }
    [[nodiscard]] auto dependents(vertex_id v) const { return row(dependents_, v); }
    [[nodiscard]] auto dependencies(vertex_id v) const { return row(dependencies_, v); }
    [[nodiscard]] auto dependency_edges(vertex_id v) const
    {
        index const first = dependencies_.offsets[v.index()];
        index const last = dependencies_.offsets[v.index() + 1];
        return ranges::subrange(edges_.begin() + first, edges_.begin() + last);
    }

    /// Freezes a graph, taking its values along.
    ///
    /// \complexity O(V + E).
    /// \return graph_errc::cycle with the edges of one cycle if there is no topological order.
    template <directed_graph G>
    [[nodiscard]] static auto from(G&& g) -> result<frozen_digraph>
    {
        constexpr index unfinished = 0xffff'ffff;
        std::vector<index> open(g.id_bound());
        std::vector<index> number(g.id_bound(), unfinished);
        std::vector<vertex_id> order;
        order.reserve(g.vertex_count());
        for (vertex_id const v : g.vertices()) {
            index degree = 0;
            for ([[maybe_unused]] vertex_id const d : g.dependencies(v)) ++degree;
            open[v.index()] = degree;
            if (degree == 0) order.push_back(v);
        }
        for (std::size_t next = 0; next < order.size(); ++next) {
            number[order[next].index()] = static_cast<index>(next);
            for (vertex_id const d : g.dependents(order[next]))
                if (--open[d.index()] == 0) order.push_back(d);
        }
        if (order.size() != g.vertex_count())
            return graph_error(graph_errc::cycle, "the graph has a cycle", cycle_among(g, number, unfinished));

        frozen_digraph f;
        f.values_.reserve(order.size());
        f.edges_.reserve(g.edge_count());
        f.dependencies_.offsets.reserve(order.size() + 1);
        f.dependents_.offsets.reserve(order.size() + 1);
        f.dependencies_.targets.reserve(g.edge_count());
        f.dependents_.targets.reserve(g.edge_count());
        for (vertex_id const v : order) {
            vertex_id const id(f.dependents_.offsets.size());
            f.dependencies_.offsets.push_back(static_cast<index>(f.dependencies_.targets.size()));
            f.dependents_.offsets.push_back(static_cast<index>(f.dependents_.targets.size()));
            for (edge const e : g.dependency_edges(v)) {
                f.dependencies_.targets.push_back(vertex_id(number[e.dependency.index()]));
                f.edges_.push_back({id, vertex_id(number[e.dependency.index()]), e.origin});
            }
            for (vertex_id const d : g.dependents(v)) f.dependents_.targets.push_back(vertex_id(number[d.index()]));
            if constexpr (std::is_lvalue_reference_v<G>) f.values_.push_back(g[v]);
            else f.values_.push_back(std::move(g[v]));
        }
        f.dependencies_.offsets.push_back(static_cast<index>(f.dependencies_.targets.size()));
        f.dependents_.offsets.push_back(static_cast<index>(f.dependents_.targets.size()));
        f.source_ = std::move(order);
        return f;
    }

private:
    struct rows {
        std::vector<index> offsets;
        std::vector<vertex_id> targets;
    };

    [[nodiscard]] static auto row(rows const& r, vertex_id v)
    {
        STRIDER_ASSERT(v.index() + 1 < r.offsets.size(), "the vertex is in the graph");
        vertex_id const* const first = r.targets.data();
        return ranges::subrange(first + r.offsets[v.index()], first + r.offsets[v.index() + 1]);
    }

    // Every vertex that is not numbered has a dependency that is not: following those must close a loop.
    template <class G>
    [[nodiscard]] static auto cycle_among(G const& g, std::vector<index> const& number, index unfinished)
        -> std::vector<edge>
    {
        auto const waits = [&](vertex_id v) { return number[v.index()] == unfinished; };
        vertex_id at;
        for (vertex_id const v : g.vertices())
            if (waits(v)) {
                at = v;
                break;
            }
        std::vector<edge> path;
        std::vector<index> position(g.id_bound(), unfinished);
        while (position[at.index()] == unfinished) {
            position[at.index()] = static_cast<index>(path.size());
            for (edge const e : g.dependency_edges(at))
                if (waits(e.dependency)) {
                    path.push_back(e);
                    at = e.dependency;
                    break;
                }
        }
        path.erase(path.begin(), path.begin() + position[at.index()]);
        return path;
    }

    std::vector<V> values_;
    std::vector<vertex_id> source_;
    rows dependents_;
    rows dependencies_;
    std::vector<edge> edges_;
};

template <class V>
class frozen_digraph<V>::id_iterator {
public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::forward_iterator_tag;
    using value_type = vertex_id;
    using difference_type = std::ptrdiff_t;
    using reference = vertex_id;
    using pointer = void;

    id_iterator() = default;
    explicit id_iterator(index at) noexcept : at_(at) {}

    [[nodiscard]] auto operator*() const noexcept -> vertex_id { return vertex_id(at_); }
    auto operator++() noexcept -> id_iterator&
    {
        ++at_;
        return *this;
    }
    auto operator++(int) noexcept -> id_iterator { return id_iterator(at_++); }
    friend auto operator==(id_iterator, id_iterator) noexcept -> bool = default;

private:
    index at_ = 0;
};

/// Freezes `g`: what `async_walk` takes. See `frozen_digraph::from`.
template <directed_graph G>
[[nodiscard]] auto freeze(G&& g) -> result<frozen_digraph<vertex_value_t<G>>>
{
    return frozen_digraph<vertex_value_t<G>>::from(std::forward<G>(g));
}

}  // namespace strider

#endif  // STRIDER_CORE_FROZEN_DIGRAPH_HPP
