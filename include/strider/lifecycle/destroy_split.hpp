// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_LIFECYCLE_DESTROY_SPLIT_HPP
#define STRIDER_LIFECYCLE_DESTROY_SPLIT_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/algorithm/strong_components.hpp>
#include <strider/core/digraph.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/error.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/lifecycle/destroy_policy.hpp>
#include <strider/lifecycle/detail/destroy_joins.hpp>
#include <strider/lifecycle/detail/destroy_pairs.hpp>
#include <strider/lifecycle/rules.hpp>
#include <strider/transform/transformer.hpp>

#include <range/v3/algorithm/copy.hpp>
#include <range/v3/algorithm/move.hpp>
#include <range/v3/iterator/insert_iterators.hpp>
#include <range/v3/range/concepts.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/filter.hpp>

#include <concepts>
#include <cstddef>
#include <map>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

namespace detail {

template <class G>
concept counts_edges_of_both_ends = lists_dependent_edges<G> && requires(G const& g, vertex_id_t<G> v) {
    { g.dependency_count(v) } -> std::convertible_to<std::size_t>;
    { g.dependent_count(v) } -> std::convertible_to<std::size_t>;
};

/// Removes the order of destroyers whose stored dependencies form a cycle, and the joins between them.
///
/// Such dependencies are of different times: one object was changed after a configuration had reversed them, another was
/// not. No order is right for all objects of the cycle. They keep their order relative to all other vertices: each waits
/// for what any of them waits for.
///
/// \complexity O(V + E); for each cycle also the number of its destroyers times the edges into and out of it.
template <class G>
class destroy_cycles {
    using id_type = vertex_id_t<G>;

public:
    destroy_cycles(G& g, vertex_set_t<G> const& destroyers) : g_(&g), destroyers_(&destroyers) {}

    void dissolve()
    {
        auto const all = strong_components(*g_);
        digraph<id_type> order;  // the edges E3 within components
        std::map<id_type, draft_vertex_id> number;
        auto const add = [&](id_type v) {
            auto const [at, added] = number.try_emplace(v);
            if (added) at->second = order.add_vertex(v);
            return at->second;
        };
        for (std::size_t c = 0; c < all.size(); ++c) {
            if (all[c].size() < 2) continue;
            for (auto const v : all[c])
                for (auto const e : g_->dependency_edges(v))
                    if (is_order(e) && all.same(v, e.dependency)) order.add_edge(add(v), depends_on(add(e.dependency)));
        }
        auto const cycles = strong_components(order);
        for (std::size_t c = 0; c < cycles.size(); ++c) {
            if (cycles[c].size() < 2) continue;
            std::vector<id_type> members;
            for (auto const v : cycles[c]) members.push_back(order[v]);
            dissolve(members);
        }
    }

private:
    [[nodiscard]] static auto is_order(edge_t<G> const& e) -> bool
    {
        return e.origin.made_by() == edge_rules::destroy_order;
    }

    void dissolve(std::vector<id_type> const& members)
    {
        vertex_set_t<G> inside(g_->id_bound());
        for (auto const v : members) inside.insert(v);
        std::vector<edge_t<G>> out;
        std::vector<edge_t<G>> into_joins;
        std::vector<edge_t<G>> within;
        for (auto const v : members) {
            for (auto const e : g_->dependency_edges(v)) {
                if (!is_order(e)) continue;
                (inside.contains(e.dependency) ? within : out).push_back(e);
            }
            if (destroyers_->contains(v)) continue;
            for (auto const e : g_->dependent_edges(v))
                if (!inside.contains(e.dependent)) into_joins.push_back(e);
        }
        for (auto const& e : within) g_->erase_edge(e.dependent, depends_on(e.dependency));
        for (auto const v : members) {
            if (!destroyers_->contains(v)) {
                g_->erase_vertex(v);
                continue;
            }
            for (auto const& e : out) g_->add_edge(v, depends_on(e.dependency), e.origin);
            for (auto const& e : into_joins) g_->add_edge(e.dependent, depends_on(v), e.origin);
        }
    }

    G* g_;
    vertex_set_t<G> const* destroyers_;
};

}  // namespace detail

