// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_CBD_INVERSION_HPP
#define STRIDER_LIFECYCLE_CBD_INVERSION_HPP

#include <strider/lifecycle/detail/tentative_edges.hpp>
#include <strider/lifecycle/rules.hpp>
#include <strider/transform/transformer.hpp>

#include <concepts>
#include <utility>
#include <vector>

namespace strider {

/// Requirements of `cbd_inversion` on its policy.
template <class P, class V>
concept inversion_policy = requires(P const& policy, V const& value) {
    { policy.is_creator(value) } -> std::convertible_to<bool>;
    { policy.is_destroyer(value) } -> std::convertible_to<bool>;
    {
        policy.destroys_after_create(value)
    } -> std::convertible_to<bool>;  // of a destroyer: its object is create_before_destroy
};

/// Reverses every edge from a creator to a destroyer whose object is create_before_destroy.
///
/// The destroyer then waits for the creators that waited for it: the new object exists, and its dependents use it,
/// before the prior object is destroyed. Edges between destroyers keep their direction. An edge that `destroy_split` added
/// tentatively is removed if a reversed edge, or one that another stage has added, makes it part of a cycle.
///
/// \complexity O(V + E) with the degrees of the reversed edges; a search per tentative edge in a cycle.
/// \source     OpenTofu, docs/destroying.md, "Create Before Destroy".
template <class Policy>
class cbd_inversion : public transformer_base {
public:
    using needs = property_list<properties::destroy_split>;  ///< the destroyers exist
    /// The stage runs once; it would not reverse an edge that `transitive_reduction` removed.
    using excludes = property_list<properties::cbd_inversion, properties::reduced>;
    using establishes = property_list<properties::cbd_inversion>;  ///< holds also if no edge is reversed
    /// Reversed edges may close a cycle, or add a second root.
    using invalidates = property_list<properties::acyclic, properties::single_root>;

    cbd_inversion()
        requires std::default_initializable<Policy>
    = default;
    /// Stores the policy that states which vertices create and destroy.
    constexpr explicit cbd_inversion(Policy policy) : policy_(std::move(policy)) {}

    /// Returns `g` with the edges reversed; they have the rule `edge_rules::cbd_inversion` and keep their places.
    /// If the opposite edge exists, it keeps its origin. Never returns an error; exceptions of the policy propagate.
    template <mutable_digraph G>
        requires inversion_policy<Policy, vertex_value_t<G>>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        std::vector<edge_t<G>> turned;
        for (auto const v : g.vertices()) {
            if (!policy_.is_creator(std::as_const(g)[v])) continue;
            for (auto const e : g.dependency_edges(v)) {
                auto const& value = std::as_const(g)[e.dependency];
                if (policy_.is_destroyer(value) && policy_.destroys_after_create(value)) turned.push_back(e);
            }
        }
        std::vector<edge_t<G>> tentative;
        for (auto const& e : turned) {
            edge_origin const origin(edge_rules::cbd_inversion, e.origin.place());
            g.erase_edge(e.dependent, depends_on(e.dependency));
            g.add_edge(e.dependency, depends_on(e.dependent), origin);
            if (detail::is_tentative(e)) tentative.push_back({e.dependency, e.dependent, origin});
        }
        detail::remove_cyclic_tentative_edges(g, tentative);
        return g;
    }

private:
    [[no_unique_address]] Policy policy_{};
};

}  // namespace strider

#endif  // STRIDER_LIFECYCLE_CBD_INVERSION_HPP
