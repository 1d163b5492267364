// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_FILTERED_GRAPH_HPP
#define STRIDER_CORE_FILTERED_GRAPH_HPP

#include <strider/core/assert.hpp>
#include <strider/core/detail/edge_rows.hpp>
#include <strider/core/detail/indexed.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/iterator/basic_iterator.hpp>
#include <range/v3/iterator/operations.hpp>
#include <range/v3/range/access.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/operations.hpp>
#include <range/v3/view/subrange.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace strider {

/// A graph of which `filtered` makes parts: iterators of its vertices and edges stay valid without the range, as those of a
/// `dag`, of a `digraph`, and of their parts do.
template <class G>
concept filterable_graph = directed_graph<G> && requires(std::remove_cvref_t<G> const& g, vertex_id_t<G> v) {
    { g.vertices() } -> ranges::borrowed_range;
    { g.vertices() } -> ranges::forward_range;
    { g.dependency_edges(v) } -> ranges::borrowed_range;
    { g.dependency_edges(v) } -> ranges::forward_range;
};

/// A predicate of the ids of a graph that can be called while it is `const`: several iterators, and threads, share it.
template <class P, class G>
concept vertex_predicate = std::predicate<P const&, vertex_id_t<G>>;

/// The subgraph of another graph that a predicate of ids induces: the vertices for which it is true, and the edges between
/// them. It copies nothing; ids are those of the other graph.
///
/// The filtered graph of an `acyclic_graph` is one, too: walks, algorithms and views accept it. Concurrent reads are safe if
/// concurrent reads of the other graph, and concurrent calls of the predicate, are: a walk calls it on all of its threads.
/// \see Boost.Graph, `filtered_graph`
template <filterable_graph G, vertex_predicate<G> Predicate>
class filtered_graph {
    template <class Part>
    struct rows_of {
        Part const* graph = nullptr;

        [[nodiscard]] auto operator()(vertex_id_t<G> v) const { return graph->dependency_edges(v); }
    };

public:
    using value_type = vertex_value_t<G>;  ///< the type of the value that each vertex carries
    using dependency_type = basic_dependency<vertex_id_t<G>>;  ///< what `depends_on` returns

    /// The part of `g` for which the predicate is true. \pre `g` exists as long as this object; the predicate returns the same
    /// for a vertex each time.
    filtered_graph(G const& g, Predicate predicate) : graph_(std::addressof(g)), predicate_(std::move(predicate)) {}
    /// Deleted: the object would refer to a temporary graph.
    filtered_graph(G const&&, Predicate) = delete;

    /// Returns the value of `v`. \pre contains(v)
    [[nodiscard]] auto operator[](vertex_id_t<G> v) const -> value_type const& { return (*graph_)[kept_vertex(v)]; }
    /// Returns true if `v` is in the original graph and the predicate is true for it.
    [[nodiscard]] auto contains(vertex_id_t<G> v) const -> bool
        requires requires(G const& g) { g.contains(v); }
    {
        return graph_->contains(v) && keeps(v);
    }
    /// Returns true if the edge exists. \pre contains(dependent) && contains(dependency.vertex)
    [[nodiscard]] auto has_edge(vertex_id_t<G> dependent, dependency_type dependency) const -> bool
        requires requires(G const& g) { g.has_edge(dependent, dependency); }
    {
        return graph_->has_edge(kept_vertex(dependent), depends_on(kept_vertex(dependency.vertex)));
    }
    /// Returns the origin of an edge. \pre has_edge(dependent, dependency)
    [[nodiscard]] auto origin(vertex_id_t<G> dependent, dependency_type dependency) const -> edge_origin
        requires requires(G const& g) { g.origin(dependent, dependency); }
    {
        return graph_->origin(kept_vertex(dependent), depends_on(kept_vertex(dependency.vertex)));
    }

    /// The number of vertices. \complexity O(vertices of the original graph): each call counts them.
    [[nodiscard]] auto vertex_count() const -> std::size_t { return count(vertices()); }
    /// The number of edges. \complexity O(vertices and edges of the original graph): each call counts them.
    [[nodiscard]] auto edge_count() const -> std::size_t
    {
        std::size_t edges = 0;
        for (vertex_id_t<G> const v : vertices()) edges += dependency_count(v);
        return edges;
    }
    /// Upper bound of all ids, equal to that of the original graph.
    [[nodiscard]] auto id_bound() const -> std::size_t { return graph_->id_bound(); }
    /// The number of dependencies of `v`. \complexity O(dependencies in the original graph).
    [[nodiscard]] auto dependency_count(vertex_id_t<G> v) const -> std::size_t { return count(dependencies(v)); }
    /// The number of dependents of `v`. \complexity O(dependents in the original graph).
    [[nodiscard]] auto dependent_count(vertex_id_t<G> v) const -> std::size_t { return count(dependents(v)); }

