// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_GRAPH_BUILDER_HPP
#define STRIDER_INFRA_GRAPH_GRAPH_BUILDER_HPP

#include <strider/algorithm/reachability.hpp>
#include <strider/core/digraph.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/rules.hpp>
#include <strider/infra/program/triggering.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Builds the draft of a graph in steps: vertices and references. The stages of a pipeline then add the order of
/// destruction, scopes and the root.
///
/// The steps are those of the resource graph document; `docs/graph.md` maps all nine of them. A draft for planning
/// contains declarations only; a draft for applying also has a vertex per change.
///
/// \source OpenTofu, "Resource Graph": building the graph.
template <program P>
class graph_builder {
public:
    using value_type = typename P::value_type;  ///< values of the program

    /// Starts with a graph of the declarations of one program, an empty one by default.
    explicit graph_builder(declaration_index<P> declared, digraph<node> begun = {})
        : declared_(std::move(declared)),
          graph_(std::move(begun))
    {}

    /// Step 1: adds a vertex per declaration, and one per change that belongs to a declaration. A change waits for
    /// the expansion of its declaration.
    void add_resources(std::vector<change<value_type>> const& changes = {})
    {
        begin_vertices_.resize(declared_.size());
        close_vertices_.resize(declared_.size());
        instances_.resize(declared_.size());
        joins_.resize(declared_.size());
        for (std::size_t i = 0; i < declared_.size(); ++i) {
            node n{node_role::declaration, false, static_cast<std::uint32_t>(i), node::no_declaration};
            if (declared_.kind(i) == declaration_kind::resource)
                n.create_before_destroy =
                    lifecycle_of(declared_.configuration(), declared_[i]).create_before_destroy.value_or(false);
            begin_vertices_[i] = graph_.add_vertex(n);
            if (declared_.kind(i) == declaration_kind::module) {
                n.role = node_role::module_close;
                close_vertices_[i] = graph_.add_vertex(n);
                graph_.add_edge(close_vertices_[i], depends_on(begin_vertices_[i]), edge_rules::scope_close);
            }
        }
        add_changes(changes, true);
    }

    /// Step 3: adds an edge per explicit dependency.
    void connect_explicit_dependencies() { connect(true, edge_rules::explicit_dependency); }

    /// Step 4: adds changes without a declaration; in a destroy, these are all changes.
    void add_orphans(std::vector<change<value_type>> const& changes) { add_changes(changes, false); }

    /// Step 5: creators and destroyers wait for the configuration of their provider, if one is declared. (The
    /// lifetime of a provider becomes a scope later, see `provider_scopes`.)
    void connect_providers(std::vector<change<value_type>> const& changes)
    {
        for (draft_vertex_id const v : graph_.vertices()) {
            if (graph_[v].role != node_role::creator) continue;
            std::size_t i = graph_[v].index;
            connect_provider(v, changes[i].provider);
            // Deposed objects of the instance may have other providers.
            address const& target = changes[i].target;
            for (++i; i < changes.size() && changes[i].target == target; ++i)
                if (destroys_object(changes[i].what)) connect_provider(v, changes[i].provider);
        }
    }

    /// As above, for a draft for planning: adds a vertex per object without a declaration; `providers` are their
    /// providers.
    void add_orphan_vertices(std::vector<std::string> const& providers)
    {
        for (std::size_t i = 0; i < providers.size(); ++i)
            connect_provider(
                graph_.add_vertex({node_role::orphan, false, static_cast<std::uint32_t>(i), node::no_declaration}),
                providers[i]);
    }

    /// Step 6: adds an edge per reference in an expression.
    void connect_references() { connect(false, edge_rules::reference); }

    /// A resource depends on the actions that it triggers, and therefore on their references, unless these lead back to
    /// it.
    void connect_triggers()
    {
        std::map<std::size_t, std::set<std::size_t>> resources;  // that trigger an action, by action
        for_each_trigger(declared_, [&](std::size_t resource, action_trigger const& t) {
            for (auto const& name : t.actions)
                if (std::size_t const action = declared_.find(name); action != no_declaration)
                    resources[action].insert(resource);
        });
        std::map<std::size_t, std::set<std::size_t>> triggered;  // the actions that a resource depends on
        for (auto const& [action, triggering] : resources) {
            auto const needed = needs_of(action, triggered);
            for (std::size_t const resource : triggering) {
                if (needed.contains(resource)) continue;
                graph_.add_edge(
                    begin_vertices_[resource], depends_on(begin_vertices_[action]), edge_rules::action_trigger);
                triggered[resource].insert(action);
            }
        }
    }

