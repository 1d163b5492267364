// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_DIRECTION_HPP
#define STRIDER_CORE_DIRECTION_HPP

#include <strider/core/graph_concepts.hpp>

#include <cstdint>
#include <type_traits>

namespace strider {

/// The direction in which an algorithm follows edges.
enum class direction : std::uint8_t {
    dependencies,  ///< from a dependent to its dependencies
    dependents,    ///< from a dependency to its dependents
};

/// A direction that is known when it is compiled; converts to `direction`.
template <direction D>
using direction_constant = std::integral_constant<direction, D>;
/// Follows edges from a dependent to its dependencies.
inline constexpr direction_constant<direction::dependencies> along_dependencies{};
/// Follows edges from a dependency to its dependents.
inline constexpr direction_constant<direction::dependents> along_dependents{};

namespace detail {

template <direction D, class G>
[[nodiscard]] auto incident(G const& g, vertex_id_t<G> v)
{
    if constexpr (D == direction::dependencies) return g.dependencies(v);
    else return g.dependents(v);
}

}  // namespace detail

}  // namespace strider

#endif  // STRIDER_CORE_DIRECTION_HPP
