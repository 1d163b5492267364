// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DAG_HPP
#define STRIDER_CORE_DAG_HPP

#include <strider/core/assert.hpp>
#include <strider/core/detail/adjacency.hpp>
#include <strider/core/detail/compressed_rows.hpp>
#include <strider/core/detail/indexed.hpp>
#include <strider/core/detail/kahn.hpp>
#include <strider/core/detail/origin_store.hpp>
#include <strider/core/direction.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>
#include <strider/core/vertex_naming.hpp>
#include <strider/core/views.hpp>

#include <range/v3/algorithm/contains.hpp>
#include <range/v3/algorithm/find.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

/// An immutable acyclic graph in compressed rows, numbered in topological order.
///
/// Every dependency has a smaller id than its dependents. Vertices that become ready together keep the order of the
/// source graph. Vertices have new ids: `forward_map` maps ids of the source graph to ids of this graph, `source` is
/// the inverse. Concurrent reads are safe.
/// \tparam SourceId  the ids of the source graph
template <class V, class SourceId = draft_vertex_id>
class dag : public acyclic_graph_base {
    using index = std::uint32_t;
    struct flag {
        flag(bool given) noexcept : value(given) {}  // NOLINT(*-explicit-*)

        bool value;
    };
    // Elements of `std::vector<bool>` are not objects to which references refer.
    using stored = std::conditional_t<std::is_same_v<V, bool>, flag, V>;

public:
    using value_type = V;  ///< the type of the value that each vertex carries
    using dependency_type = basic_dependency<vertex_id>;  ///< what `depends_on` returns

    /// A graph without vertices.
    dag() = default;
    /// Copies vertices and edges: ids are the same. If the copy of a value throws, an assignment has no effect.
    /// \complexity O(V + E).
    /// @{
    dag(dag const&) = default;
    auto operator=(dag const& other) -> dag& { return *this = dag(other); }
    /// @}
    /// Leaves `other` empty.
    /// @{
    dag(dag&& other) noexcept = default;
    auto operator=(dag&& other) noexcept -> dag& = default;
    /// @}
    ~dag() = default;

    /// Returns the value of `v`. Values may change, vertices and edges not. \pre v.index() < id_bound()
    /// @{
    [[nodiscard]] auto operator[](vertex_id v) const -> V const&
    {
        STRIDER_ASSERT(v.index() < values_.size(), "the vertex is in the graph");
        return value_in(values_[v.index()]);
    }
    [[nodiscard]] auto operator[](vertex_id v) -> V&
    {
        STRIDER_ASSERT(v.index() < values_.size(), "the vertex is in the graph");
        return value_in(values_[v.index()]);
    }
    /// @}

    /// Deleted: an id of the source graph identifies another vertex, or none.
    template <std::same_as<SourceId> Id>
    void operator[](Id) const = delete;  // the id belongs to the draft: graph.forward_map()[id] is the id in the dag

