// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VERTEX_ID_HPP
#define STRIDER_CORE_VERTEX_ID_HPP

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace strider {

/// Names a vertex of one graph; a dense index, so that maps over vertices are arrays.
///
/// Ids are handed out in ascending order and are never reused within a graph: an id that was valid stays
/// valid or becomes invalid, it never comes to mean another vertex.
class vertex_id {
public:
    using index_type = std::uint32_t;

    constexpr vertex_id() = default;
    constexpr explicit vertex_id(std::size_t index) noexcept : index_(static_cast<index_type>(index)) {}

    [[nodiscard]] constexpr auto index() const noexcept -> std::size_t { return index_; }
    /// False for a default constructed id, which names no vertex of any graph.
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return index_ != none; }

    friend constexpr auto operator<=>(vertex_id, vertex_id) = default;

private:
    static constexpr index_type none = 0xffff'ffff;
    index_type index_ = none;
};

}  // namespace strider

template <>
struct std::hash<strider::vertex_id> {
    [[nodiscard]] auto operator()(strider::vertex_id id) const noexcept -> std::size_t
    {
        return std::hash<std::size_t>{}(id.index());
    }
};

#endif  // STRIDER_CORE_VERTEX_ID_HPP
