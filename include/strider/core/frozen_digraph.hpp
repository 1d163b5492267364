// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_FROZEN_DIGRAPH_HPP
#define STRIDER_CORE_FROZEN_DIGRAPH_HPP

#include <strider/core/assert.hpp>
#include <strider/core/detail/compressed_rows.hpp>
#include <strider/core/detail/origin_store.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/view/subrange.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>
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
    class edge_iterator;

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
    [[nodiscard]] auto edge_count() const noexcept -> std::size_t { return dependents_.all().size(); }
    [[nodiscard]] auto id_bound() const noexcept -> std::size_t { return values_.size(); }
    /// How many dependencies `v` waits for; `in_degree` is the same, by its name in walks.
    [[nodiscard]] auto dependency_count(vertex_id v) const -> std::size_t { return dependencies_.size(v); }
    [[nodiscard]] auto in_degree(vertex_id v) const -> std::size_t { return dependencies_.size(v); }
    /// How many vertices wait for `v`.
    [[nodiscard]] auto dependent_count(vertex_id v) const -> std::size_t { return dependents_.size(v); }
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
        return ranges::subrange(edge_iterator(*this, v, dependencies_.first(v.index())),
            edge_iterator(*this, v, dependencies_.first(v.index() + 1)));
    }
    /// The dependents of all vertices, row by row in ascending id; and where in it each row begins, and the last one
    /// ends. This is what a walk reads.
    [[nodiscard]] auto all_dependents() const noexcept -> std::span<vertex_id const> { return dependents_.all(); }
    [[nodiscard]] auto first_dependents() const noexcept -> std::span<index const> { return dependents_.firsts(); }

    /// Freezes a graph, taking its values along.
    ///
    /// \complexity O(V + E): edges are sorted twice by counting, once by old and once by new ids.
    /// \return graph_errc::cycle with the edges of one cycle if there is no topological order.
    template <directed_graph G>
    [[nodiscard]] static auto from(G&& g) -> result<frozen_digraph>
    {
        constexpr index unfinished = 0xffff'ffff;
        std::vector<index> open(g.id_bound());
        rows draft(g.id_bound());
        bool origins = false;
        each_edge(g, [&](edge const& e) {
            ++open[e.dependent.index()];
            draft.count(e.dependency);
            origins = origins || e.origin != edge_origin();
        });
        draft.seal();
        each_edge(g, [&](edge const& e) { draft.put(e.dependency, e.dependent); });

        frozen_digraph f;
        std::vector<index> number(g.id_bound(), unfinished);
        f.source_.reserve(g.vertex_count());
        for (vertex_id const v : g.vertices())
            if (open[v.index()] == 0) f.source_.push_back(v);
        f.dependents_ = rows(g.vertex_count());
        f.dependencies_ = rows(g.vertex_count());
        for (std::size_t next = 0; next < f.source_.size(); ++next) {
            vertex_id const v = f.source_[next];
            number[v.index()] = static_cast<index>(next);
            for (vertex_id const d : draft[v]) {
                f.dependents_.count(vertex_id(next));
                if (--open[d.index()] == 0) f.source_.push_back(d);
            }
        }
        if (f.source_.size() != g.vertex_count())
            return graph_error(graph_errc::cycle, "the graph has a cycle", cycle_among(g, number, unfinished));

        f.dependents_.seal();
        f.values_.reserve(f.source_.size());
        for (vertex_id const v : f.source_) {
            for (vertex_id const d : draft[v]) {
                vertex_id const dependent(number[d.index()]);
                f.dependents_.put(vertex_id(number[v.index()]), dependent);
                f.dependencies_.count(dependent);
            }
            if constexpr (std::is_lvalue_reference_v<G>) f.values_.push_back(g[v]);
            else f.values_.push_back(std::move(g[v]));
        }
        f.dependencies_.seal();
        if (origins) f.origins_.resize(g.edge_count());
        each_edge(g, [&](edge const& e) {
            vertex_id const dependency(number[e.dependency.index()]);
            index const at = f.dependencies_.put(vertex_id(number[e.dependent.index()]), dependency);
            if (origins) f.origins_[at] = f.rules_.pack(e.origin);
        });
        return f;
    }

private:
    using rows = detail::compressed_rows;

    template <class G, class F>
    static void each_edge(G const& g, F f)
    {
        if constexpr (requires {
                          { g.edges() } -> edge_range;
                      }) {
            for (edge const e : g.edges()) f(e);
        } else {
            for (vertex_id const v : g.vertices())
                for (edge const e : g.dependency_edges(v)) f(e);
        }
    }

    [[nodiscard]] static auto row(rows const& r, vertex_id v)
    {
        STRIDER_ASSERT(v.index() < r.rows(), "the vertex is in the graph");
        std::span<vertex_id const> const all = r[v];
        return ranges::subrange(all.data(), all.data() + all.size());
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
    detail::origin_store rules_;
    std::vector<detail::origin_store::packed>
        origins_;  // beside the dependencies; empty if no edge says why it is there
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

// An edge is put together when it is looked at: kept whole it would be four times as large.
template <class V>
class frozen_digraph<V>::edge_iterator {
public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::forward_iterator_tag;
    using value_type = edge;
    using difference_type = std::ptrdiff_t;
    using reference = edge;
    using pointer = void;

    edge_iterator() = default;
    edge_iterator(frozen_digraph const& graph, vertex_id dependent, index at) noexcept
        : graph_(&graph),
          dependent_(dependent),
          at_(at)
    {}

    [[nodiscard]] auto operator*() const -> edge
    {
        return {dependent_, graph_->dependencies_.all()[at_],
            graph_->origins_.empty() ? edge_origin() : graph_->rules_.unpack(graph_->origins_[at_])};
    }
    auto operator++() noexcept -> edge_iterator&
    {
        ++at_;
        return *this;
    }
    auto operator++(int) noexcept -> edge_iterator
    {
        auto const old = *this;
        ++at_;
        return old;
    }
    friend auto operator==(edge_iterator const& a, edge_iterator const& b) noexcept -> bool { return a.at_ == b.at_; }

private:
    frozen_digraph const* graph_ = nullptr;
    vertex_id dependent_;
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
