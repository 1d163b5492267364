// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VIEWS_HPP
#define STRIDER_CORE_VIEWS_HPP

#include <strider/core/detail/index_views.hpp>
#include <strider/core/graph_concepts.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

namespace strider {

namespace detail {

// Vertices that satisfy a predicate, as a view. range-v3's filter is not available in this floor.
template <class G, class Keep>
class filtered_vertices {
    using base_range = decltype(std::declval<G const&>().vertices());
    using base_iterator = decltype(std::declval<base_range const&>().begin());
    using id = vertex_id_t<G>;

public:
    class iterator {
    public:
        using iterator_concept = std::forward_iterator_tag;
        using iterator_category = std::forward_iterator_tag;
        using value_type = id;
        using difference_type = std::ptrdiff_t;
        using reference = id;
        using pointer = void;

        iterator() = default;
        iterator(G const* graph, base_iterator at, base_iterator end) : graph_(graph), at_(at), end_(end) { satisfy(); }

        [[nodiscard]] auto operator*() const -> id { return *at_; }
        auto operator++() -> iterator&
        {
            ++at_;
            satisfy();
            return *this;
        }
        auto operator++(int) -> iterator
        {
            auto const old = *this;
            ++*this;
            return old;
        }
        friend auto operator==(iterator const& a, iterator const& b) -> bool { return a.at_ == b.at_; }

    private:
        void satisfy()
        {
            while (at_ != end_ && !Keep{}(*graph_, *at_)) ++at_;
        }

        G const* graph_ = nullptr;
        base_iterator at_{};
        base_iterator end_{};
    };

    [[nodiscard]] static auto of(G const& g)
    {
        auto const all = g.vertices();
        return row<iterator>(iterator(&g, all.begin(), all.end()), iterator(&g, all.end(), all.end()));
    }
};

struct has_no_dependents {
    template <class G>
    [[nodiscard]] auto operator()(G const& g, vertex_id_t<G> v) const -> bool
    {
        auto const r = g.dependents(v);
        return r.begin() == r.end();
    }
};

struct has_no_dependencies {
    template <class G>
    [[nodiscard]] auto operator()(G const& g, vertex_id_t<G> v) const -> bool
    {
        auto const r = g.dependencies(v);
        return r.begin() == r.end();
    }
};

// A query about a whole graph, `query(g)` or `g | query`. Temporary graphs are rejected.
template <class Query>
struct graph_query {
    template <directed_graph G>
    [[nodiscard]] constexpr auto operator()(G& g) const
    {
        return Query::of(g);
    }
    template <directed_graph G>
        requires(!std::is_lvalue_reference_v<G>)
    void operator()(G&&) const = delete;

    template <directed_graph G>
    [[nodiscard]] friend constexpr auto operator|(G& g, graph_query const& query)
    {
        return query(g);
    }
};

struct all_vertices {
    [[nodiscard]] static auto of(directed_graph auto const& g) { return g.vertices(); }
};
struct root_vertices {
    template <class G>
    [[nodiscard]] static auto of(G const& g)
    {
        return filtered_vertices<G, has_no_dependents>::of(g);
    }
};
struct leaf_vertices {
    template <class G>
    [[nodiscard]] static auto of(G const& g)
    {
        return filtered_vertices<G, has_no_dependencies>::of(g);
    }
};

enum class incidence { dependencies, dependents, dependency_edges };

// A query about one vertex, `query(g, v)` or `g | query(v)`. Temporary graphs are rejected.
template <incidence I>
struct vertex_query {
    template <class Id>
    struct bound {
        Id v;
        template <directed_graph G>
        [[nodiscard]] friend constexpr auto operator|(G& g, bound const& b)
        {
            return vertex_query{}(g, b.v);
        }
    };

    template <directed_graph G>
    [[nodiscard]] constexpr auto operator()(G& g, vertex_id_t<G> v) const
    {
        if constexpr (I == incidence::dependencies) return g.dependencies(v);
        else if constexpr (I == incidence::dependents) return g.dependents(v);
        else return g.dependency_edges(v);
    }
    template <directed_graph G>
        requires(!std::is_lvalue_reference_v<G>)
    void operator()(G&&, vertex_id_t<G>) const = delete;

    template <class Kind>
    [[nodiscard]] constexpr auto operator()(basic_vertex_id<Kind> v) const -> bound<basic_vertex_id<Kind>>
    {
        return {v};
    }
};

}  // namespace detail

/// Queries of a graph as views: `views::dependents(g, v)`, `g | views::roots`. They are valid as long as the graph.
namespace views {

/// All vertices.
inline constexpr detail::graph_query<detail::all_vertices> vertices{};
/// Vertices without dependents.
inline constexpr detail::graph_query<detail::root_vertices> roots{};
/// Vertices without dependencies: they are ready at once.
inline constexpr detail::graph_query<detail::leaf_vertices> leaves{};
/// The vertices that a vertex depends on.
inline constexpr detail::vertex_query<detail::incidence::dependencies> dependencies{};
/// The vertices that depend on a vertex.
inline constexpr detail::vertex_query<detail::incidence::dependents> dependents{};
/// The edges from a vertex to its dependencies.
inline constexpr detail::vertex_query<detail::incidence::dependency_edges> dependency_edges{};

}  // namespace views

}  // namespace strider

#endif  // STRIDER_CORE_VIEWS_HPP