    /// Orders checks after all changes. Checks do not delay the close of their module. Their data are read after all
    /// objects are created.
    void order_checks_last()
    {
        std::vector<draft_vertex_id> check_vertices;
        for (std::size_t i = 0; i < begin_vertices_.size(); ++i) {
            if (!is_check(i)) continue;
            if (std::size_t const module = declared_.module(i); module != no_declaration)
                graph_.add_edge(begin_vertices_[i], depends_on(begin_vertices_[module]), edge_rules::scope_begin);
            for (auto const& [_, v] : instances_[i]) check_vertices.push_back(v);
        }
        if (check_vertices.empty()) return;
        draft_vertex_id const begin = graph_.add_vertex({node_role::join, false, 0, node::no_declaration});
        for (draft_vertex_id const v : check_vertices) graph_.add_edge(v, depends_on(begin), edge_rules::join);
        for (std::size_t i = 0; i < begin_vertices_.size(); ++i) {
            if (is_check(i)) continue;
            for (auto const& [target, v] : instances_[i])
                if (target.mode() == resource_mode::managed) graph_.add_edge(begin, depends_on(v), edge_rules::join);
        }
    }

    /// Removes the configurations of providers without dependents. Their expressions are not evaluated.
    void drop_unused_providers()
    {
        for (std::size_t i = 0; i < begin_vertices_.size(); ++i)
            if (declared_.kind(i) == declaration_kind::provider && graph_.dependents(begin_vertices_[i]).empty())
                graph_.erase_vertex(begin_vertices_[i]);
    }

    /// Keeps only some declarations, given by their numbers, and their dependencies. \pre every module has its boundaries
    void keep_dependencies_of(std::set<std::size_t> const& declarations)
    {
        std::vector<draft_vertex_id> kept;
        for (draft_vertex_id const v : graph_.vertices())
            if (graph_[v].role == node_role::declaration && declarations.contains(graph_[v].index)) kept.push_back(v);
        keep(kept);
    }

    /// Keeps only changes and providers, and their dependencies. In a destroy, other values may no longer be computable.
    void keep_dependencies_of_changes(std::set<std::string> const& providers = {})
    {
        std::vector<draft_vertex_id> changes;
        for (draft_vertex_id const v : graph_.vertices())
            if (graph_[v].role == node_role::creator) changes.push_back(v);
        for (std::string const& name : providers)
            if (std::size_t const i = declared_.find(name); i < begin_vertices_.size())
                changes.push_back(begin_vertices_[i]);
        keep(changes);
    }

    /// Returns the graph that all steps so far have made; ends the use of the builder.
    [[nodiscard]] auto take() && noexcept -> digraph<node> { return std::move(graph_); }

private:
    // The declarations that an action needs, directly or not. The draft has no boundaries of modules yet: a member of a module
    // waits for what the module waits for, and who refers to a module waits for its members.
    [[nodiscard]] auto needs_of(std::size_t action, std::map<std::size_t, std::set<std::size_t>> const& triggered) const
        -> std::set<std::size_t>
    {
        std::set<std::size_t> found;
        std::vector<std::size_t> open{action};
        auto const add = [&](std::size_t i) {
            if (i != no_declaration && found.insert(i).second) open.push_back(i);
        };
        auto const is_inside = [&](std::size_t i, std::size_t module) {
            while (i != no_declaration && i != module) i = declared_.module(i);
            return i == module;
        };
        while (!open.empty()) {
            std::size_t const i = open.back();
            open.pop_back();
            add(declared_.module(i));
            for (resolved_reference const& r : declared_.references(i)) {
                add(r.declaration);
                if (r.declaration == no_declaration || declared_.kind(r.declaration) != declaration_kind::module)
                    continue;
                for (std::size_t j = 0; j < declared_.size(); ++j)
                    if (declared_.kind(j) != declaration_kind::check && is_inside(j, r.declaration)) add(j);
            }
            if (auto const at = triggered.find(i); at != triggered.end())
                for (std::size_t const one : at->second) add(one);
        }
        return found;
    }

    // Keeps these vertices and their dependencies.
    void keep(std::vector<draft_vertex_id> const& kept)
    {
        basic_vertex_set<draft_vertex_id> needed = reachable(graph_, kept, direction::dependencies);
        for (draft_vertex_id const v : kept) needed.insert(v);
        std::vector<draft_vertex_id> gone;
        for (draft_vertex_id const v : graph_.vertices())
            if (!needed.contains(v)) gone.push_back(v);
        for (draft_vertex_id const v : gone) graph_.erase_vertex(v);
    }

    void connect_provider(draft_vertex_id v, std::string const& provider)
    {
        std::size_t const configuration = declared_.find(provider);
        if (configuration < begin_vertices_.size())
            graph_.add_edge(v, depends_on(begin_vertices_[configuration]), edge_rules::scope_begin);
    }

