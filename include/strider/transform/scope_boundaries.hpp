// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_SCOPE_BOUNDARIES_HPP
#define STRIDER_TRANSFORM_SCOPE_BOUNDARIES_HPP

#include <strider/core/vertex_id.hpp>
#include <strider/transform/transformer.hpp>

#include <concepts>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

/// Requirements of `scope_boundaries` on its policy: the scope of a vertex, and the values of boundaries.
///
/// A scope is a module, or the lifetime of a provider. A vertex outside of all scopes (for example, a destroyer in a
/// module) has none.
template <class P, class V>
concept scope_policy = requires(P const& policy, V const& value) {
    { *policy.scope(value) } -> std::totally_ordered;    // optional: the innermost scope it is a member of
    { *policy.begins(value) } -> std::totally_ordered;   // optional: the scope that this vertex begins
    { *policy.closes(value) } -> std::totally_ordered;   // optional: the scope that this vertex closes
    { policy.parent(*policy.scope(value)) } -> std::same_as<std::remove_cvref_t<decltype(policy.scope(value))>>;
    { policy.make_begin(*policy.scope(value)) } -> std::convertible_to<V>;
    { policy.make_close(*policy.scope(value)) } -> std::convertible_to<V>;
};

/// Adds to each scope a begin vertex before all members, and a close vertex after them.
///
/// A dependency of or on a whole scope then takes one edge, instead of one per member. Existing boundaries are used,
/// missing ones are added, for parents too. A nested scope begins after its parent begins, and closes before its
/// parent closes.
///
/// \complexity O(V log S + E added), S the number of scopes.
/// \source     Module depends_on proposal ("begin" vertices).
template <class Policy>
class scope_boundaries : public transformer_base {
public:
    using excludes = property_list<properties::reduced>;  ///< the added edges may imply others
    using establishes = property_list<properties::scope_boundaries>;  ///< every scope has both boundaries
    /// The edges of a boundary may close a cycle; an added boundary may be a second root.
    using invalidates = property_list<properties::acyclic, properties::single_root>;

    scope_boundaries()
        requires std::default_initializable<Policy>
    = default;
    /// Stores the policy that states the scopes of vertices and makes boundaries.
    constexpr explicit scope_boundaries(Policy policy) : policy_(std::move(policy)) {}

    /// Returns `g` with the boundaries of all scopes and their parents. Never returns an error; exceptions of the
    /// policy propagate.
    template <mutable_digraph G>
        requires scope_policy<Policy, vertex_value_t<G>>
    [[nodiscard]] auto operator()(G g) const -> result<G>
    {
        using value_type = vertex_value_t<G>;
        using key = std::remove_cvref_t<decltype(*policy_.scope(std::declval<value_type const&>()))>;
        struct scope_record {
            vertex_id_t<G> begin, close;
            std::vector<vertex_id_t<G>> members;
        };
        std::map<key, scope_record> scopes;

        for (auto const v : g.vertices()) {
            auto const& value = std::as_const(g)[v];
            if (auto const k = policy_.begins(value)) scopes[*k].begin = v;
            else if (auto const c = policy_.closes(value)) scopes[*c].close = v;
            else if (auto const s = policy_.scope(value)) scopes[*s].members.push_back(v);
        }
        std::vector<key> todo;
        for (auto const& [k, _] : scopes) todo.push_back(k);
        while (!todo.empty()) {
            auto const outer = policy_.parent(todo.back());
            todo.pop_back();
            if (outer && scopes.try_emplace(*outer).second) todo.push_back(*outer);
        }

        for (auto& [k, s] : scopes) {
            if (!s.begin) s.begin = g.add_vertex(policy_.make_begin(k));
            if (!s.close) s.close = g.add_vertex(policy_.make_close(k));
        }
        for (auto const& [k, s] : scopes) {
            g.add_edge(s.close, depends_on(s.begin), edge_rules::scope_close);
            for (auto const v : s.members) {
                g.add_edge(v, depends_on(s.begin), edge_rules::scope_begin);
                g.add_edge(s.close, depends_on(v), edge_rules::scope_close);
            }
            if (auto const outer = policy_.parent(k)) {
                g.add_edge(s.begin, depends_on(scopes.at(*outer).begin), edge_rules::scope_begin);
                g.add_edge(scopes.at(*outer).close, depends_on(s.close), edge_rules::scope_close);
            }
        }
        return g;
    }

private:
    [[no_unique_address]] Policy policy_{};
};

}  // namespace strider

#endif  // STRIDER_TRANSFORM_SCOPE_BOUNDARIES_HPP
