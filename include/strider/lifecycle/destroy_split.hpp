// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_DESTROY_SPLIT_HPP
#define STRIDER_LIFECYCLE_DESTROY_SPLIT_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/error.hpp>
#include <strider/lifecycle/destroy_policy.hpp>
#include <strider/lifecycle/detail/destroy_joins.hpp>
#include <strider/lifecycle/detail/destroy_pairs.hpp>
#include <strider/lifecycle/rules.hpp>
#include <strider/transform/transformer.hpp>

#include <concepts>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

/// Gives every object that is to be destroyed a vertex of its own, ordered against the rest.
///
/// Order follows what the *stored* objects depended on, not the edges of the input: the wish may have
/// changed since, and a dependency between may have nothing to do. With "b depended on a":
/// a destroyer of a waits for those of b (E3), a creator of b or of a for those of the other (E2, E4), and
/// every creator for its own destroyers (E1). Only a policy without `stored_dependencies` is served from the
/// edges of the input, transitively.
///
/// \pre        No vertex of `g` is a destroyer yet.
/// \post       Vertex ids of `g` stay valid, save those of vertices that only destroyed.
/// \complexity O(V + E log V), E the edges added, each vertex asked once per question. E is one edge for each pair that
///             is to be ordered, or, with a policy that `groups_dependencies`, what its sets have of names and parts.
///             A policy without memory costs a search of the input for each vertex that creates or destroys; a
///             tentative edge costs a search of its own.
/// \source     OpenTofu, docs/destroying.md.
template <class Policy>
class destroy_split : public transformer_base {
public:
    using excludes = property_list<properties::destroy_split, properties::reduced>;
    using establishes = property_list<properties::destroy_split>;
    using invalidates = property_list<properties::acyclic, properties::single_root>;

    destroy_split()
        requires std::default_initializable<Policy>
    = default;
    constexpr explicit destroy_split(Policy policy) : policy_(std::move(policy)) {}

    template <mutable_digraph G>
        requires destroy_policy<Policy, vertex_value_t<G>>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        using value_type = vertex_value_t<G>;
        using key = std::remove_cvref_t<decltype(policy_.key(std::declval<value_type const&>()))>;
        using order = std::conditional_t<groups_dependencies<Policy, value_type>, detail::destroy_joins<G, Policy>,
            detail::destroy_pairs<G, Policy>>;
        std::map<key, detail::acting_group<vertex_id_t<G>>> by_key;
        order ordered(g, policy_);
        std::vector<vertex_id_t<G>> gone;

        for (auto const v : g.vertices()) {
            // A lazy range may refer to the value of `v`, which moves when vertices are added: all are made before.
            std::vector<value_type> to_destroy;
            for (auto&& one : policy_.destroyers(std::as_const(g)[v]))
                to_destroy.push_back(std::forward<decltype(one)>(one));
            std::vector<vertex_id_t<G>> own;
            for (value_type& one : to_destroy) own.push_back(g.add_vertex(std::move(one)));
            if (!own.empty()) share_what_is_needed(g, v, own);
            bool const creates = policy_.creates(std::as_const(g)[v]);
            bool const remains = policy_.remains(std::as_const(g)[v]);
            if (own.empty() && !creates && remains) continue;

            auto& group = by_key[policy_.key(std::as_const(g)[v])];
            if (creates) {
                group.creators.push_back(v);
                ordered.add_creator(v);
            }
            for (auto const destroyer : own) {
                if (remains) g.add_edge(v, destroyer, edge_rules::own_destroyer);
                group.destroyers.push_back(destroyer);
                ordered.add_destroyer(destroyer, v);
            }
            if (!remains) gone.push_back(v);
        }
        for (auto const v : gone) g.erase_vertex(v);
        for (auto const& e : ordered.connect(by_key))
            if (!has_path(g, e.dependency, e.dependent)) g.add_edge(e.dependent, e.dependency, e.origin);
        return g;
    }

private:
    template <class G>
    void share_what_is_needed([[maybe_unused]] G& g, [[maybe_unused]] vertex_id_t<G> v,
        [[maybe_unused]] std::vector<vertex_id_t<G>> const& destroyers) const
    {
        if constexpr (serves_destroyers<Policy, vertex_value_t<G>>) {
            std::vector<vertex_id_t<G>> needed;
            for (auto const d : g.dependencies(v))
                if (policy_.is_needed_to_destroy(std::as_const(g)[d])) needed.push_back(d);
            for (auto const destroyer : destroyers)
                for (auto const d : needed) g.add_edge(destroyer, d, edge_rules::scope_begin);
        }
    }

    [[no_unique_address]] Policy policy_{};
};

}  // namespace strider

#endif  // STRIDER_LIFECYCLE_DESTROY_SPLIT_HPP
