// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DIGRAPH_HPP
#define STRIDER_CORE_DIGRAPH_HPP

#include <strider/core/assert.hpp>
#include <strider/core/detail/element_count.hpp>
#include <strider/core/detail/indexed.hpp>
#include <strider/core/detail/origin_store.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/iterator/basic_iterator.hpp>
#include <range/v3/range/access.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/traits.hpp>
#include <range/v3/view/subrange.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

namespace detail {

// The type of the elements that a range gives: a container that nobody else refers to gives rvalues, so that they are moved.
template <class R>
using given_element_t = std::conditional_t<!std::is_lvalue_reference_v<R> && !ranges::borrowed_range<R>
        && !ranges::view_<R> && std::is_lvalue_reference_v<ranges::range_reference_t<R>>,
    std::remove_reference_t<ranges::range_reference_t<R>>&&, ranges::range_reference_t<R>>;

}  // namespace detail

/// A mutable directed graph. Vertices carry a value; edges go from a dependent to its dependency.
///
/// All edges are stored in one array and linked per vertex in both directions, in order of insertion, so an edge
/// needs no allocation of its own. An id is valid until its vertex is erased, and is not reused. After `freeze` a
/// vertex has another id, of another type. Erasing an element invalidates views that refer to it; adding elements
/// invalidates none. A view contains the elements that existed when it was made.
template <class V>
class digraph {
    using index = std::uint32_t;
    static constexpr index none = 0xffff'ffff;
    enum direction : unsigned { to_dependency = 0, to_dependent = 1 };

    struct edge_record {
        index end[2];  // indexed by direction: the dependency, the dependent
        index next[2];  // the next edge of the same dependent, of the same dependency
        index prior[2];  // the edge before it
        detail::origin_store::packed origin;
    };
    struct chain {
        index first = none;
        index last = none;
        index size = 0;
    };
    struct vertex_record {
        std::optional<V> value;
        chain edges[2];
    };
    template <class Element>
    struct existing_cursor;
    template <direction D, class Element>
    struct incidence_cursor;

public:
    using value_type = V;  ///< the type of the value that each vertex carries
    using dependency_type = basic_dependency<draft_vertex_id>;  ///< what `depends_on` returns

    /// A graph without vertices.
    digraph() = default;
    /// Copies vertices and edges: an id identifies the same vertex in the copy. If the copy of a value throws, an assignment has
    /// no effect. \complexity O(V + E), with erased ones.
    /// @{
    digraph(digraph const&) = default;
    auto operator=(digraph const& other) -> digraph& { return *this = digraph(other); }
    /// @}
    /// Leaves `other` empty.
    /// @{
    digraph(digraph&& other) noexcept = default;
    auto operator=(digraph&& other) noexcept -> digraph& = default;
    /// @}
    ~digraph() = default;

    /// Adds a vertex with this value. \complexity amortised O(1).
    /// \throws std::length_error beyond 2^32 - 1 vertices, including erased ones
    auto add_vertex(V value) -> draft_vertex_id
    {
        if (vertices_.size() >= none) throw std::length_error("a digraph has at most 2^32 - 1 vertices");
        draft_vertex_id const id(vertices_.size());
        vertices_.push_back(vertex_record{std::move(value), {}});
        ++vertex_count_;
        return id;
    }

    /// Adds a vertex for each element of a range, in order. Returns their ids. Elements of a temporary container are moved.
    /// \complexity amortised O(1) per element.
    /// \throws std::length_error beyond 2^32 - 1 vertices, including erased ones
    template <ranges::input_range R>
        requires std::convertible_to<detail::given_element_t<R>, V>
    auto add_vertices(R&& values) -> std::vector<draft_vertex_id>
    {
        std::vector<draft_vertex_id> added;
        if constexpr (ranges::sized_range<R>) {
            auto const count = static_cast<std::size_t>(ranges::size(values));
            added.reserve(count);
            reserve_more(count);
        }
        for (auto&& value : values) added.push_back(add_vertex(static_cast<detail::given_element_t<R>&&>(value)));
        return added;
    }

