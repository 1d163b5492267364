// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VERTEX_ID_HPP
#define STRIDER_CORE_VERTEX_ID_HPP

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace strider {

/// Names a vertex of one graph; a dense index, so that maps over vertices are arrays.
///
/// Ids are handed out in ascending order and are never reused within a graph: an id that was valid stays
/// valid or becomes invalid, it never comes to mean another vertex. Ids of different kinds of graph are of different types:
/// a vertex has another number after `freeze`.
/// \tparam Kind  a type that stands for the kind of graph
template <class Kind>
class basic_vertex_id {
public:
    using index_type = std::uint32_t;

    constexpr basic_vertex_id() = default;
    constexpr explicit basic_vertex_id(std::size_t index) noexcept : index_(static_cast<index_type>(index)) {}

    [[nodiscard]] constexpr auto index() const noexcept -> std::size_t { return index_; }
    /// False for a default constructed id, which names no vertex of any graph.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return index_ != none; }

    friend constexpr auto operator<=>(basic_vertex_id, basic_vertex_id) = default;

private:
    static constexpr index_type none = 0xffff'ffff;
    index_type index_ = none;
};

namespace detail {

struct frozen_kind;
struct draft_kind;

}  // namespace detail

/// Names a vertex of a graph that is ready to be walked: `frozen_digraph`, visits, reports.
using vertex_id = basic_vertex_id<detail::frozen_kind>;
/// Names a vertex of a graph that is still built or rewritten: `digraph`, stages. \see frozen_digraph::forward_map
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