    /// The number of vertices; the ids are the numbers below it. \complexity O(1).
    [[nodiscard]] auto vertex_count() const noexcept -> std::size_t { return values_.size(); }
    /// The number of edges. \complexity O(1).
    [[nodiscard]] auto edge_count() const noexcept -> std::size_t { return dependents_.all().size(); }
    /// Upper bound of all ids; equal to `vertex_count()`, because ids have no gaps.
    [[nodiscard]] auto id_bound() const noexcept -> std::size_t { return values_.size(); }
    /// The number of dependencies of `v`: its out-degree, because edges point to dependencies. \complexity O(1).
    [[nodiscard]] auto dependency_count(vertex_id v) const -> std::size_t { return dependencies_.size(existing(v)); }
    /// The number of dependents of `v`. \complexity O(1).
    [[nodiscard]] auto dependent_count(vertex_id v) const -> std::size_t { return dependents_.size(existing(v)); }
    /// Returns true if `v` is below `id_bound()`; false for an id of no vertex. \complexity O(1).
    [[nodiscard]] auto contains(vertex_id v) const noexcept -> bool { return v.index() < values_.size(); }
    /// Returns true if the edge exists. \pre Both vertices are in the graph. \complexity O(the smaller of the two degrees).
    [[nodiscard]] auto has_edge(vertex_id dependent, dependency_type dependency) const -> bool
    {
        auto const out = dependencies(dependent);
        auto const in = dependents(dependency.vertex);
        return out.size() <= in.size() ? ranges::contains(out, dependency.vertex) : ranges::contains(in, dependent);
    }
    /// Returns the origin of an edge. \pre has_edge(dependent, dependency) \complexity O(dependencies of `dependent`).
    [[nodiscard]] auto origin(vertex_id dependent, dependency_type dependency) const -> edge_origin
    {
        auto const row = dependencies(dependent);
        auto const found = ranges::find(row, dependency.vertex);
        STRIDER_ASSERT(found != row.end(), "the edge is in the graph");
        return origin_at(dependencies_.first(dependent.index()) + static_cast<std::size_t>(found - row.begin()));
    }
    /// Returns the id of `v` in the source graph: the inverse of `forward_map`. \complexity O(1).
    [[nodiscard]] auto source(vertex_id v) const -> SourceId
    {
        STRIDER_ASSERT(v.index() < source_.size(), "the vertex is in the graph");
        return source_[v.index()];
    }
    /// Returns a map from the ids of the source graph to the ids of this graph: `forward_map()[draft_id]`. The id is
    /// invalid if the vertex had been erased. Each call makes the map; the graph does not store it. \complexity O(V).
    [[nodiscard]] auto forward_map() const -> basic_vertex_map<SourceId, vertex_id>
    {
        basic_vertex_map<SourceId, vertex_id> ids(source_bound_);
        for (std::size_t i = 0; i < source_.size(); ++i) ids[source_[i]] = vertex_id(i);
        return ids;
    }

    /// The vertices in ascending id, which is a topological order: dependencies first.
    [[nodiscard]] auto vertices() const& { return detail::indexed(0, values_.size(), id_at()); }
    /// The direct dependents of `v`, in the order of the edges of the source graph.
    [[nodiscard]] auto dependents(vertex_id v) const& { return dependents_[existing(v)]; }
    /// The direct dependencies of `v`, in the order of the edges of the source graph.
    [[nodiscard]] auto dependencies(vertex_id v) const& { return dependencies_[existing(v)]; }
    /// The edges from `v` to its dependencies, with their origins. They are returned by value.
    [[nodiscard]] auto dependency_edges(vertex_id v) const&
    {
        std::size_t const row = existing(v).index();
        return detail::indexed(dependencies_.first(row), dependencies_.first(row + 1), edge_at{this, v});
    }
    /// The edges from the dependents of `v` to `v`, with their origins. They are returned by value.
    /// \complexity O(dependencies of the dependent) to read an edge, for the search of its origin
    [[nodiscard]] auto dependent_edges(vertex_id v) const&
    {
        return detail::indexed(0, dependent_count(v), edge_from{this, v});
    }
    /// All edges in ascending id of the dependent, with their origins. They are returned by value.
    [[nodiscard]] auto edges() const&
    {
        auto const position = [this](std::size_t dependent, std::size_t at) {
            edge_cursor const cursor{{}, this, static_cast<index>(dependent), static_cast<index>(at)};
            return ranges::basic_iterator(cursor.skip_empty_rows());
        };
        return ranges::make_subrange(position(0, 0), position(vertex_count(), edge_count()), edge_count());
    }

    /// Deleted: the view would refer to a temporary graph.
    /// @{
    void vertices() const&& = delete;
    void dependents(vertex_id) const&& = delete;
    void dependencies(vertex_id) const&& = delete;
    void dependency_edges(vertex_id) const&& = delete;
    void dependent_edges(vertex_id) const&& = delete;
    void edges() const&& = delete;
    /// @}

private:
    friend detail::dag_access;

