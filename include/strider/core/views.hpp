// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VIEWS_HPP
#define STRIDER_CORE_VIEWS_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/range/access.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/primitives.hpp>
#include <range/v3/view/all.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/for_each.hpp>
#include <range/v3/view/transform.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace strider {

/// A query of a graph that can be piped: `g | closure` calls `query(g)`, and `closure | adaptor` appends an adaptor of
/// range-v3 or of the standard library to it.
///
/// The graph must be an lvalue that lives as long as the view: a temporary does not compile.
template <class Query>
struct graph_closure {
    Query query;  ///< called with the graph

    /// Returns the query's view of the graph.
    template <directed_graph G>
        requires std::invocable<Query const&, G const&>
    [[nodiscard]] friend constexpr auto operator|(G& g, graph_closure const& closure)
    {
        return closure.query(std::as_const(g));
    }
    template <directed_graph G>
    friend void operator|(G const&&, graph_closure const&) = delete;  // the view would outlive the graph

    /// Composes a query and an adaptor: `g | (closure | adaptor)` is `(g | closure) | adaptor`.
    template <class Adaptor>
        requires(!directed_graph<Adaptor> && !ranges::range<Adaptor>)
    [[nodiscard]] friend constexpr auto operator|(graph_closure closure, Adaptor adaptor)
    {
        auto composed = [make = std::move(closure.query), adaptor = std::move(adaptor)](
                            auto const& g) { return make(g) | adaptor; };
        return graph_closure<decltype(composed)>{std::move(composed)};
    }
};
/// Deduces the type of the query.
template <class Query>
graph_closure(Query) -> graph_closure<Query>;

namespace detail {

// A query without arguments: `views::x(g)` and `g | views::x`.
template <class Query>
struct graph_query : graph_closure<Query> {
    template <directed_graph G>
    [[nodiscard]] constexpr auto operator()(G& g) const
    {
        return this->query(std::as_const(g));
    }
    template <directed_graph G>
    void operator()(G const&&) const = delete;  // the view would outlive the graph
};

// A query with arguments: `views::x(g, args…)` and `g | views::x(args…)`.
template <class Query>
struct graph_query_of {
    Query query;

    template <directed_graph G, class... Args>
        requires std::invocable<Query const&, G const&, Args...>
    [[nodiscard]] constexpr auto operator()(G& g, Args&&... args) const
    {
        return query(std::as_const(g), std::forward<Args>(args)...);
    }
    template <directed_graph G, class... Args>
    void operator()(G const&&, Args&&...) const = delete;  // the view would outlive the graph

    // A range is stored as a view, so that it does not end with the closure.
    template <class Arg, class... Args>
        requires(!directed_graph<Arg> && (!ranges::range<Arg> || ranges::viewable_range<Arg>))
    [[nodiscard]] constexpr auto operator()(Arg&& arg, Args... args) const
    {
        using stored = decltype(lasting(std::forward<Arg>(arg)));
        auto bound = [query = query, arg = lasting(std::forward<Arg>(arg)), args...]<class G>(G const& g)
            requires std::invocable<Query const&, G const&, stored, Args const&...>
        { return query(g, stored(arg), args...); };
        return graph_closure<decltype(bound)>{std::move(bound)};
    }
    template <ranges::range Arg, class... Args>
        requires(!directed_graph<Arg> && !ranges::viewable_range<Arg>)
    void operator()(Arg&&, Args...) const = delete;  // a temporary container would end before the view: give it a name

private:
    template <class Arg>
    [[nodiscard]] static constexpr auto lasting(Arg&& arg)
    {
        if constexpr (ranges::range<Arg>) return ranges::views::all(std::forward<Arg>(arg));
        else return std::decay_t<Arg>(std::forward<Arg>(arg));
    }
};

template <class Query>
graph_query(Query) -> graph_query<Query>;
template <class Query>
graph_query_of(Query) -> graph_query_of<Query>;

struct values_of_fn {
    template <directed_graph G>
    [[nodiscard]] constexpr auto operator()(G& g) const
    {
        return ranges::views::transform([&g](vertex_id_t<G> v) -> decltype(auto) { return g[v]; });
    }
    template <directed_graph G>
    void operator()(G const&&) const = delete;  // the view would outlive the graph
};
}  // namespace detail

/// Queries of a graph as range adaptors: `views::dependents(g, v)`, `g | views::dependents(v)`, `g | views::roots`. They compose
/// with `ranges::views` and `std::views`. `strider/algorithm/views.hpp` adds those that search.
///
/// A view is valid as long as the graph. Queries of this header are evaluated lazily and need O(1) memory.
namespace views {

/// All vertices, in ascending id.
inline constexpr detail::graph_query vertices{[](auto const& g) { return g.vertices(); }};
/// An adaptor of ranges of vertices: `order | views::values_of(g)` are the values of the vertices, as references.
inline constexpr detail::values_of_fn values_of{};
/// Vertices without dependents.
inline constexpr detail::graph_query roots{[](auto const& g) {
    return g.vertices() | ranges::views::filter([&g](auto v) { return ranges::empty(g.dependents(v)); });
}};
/// Vertices without dependencies: they are ready at once.
inline constexpr detail::graph_query leaves{[](auto const& g) {
    return g.vertices() | ranges::views::filter([&g](auto v) { return ranges::empty(g.dependencies(v)); });
}};
/// All edges: `edges()` of the graph, as all graphs of the library that are not growing have them; else those of each vertex, as a
/// single-pass view.
inline constexpr detail::graph_query edges{[](auto const& g) {
    if constexpr (detail::lists_all_edges<decltype(g)>) return g.edges();
    else return g.vertices() | ranges::views::for_each([&g](auto v) { return g.dependency_edges(v); });
}};
/// The vertices that a vertex depends on.
inline constexpr detail::graph_query_of dependencies{
    []<class G>(G const& g, vertex_id_t<G> v) { return g.dependencies(v); }};
/// The vertices that depend on a vertex.
inline constexpr detail::graph_query_of dependents{
    []<class G>(G const& g, vertex_id_t<G> v) { return g.dependents(v); }};
/// The edges from a vertex to its dependencies.
inline constexpr detail::graph_query_of dependency_edges{
    []<class G>(G const& g, vertex_id_t<G> v) { return g.dependency_edges(v); }};

}  // namespace views

}  // namespace strider

#endif  // STRIDER_CORE_VIEWS_HPP