    /// The vertices in ascending id. Views of this graph are valid as long as this object. They are forward ranges without a
    /// size, because the elements must be counted.
    [[nodiscard]] auto vertices() const& { return kept(graph_->vertices()); }
    /// The direct dependencies of `v`, in their order in the original graph.
    [[nodiscard]] auto dependencies(vertex_id_t<G> v) const& { return kept(graph_->dependencies(kept_vertex(v))); }
    /// The direct dependents of `v`, in their order in the original graph.
    [[nodiscard]] auto dependents(vertex_id_t<G> v) const& { return kept(graph_->dependents(kept_vertex(v))); }
    /// The edges from `v` to its dependencies.
    [[nodiscard]] auto dependency_edges(vertex_id_t<G> v) const&
    {
        return kept(graph_->dependency_edges(kept_vertex(v)));
    }
    /// The edges from the dependents of `v` to `v`.
    [[nodiscard]] auto dependent_edges(vertex_id_t<G> v) const&
        requires detail::lists_dependent_edges<G>
    {
        return kept(graph_->dependent_edges(kept_vertex(v)));
    }
    /// All edges in ascending id of the dependent, those of each in their order in the original graph.
    [[nodiscard]] auto edges() const&
    {
        auto const [first, last] = detail::edge_rows(vertices(), rows_of<filtered_graph>{this});
        return ranges::make_subrange(first, last);
    }

    /// Deleted: the view would refer to a temporary graph.
    /// @{
    void vertices() const&& = delete;
    void dependencies(vertex_id_t<G>) const&& = delete;
    void dependents(vertex_id_t<G>) const&& = delete;
    void dependency_edges(vertex_id_t<G>) const&& = delete;
    void dependent_edges(vertex_id_t<G>) const&& = delete;
    void edges() const&& = delete;
    /// @}

private:
    template <class Iterator>
    struct cursor : detail::cursor_base {
        filtered_graph const* graph = nullptr;
        Iterator at{};
        Iterator end{};

        [[nodiscard]] auto read() const { return *at; }
        void next()
        {
            ++at;
            skip();
        }
        void skip()
        {
            while (at != end && !graph->keeps(*at)) ++at;
        }
        [[nodiscard]] auto equal(cursor const& other) const -> bool { return at == other.at; }
    };

    [[nodiscard]] auto kept_vertex(vertex_id_t<G> v) const -> vertex_id_t<G>
    {
        STRIDER_ASSERT(keeps(v), "the predicate is true for the vertex");
        return v;
    }
    [[nodiscard]] auto keeps(vertex_id_t<G> v) const -> bool { return std::invoke(predicate_, v); }
    [[nodiscard]] auto keeps(edge_t<G> const& e) const -> bool { return keeps(e.dependent) && keeps(e.dependency); }
    template <class R>
    [[nodiscard]] static auto count(R const& range) -> std::size_t
    {
        return static_cast<std::size_t>(ranges::distance(range));
    }
    template <ranges::borrowed_range R>
    [[nodiscard]] auto kept(R&& range) const
    {
        auto const last = ranges::next(ranges::begin(range), ranges::end(range));
        cursor<ranges::iterator_t<R>> first{{}, this, ranges::begin(range), last};
        first.skip();
        return ranges::make_subrange(
            ranges::basic_iterator(first), ranges::basic_iterator(cursor<ranges::iterator_t<R>>{{}, this, last, last}));
    }

    G const* graph_;
    Predicate predicate_;
};

/// A part has no cycle if the whole has none.
template <class G, class Predicate>
inline constexpr bool enable_acyclic_graph<filtered_graph<G, Predicate>> = acyclic_graph<G>;
/// \cond
template <class G, class Predicate>
inline constexpr bool detail::lists_edges_by_row<filtered_graph<G, Predicate>> = true;
/// \endcond

/// Returns the subgraph of the vertices for whose ids `predicate` is true, without a copy:
/// `filtered(g, [&](vertex_id v) { return g[v].is_outdated; })`. \pre `g` exists as long as the result.
template <filterable_graph G, vertex_predicate<G> Predicate>
[[nodiscard]] auto filtered(G const& g, Predicate predicate) -> filtered_graph<G, Predicate>
{
    return filtered_graph<G, Predicate>(g, std::move(predicate));
}
/// Deleted: the result would refer to a temporary graph.
template <directed_graph G, class Predicate>
void filtered(G const&& g, Predicate predicate) = delete;

}  // namespace strider

#endif  // STRIDER_CORE_FILTERED_GRAPH_HPP
