// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_DESTROY_POLICY_HPP
#define STRIDER_LIFECYCLE_DESTROY_POLICY_HPP

#include <range/v3/range/concepts.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace strider {

/// How two vertices that a rule would order stand to each other.
enum class ordering : std::uint8_t {
    none,       ///< a boundary without order lies between them
    tentative,  ///< ordered, unless they are ordered the other way round already
    required,
};

/// What `destroy_split` asks about a vertex; each question says what hangs on it.
template <class P, class V>
concept destroy_policy = requires(P const& policy, V const& value) {
    { policy.creates(value) } -> std::convertible_to<bool>;   // creates, updates, or creates again
    { policy.remains(value) } -> std::convertible_to<bool>;   // false if it did nothing but destroy
    { policy.destroyers(value) } -> ranges::input_range;      // new values, one per object to destroy
    { policy.key(value) } -> std::totally_ordered;            // what dependencies are stored by
    { policy.ordered(value, value) } -> std::same_as<ordering>;
};

/// A policy that remembers what the prior object of a vertex depended on, as a range of keys.
template <class P, class V>
concept remembers_dependencies = destroy_policy<P, V> && requires(P const& policy, V const& value) {
    { policy.stored_dependencies(value) } -> ranges::input_range;
};

/// A policy that remembers what the prior object of a vertex depended on as sets which contain each other, numbered so
/// that a part has a smaller number than what it is part of. That keeps what `destroy_split` adds linear where
/// dependencies are shared; the edges then run through joins, vertices that neither create nor destroy.
template <class P, class V>
concept groups_dependencies = destroy_policy<P, V> && requires(P const& policy, V const& value, std::size_t set) {
    { policy.dependency_sets() } -> std::convertible_to<std::size_t>;  // how many there are
    { policy.dependency_set(value) } -> std::same_as<std::optional<std::size_t>>;
    { policy.keys_in(set) } -> ranges::input_range;                        // without those of its parts
    { policy.parts_of(set) } -> ranges::input_range;                       // numbers of sets
    { policy.order_class(value) } -> std::convertible_to<std::size_t>;     // small; all that `ordered` looks at
    {
        policy.destroys_after_create(value)
    } -> std::convertible_to<bool>;  // of a destroyer: `cbd_inversion` asks it, too
    {
        policy.join(true)
    } -> std::convertible_to<V>;  // true: `cbd_inversion` takes it for a creator and a late destroyer
};

/// A policy under which destroyers wait, too, for some of what the vertex waits for that they are made of: for what they
/// need to do their work.
template <class P, class V>
concept serves_destroyers = destroy_policy<P, V> && requires(P const& policy, V const& value) {
    { policy.is_needed_to_destroy(value) } -> std::convertible_to<bool>;  // of a dependency
};

}  // namespace strider

#endif  // STRIDER_LIFECYCLE_DESTROY_POLICY_HPP
