// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_DETAIL_DESTROY_PAIRS_HPP
#define STRIDER_LIFECYCLE_DETAIL_DESTROY_PAIRS_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/core/edge.hpp>
#include <strider/lifecycle/destroy_policy.hpp>
#include <strider/lifecycle/detail/tentative_edges.hpp>
#include <strider/lifecycle/rules.hpp>

#include <map>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider::detail {

/// The vertices that create or destroy, by the key of stored dependencies.
template <class Id>
struct acting_group {
    std::vector<Id> creators;
    std::vector<Id> destroyers;
};

/// Adds the edges E2 to E4, each directly between the two vertices it orders.
template <class G, class Policy>
class destroy_pairs {
    using value_type = vertex_value_t<G>;
    using key = std::remove_cvref_t<decltype(std::declval<Policy const&>().key(std::declval<value_type const&>()))>;
    struct acting {
        vertex_id_t<G> vertex;
        std::vector<key> stored;
    };

public:
    destroy_pairs(G& g, Policy const& policy) : g_(&g), policy_(&policy) {}

    void add_creator(vertex_id_t<G> v) { creators_.push_back({v, stored(v)}); }
    /// With stored dependencies, the objects of one vertex may have different ones; with edges of the input they
    /// cannot.
    void add_destroyer(vertex_id_t<G> v, vertex_id_t<G> of)
    {
        destroyers_.push_back({v, stored(remembers_dependencies<Policy, value_type> ? v : of)});
    }

    /// \return edges to add if they close no cycle
    [[nodiscard]] auto connect(std::map<key, acting_group<vertex_id_t<G>>> const& by_key) -> std::vector<edge_t<G>>
    {
        for (acting const& creator : creators_)
            for (key const& k : creator.stored)
                if (auto const found = by_key.find(k); found != by_key.end())
                    for (auto const destroyer : found->second.destroyers)
                        if (policy_->ordered(value(creator.vertex), value(destroyer)) != ordering::none)
                            g_->add_edge(
                                creator.vertex, depends_on(destroyer), edge_rules::after_destruction_of_dependency);
        for (acting const& destroyer : destroyers_)
            for (key const& k : destroyer.stored)
                if (auto const found = by_key.find(k); found != by_key.end()) {
                    for (auto const later : found->second.destroyers)
                        if (later != destroyer.vertex) wait(later, destroyer.vertex, edge_rules::destroy_order);
                    for (auto const creator : found->second.creators)
                        wait(creator, destroyer.vertex, edge_rules::after_destruction_of_dependent);
                }
        return std::move(tentative_);
    }

private:
    [[nodiscard]] auto value(vertex_id_t<G> v) const -> decltype(auto) { return std::as_const(*g_)[v]; }
    void wait(vertex_id_t<G> dependent, vertex_id_t<G> dependency, edge_origin origin)
    {
        ordering const how = policy_->ordered(value(dependent), value(dependency));
        if (how == ordering::required) g_->add_edge(dependent, depends_on(dependency), origin);
        if (how == ordering::tentative) tentative_.push_back({dependent, dependency, tentative_rule(origin)});
    }
    [[nodiscard]] auto stored(vertex_id_t<G> v) const -> std::vector<key>
    {
        std::vector<key> keys;
        if constexpr (remembers_dependencies<Policy, value_type>) {
            for (auto&& k : policy_->stored_dependencies(value(v))) keys.emplace_back(std::forward<decltype(k)>(k));
        } else {
            vertex_set_t<G> const closure = reachable(*g_, std::vector{v}, direction::dependencies);
            for (auto const d : closure)
                if (d != v) keys.push_back(policy_->key(value(d)));
        }
        return keys;
    }

    G* g_;
    Policy const* policy_;
    std::vector<acting> creators_;
    std::vector<acting> destroyers_;
    std::vector<edge_t<G>> tentative_;
};

}  // namespace strider::detail

#endif  // STRIDER_LIFECYCLE_DETAIL_DESTROY_PAIRS_HPP
