// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_PRUNE_HPP
#define STRIDER_TRANSFORM_PRUNE_HPP

#include <strider/transform/transformer.hpp>

#include <range/v3/algorithm/copy.hpp>
#include <range/v3/algorithm/none_of.hpp>
#include <range/v3/iterator/insert_iterators.hpp>
#include <range/v3/range/conversion.hpp>

#include <concepts>
#include <utility>
#include <vector>

namespace strider {

/// Requirements of `prune` on its policy.
template <class P, class V>
concept prune_policy = requires(P const& policy, V const& value) {
    { policy.is_optional(value) } -> std::convertible_to<bool>;      // exists only for its dependents
    { policy.needs(value, value) } -> std::convertible_to<bool>;  // this dependent needs that optional vertex
};

/// Removes optional vertices that no dependent needs, and then those that only they needed.
///
/// During a destroy, counts, values and providers without a dependent that needs them may no longer be computable and
/// must not be visited.
///
/// \complexity O(V + E); each edge is queried at most once more for every removed dependent.
template <class Policy>
class prune : public transformer_base {
public:
    using establishes = property_list<properties::pruned>;  ///< all optional vertices left are needed
    using invalidates = property_list<properties::single_root>;  ///< a dependency of a removed vertex may become a root

    prune()
        requires std::default_initializable<Policy>
    = default;
    /// Stores the policy that states which vertices are optional and needed.
    constexpr explicit prune(Policy policy) : policy_(std::move(policy)) {}

    /// Returns `g` without the optional vertices that are not needed. Never returns an error; exceptions of the policy
    /// propagate.
    template <mutable_digraph G>
        requires prune_policy<Policy, vertex_value_t<G>>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        auto const unneeded = [&](vertex_id_t<G> v) {
            auto const& value = std::as_const(g)[v];
            auto const needs_it = [&](vertex_id_t<G> d) { return policy_.needs(std::as_const(g)[d], value); };
            return policy_.is_optional(value) && ranges::none_of(g.dependents(v), needs_it);
        };
        auto todo = g.vertices() | ranges::to<std::vector>();
        while (!todo.empty()) {
            vertex_id_t<G> const v = todo.back();
            todo.pop_back();
            if (!g.contains(v) || !unneeded(v)) continue;
            ranges::copy(g.dependencies(v), ranges::back_inserter(todo));
            g.erase_vertex(v);
        }
        return g;
    }

private:
    [[no_unique_address]] Policy policy_{};
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_PRUNE_HPP
