// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_TARGET_SUBGRAPH_HPP
#define STRIDER_TRANSFORM_TARGET_SUBGRAPH_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/transform/transformer.hpp>

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
        std::vector<vertex_id_t<G>> selected;
        for (auto const v : g.vertices())
            if (policy_.selected(std::as_const(g)[v]) && !left_out.contains(v)) selected.push_back(v);
        vertex_set_t<G> keep = reachable(g, selected, direction::dependencies);
        for (auto const v : selected) keep.insert(v);

        std::vector<vertex_id_t<G>> complete;
        for (auto const v : g.vertices())
            if (policy_.is_result(std::as_const(g)[v]) && is_complete(g, v, keep)) complete.push_back(v);
        vertex_set_t<G> const along = reachable(g, complete, direction::dependencies);
        for (auto const v : complete) keep.insert(v);

        std::vector<vertex_id_t<G>> gone;
        for (auto const v : g.vertices())
            if (!keep.contains(v) && !along.contains(v)) gone.push_back(v);
        for (auto const v : gone) g.erase_vertex(v);
        return g;
    }

private:
    template <class G>
    [[nodiscard]] auto dependents_of_rejected(G const& g) const -> vertex_set_t<G>
    {
        std::vector<vertex_id_t<G>> dependents;
        if constexpr (rejecting_policy<Policy, vertex_value_t<G>>)
            for (auto const v : g.vertices())
                if (policy_.rejected(g[v]))
                    for (auto const d : g.dependents(v)) dependents.push_back(d);
        return reachable(g, dependents, direction::dependents);
    }

    template <class G>
    [[nodiscard]] auto is_complete(G const& g, vertex_id_t<G> v, vertex_set_t<G> const& keep) const -> bool
    {
        bool any = false;
        vertex_set_t<G> const closure = reachable(g, std::vector{v}, direction::dependencies);
        for (auto const d : closure) {
            if (!policy_.counts(g[d])) continue;
            if (!keep.contains(d)) return false;
            any = true;
        }
        return any;
    }

    [[no_unique_address]] Policy policy_{};
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_TARGET_SUBGRAPH_HPP
