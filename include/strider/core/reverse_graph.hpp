// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_REVERSE_GRAPH_HPP
#define STRIDER_CORE_REVERSE_GRAPH_HPP

#include <strider/core/assert.hpp>
#include <strider/core/detail/edge_rows.hpp>
#include <strider/core/detail/indexed.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/iterator/reverse_iterator.hpp>
#include <range/v3/range/access.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/primitives.hpp>
#include <range/v3/view/subrange.hpp>

#include <concepts>
#include <cstddef>
#include <memory>

namespace strider {

/// A graph that can be read in reverse: a `dag`, or the reverse of one.
template <class G>
concept reversible_graph = acyclic_graph<G> && requires(G const& g, vertex_id v) {
    { g.vertices() } -> ranges::random_access_range;
    { g.dependencies(v) } -> ranges::random_access_range;
    { g.dependents(v) } -> ranges::random_access_range;
    { g.dependency_edges(v) } -> ranges::random_access_range;
    { g.dependent_edges(v) } -> ranges::random_access_range;
    { g.dependent_count(v) } -> std::convertible_to<std::size_t>;
    { g.contains(v) } -> std::convertible_to<bool>;
    { g.has_edge(v, depends_on(v)) } -> std::convertible_to<bool>;
    { g.origin(v, depends_on(v)) } -> std::convertible_to<edge_origin>;
};

/// A graph whose dependencies are the dependents of another one. It copies nothing and stores only the address of that graph.
///
/// It is an `acyclic_graph`: walks, algorithms and views accept it. A walk of it visits every vertex after all vertices that
/// depend on it in the original graph, such as to tear down what a walk of the original has built.
///
/// Dependencies must have smaller ids than dependents, so ids are mirrored: the vertex with the id `v` has the id
/// `g.id_bound() - 1 - v.index()` in the reverse. `original` and `reversed` convert ids.
/// \see Boost.Graph, `reverse_graph`
template <reversible_graph G>
class reverse_graph {
public:
    using value_type = vertex_value_t<G>;  ///< the type of the value that each vertex carries
    using dependency_type = basic_dependency<vertex_id>;  ///< what `depends_on` returns

    /// The reverse of `g`. \pre `g` exists as long as this object.
    explicit reverse_graph(G const& g) noexcept : graph_(std::addressof(g)) {}
    /// Deleted: the object would refer to a temporary graph.
    explicit reverse_graph(G const&&) = delete;

    /// Returns the id in the original graph of a vertex of this graph.
    [[nodiscard]] auto original(vertex_id v) const -> vertex_id { return mirror{id_bound()}(v); }
    /// Returns the id in this graph of a vertex of the original graph: the inverse of `original`.
    [[nodiscard]] auto reversed(vertex_id v) const -> vertex_id { return mirror{id_bound()}(v); }

    /// Returns the value of `v`.
    [[nodiscard]] auto operator[](vertex_id v) const -> value_type const& { return (*graph_)[original(v)]; }

    /// The number of vertices.
    [[nodiscard]] auto vertex_count() const -> std::size_t { return graph_->vertex_count(); }
    /// The number of edges.
    [[nodiscard]] auto edge_count() const -> std::size_t { return graph_->edge_count(); }
    /// Upper bound of all ids, equal to that of the original graph.
    [[nodiscard]] auto id_bound() const -> std::size_t { return graph_->id_bound(); }
    /// Returns true if `v` identifies a vertex.
    [[nodiscard]] auto contains(vertex_id v) const -> bool
    {
        return v.index() < id_bound() && graph_->contains(original(v));
    }
    /// Returns true if the edge exists: the opposite one in the original graph. \pre Both vertices are in the graph.
    [[nodiscard]] auto has_edge(vertex_id dependent, dependency_type dependency) const -> bool
    {
        return graph_->has_edge(original(dependency.vertex), depends_on(original(dependent)));
    }
    /// Returns the origin of an edge: of the opposite one in the original graph. \pre has_edge(dependent, dependency)
    [[nodiscard]] auto origin(vertex_id dependent, dependency_type dependency) const -> edge_origin
    {
        return graph_->origin(original(dependency.vertex), depends_on(original(dependent)));
    }
    /// The number of dependencies of `v`: of its dependents in the original graph.
    [[nodiscard]] auto dependency_count(vertex_id v) const -> std::size_t
    {
        return graph_->dependent_count(original(v));
    }
    /// The number of dependents of `v`: of its dependencies in the original graph.
    [[nodiscard]] auto dependent_count(vertex_id v) const -> std::size_t
    {
        return graph_->dependency_count(original(v));
    }

