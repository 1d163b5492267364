// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_ACTION_ORDER_HPP
#define STRIDER_INFRA_GRAPH_ACTION_ORDER_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/core/digraph.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/infra/graph/graph_tables.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/lifecycle/rules.hpp>
#include <strider/transform/transformer.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace strider::infra {

/// Lets the destroyers of a plan wait for the configurations of the providers of the actions before them, so that no tentative
/// order contradicts these actions. The invocations themselves are added later, by `action_order`.
///
/// \complexity O(invocations), and O(V) if there are such actions.
template <program P>
class action_needs : public transformer_base {
public:
    using needs = property_list<properties::destroy_split>;  ///< the destroyers exist
    using excludes = property_list<properties::cbd_inversion>;  ///< it removes tentative edges that are part of a cycle
    using invalidates = property_list<properties::acyclic>;  ///< a configuration may depend on a destroyer

    /// The tables must outlive the stage.
    explicit action_needs(graph_tables<P> const& tables) : tables_(&tables) {}

    /// Returns `g` with the edges. Never returns an error.
    [[nodiscard]] auto operator()(digraph<node> g) const -> result<digraph<node>>
    {
        std::multimap<std::size_t, std::size_t> configurations;  // declarations by change
        for (auto const& one : tables_->invocations())
            if (one.event == trigger_event::before_destroy)
                if (std::size_t const p = tables_->declared().find(one.provider); p != no_declaration)
                    configurations.emplace(one.change, p);
        if (configurations.empty()) return g;
        std::map<std::size_t, draft_vertex_id> declarations;
        for (draft_vertex_id const v : g.vertices())
            if (g[v].role == node_role::declaration) declarations.emplace(g[v].index, v);
        for (draft_vertex_id const v : g.vertices()) {
            if (!is_destroyer(g[v])) continue;
            auto const [first, last] = configurations.equal_range(g[v].index);
            for (auto at = first; at != last; ++at)
                if (auto const needed = declarations.find(at->second); needed != declarations.end())
                    g.add_edge(v, depends_on(needed->second), edge_rules::scope_begin);
        }
        return g;
    }

private:
    graph_tables<P> const* tables_;
};

/// Adds a vertex per invocation of an action.
///
/// The change of an invocation is a creator or, for the events of a destroy, a destroyer. Those before a change wait for
/// everything that the change waits for, and precede it. Those after a change wait for it, and precede its dependents, except
/// for those that one of these actions, or the configuration of its provider, depends on itself. The invocations before a change, and those after it, form chains. Each
/// waits for the declaration of its action, except at a destroy, where the plan knows the whole configuration.
///
/// \complexity O(invocations + V + E), and a search in the graph for each change with actions after it.
template <program P>
class action_order : public transformer_base {
public:
    using needs =
        property_list<properties::destroy_split, properties::cbd_inversion>;  ///< the order of changes is final
    using excludes = property_list<properties::reduced>;  ///< the dependents of a change are read from its edges
    using invalidates = property_list<properties::acyclic, properties::single_root>;  ///< an action may need its caller

    /// The tables must outlive the stage.
    explicit action_order(graph_tables<P> const& tables) : tables_(&tables) {}

    /// Returns `g` with the invocations. Never returns an error.
    [[nodiscard]] auto operator()(digraph<node> g) const -> result<digraph<node>>
    {
        std::vector<chain> const all = add_chains(g);
        // The invocations after a change are complete before the dependents of the change are copied.
        for (chain const& one : all)
            if (one.change && !is_before(one.event)) follow(g, *one.change, one);
        for (chain const& one : all)
            if (one.change && is_before(one.event)) precede(g, *one.change, one.invocations);
        return g;
    }

private:
    // The invocations of one change by one event, in the order of execution.
    struct chain {
        trigger_event event = trigger_event::invoke;
        std::optional<draft_vertex_id> change;
        std::vector<draft_vertex_id> invocations;
        std::vector<draft_vertex_id> needed;  // the invocations, and the configurations of their providers
    };
    using vertices = std::vector<std::optional<draft_vertex_id>>;
    struct places {
        vertices declarations;
        vertices creators;  // by change
        vertices destroyers;  // by change
    };

