// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_RULES_HPP
#define STRIDER_LIFECYCLE_RULES_HPP

#include <strider/core/edge.hpp>

namespace strider::edge_rules {

/// E1: an object is created after its prior object is destroyed.
inline constexpr edge_rule own_destroyer{"own replacement"};
/// E2: a creator waits for the destroyers of its stored dependencies.
inline constexpr edge_rule after_destruction_of_dependency{"stored dependency, destroyed first"};
/// E3: a stored dependency is destroyed after its dependents.
inline constexpr edge_rule destroy_order{"stored dependency"};
/// E4: a dependency is changed after its dependents are destroyed.
inline constexpr edge_rule after_destruction_of_dependent{"stored dependency, dependent destroyed first"};
/// E3 between vertices whose order is tentative.
inline constexpr edge_rule tentative_destroy_order{"stored dependency, tentative"};
/// E4 between vertices whose order is tentative.
inline constexpr edge_rule tentative_after_destruction_of_dependent{
    "stored dependency, dependent destroyed first, tentative"};
/// An edge to a destroyer, reversed because of create_before_destroy.
inline constexpr edge_rule cbd_inversion{"create_before_destroy"};

}  // namespace strider::edge_rules

namespace strider::properties {

struct cbd_inversion {};  ///< edges to destroyers of create_before_destroy objects are reversed
struct destroy_split {};  ///< every object to destroy has a vertex
struct forced_cbd {};     ///< create_before_destroy has propagated to all dependencies

}  // namespace strider::properties

#endif  // STRIDER_LIFECYCLE_RULES_HPP
