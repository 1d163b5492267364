// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VERTEX_MAP_HPP
#define STRIDER_CORE_VERTEX_MAP_HPP

#include <strider/core/assert.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <concepts>
#include <cstddef>
#include <vector>

namespace strider {

/// Stores one value per vertex of a graph, in an array indexed by id. A range of the values, in ascending id.
///
/// The constructor takes the graph's `id_bound()`; ids assigned later need `resize`. Look-up is O(1).
/// A map to `bool` does not compile, because references to packed bits are no references: a `vertex_set` is a set of vertices,
/// and `vertex_map<char>` has flags that visits may write at the same time.
/// \tparam Id  the ids of the graph: `vertex_id`, `draft_vertex_id`, in general `vertex_id_t<Graph>`
template <class Id, class T>
    requires(!std::same_as<T, bool>)
class basic_vertex_map {
public:
    using value_type = T;  ///< the type of the values

    /// A map that covers no vertex; `resize` adds vertices.
    basic_vertex_map() = default;
    /// Maps every id below `id_bound` to `T()`.
    explicit basic_vertex_map(std::size_t id_bound) : values_(id_bound) {}
    /// Maps every id below `id_bound` to a copy of `value`.
    basic_vertex_map(std::size_t id_bound, T const& value) : values_(id_bound, value) {}

    /// Returns the value of `v`. \pre v.index() < id_bound()
    /// @{
    [[nodiscard]] auto operator[](Id v) -> T&
    {
        STRIDER_ASSERT(v.index() < values_.size(), "the map covers the vertex");
        return values_[v.index()];
    }
    [[nodiscard]] auto operator[](Id v) const -> T const&
    {
        STRIDER_ASSERT(v.index() < values_.size(), "the map covers the vertex");
        return values_[v.index()];
    }
    /// @}

    /// The values in ascending id, including those of ids whose vertices were erased.
    /// @{
    [[nodiscard]] auto begin() noexcept { return values_.begin(); }
    [[nodiscard]] auto end() noexcept { return values_.end(); }
    [[nodiscard]] auto begin() const noexcept { return values_.begin(); }
    [[nodiscard]] auto end() const noexcept { return values_.end(); }
    /// @}

    /// The number of values, including those of erased vertices: `id_bound()`. \complexity O(1).
    [[nodiscard]] auto size() const noexcept -> std::size_t { return values_.size(); }
    /// True if the map covers no vertex.
    [[nodiscard]] auto empty() const noexcept -> bool { return values_.empty(); }
    /// The number of covered ids, including those of erased vertices; greater than every covered index.
    [[nodiscard]] auto id_bound() const noexcept -> std::size_t { return values_.size(); }
    /// Covers the ids below `id_bound`; new ones have copies of `value`, others keep theirs. Invalidates references.
    void resize(std::size_t id_bound, T const& value = T()) { values_.resize(id_bound, value); }

    /// True if both maps cover the same ids, and have equal values for each of them. \complexity O(id bound).
    [[nodiscard]] friend auto operator==(basic_vertex_map const& a, basic_vertex_map const& b) -> bool
        requires std::equality_comparable<T>
    {
        return a.values_ == b.values_;
    }

private:
    std::vector<T> values_;
};

/// A map over the vertices of a `dag`.
template <class T>
using vertex_map = basic_vertex_map<vertex_id, T>;

/// A map over the vertices of a graph of type `G`.
template <class G, class T>
using vertex_map_t = basic_vertex_map<vertex_id_t<G>, T>;

}  // namespace strider

#endif  // STRIDER_CORE_VERTEX_MAP_HPP
