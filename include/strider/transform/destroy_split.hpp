// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_DESTROY_SPLIT_HPP
#define STRIDER_TRANSFORM_DESTROY_SPLIT_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/transform/transformer.hpp>

#include <range/v3/range/concepts.hpp>

#include <concepts>
#include <cstdint>
#include <map>
#include <type_traits>
#include <utility>
#include <vector>

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
/// \complexity O(V + E log V), E the edges added, each vertex asked once per question; a policy without
///             memory costs a search of the input for each vertex that creates or destroys. A tentative edge
///             costs a search of its own.
/// \source     OpenTofu, docs/destroying.md; graph-engine specification 5.1 to 5.5 (E1 to E4).
template <class Policy>
class destroy_split : public transformer_base {
public:
    static constexpr property excludes = property::destroy_split | property::reduced;
    static constexpr property establishes = property::destroy_split;
    static constexpr property invalidates = property::acyclic | property::single_root;

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
        struct acting {
            vertex_id vertex;
            std::vector<key> stored;
        };
        struct group {
            std::vector<vertex_id> creators, destroyers;
        };
        std::vector<acting> creators, destroyers;
        std::map<key, group> by_key;
        std::vector<vertex_id> gone;

        for (vertex_id const v : g.vertices()) {
            std::vector<vertex_id> own;
            for (auto&& doomed : policy_.destroyers(std::as_const(g)[v]))
                own.push_back(g.add_vertex(std::forward<decltype(doomed)>(doomed)));
            bool const creates = policy_.creates(std::as_const(g)[v]);
            bool const remains = policy_.remains(std::as_const(g)[v]);
            if (own.empty() && !creates && remains) continue;

            key const own_key = policy_.key(std::as_const(g)[v]);
            if (creates) {
                by_key[own_key].creators.push_back(v);
                creators.push_back({v, stored<key>(g, v)});
            }
            for (vertex_id const destroyer : own) {
                if (remains) g.add_edge(v, destroyer, edge_origin::own_destroyer);
                by_key[own_key].destroyers.push_back(destroyer);
                // A policy with memory may tell the objects of one vertex apart; the edges of the input cannot.
                if constexpr (remembers_dependencies<Policy, value_type>)
                    destroyers.push_back({destroyer, stored<key>(g, destroyer)});
                else destroyers.push_back({destroyer, stored<key>(g, v)});
            }
            if (!remains) gone.push_back(v);
        }
        for (vertex_id const v : gone) g.erase_vertex(v);

        std::vector<edge> tentative;
        auto const connect = [&g, &tentative, &policy = policy_](
                                 vertex_id dependent, vertex_id dependency, edge_origin origin) {
            ordering const how = policy.ordered(std::as_const(g)[dependent], std::as_const(g)[dependency]);
            if (how == ordering::required) g.add_edge(dependent, dependency, origin);
            if (how == ordering::tentative) tentative.push_back({dependent, dependency, origin});
        };
        for (acting const& creator : creators)
            for (key const& k : creator.stored)
                if (auto const found = by_key.find(k); found != by_key.end())
                    for (vertex_id const destroyer : found->second.destroyers)
                        if (policy_.ordered(std::as_const(g)[creator.vertex], std::as_const(g)[destroyer])
                            != ordering::none)
                            g.add_edge(creator.vertex, destroyer, edge_origin::after_destruction_of_dependency);
        for (acting const& destroyer : destroyers)
            for (key const& k : destroyer.stored)
                if (auto const found = by_key.find(k); found != by_key.end()) {
                    for (vertex_id const later : found->second.destroyers)
                        if (later != destroyer.vertex) connect(later, destroyer.vertex, edge_origin::destroy_order);
                    for (vertex_id const creator : found->second.creators)
                        connect(creator, destroyer.vertex, edge_origin::after_destruction_of_dependent);
                }
        for (edge const& e : tentative)
            if (!reaches(g, e.dependency, e.dependent)) g.add_edge(e.dependent, e.dependency, e.origin);
        return g;
    }

private:
    template <class Key, class G>
    [[nodiscard]] auto stored(G const& g, vertex_id v) const -> std::vector<Key>
    {
        std::vector<Key> keys;
        if constexpr (remembers_dependencies<Policy, vertex_value_t<G>>) {
            for (auto&& k : policy_.stored_dependencies(g[v])) keys.emplace_back(std::forward<decltype(k)>(k));
        } else {
            vertex_set const closure = reachable(g, std::vector{v}, direction::dependencies);
            for (vertex_id const d : g.vertices())
                if (d != v && closure.contains(d)) keys.push_back(policy_.key(g[d]));
        }
        return keys;
    }

    [[no_unique_address]] Policy policy_{};
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_DESTROY_SPLIT_HPP
