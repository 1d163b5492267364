// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DIGRAPH_HPP
#define STRIDER_CORE_DIGRAPH_HPP

#include <strider/core/assert.hpp>
#include <strider/core/detail/origin_store.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/view/subrange.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace strider {

/// A directed graph to build and rewrite: vertices carry a value, edges go from dependent to dependency.
///
/// All edges lie in one pool and are chained per vertex both ways, in order of insertion, so that adding an edge
/// allocates nothing of its own. Ids stay valid until their vertex is erased and are not reused. Views are
/// invalidated by erasing what they point at, not by adding; a view of all vertices or of all edges covers those that
/// existed when it was made.
template <class V>
class digraph {
    using index = std::uint32_t;
    static constexpr index none = 0xffff'ffff;
    enum direction : unsigned { to_dependency = 0, to_dependent = 1 };

    struct edge_record {
        index end[2];   // indexed by direction: the dependency, the dependent
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

public:
    using value_type = V;

    template <direction D, bool WholeEdge>
    class incidence_iterator;
    class vertex_iterator;
    class edge_iterator;

    digraph() = default;
    digraph(digraph const&) = default;
    auto operator=(digraph const&) -> digraph& = default;
    /// Leaves `other` empty.
    digraph(digraph&& other) noexcept
        : vertices_(std::exchange(other.vertices_, {})),
          edges_(std::exchange(other.edges_, {})),
          origins_(std::exchange(other.origins_, {})),
          vertex_count_(std::exchange(other.vertex_count_, 0)),
          edge_count_(std::exchange(other.edge_count_, 0))
    {}
    auto operator=(digraph&& other) noexcept -> digraph&
    {
        digraph taken(std::move(other));
        vertices_.swap(taken.vertices_);
        edges_.swap(taken.edges_);
        origins_ = std::move(taken.origins_);
        vertex_count_ = taken.vertex_count_;
        edge_count_ = taken.edge_count_;
        return *this;
    }
    ~digraph() = default;

    /// Adds a vertex with this value. \complexity amortised O(1).
    /// \throws std::length_error beyond 2^32 - 1 vertices, erased ones included
    auto add_vertex(V value) -> vertex_id
    {
        if (vertices_.size() >= none) throw std::length_error("a digraph has at most 2^32 - 1 vertices");
        vertex_id const id(vertices_.size());
        vertices_.push_back(vertex_record{std::move(value), {}});
        ++vertex_count_;
        return id;
    }

    /// Removes a vertex and its edges. \complexity O(sum of the degrees of it and its neighbours).
    void erase_vertex(vertex_id v)
    {
        STRIDER_ASSERT(contains(v), "the vertex to erase is in the graph");
        while (record(v).edges[to_dependency].first != none)
            erase_edge(v, vertex_id(edges_[record(v).edges[to_dependency].first].end[to_dependency]));
        while (record(v).edges[to_dependent].first != none)
            erase_edge(vertex_id(edges_[record(v).edges[to_dependent].first].end[to_dependent]), v);
        record(v).value.reset();
        --vertex_count_;
    }

    /// Makes `dependent` wait for `dependency`; returns false, and keeps the first origin, if it does already.
    /// \complexity O(the smaller of the two degrees), to find out.
    /// \throws std::length_error beyond 2^32 - 1 edges, erased ones included
    auto add_edge(vertex_id dependent, vertex_id dependency, edge_origin origin = {}) -> bool
    {
        STRIDER_ASSERT(contains(dependent) && contains(dependency), "both ends of an edge are in the graph");
        if (find(dependent, dependency) != none) return false;
        if (edges_.size() >= none) throw std::length_error("a digraph has at most 2^32 - 1 edges");
        auto const e = static_cast<index>(edges_.size());
        edges_.push_back({{id(dependency), id(dependent)}, {none, none}, {none, none}, origins_.pack(origin)});
        append(record(dependent).edges[to_dependency], to_dependency, e);
        append(record(dependency).edges[to_dependent], to_dependent, e);
        ++edge_count_;
        return true;
    }

