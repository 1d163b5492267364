// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_ACTION_ORDER_HPP
#define STRIDER_INFRA_GRAPH_ACTION_ORDER_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/core/digraph.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/infra/graph/graph_tables.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/lifecycle/rules.hpp>
#include <strider/transform/transformer.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace strider::infra {

/// Adds a vertex per invocation of an action.
///
/// Those before a change wait for everything that the change waits for, and precede it. Those after a change wait for it, and
/// precede its dependents, except for those that one of these actions depends on itself. The invocations before a change, and
/// those after it, form chains. Each waits for the declaration of its action.
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
        auto const& all = tables_->invocations();
        if (all.empty()) return g;
        places const at = find(g);
        for (std::size_t first = 0; first < all.size();) {
            std::size_t last = first;
            chain added;
            for (; last < all.size() && continues(all[first], all[last]); ++last) {
                draft_vertex_id const v = g.add_vertex(
                    {node_role::invocation, false, static_cast<std::uint32_t>(last), node::no_declaration});
                if (auto const d = at.declarations[all[last].declaration]) g.add_edge(v, *d, edge_rules::reference);
                if (!added.empty()) g.add_edge(v, added.back(), edge_rules::action_trigger);
                added.push_back(v);
            }
            if (all[first].event != trigger_event::invoke)
                if (auto const changed = at.creators[all[first].change])
                    is_before(all[first].event) ? precede(g, *changed, added) : follow(g, *changed, added);
            first = last;
        }
        return g;
    }

private:
    using chain = std::vector<draft_vertex_id>;
    struct places {
        std::vector<std::optional<draft_vertex_id>> declarations;
        std::vector<std::optional<draft_vertex_id>> creators;  // by change
    };

    [[nodiscard]] auto find(digraph<node> const& g) const -> places
    {
        places at{std::vector<std::optional<draft_vertex_id>>(tables_->declared().size()),
            std::vector<std::optional<draft_vertex_id>>(tables_->changes().size())};
        for (draft_vertex_id const v : g.vertices()) {
            if (g[v].role == node_role::declaration) at.declarations[g[v].index] = v;
            if (g[v].role == node_role::creator) at.creators[g[v].index] = v;
        }
        return at;
    }

    template <class Invocation>
    [[nodiscard]] static auto continues(Invocation const& first, Invocation const& next) -> bool
    {
        return &first == &next
            || (first.event != trigger_event::invoke && first.change == next.change && first.event == next.event);
    }

    template <class Graph>
    static void precede(Graph& g, draft_vertex_id change, chain const& added)
    {
        std::vector<edge_t<Graph>> waits;
        for (auto const e : g.dependency_edges(change)) waits.push_back(e);
        for (auto const& e : waits) g.add_edge(added.front(), e.dependency, e.origin);
        g.add_edge(change, added.back(), edge_rules::action_trigger);
    }

    template <class Graph>
    static void follow(Graph& g, draft_vertex_id change, chain const& added)
    {
        auto const needed = reachable(g, added, direction::dependencies);
        g.add_edge(added.front(), change, edge_rules::action_trigger);
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
                else g.add_edge(d, added.back(), edge_rules::action_trigger);
            }
        }
    }

    graph_tables<P> const* tables_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_ACTION_ORDER_HPP
