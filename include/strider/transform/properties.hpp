// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_PROPERTIES_HPP
#define STRIDER_TRANSFORM_PROPERTIES_HPP

#include <strider/version.hpp>

namespace strider {

/// A list of properties of a graph. A property is a type of any kind: users define their own, `struct tiered {};`,
/// and compilers print its name.
template <class... Properties>
struct property_list {};

/// Properties that the generic stages establish. `strider/lifecycle/rules.hpp` defines those of destruction.
namespace properties {

struct acyclic {};  ///< validated: the graph has no cycle
struct pruned {};  ///< every optional vertex has a dependent that needs it
struct reduced {};  ///< no edge is implied by others
struct scope_boundaries {};  ///< scopes have begin and close vertices
struct single_root {};  ///< one vertex has no dependents; in an acyclic graph it depends on all others
struct targeted {};  ///< only selected vertices and their dependencies remain

}  // namespace properties

}  // namespace strider

#endif  // STRIDER_TRANSFORM_PROPERTIES_HPP