    /// Removes a vertex and its edges. \complexity O(sum of the degrees of the vertex and its neighbours).
    void erase_vertex(draft_vertex_id v)
    {
        STRIDER_ASSERT(contains(v), "the vertex to erase is in the graph");
        while (record(v).edges[to_dependency].first != none)
            erase_edge(v, depends_on(draft_vertex_id(edges_[record(v).edges[to_dependency].first].end[to_dependency])));
        while (record(v).edges[to_dependent].first != none)
            erase_edge(draft_vertex_id(edges_[record(v).edges[to_dependent].first].end[to_dependent]), depends_on(v));
        record(v).value.reset();
        --vertex_count_;
    }

    /// Adds an edge from `dependent` to `dependency`. If the edge exists, returns false and keeps its origin.
    /// \complexity O(the smaller of the two degrees), for the search.
    /// \pre Both vertices are in the graph.
    /// \throws std::length_error beyond 2^32 - 1 edges, including erased ones
    auto add_edge(draft_vertex_id dependent, dependency_type dependency, edge_origin origin = {}) -> bool
    {
        if (find(dependent, dependency.vertex) != none) return false;
        if (edges_.size() >= none) throw std::length_error("a digraph has at most 2^32 - 1 edges");
        auto const e = static_cast<index>(edges_.size());
        edges_.push_back({{id(dependency.vertex), id(dependent)}, {none, none}, {none, none}, origins_.pack(origin)});
        append(record(dependent).edges[to_dependency], to_dependency, e);
        append(record(dependency.vertex).edges[to_dependent], to_dependent, e);
        ++edge_count_;
        return true;
    }

    /// Adds the elements of a range as edges. Edges that exist keep their origins.
    ///
    /// An element is an edge, or any value with projections to its two ends:
    /// `g.add_edges(links, &link::user, &link::used)`.
    /// \complexity that of `add_edge` for each element
    /// \throws as `add_edge`; the edges of the elements before were added
    /// @{
    template <edge_range<draft_vertex_id> R>
    void add_edges(R&& edges)
    {
        for (draft_edge const e : edges) add_edge(e.dependent, depends_on(e.dependency), e.origin);
    }
    template <ranges::input_range R, class Dependent, class Dependency>
        requires std::invocable<Dependent&, ranges::range_reference_t<R>>
        && std::invocable<Dependency&, ranges::range_reference_t<R>>
    void add_edges(R&& range, Dependent dependent, Dependency dependency)
    {
        for (auto&& e : range) add_edge(std::invoke(dependent, e), depends_on(std::invoke(dependency, e)));
    }
    /// @}

    /// Removes an edge. Returns false if there was none. \complexity O(the smaller of the two degrees).
    auto erase_edge(draft_vertex_id dependent, dependency_type dependency) -> bool
    {
        index const e = find(dependent, dependency.vertex);
        if (e == none) return false;
        unlink(record(dependent).edges[to_dependency], to_dependency, e);
        unlink(record(dependency.vertex).edges[to_dependent], to_dependent, e);
        edges_[e].end[to_dependent] = none;
        --edge_count_;
        return true;
    }

    /// Returns true if the edge exists. \pre Both vertices are in the graph. \complexity O(the smaller of the two degrees).
    [[nodiscard]] auto has_edge(draft_vertex_id dependent, dependency_type dependency) const -> bool
    {
        return find(dependent, dependency.vertex) != none;
    }

    /// Returns the origin of an edge. \pre has_edge(dependent, dependency)
    [[nodiscard]] auto origin(draft_vertex_id dependent, dependency_type dependency) const -> edge_origin
    {
        index const e = find(dependent, dependency.vertex);
        STRIDER_ASSERT(e != none, "the edge is in the graph");
        return origins_.unpack(edges_[e].origin);
    }

