// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_TARGET_SUBGRAPH_HPP
#define STRIDER_TRANSFORM_TARGET_SUBGRAPH_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/transform/transformer.hpp>

#include <range/v3/algorithm/all_of.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/for_each.hpp>

#include <array>
#include <concepts>
#include <utility>
#include <vector>

namespace strider {

/// Requirements of `target_subgraph` on its policy.
template <class P, class V>
concept target_policy = requires(P const& policy, V const& value) {
    { policy.enabled() } -> std::convertible_to<bool>;             // false: no targets, keep all
    { policy.selected(value) } -> std::convertible_to<bool>;       // named as a target
    { policy.counts(value) } -> std::convertible_to<bool>;  // an object; determines whether results are complete
    { policy.is_result(value) } -> std::convertible_to<bool>;  // kept if all objects it depends on are
};

/// Optional: vertices that are excluded by name; their dependents are excluded too.
template <class P, class V>
concept rejecting_policy = target_policy<P, V> && requires(P const& policy, V const& value) {
    { policy.rejected(value) } -> std::convertible_to<bool>;
};

/// Keeps the selected vertices, their dependencies, and the results whose objects are all kept.
///
/// \complexity O(V + E), and a search for each result.
template <class Policy>
class target_subgraph : public transformer_base {
public:
    using establishes = property_list<properties::targeted>;  ///< also if the policy is not enabled
    using invalidates = property_list<properties::single_root>;  ///< the root may be removed

    target_subgraph()
        requires std::default_initializable<Policy>
    = default;
    /// Stores the policy that states the targets.
    constexpr explicit target_subgraph(Policy policy) : policy_(std::move(policy)) {}

    /// Returns the kept part of `g`, or `g` unchanged if the policy is not enabled.
    /// Never returns an error; exceptions of the policy propagate.
    template <mutable_digraph G>
        requires target_policy<Policy, vertex_value_t<G>>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        if (!policy_.enabled()) return g;
        vertex_set_t<G> const left_out = dependents_of_rejected(g);
        auto const vertices_if = [&](auto predicate) {
            return g.vertices() | ranges::views::filter(predicate) | ranges::to<std::vector>();
        };
        auto const selected = vertices_if(
            [&](vertex_id_t<G> v) { return policy_.selected(std::as_const(g)[v]) && !left_out.contains(v); });
        vertex_set_t<G> const keep = reachable(g, selected, direction::dependencies);
        auto const complete = vertices_if(
            [&](vertex_id_t<G> v) { return policy_.is_result(std::as_const(g)[v]) && is_complete(g, v, keep); });
        vertex_set_t<G> const along = reachable(g, complete, direction::dependencies);
        auto const rest = vertices_if([&](vertex_id_t<G> v) { return !keep.contains(v) && !along.contains(v); });
        for (auto const v : rest) g.erase_vertex(v);
        return g;
    }

private:
    template <class G>
    [[nodiscard]] auto dependents_of_rejected(G const& g) const -> vertex_set_t<G>
    {
        if constexpr (rejecting_policy<Policy, vertex_value_t<G>>) {
            auto const is_rejected = [&](vertex_id_t<G> v) -> bool { return policy_.rejected(g[v]); };
            return reachable(g,
                g.vertices() | ranges::views::filter(is_rejected)
                    | ranges::views::for_each([&](vertex_id_t<G> v) { return g.dependents(v); }),
                direction::dependents);
        } else return {};
    }

    template <class G>
    [[nodiscard]] auto is_complete(G const& g, vertex_id_t<G> v, vertex_set_t<G> const& keep) const -> bool
    {
        auto const closure = reachable(g, std::array{v}, direction::dependencies);
        auto const objects = closure
            | ranges::views::filter([&](vertex_id_t<G> d) -> bool { return policy_.counts(g[d]); })
            | ranges::to<std::vector>();
        return !objects.empty() && ranges::all_of(objects, [&](vertex_id_t<G> d) { return keep.contains(d); });
    }

    [[no_unique_address]] Policy policy_{};
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_TARGET_SUBGRAPH_HPP