/// Adds a vertex for every object to destroy, and orders it relative to the others.
///
/// The order follows the *stored* dependencies of the objects, not the edges of the input, because the configuration
/// may have changed since. With "b depended on a": a destroyer of a waits for those of b (E3), a creator of b waits
/// for the destroyers of a (E2), a creator of a for those of b (E4), and every creator for its own destroyers (E1).
/// If the policy has no `stored_dependencies`, the transitive edges of the input are used instead.
///
/// Stored dependencies of different times may form a cycle. The objects of a cycle are destroyed in any order relative to
/// each other, and in the same order relative to all others.
///
/// \pre        `g` has no destroyers yet.
/// \post       Vertex ids of `g` stay valid, except those of vertices that only destroyed.
/// \complexity O(V + E log V), E the edges; each predicate is called once per vertex. E is one edge per ordered
/// pair, or, with a policy that `groups_dependencies`, the number of keys and parts of its sets. A policy without
/// stored dependencies costs a search of the input per vertex that creates or destroys; a tentative edge costs a
/// search.
/// \source     OpenTofu, docs/destroying.md.
template <class Policy>
class destroy_split : public transformer_base {
public:
    /// The stage runs once, and the edges that it adds may imply others.
    using excludes = property_list<properties::destroy_split, properties::reduced>;
    using establishes = property_list<properties::destroy_split>;  ///< holds also if no object is destroyed
    using invalidates = property_list<properties::acyclic, properties::single_root>;  ///< by added edges and vertices

    destroy_split()
        requires std::default_initializable<Policy>
    = default;
    /// Stores the policy that states the objects to destroy and their order.
    constexpr explicit destroy_split(Policy policy) : policy_(std::move(policy)) {}

    /// Returns `g` with the destroyers and without the vertices that only destroyed. Cycles are not an error here:
    /// `cycle_validation` reports them. Exceptions of the policy propagate.
    template <mutable_digraph G>
        requires destroy_policy<Policy, vertex_value_t<G>> && detail::counts_edges_of_both_ends<G>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        using value_type = vertex_value_t<G>;
        using key = std::remove_cvref_t<decltype(policy_.key(std::declval<value_type const&>()))>;
        using order = std::conditional_t<groups_dependencies<Policy, value_type>, detail::destroy_joins<G, Policy>,
            detail::destroy_pairs<G, Policy>>;
        std::map<key, detail::acting_group<vertex_id_t<G>>> by_key;
        order ordered(g, policy_);
        std::vector<vertex_id_t<G>> gone;
        vertex_set_t<G> all_destroyers(g.id_bound());

        auto const initial = g.vertices() | ranges::to<std::vector>();  // the loop adds vertices
        for (auto const v : initial) {
            // A lazy range may refer to the value of `v`, which moves when vertices are added: all values are made
            // before.
            auto to_destroy = values_of<value_type>(policy_.destroyers(std::as_const(g)[v]));
            std::vector<vertex_id_t<G>> own;
            for (value_type& one : to_destroy) own.push_back(g.add_vertex(std::move(one)));
            if (!own.empty()) connect_needed(g, v, own);
            bool const creates = policy_.creates(std::as_const(g)[v]);
            bool const remains = policy_.remains(std::as_const(g)[v]);
            if (own.empty() && !creates && remains) continue;

            auto& group = by_key[policy_.key(std::as_const(g)[v])];
            if (creates) {
                group.creators.push_back(v);
                ordered.add_creator(v);
            }
            for (auto const destroyer : own) {
                if (remains) g.add_edge(v, depends_on(destroyer), edge_rules::own_destroyer);
                group.destroyers.push_back(destroyer);
                all_destroyers.insert(destroyer);
                ordered.add_destroyer(destroyer, v);
            }
            if (!remains) gone.push_back(v);
        }
        for (auto const v : gone) g.erase_vertex(v);
        auto const tentative = ordered.connect(by_key);
        if (all_destroyers.size() > 1) detail::destroy_cycles<G>(g, all_destroyers).dissolve();
        for (auto const& e : tentative)
            if (!has_path(g, e.dependency, e.dependent)) g.add_edge(e.dependent, depends_on(e.dependency), e.origin);
        return g;
    }

private:
    // The elements of a range, moved from a container that was returned by value.
    template <class V, class R>
    [[nodiscard]] static auto values_of(R&& range) -> std::vector<V>
    {
        std::vector<V> values;
        if constexpr (std::is_lvalue_reference_v<R> || ranges::view_<R>)
            ranges::copy(range, ranges::back_inserter(values));
        else ranges::move(range, ranges::back_inserter(values));
        return values;
    }
    template <class G>
    void connect_needed([[maybe_unused]] G& g, [[maybe_unused]] vertex_id_t<G> v,
        [[maybe_unused]] std::vector<vertex_id_t<G>> const& destroyers) const
    {
        if constexpr (serves_destroyers<Policy, vertex_value_t<G>>) {
            auto const needed = g.dependencies(v) | ranges::views::filter([&](vertex_id_t<G> d) {
                return policy_.is_needed_to_destroy(std::as_const(g)[d]);
            }) | ranges::to<std::vector>();
            for (auto const destroyer : destroyers)
                for (auto const d : needed) g.add_edge(destroyer, depends_on(d), edge_rules::scope_begin);
        }
    }

    [[no_unique_address]] Policy policy_{};
};

}  // namespace strider

#endif  // STRIDER_LIFECYCLE_DESTROY_SPLIT_HPP