    /// Returns true if `v` was added and is not erased; false for an id of no vertex. \complexity O(1).
    [[nodiscard]] auto contains(draft_vertex_id v) const noexcept -> bool
    {
        return v.index() < vertices_.size() && vertices_[v.index()].value.has_value();
    }
    /// Returns the value of `v`; the reference is valid until a vertex is added or `v` is erased. \pre contains(v)
    /// @{
    [[nodiscard]] auto operator[](draft_vertex_id v) -> V&
    {
        STRIDER_ASSERT(contains(v), "the vertex is in the graph");
        return *vertices_[v.index()].value;
    }
    [[nodiscard]] auto operator[](draft_vertex_id v) const -> V const&
    {
        STRIDER_ASSERT(contains(v), "the vertex is in the graph");
        return *vertices_[v.index()].value;
    }
    /// @}

    /// The number of vertices without the erased ones, thus not a bound of ids. \complexity O(1).
    [[nodiscard]] auto vertex_count() const noexcept -> std::size_t { return vertex_count_; }
    /// The number of edges without the erased ones. \complexity O(1).
    [[nodiscard]] auto edge_count() const noexcept -> std::size_t { return edge_count_; }
    /// Upper bound of all ids; the size of maps over vertices.
    [[nodiscard]] auto id_bound() const noexcept -> std::size_t { return vertices_.size(); }
    /// The number of dependencies of `v`: its out-degree, because edges point to dependencies. \complexity O(1).
    [[nodiscard]] auto dependency_count(draft_vertex_id v) const -> std::size_t
    {
        return record(v).edges[to_dependency].size;
    }
    /// The number of dependents of `v`. \complexity O(1).
    [[nodiscard]] auto dependent_count(draft_vertex_id v) const -> std::size_t
    {
        return record(v).edges[to_dependent].size;
    }

    /// The vertices in ascending id.
    [[nodiscard]] auto vertices() const& { return existing<draft_vertex_id>(vertices_.size(), vertex_count_); }
    /// All edges in order of insertion: the fastest way to iterate over all of them.
    [[nodiscard]] auto edges() const& { return existing<draft_edge>(edges_.size(), edge_count_); }
    /// The direct dependencies of `v`, in order of insertion.
    [[nodiscard]] auto dependencies(draft_vertex_id v) const& { return incident<to_dependency, draft_vertex_id>(v); }
    /// The direct dependents of `v`, in order of insertion.
    [[nodiscard]] auto dependents(draft_vertex_id v) const& { return incident<to_dependent, draft_vertex_id>(v); }
    /// The edges from `v` to its dependencies.
    [[nodiscard]] auto dependency_edges(draft_vertex_id v) const& { return incident<to_dependency, draft_edge>(v); }
    /// The edges from the dependents of `v` to `v`.
    [[nodiscard]] auto dependent_edges(draft_vertex_id v) const& { return incident<to_dependent, draft_edge>(v); }

    /// Deleted: the view would refer to a temporary graph.
    /// @{
    void vertices() const&& = delete;
    void edges() const&& = delete;
    void dependencies(draft_vertex_id) const&& = delete;
    void dependents(draft_vertex_id) const&& = delete;
    void dependency_edges(draft_vertex_id) const&& = delete;
    void dependent_edges(draft_vertex_id) const&& = delete;
    /// @}

    /// Allocates memory for so many vertices and edges in total, including erased ones. It releases no memory.
    void reserve(std::size_t vertices, std::size_t edges)
    {
        vertices_.reserve(vertices);
        edges_.reserve(edges);
    }

private:
    // At least doubles the memory, so that many calls with few vertices do not move all of them each time.
    void reserve_more(std::size_t count)
    {
        std::size_t const needed = vertices_.size() + count;
        if (needed > vertices_.capacity()) vertices_.reserve(std::max(needed, 2 * vertices_.capacity()));
    }
    [[nodiscard]] static auto id(draft_vertex_id v) noexcept -> index { return static_cast<index>(v.index()); }
    [[nodiscard]] auto record(draft_vertex_id v) -> vertex_record& { return vertices_[v.index()]; }
    [[nodiscard]] auto record(draft_vertex_id v) const -> vertex_record const&
    {
        STRIDER_ASSERT(contains(v), "the vertex is in the graph");
        return vertices_[v.index()];
    }