    template <class G, class Naming>
    [[nodiscard]] static auto from(G&& g, Naming const& naming) -> result<dag>
    {
        using graph = std::remove_cvref_t<G>;
        detail::adjacency<direction::dependents, graph> const draft(g);
        dag f;
        f.source_bound_ = g.id_bound();
        f.source_ = detail::partial_order<graph>(g, draft);
        std::vector<vertex_id> numbers(g.id_bound());  // by source id
        for (std::size_t i = 0; i < f.source_.size(); ++i) numbers[f.source_[i].index()] = vertex_id(i);
        if (f.source_.size() != g.vertex_count()) return cycle_error(g, cycle_among(g, numbers), naming);

        f.dependents_ = rows(g.vertex_count());
        f.dependencies_ = rows(g.vertex_count());
        for (SourceId const v : f.source_) f.dependents_.count(numbers[v.index()], draft.size(v));
        f.dependents_.seal();
        f.values_.reserve(f.source_.size());
        for (SourceId const v : f.source_) {
            for (SourceId const d : draft[v]) {
                vertex_id const dependent = numbers[d.index()];
                f.dependents_.put(numbers[v.index()], dependent);
                f.dependencies_.count(dependent);
            }
            if constexpr (std::is_lvalue_reference_v<G>) f.values_.emplace_back(std::as_const(g)[v]);
            else f.values_.emplace_back(std::move(g[v]));
        }
        f.dependencies_.seal();
        for (basic_edge<SourceId> const e : views::edges(g)) {
            index const at = f.dependencies_.put(numbers[e.dependent.index()], numbers[e.dependency.index()]);
            if (e.origin == edge_origin()) continue;
            if (f.origins_.empty()) f.origins_ = std::vector<detail::origin_store::packed>(g.edge_count());
            f.origins_[at] = f.rules_.pack(e.origin);
        }
        return f;
    }

    template <class Stored>
    [[nodiscard]] static auto value_in(Stored& element) noexcept -> auto&
    {
        if constexpr (std::is_same_v<V, bool>) return (element.value);
        else return (element);
    }
    using rows = detail::compressed_rows<vertex_id>;

    struct id_at {
        [[nodiscard]] auto operator()(std::size_t i) const noexcept -> vertex_id { return vertex_id(i); }
    };
    // An edge is composed on access: stored as a whole it would be four times as large.
    struct edge_at {
        dag const* graph = nullptr;
        vertex_id dependent;

        [[nodiscard]] auto operator()(std::size_t at) const -> edge
        {
            return {dependent, graph->dependencies_.all()[at], graph->origin_at(at)};
        }
    };
    struct edge_from {
        dag const* graph = nullptr;
        vertex_id dependency;

        [[nodiscard]] auto operator()(std::size_t i) const -> edge
        {
            vertex_id const dependent = graph->dependents(dependency)[i];
            return {dependent, dependency, graph->origin(dependent, depends_on(dependency))};
        }
    };

    // The position of an edge in the array of dependencies, and the vertex whose row it is in.
    struct edge_cursor : detail::cursor_base {
        dag const* graph = nullptr;
        index dependent = 0;
        index at = 0;

        [[nodiscard]] auto skip_empty_rows() const -> edge_cursor
        {
            edge_cursor next = *this;
            while (next.at != graph->edge_count() && next.at == graph->dependencies_.first(next.dependent + 1))
                ++next.dependent;
            return next;
        }
        [[nodiscard]] auto read() const -> edge { return edge_at{graph, vertex_id(dependent)}(at); }
        void next()
        {
            ++at;
            *this = skip_empty_rows();
        }
        [[nodiscard]] auto equal(edge_cursor const& other) const noexcept -> bool { return at == other.at; }
    };

    [[nodiscard]] auto origin_at(std::size_t at) const -> edge_origin
    {
        return origins_.empty() ? edge_origin() : rules_.unpack(origins_[at]);
    }
    [[nodiscard]] auto existing(vertex_id v) const -> vertex_id
    {
        STRIDER_ASSERT(contains(v), "the vertex is in the graph");
        return v;
    }

