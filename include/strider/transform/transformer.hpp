// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_TRANSFORMER_HPP
#define STRIDER_TRANSFORM_TRANSFORMER_HPP

#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace strider {

/// Properties that a graph has after some stages have rewritten it. A property is a type of any kind: users add their own,
/// `struct tiered {};`, and compilers print its name.
template <class... Properties>
struct property_list {};

/// Properties that the generic stages establish; `strider/lifecycle/rules.hpp` has those of destruction.
namespace properties {

struct acyclic {};  ///< checked: there is no cycle
struct pruned {};  ///< no optional vertex is without a dependent that needs it
struct reduced {};  ///< no edge follows from others
struct scope_boundaries {};  ///< scopes have begin and close vertices
struct single_root {};  ///< one vertex waits for all others
struct targeted {};  ///< only selected vertices and their dependencies are left

}  // namespace properties

/// Base of all stages: opts in to `operator|` and names the properties that a stage assumes and leaves behind.
///
/// A stage hides the members that differ: properties it `needs` to hold before, properties it `excludes` (it would come too
/// late), properties it `establishes`, and properties it `invalidates`. Every stage of the library establishes a property,
/// so that other stages can be ordered against it.
struct transformer_base {
    using needs = property_list<>;
    using excludes = property_list<>;
    using establishes = property_list<>;
    using invalidates = property_list<>;
};

/// A rule that rewrites a graph: takes it by value and gives it back, or says why that is not possible.
template <class S>
concept transformer =
    std::derived_from<std::remove_cvref_t<S>, transformer_base> && std::copyable<std::remove_cvref_t<S>>;

/// A stage that works on graphs of type `G`.
template <class S, class G>
concept transformer_for = transformer<S> && mutable_digraph<G> && requires(S const& stage, G g) {
    { stage(std::move(g)) } -> std::same_as<result<G>>;
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_TRANSFORMER_HPP