    [[nodiscard]] auto find(draft_vertex_id dependent, draft_vertex_id dependency) const -> index
    {
        chain const& out = record(dependent).edges[to_dependency];
        chain const& in = record(dependency).edges[to_dependent];
        auto const seek = [this](index e, direction d, index end) {
            while (e != none && edges_[e].end[d] != end) e = edges_[e].next[d];
            return e;
        };
        return out.size <= in.size ? seek(out.first, to_dependency, id(dependency))
                                   : seek(in.first, to_dependent, id(dependent));
    }

    void append(chain& c, direction d, index e)
    {
        if (c.last == none) c.first = e;
        else edges_[c.last].next[d] = e;
        edges_[e].prior[d] = c.last;
        c.last = e;
        ++c.size;
    }

    void unlink(chain& c, direction d, index e)
    {
        index const prior = edges_[e].prior[d];
        index const next = edges_[e].next[d];
        if (prior == none) c.first = next;
        else edges_[prior].next[d] = next;
        if (next == none) c.last = prior;
        else edges_[next].prior[d] = prior;
        --c.size;
    }

    [[nodiscard]] auto edge_at(edge_record const& e) const -> draft_edge
    {
        return {draft_vertex_id(e.end[to_dependent]), draft_vertex_id(e.end[to_dependency]), origins_.unpack(e.origin)};
    }

    template <class Element>
    [[nodiscard]] auto existing(std::size_t bound, std::size_t count) const
    {
        auto const end = static_cast<index>(bound);
        existing_cursor<Element> const last{{}, this, end, end};
        return ranges::make_subrange(ranges::basic_iterator(last.from(0)), ranges::basic_iterator(last), count);
    }
    template <direction D, class Element>
    [[nodiscard]] auto incident(draft_vertex_id v) const
    {
        chain const& c = record(v).edges[D];
        auto const position = [this](index at, index left) {
            return ranges::basic_iterator(incidence_cursor<D, Element>{{}, this, at, left});
        };
        return ranges::make_subrange(position(c.first, c.size), position(none, 0), c.size);
    }

    std::vector<vertex_record> vertices_;
    std::vector<edge_record> edges_;
    detail::origin_store origins_;
    detail::element_count vertex_count_;
    detail::element_count edge_count_;
};

// A position among the vertices or the edges below a bound that were not erased.
/// \private
template <class V>
template <class Element>
struct digraph<V>::existing_cursor : detail::cursor_base {
    digraph const* graph = nullptr;
    index at = 0;
    index bound = 0;

    [[nodiscard]] auto from(index i) const -> existing_cursor
    {
        while (i != bound && !exists(i)) ++i;
        return {{}, graph, i, bound};
    }
    [[nodiscard]] auto exists(index i) const -> bool
    {
        if constexpr (is_edge) return graph->edges_[i].end[to_dependent] != none;
        else return graph->vertices_[i].value.has_value();
    }
    [[nodiscard]] auto read() const -> Element
    {
        if constexpr (is_edge) return graph->edge_at(graph->edges_[at]);
        else return Element(at);
    }
    void next() { *this = from(at + 1); }
    [[nodiscard]] auto equal(existing_cursor const& other) const noexcept -> bool { return at == other.at; }

    static constexpr bool is_edge = std::same_as<Element, draft_edge>;
};

// A position in the list of edges of a vertex, which ends with the last edge that existed when the position was made.
/// \private
template <class V>
template <typename digraph<V>::direction D, class Element>
struct digraph<V>::incidence_cursor : detail::cursor_base {
    digraph const* graph = nullptr;
    index at = none;
    index left = 0;

    [[nodiscard]] auto read() const -> Element
    {
        edge_record const& e = graph->edges_[at];
        if constexpr (std::same_as<Element, draft_edge>) return graph->edge_at(e);
        else return Element(e.end[D]);
    }
    void next() { at = --left == 0 ? none : graph->edges_[at].next[D]; }
    [[nodiscard]] auto equal(incidence_cursor const& other) const noexcept -> bool { return left == other.left; }
};

}  // namespace strider

#endif  // STRIDER_CORE_DIGRAPH_HPP
