// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VERTEX_ID_HPP
#define STRIDER_CORE_VERTEX_ID_HPP

#include <strider/core/assert.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace strider {

/// Identifies a vertex of one graph. Ids are dense indices, so maps over vertices are arrays.
///
/// Ids are assigned in ascending order and never reused within a graph: an id never identifies another vertex later.
/// Different kinds of graphs have different id types, because `freeze` renumbers vertices.
/// \tparam Kind  tag type of the kind of graph
template <class Kind>
class basic_vertex_id {
public:
    /// The stored type: 32 bits, so that edges and maps of ids take half the space of `std::size_t`.
    using index_type = std::uint32_t;

    /// An id that identifies no vertex.
    constexpr basic_vertex_id() = default;
    /// The id with this index. The index 2^32 - 1 identifies no vertex. \pre index < 2^32
    constexpr explicit basic_vertex_id(std::size_t index) noexcept : index_(static_cast<index_type>(index))
    {
        STRIDER_ASSERT(index_ == index, "the index is below 2^32");
    }

    /// The position of the vertex in arrays such as `vertex_map`; 2^32 - 1 if the id identifies no vertex.
    [[nodiscard]] constexpr auto index() const noexcept -> std::size_t { return index_; }
    /// False for a default constructed id, which identifies no vertex.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return index_ != none; }

    /// Compares the indices; an id that identifies no vertex is greater than all others.
    friend constexpr auto operator<=>(basic_vertex_id, basic_vertex_id) = default;

private:
    static constexpr index_type none = 0xffff'ffff;
    index_type index_ = none;
};

namespace detail {

struct dag_kind;
struct draft_kind;

}  // namespace detail

/// Identifies a vertex of a graph that can be walked: used by `dag`, visits and reports.
using vertex_id = basic_vertex_id<detail::dag_kind>;
/// Identifies a vertex of a mutable graph: used by `digraph` and stages. \see dag::forward_map
using draft_vertex_id = basic_vertex_id<detail::draft_kind>;

}  // namespace strider

template <class Kind>
struct std::hash<strider::basic_vertex_id<Kind>> {
    [[nodiscard]] auto operator()(strider::basic_vertex_id<Kind> id) const noexcept -> std::size_t
    {
        return std::hash<std::size_t>{}(id.index());
    }
};

#endif  // STRIDER_CORE_VERTEX_ID_HPP