    /// Returns whether there was such an edge. \complexity O(the smaller of the two degrees).
    auto erase_edge(vertex_id dependent, vertex_id dependency) -> bool
    {
        index const e = find(dependent, dependency);
        if (e == none) return false;
        unlink(record(dependent).edges[to_dependency], to_dependency, e);
        unlink(record(dependency).edges[to_dependent], to_dependent, e);
        edges_[e].end[to_dependent] = none;
        --edge_count_;
        return true;
    }

    [[nodiscard]] auto has_edge(vertex_id dependent, vertex_id dependency) const -> bool
    {
        return find(dependent, dependency) != none;
    }

    /// Why there is this edge. \pre has_edge(dependent, dependency)
    [[nodiscard]] auto origin(vertex_id dependent, vertex_id dependency) const -> edge_origin
    {
        index const e = find(dependent, dependency);
        STRIDER_ASSERT(e != none, "the edge is in the graph");
        return origins_.unpack(edges_[e].origin);
    }

    [[nodiscard]] auto contains(vertex_id v) const noexcept -> bool
    {
        return v.index() < vertices_.size() && vertices_[v.index()].value.has_value();
    }
    [[nodiscard]] auto operator[](vertex_id v) -> V&
    {
        STRIDER_ASSERT(contains(v), "the vertex is in the graph");
        return *vertices_[v.index()].value;
    }
    [[nodiscard]] auto operator[](vertex_id v) const -> V const&
    {
        STRIDER_ASSERT(contains(v), "the vertex is in the graph");
        return *vertices_[v.index()].value;
    }

    [[nodiscard]] auto vertex_count() const noexcept -> std::size_t { return vertex_count_; }
    [[nodiscard]] auto edge_count() const noexcept -> std::size_t { return edge_count_; }
    /// All ids are below this; the size for maps over vertices.
    [[nodiscard]] auto id_bound() const noexcept -> std::size_t { return vertices_.size(); }
    /// How many dependencies `v` waits for; `in_degree` is the same, by its name in walks.
    [[nodiscard]] auto dependency_count(vertex_id v) const -> std::size_t
    {
        return record(v).edges[to_dependency].size;
    }
    [[nodiscard]] auto in_degree(vertex_id v) const -> std::size_t { return dependency_count(v); }
    /// How many vertices wait for `v`.
    [[nodiscard]] auto dependent_count(vertex_id v) const -> std::size_t { return record(v).edges[to_dependent].size; }

    /// The vertices in ascending id.
    [[nodiscard]] auto vertices() const
    {
        vertex_iterator const end(this, static_cast<index>(vertices_.size()), static_cast<index>(vertices_.size()));
        return ranges::subrange(vertex_iterator(this, 0, static_cast<index>(vertices_.size())), end);
    }
    /// All edges in order of insertion: by far the fastest way to see them all.
    [[nodiscard]] auto edges() const
    {
        auto const end = static_cast<index>(edges_.size());
        return ranges::subrange(edge_iterator(this, 0, end), edge_iterator(this, end, end));
    }
    /// The vertices that `v` waits for, in order of insertion.
    [[nodiscard]] auto dependencies(vertex_id v) const { return incident<to_dependency, false>(v); }
    /// The vertices that wait for `v`, in order of insertion.
    [[nodiscard]] auto dependents(vertex_id v) const { return incident<to_dependent, false>(v); }
    /// The edges from `v` to its dependencies.
    [[nodiscard]] auto dependency_edges(vertex_id v) const { return incident<to_dependency, true>(v); }
    /// The edges from dependents of `v` to it.
    [[nodiscard]] auto dependent_edges(vertex_id v) const { return incident<to_dependent, true>(v); }

    void reserve(std::size_t vertices, std::size_t edges)
    {
        vertices_.reserve(vertices);
        edges_.reserve(edges);
    }

private:
    [[nodiscard]] static auto id(vertex_id v) noexcept -> index { return static_cast<index>(v.index()); }
    [[nodiscard]] auto record(vertex_id v) -> vertex_record& { return vertices_[v.index()]; }
    [[nodiscard]] auto record(vertex_id v) const -> vertex_record const&
    {
        STRIDER_ASSERT(contains(v), "the vertex is in the graph");
        return vertices_[v.index()];
    }

    [[nodiscard]] auto find(vertex_id dependent, vertex_id dependency) const -> index
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

