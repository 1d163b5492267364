// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_DESTROY_POLICY_HPP
#define STRIDER_LIFECYCLE_DESTROY_POLICY_HPP

#include <strider/version.hpp>

#include <range/v3/range/concepts.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace strider {

/// The order of two vertices that a rule of `destroy_split` relates.
enum class ordering : std::uint8_t {
    none,       ///< not ordered: a boundary separates them
    tentative,  ///< ordered, unless a path orders them the other way, also after `cbd_inversion`
    required,
};

/// Requirements of `destroy_split` on its policy.
template <class P, class V>
concept destroy_policy = requires(P const& policy, V const& value) {
    { policy.creates(value) } -> std::convertible_to<bool>;   // creates, updates, or replaces
    { policy.remains(value) } -> std::convertible_to<bool>;   // false if the vertex only destroyed
    { policy.destroyers(value) } -> ranges::input_range;      // new values, one per object to destroy
    { policy.key(value) } -> std::totally_ordered;            // key of stored dependencies
    { policy.ordered(value, value) } -> std::same_as<ordering>;
};

/// A policy that stores the dependencies of the prior object of a vertex, as a range of keys.
template <class P, class V>
concept remembers_dependencies = destroy_policy<P, V> && requires(P const& policy, V const& value) {
    { policy.stored_dependencies(value) } -> ranges::input_range;
};

/// A policy that stores the dependencies of the prior object of a vertex as nested sets, numbered so that a part has
/// a smaller number than the sets that contain it. This keeps the number of edges that `destroy_split` adds linear if
/// dependencies are shared: the edges go through joins, vertices that neither create nor destroy.
template <class P, class V>
concept groups_dependencies = destroy_policy<P, V> && requires(P const& policy, V const& value, std::size_t set) {
    { policy.dependency_sets() } -> std::convertible_to<std::size_t>;  // number of sets
    { policy.dependency_set(value) } -> std::same_as<std::optional<std::size_t>>;
    { policy.keys_in(set) } -> ranges::input_range;                        // without those of its parts
    { policy.parts_of(set) } -> ranges::input_range;                       // numbers of sets
    { policy.order_class(value) } -> std::convertible_to<std::size_t>;     // small; `ordered` depends on it only
    {
        policy.destroys_after_create(value)
    } -> std::convertible_to<bool>;  // of a destroyer; also used by `cbd_inversion`
    {
        policy.join(true)
    } -> std::convertible_to<V>;  // true: `cbd_inversion` treats it as a creator and a late destroyer
};

/// A policy whose destroyers also wait for those dependencies of their vertex that they need for the destruction.
template <class P, class V>
concept serves_destroyers = destroy_policy<P, V> && requires(P const& policy, V const& value) {
    { policy.is_needed_to_destroy(value) } -> std::convertible_to<bool>;  // of a dependency
};

}  // namespace strider

#endif  // STRIDER_LIFECYCLE_DESTROY_POLICY_HPP