    [[nodiscard]] auto add_chains(digraph<node>& g) const -> std::vector<chain>
    {
        std::vector<chain> chains;
        auto const& all = tables_->invocations();
        if (all.empty()) return chains;
        places const at = find(g);
        for (std::size_t i = 0; i < all.size(); ++i) {
            auto const& one = all[i];
            if (i == 0 || !continues(all[i - 1], one)) chains.push_back({one.event, change_of(one, at), {}, {}});
            auto& members = chains.back().invocations;
            draft_vertex_id const v =
                g.add_vertex({node_role::invocation, false, static_cast<std::uint32_t>(i), node::no_declaration});
            if (auto const d = at.declarations[one.declaration]; d && !is_of_destroy(one.event))
                g.add_edge(v, depends_on(*d), edge_rules::reference);
            if (!members.empty()) g.add_edge(v, depends_on(members.back()), edge_rules::action_trigger);
            members.push_back(v);
            chains.back().needed.push_back(v);
            if (std::size_t const p = tables_->declared().find(one.provider); p != no_declaration && at.declarations[p])
                chains.back().needed.push_back(*at.declarations[p]);
        }
        return chains;
    }

    [[nodiscard]] auto find(digraph<node> const& g) const -> places
    {
        places at{vertices(tables_->declared().size()), vertices(tables_->changes().size()),
            vertices(tables_->changes().size())};
        for (draft_vertex_id const v : g.vertices()) {
            if (g[v].role == node_role::declaration) at.declarations[g[v].index] = v;
            if (g[v].role == node_role::creator) at.creators[g[v].index] = v;
            if (is_destroyer(g[v])) at.destroyers[g[v].index] = v;
        }
        return at;
    }

    template <class Invocation>
    [[nodiscard]] static auto change_of(Invocation const& one, places const& at) -> std::optional<draft_vertex_id>
    {
        if (one.event == trigger_event::invoke) return std::nullopt;
        return (is_of_destroy(one.event) ? at.destroyers : at.creators)[one.change];
    }

    template <class Invocation>
    [[nodiscard]] static auto continues(Invocation const& last, Invocation const& next) -> bool
    {
        return next.event != trigger_event::invoke && last.change == next.change && last.event == next.event;
    }

    template <class Graph>
    static void precede(Graph& g, draft_vertex_id change, std::vector<draft_vertex_id> const& added)
    {
        std::vector<edge_t<Graph>> waits;
        for (auto const e : g.dependency_edges(change)) waits.push_back(e);
        for (auto const& e : waits) g.add_edge(added.front(), depends_on(e.dependency), e.origin);
        g.add_edge(change, depends_on(added.back()), edge_rules::action_trigger);
    }

    template <class Graph>
    static void follow(Graph& g, draft_vertex_id change, chain const& one)
    {
        auto const& added = one.invocations;
        auto const needed = reachable(g, one.needed, direction::dependencies);
        g.add_edge(added.front(), depends_on(change), edge_rules::action_trigger);
        basic_vertex_set<draft_vertex_id> seen;
        std::vector<draft_vertex_id> open{change};
        while (!open.empty()) {
            draft_vertex_id const v = open.back();
            open.pop_back();
            std::vector<draft_vertex_id> dependents;
            for (auto const d : g.dependents(v)) dependents.push_back(d);
            for (draft_vertex_id const d : dependents) {
                if (g[d].role == node_role::invocation || !seen.insert(d)) continue;
                // A vertex that the actions need cannot wait for them, but its dependents can.
                if (needed.contains(d)) open.push_back(d);
                else g.add_edge(d, depends_on(added.back()), edge_rules::action_trigger);
            }
        }
    }

    graph_tables<P> const* tables_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_ACTION_ORDER_HPP
