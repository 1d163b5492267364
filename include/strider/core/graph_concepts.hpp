// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_GRAPH_CONCEPTS_HPP
#define STRIDER_CORE_GRAPH_CONCEPTS_HPP

#include <strider/core/edge.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/range/access.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/traits.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace strider {

/// The type of the values of the vertices of a graph.
template <class G>
using vertex_value_t = typename std::remove_cvref_t<G>::value_type;

/// The type of the ids of a graph: that of the elements of `vertices()`.
template <class G>
using vertex_id_t = ranges::range_value_t<decltype(std::declval<std::remove_cvref_t<G> const&>().vertices())>;

/// The type of the edges of a graph.
template <class G>
using edge_t = basic_edge<vertex_id_t<G>>;

/// A range of vertex ids.
template <class R, class Id = vertex_id>
concept vertex_range = ranges::input_range<R> && std::convertible_to<ranges::range_reference_t<R>, Id>;

/// A range of edges.
template <class R, class Id = vertex_id>
concept edge_range = ranges::input_range<R> && std::convertible_to<ranges::range_reference_t<R>, basic_edge<Id>>;

/// The neighbours of a vertex: a range of ids whose iterators stay valid when the range object is destroyed, because searches
/// store the position in the row of each vertex on their path.
template <class R, class Id = vertex_id>
concept neighbour_range = vertex_range<R, Id> && ranges::forward_range<R> && ranges::borrowed_range<R>;

namespace detail {

// A reference to a `T` that exists: a value that converts to `T`, or to a reference to it, would be a temporary.
template <class R, class T>
concept refers_to = std::is_lvalue_reference_v<R> && std::convertible_to<std::add_pointer_t<R>, T const*>;

// A projection of values to texts. A text that it returns by value is read before the end of the expression.
template <class F, class V>
concept text_projection =
    std::invocable<F&, V const&> && std::constructible_from<std::string_view, std::invoke_result_t<F&, V const&>>;

}  // namespace detail

/// A directed graph that can be read: its vertices in ascending id, and the edges of each vertex.
///
/// Ids are below `id_bound()` and may have gaps, so maps over vertices are arrays. Values are objects of the graph: `g[v]` is
/// an lvalue.
template <class G>
concept directed_graph = requires(std::remove_cvref_t<G> const& g, vertex_id_t<G> v) {
    typename std::remove_cvref_t<G>::value_type;
    { g.vertices() } -> vertex_range<vertex_id_t<G>>;
    { g.vertex_count() } -> std::convertible_to<std::size_t>;
    { g.edge_count() } -> std::convertible_to<std::size_t>;
    { g.id_bound() } -> std::convertible_to<std::size_t>;
    { g.dependencies(v) } -> neighbour_range<vertex_id_t<G>>;
    { g.dependents(v) } -> neighbour_range<vertex_id_t<G>>;
    { g.dependency_edges(v) } -> edge_range<vertex_id_t<G>>;
    { g[v] } -> detail::refers_to<typename std::remove_cvref_t<G>::value_type>;
};

namespace detail {

template <class G>
concept lists_all_edges = requires(std::remove_cvref_t<G> const& g) {
    { g.edges() } -> edge_range<vertex_id_t<G>>;
};
template <class G>
concept lists_dependent_edges = requires(std::remove_cvref_t<G> const& g, vertex_id_t<G> v) {
    { g.dependent_edges(v) } -> edge_range<vertex_id_t<G>>;
};

// True if `edges()` of a graph reads its rows one after another, so that it is not faster than they are.
template <class G>
inline constexpr bool lists_edges_by_row = false;

}  // namespace detail

/// A graph that a transformer may rewrite. Ids stay valid while vertices and edges are added and erased; views need not.
///
/// Adding an existing edge has no effect and keeps the first origin.
template <class G>
concept mutable_digraph = directed_graph<G> && std::movable<G>
    && requires(G& g, vertex_id_t<G> v, edge_origin origin, vertex_value_t<G> value) {
           { g.add_vertex(std::move(value)) } -> std::same_as<vertex_id_t<G>>;
           { g.erase_vertex(v) } -> std::same_as<void>;
           { g.add_edge(v, depends_on(v), origin) } -> std::same_as<bool>;
           { g.erase_edge(v, depends_on(v)) } -> std::same_as<bool>;
           { g.has_edge(v, depends_on(v)) } -> std::same_as<bool>;
           { g.contains(v) } -> std::same_as<bool>;
       };

/// Base of graphs without cycles: a class that derives from one, such as from `dag`, is an `acyclic_graph`, too.
struct acyclic_graph_base {};

/// True for graphs in which every dependency has a smaller id than its dependents. It is false by default, except for classes
/// that derive from `acyclic_graph_base`: derive a graph of your own from it, or specialise this variable.
template <class G>
inline constexpr bool enable_acyclic_graph = std::derived_from<G, acyclic_graph_base>;

/// A directed graph that can be walked: `enable_acyclic_graph` is true for it, and `dependency_count(v)` is the number of
/// dependencies of `v`.
template <class G>
concept acyclic_graph = directed_graph<G> && enable_acyclic_graph<std::remove_cvref_t<G>>
    && std::same_as<vertex_id_t<G>, vertex_id> && requires(std::remove_cvref_t<G> const& g, vertex_id v) {
           { g.dependency_count(v) } -> std::convertible_to<std::size_t>;
       };

/// A graph to which the visits of a walk add vertices. The walk calls `restart` when it begins. When the visit of `v` has ended, it calls
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

#endif  // STRIDER_CORE_GRAPH_CONCEPTS_HPP