    // Every vertex without a number has a dependency without one: following those finds a cycle.
    template <class G>
    [[nodiscard, gnu::cold]] static auto cycle_among(G const& g, std::vector<vertex_id> const& numbers)
        -> std::vector<basic_edge<SourceId>>
    {
        std::vector<basic_edge<SourceId>> followed(g.id_bound());  // by the vertex where the edge starts
        SourceId at;
        for (SourceId const v : g.vertices())
            if (!at && !numbers[v.index()]) at = v;
        while (!followed[at.index()].dependent) {
            basic_edge<SourceId>& next = followed[at.index()];
            for (basic_edge<SourceId> const e : g.dependency_edges(at))
                if (!next.dependent && !numbers[e.dependency.index()]) next = e;
            if (!next.dependent) next = {at, at};
            at = next.dependency;
        }
        std::size_t size = 1;
        for (SourceId v = followed[at.index()].dependency; v != at; v = followed[v.index()].dependency) ++size;
        std::vector<basic_edge<SourceId>> path(size);
        for (basic_edge<SourceId>& e : path) {
            e = followed[at.index()];
            at = e.dependency;
        }
        return path;
    }

    std::vector<stored> values_;
    std::vector<SourceId> source_;
    std::size_t source_bound_ = 0;
    rows dependents_;
    rows dependencies_;
    detail::origin_store rules_;
    std::vector<detail::origin_store::packed> origins_;  // parallel to the dependencies; empty if no edge has an origin
};

/// A `dag` has no cycle.
template <class V, class SourceId>
inline constexpr bool enable_acyclic_graph<dag<V, SourceId>> = true;

namespace detail {

// The values of an rvalue can be moved if it owns them, else copied: a part of a graph gives references to `const`.
template <class G>
using given_value_t = std::conditional_t<std::is_lvalue_reference_v<G>, vertex_value_t<G> const&,
    decltype(std::move(std::declval<std::remove_reference_t<G>&>()[vertex_id_t<G>()]))>;
template <class G>
concept moves_or_copies_values = std::constructible_from<vertex_value_t<G>, given_value_t<G>>;

}  // namespace detail

/// Makes a `dag` of a graph, for walks. The values of an rvalue are moved, those of an lvalue, or of a part of another graph,
/// copied. If there is no topological
/// order, the result is graph_errc::cycle: one cycle with names, reasons and ids.
///
/// \complexity O(V + E): edges are counting-sorted twice, by old and by new ids.
/// \param naming  names vertices and edge rules in errors
template <directed_graph G, naming_policy<vertex_value_t<G>> Naming = default_naming>
    requires detail::moves_or_copies_values<G>
[[nodiscard]] auto freeze(G&& g, Naming const& naming = {}) -> result<dag<vertex_value_t<G>, vertex_id_t<G>>>
{
    return detail::dag_access::make<dag<vertex_value_t<G>, vertex_id_t<G>>>(std::forward<G>(g), naming);
}
/// As above; a projection names vertices: `freeze(draft, &task::id)`.
template <directed_graph G, std::regular_invocable<vertex_value_t<G> const&> Projection>
    requires(detail::moves_or_copies_values<G> && naming_policy<named_by<Projection>, vertex_value_t<G>>
        && !naming_policy<Projection, vertex_value_t<G>>)
[[nodiscard]] auto freeze(G&& g, Projection projection) -> result<dag<vertex_value_t<G>, vertex_id_t<G>>>
{
    return freeze(std::forward<G>(g), named_by<Projection>(std::move(projection)));
}
/// Deleted for values that cannot be copied, of an lvalue or of a part of another graph.
template <directed_graph G, class... Naming>
    requires(!detail::moves_or_copies_values<G>)
void freeze(G&&, Naming const&...) = delete;  // values cannot be copied: move the graph, freeze(std::move(graph))
/// Deleted for a result, which may have an error instead of a graph.
template <class G, class E, class... Naming>
void freeze(result<G, E> const&, Naming const&...) = delete;  // this is a result: freeze(made.value())

}  // namespace strider

#endif  // STRIDER_CORE_DAG_HPP