    template <direction D, bool WholeEdge>
    [[nodiscard]] auto incident(vertex_id v) const
    {
        using iterator = incidence_iterator<D, WholeEdge>;
        return ranges::subrange(iterator(this, record(v).edges[D].first), iterator(this, none));
    }

    std::vector<vertex_record> vertices_;
    std::vector<edge_record> edges_;
    detail::origin_store origins_;
    std::size_t vertex_count_ = 0;
    std::size_t edge_count_ = 0;
};

template <class V>
template <typename digraph<V>::direction D, bool WholeEdge>
class digraph<V>::incidence_iterator {
public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::forward_iterator_tag;
    using value_type = std::conditional_t<WholeEdge, edge, vertex_id>;
    using difference_type = std::ptrdiff_t;
    using reference = value_type;
    using pointer = void;

    incidence_iterator() = default;
    incidence_iterator(digraph const* graph, index at) noexcept : graph_(graph), at_(at) {}

    [[nodiscard]] auto operator*() const -> value_type
    {
        edge_record const& e = graph_->edges_[at_];
        if constexpr (WholeEdge)
            return {vertex_id(e.end[to_dependent]), vertex_id(e.end[to_dependency]), graph_->origins_.unpack(e.origin)};
        else return vertex_id(e.end[D]);
    }
    auto operator++() -> incidence_iterator&
    {
        at_ = graph_->edges_[at_].next[D];
        return *this;
    }
    auto operator++(int) -> incidence_iterator
    {
        auto const old = *this;
        ++*this;
        return old;
    }
    friend auto operator==(incidence_iterator const& a, incidence_iterator const& b) noexcept -> bool
    {
        return a.at_ == b.at_;
    }

private:
    digraph const* graph_ = nullptr;
    index at_ = none;
};

template <class V>
class digraph<V>::vertex_iterator {
public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::forward_iterator_tag;
    using value_type = vertex_id;
    using difference_type = std::ptrdiff_t;
    using reference = vertex_id;
    using pointer = void;

    vertex_iterator() = default;
    vertex_iterator(digraph const* graph, index at, index end) : graph_(graph), at_(at), end_(end) { skip_erased(); }

    [[nodiscard]] auto operator*() const noexcept -> vertex_id { return vertex_id(at_); }
    auto operator++() -> vertex_iterator&
    {
        ++at_;
        skip_erased();
        return *this;
    }
    auto operator++(int) -> vertex_iterator
    {
        auto const old = *this;
        ++*this;
        return old;
    }
    friend auto operator==(vertex_iterator const& a, vertex_iterator const& b) noexcept -> bool
    {
        return a.at_ == b.at_;
    }

private:
    void skip_erased()
    {
        while (at_ < end_ && !graph_->vertices_[at_].value) ++at_;
    }

    digraph const* graph_ = nullptr;
    index at_ = 0;
    index end_ = 0;
};

template <class V>
class digraph<V>::edge_iterator {
public:
    using iterator_concept = std::forward_iterator_tag;
    using iterator_category = std::forward_iterator_tag;
    using value_type = edge;
    using difference_type = std::ptrdiff_t;
    using reference = edge;
    using pointer = void;

    edge_iterator() = default;
    edge_iterator(digraph const* graph, index at, index end) : graph_(graph), at_(at), end_(end) { skip_erased(); }

    [[nodiscard]] auto operator*() const -> edge
    {
        edge_record const& e = graph_->edges_[at_];
        return {vertex_id(e.end[to_dependent]), vertex_id(e.end[to_dependency]), graph_->origins_.unpack(e.origin)};
    }
    auto operator++() -> edge_iterator&
    {
        ++at_;
        skip_erased();
        return *this;
    }
    auto operator++(int) -> edge_iterator
    {
        auto const old = *this;
        ++*this;
        return old;
    }
    friend auto operator==(edge_iterator const& a, edge_iterator const& b) noexcept -> bool { return a.at_ == b.at_; }

private:
    void skip_erased()
    {
        while (at_ != end_ && graph_->edges_[at_].end[to_dependent] == none) ++at_;
    }

    digraph const* graph_ = nullptr;
    index at_ = 0;
    index end_ = 0;
};

}  // namespace strider

#endif  // STRIDER_CORE_DIGRAPH_HPP