    [[nodiscard]] auto is_check(std::size_t declaration) const -> bool
    {
        return is_of_check(declared_.configuration(), declared_[declaration]);
    }

    // Adds a vertex per instance with changes: the change of its current object represents its deposed ones.
    // `declared`: selects changes after which an object remains, else those that only destroy.
    void add_changes(std::vector<change<value_type>> const& changes, bool declared)
    {
        for (std::size_t i = 0; i < changes.size(); ++i) {
            change<value_type> const& c = changes[i];
            if (!has_vertex(c)) continue;
            bool const stays = c.declaration != no_declaration && !c.of_deposed && c.what != action::destroy;
            if (stays != declared) continue;
            if (c.of_deposed && is_represented(changes, i)) continue;
            draft_vertex_id const v = graph_.add_vertex(
                {node_role::creator, c.create_before_destroy, static_cast<std::uint32_t>(i), node::no_declaration});
            if (!declared) continue;
            graph_.add_edge(v, depends_on(begin_vertices_[c.declaration]), edge_rules::expansion);
            instances_[c.declaration].emplace(c.target, v);
        }
    }

    [[nodiscard]] static auto has_vertex(change<value_type> const& c) -> bool
    {
        return c.what == action::no_op ? c.has_conditions : c.what != action::forget;
    }
    // True if an earlier change of the same instance has a vertex.
    [[nodiscard]] static auto is_represented(std::vector<change<value_type>> const& changes, std::size_t i) -> bool
    {
        for (std::size_t j = i; j-- > 0 && changes[j].target == changes[i].target;)
            if (has_vertex(changes[j])) return true;
        return false;
    }

    // Adds edges to the dependencies that references name: to one instance if a key is given, else to the declaration
    // and all of its instances. Instances of the referring declaration wait through their declaration; instances of
    // the referenced one are joined: n + m edges instead of n times m, and one per further declaration that refers to
    // them.
    void connect(bool explicit_only, edge_rule rule)
    {
        for (std::size_t i = 0; i < begin_vertices_.size(); ++i)
            for (resolved_reference const& r : declared_.references(i)) {
                if (r.explicit_only != explicit_only) continue;
                edge_origin const origin = edge_origin(rule).at(r.place);
                if (r.declaration == i) connect_within(i, r, origin);
                else connect_to(begin_vertices_[i], r, origin);
            }
    }

    void connect_to(draft_vertex_id v, resolved_reference const& r, edge_origin origin)
    {
        std::size_t const named = r.declaration;
        if (close_vertices_[named]) {
            graph_.add_edge(v, depends_on(close_vertices_[named]), origin);
            graph_.add_edge(v, depends_on(begin_vertices_[named]),
                origin);  // for the instances of the module, even if they are empty
            return;
        }
        if (r.key) {
            bool found = false;
            for (auto const& [target, instance] : instances_[named])
                if (target.key() == r.key) {
                    graph_.add_edge(v, depends_on(instance), origin);
                    found = true;
                }
            if (found) return;
        }
        graph_.add_edge(v, depends_on(begin_vertices_[named]), origin);
        if (instances_[named].size() == 1) graph_.add_edge(v, depends_on(instances_[named].begin()->second), origin);
        if (instances_[named].size() > 1) graph_.add_edge(v, depends_on(join_of(named)), origin);
    }

    // Returns a join of all instances of a declaration, so that each reference takes one edge.
    auto join_of(std::size_t declaration) -> draft_vertex_id
    {
        draft_vertex_id& join = joins_[declaration];
        if (join) return join;
        join = graph_.add_vertex({node_role::join, false, 0, node::no_declaration});
        for (auto const& [_, instance] : instances_[declaration])
            graph_.add_edge(join, depends_on(instance), edge_rules::join);
        return join;
    }

    // Connects instances of one declaration that refer to one another.
    void connect_within(std::size_t i, resolved_reference const& r, edge_origin origin)
    {
        if (r.explicit_only) return;
        for (auto const& [target, dependent] : instances_[i])
            for (auto const& [named, dependency] : instances_[i])
                if (dependent != dependency && (!r.key || named.key() == r.key))
                    graph_.add_edge(dependent, depends_on(dependency), origin);
    }

    declaration_index<P> declared_;
    digraph<node> graph_;
    std::vector<draft_vertex_id> begin_vertices_;  // by declaration; of a module: its begin
    std::vector<draft_vertex_id> close_vertices_;
    std::vector<std::map<address, draft_vertex_id>> instances_;
    std::vector<draft_vertex_id> joins_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_GRAPH_BUILDER_HPP
