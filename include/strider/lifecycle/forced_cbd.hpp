// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_FORCED_CBD_HPP
#define STRIDER_LIFECYCLE_FORCED_CBD_HPP

#include <strider/core/vertex_set.hpp>
#include <strider/lifecycle/rules.hpp>
#include <strider/transform/transformer.hpp>

#include <concepts>
#include <utility>
#include <vector>

namespace strider {

/// Requirements of `forced_cbd` on its policy.
template <class P, class V>
concept cbd_policy = requires(P const& policy, V const& value, V& forced) {
    { policy.can_create_before_destroy(value) } -> std::convertible_to<bool>;  // has an object that may be replaced
    { policy.creates_before_destroy(value) } -> std::convertible_to<bool>;
    policy.force_create_before_destroy(forced, value);  // `value` depends on it and is create_before_destroy
};

/// Propagates create_before_destroy from a vertex to all of its dependencies.
///
/// If b is created before its old object is destroyed, and b depends on a, then a's old object must exist as long as
/// b's: a cannot be destroyed first, whatever its declaration states. The flag propagates through vertices without
/// objects (values, modules, providers), never to dependents.
///
/// \pre        `destroy_split` has not run: the destroyers depend on the flag.
/// \complexity O(V + E).
/// \source     OpenTofu, docs/destroying.md, "Forced Create Before Destroy".
template <class Policy>
class forced_cbd : public transformer_base {
public:
    using excludes = property_list<properties::destroy_split>;  ///< its edges depend on the flag
    using establishes = property_list<properties::forced_cbd>;  ///< holds also if no vertex is forced

    forced_cbd()
        requires std::default_initializable<Policy>
    = default;
    /// Stores the policy that reads and sets the flag.
    constexpr explicit forced_cbd(Policy policy) : policy_(std::move(policy)) {}

    /// Returns `g` with changed values and the same edges. Each vertex is forced at most once, by the first vertex that
    /// reaches it in breadth-first order. Never returns an error; exceptions of the policy propagate.
    template <mutable_digraph G>
        requires cbd_policy<Policy, vertex_value_t<G>>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        struct forced_vertex {
            vertex_id_t<G> vertex;
            vertex_id_t<G> by;
        };
        std::vector<forced_vertex> todo;
        for (auto const v : g.vertices())
            if (policy_.creates_before_destroy(std::as_const(g)[v])) todo.push_back({v, v});
        vertex_set_t<G> seen(g.id_bound());
        for (std::size_t next = 0; next < todo.size(); ++next) {
            auto const [v, by] = todo[next];
            for (auto const dependency : g.dependencies(v)) {
                if (!seen.insert(dependency)) continue;
                auto const& value = std::as_const(g)[dependency];
                if (policy_.creates_before_destroy(value)) continue;  // propagates from this vertex itself
                if (policy_.can_create_before_destroy(value))
                    policy_.force_create_before_destroy(g[dependency], std::as_const(g)[by]);
                todo.push_back({dependency, by});
            }
        }
        return g;
    }

private:
    [[no_unique_address]] Policy policy_{};
};

}  // namespace strider

#endif  // STRIDER_LIFECYCLE_FORCED_CBD_HPP