    /// The vertices in ascending id, which is a topological order: dependencies first.
    [[nodiscard]] auto vertices() const
    {
        return mirrored(ranges::make_reverse_iterator(ranges::end(graph_->vertices())), vertex_count());
    }
    /// The direct dependencies of `v`: its dependents in the original graph, in their order there.
    [[nodiscard]] auto dependencies(vertex_id v) const { return mirrored(graph_->dependents(original(v))); }
    /// The direct dependents of `v`: its dependencies in the original graph, in their order there.
    [[nodiscard]] auto dependents(vertex_id v) const { return mirrored(graph_->dependencies(original(v))); }
    /// The edges from `v` to its dependencies, with the origins of the original edges. They are returned by value, in the time
    /// of `dependent_edges` of the original graph.
    [[nodiscard]] auto dependency_edges(vertex_id v) const { return mirrored(graph_->dependent_edges(original(v))); }
    /// The edges from the dependents of `v` to `v`, in the time of `dependency_edges` of the original graph.
    [[nodiscard]] auto dependent_edges(vertex_id v) const { return mirrored(graph_->dependency_edges(original(v))); }
    /// All edges in ascending id of the dependent, with the origins of the original edges. They are returned by value, in the time
    /// of `dependent_edges` of the original graph.
    [[nodiscard]] auto edges() const
    {
        auto const [first, last] = detail::edge_rows(vertices(), rows_of<reverse_graph>{graph_});
        return ranges::make_subrange(first, last, edge_count());
    }

private:
    template <class Reverse>
    struct rows_of {
        G const* graph = nullptr;

        [[nodiscard]] auto operator()(vertex_id v) const { return Reverse(*graph).dependency_edges(v); }
    };

    // Maps ids and edges of the original graph to those of the reverse, and back.
    struct mirror {
        std::size_t bound = 0;

        [[nodiscard]] auto operator()(vertex_id v) const -> vertex_id
        {
            STRIDER_ASSERT(v.index() < bound, "the vertex is in the graph");
            return vertex_id(bound - 1 - v.index());
        }
        [[nodiscard]] auto operator()(edge const& e) const -> edge
        {
            return {(*this)(e.dependency), (*this)(e.dependent), e.origin};
        }
    };
    template <class Iterator>
    struct element_at {
        Iterator first{};
        mirror to;

        [[nodiscard]] auto operator()(std::size_t i) const { return to(first[static_cast<std::ptrdiff_t>(i)]); }
    };

    template <class Iterator>
    [[nodiscard]] auto mirrored(Iterator first, std::size_t size) const
    {
        return detail::indexed(0, size, element_at<Iterator>{first, mirror{id_bound()}});
    }
    template <class Row>
    [[nodiscard]] auto mirrored(Row row) const
    {
        return mirrored(ranges::begin(row), static_cast<std::size_t>(ranges::size(row)));
    }

    G const* graph_;
};

/// A reversed graph has no cycle, as the graph has none.
template <class G>
inline constexpr bool enable_acyclic_graph<reverse_graph<G>> = true;
/// \cond
template <class G>
inline constexpr bool detail::lists_edges_by_row<reverse_graph<G>> = true;
/// \endcond

/// Returns the graph in which dependents and dependencies are exchanged, without a copy: a walk of it visits dependents first.
/// \pre `g` exists as long as the result.
template <reversible_graph G>
[[nodiscard]] auto reversed(G const& g) noexcept -> reverse_graph<G>
{
    return reverse_graph<G>(g);
}
/// Deleted: the result would refer to a temporary graph.
template <reversible_graph G>
void reversed(G const&& g) = delete;

}  // namespace strider

#endif  // STRIDER_CORE_REVERSE_GRAPH_HPP
