// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_SINGLE_ROOT_HPP
#define STRIDER_TRANSFORM_SINGLE_ROOT_HPP

#include <strider/core/views.hpp>
#include <strider/transform/transformer.hpp>

#include <range/v3/range/conversion.hpp>

#include <concepts>
#include <utility>
#include <vector>

namespace strider {

/// Requirements of `single_root` on its policy: the value of the root vertex.
template <class P, class V>
concept root_policy = requires(P const& policy) {
    { policy.root() } -> std::convertible_to<V>;
};

/// Adds one vertex that depends on every vertex without dependents; so in a graph without a cycle, directly or indirectly, on
/// all others. A cycle on which nothing else depends has no such vertex: the root does not depend on it. The stage needs no
/// acyclic graph, because `cycle_validation`, which comes last, reports the cycle.
///
/// \complexity O(V).
template <class Policy>
class single_root : public transformer_base {
public:
    using excludes = property_list<properties::single_root>;  ///< a second root would be redundant
    using establishes = property_list<properties::single_root>;  ///< the added vertex is the root

    single_root()
        requires std::default_initializable<Policy>
    = default;
    /// Stores the policy that makes the value of the root.
    constexpr explicit single_root(Policy policy) : policy_(std::move(policy)) {}

    /// Returns `g` with a root that depends on every vertex without dependents; the only vertex if `g` is empty.
    /// Never returns an error; exceptions of the policy propagate.
    template <mutable_digraph G>
        requires root_policy<Policy, vertex_value_t<G>>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        auto const roots = g | views::roots | ranges::to<std::vector>();
        vertex_id_t<G> const root = g.add_vertex(policy_.root());
        for (auto const v : roots) g.add_edge(root, depends_on(v), edge_rules::root);
        return g;
    }

private:
    [[no_unique_address]] Policy policy_{};
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_SINGLE_ROOT_HPP
