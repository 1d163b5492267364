// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VERTEX_MAP_HPP
#define STRIDER_CORE_VERTEX_MAP_HPP

#include <strider/core/assert.hpp>
#include <strider/core/vertex_id.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace strider {

/// Keeps one value for each vertex of a graph, in an array indexed by id.
///
/// Sized by the graph's `id_bound()`; ids made later need `resize`. Look-up is O(1).
template <class T>
class vertex_map {
    using stored = std::conditional_t<std::is_same_v<T, bool>, unsigned char, T>;  // no packed bits: see vertex_set

public:
    vertex_map() = default;
    explicit vertex_map(std::size_t id_bound, T const& value = T()) : values_(id_bound, static_cast<stored>(value)) {}

    [[nodiscard]] auto operator[](vertex_id v) -> stored&
    {
        STRIDER_ASSERT(v.index() < values_.size(), "the map covers the vertex");
        return values_[v.index()];
    }
    [[nodiscard]] auto operator[](vertex_id v) const -> stored const&
    {
        STRIDER_ASSERT(v.index() < values_.size(), "the map covers the vertex");
        return values_[v.index()];
    }

    [[nodiscard]] auto id_bound() const noexcept -> std::size_t { return values_.size(); }
    void resize(std::size_t id_bound, T const& value = T()) { values_.resize(id_bound, static_cast<stored>(value)); }

private:
    std::vector<stored> values_;
};

}  // namespace strider

#endif  // STRIDER_CORE_VERTEX_MAP_HPP
