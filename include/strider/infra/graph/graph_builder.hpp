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

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Builds the draft of a graph, step by step: what there is, and what refers to what. Order of destruction, scopes and
/// the root come after it, from the stages of a pipeline.
///
/// The steps are those of the resource graph document; `docs/graph.md` maps all nine of them. A draft for planning has
/// declarations only; a draft for applying has a vertex for each change besides.
///
/// \source OpenTofu, "Resource Graph": building the graph.
template <program P>
class graph_builder {
public:
    using value_type = typename P::value_type;

    explicit graph_builder(declaration_index<P> declared) : declared_(std::move(declared)) {}

    /// Step 1: a vertex for each declaration, and for each change that belongs to one. A change waits until its
    /// declaration is expanded.
    void add_resources(std::vector<change<value_type>> const& changes = {})
    {
        begun_.resize(declared_.size());
        closed_.resize(declared_.size());
        instances_.resize(declared_.size());
        all_.resize(declared_.size());
        for (std::size_t i = 0; i < declared_.size(); ++i) {
            node n{node_role::declaration, false, static_cast<std::uint32_t>(i), node::no_declaration};
            if (declared_.kind(i) == declaration_kind::resource)
                n.create_before_destroy =
                    lifecycle_of(declared_.configuration(), declared_[i]).create_before_destroy.value_or(false);
            begun_[i] = graph_.add_vertex(n);
            if (declared_.kind(i) == declaration_kind::module) {
                n.role = node_role::module_close;
                closed_[i] = graph_.add_vertex(n);
                graph_.add_edge(closed_[i], begun_[i], edge_rules::scope_close);
            }
        }
        add_changes(changes, true);
    }

    /// Step 3: an edge for each dependency that is declared as such.
    void connect_explicit_dependencies() { connect(true, edge_rules::explicit_dependency); }

    /// Step 4: changes of what no declaration wants any more; with a destroy, that is everything.
    void add_orphans(std::vector<change<value_type>> const& changes) { add_changes(changes, false); }

    /// Step 5: who makes or destroys something waits for the configuration of its provider, if there is one that is
    /// declared. (What a provider is open for becomes a scope later: see `provider_scopes`.)
    void connect_providers(std::vector<change<value_type>> const& changes)
    {
        for (draft_vertex_id const v : graph_.vertices())
            if (graph_[v].role == node_role::creator) connect_provider(v, changes[graph_[v].index].provider);
    }

    /// The same for a draft for planning: `makers` of objects that no declaration wants any more get a vertex each.
    void add_excluded(std::vector<std::string> const& makers)
    {
        for (std::size_t i = 0; i < makers.size(); ++i)
            connect_provider(
                graph_.add_vertex({node_role::orphan, false, static_cast<std::uint32_t>(i), node::no_declaration}),
                makers[i]);
    }

    /// Step 6: an edge for each reference in an expression.
    void connect_references() { connect(false, edge_rules::reference); }

    /// Orders checks after all changes. They close no module. Their data are read after all objects are made.
    void hold_back_checks()
    {
        std::vector<draft_vertex_id> held;
        for (std::size_t i = 0; i < begun_.size(); ++i) {
            if (!is_check(i)) continue;
            if (std::size_t const module = declared_.module(i); module != no_declaration)
                graph_.add_edge(begun_[i], begun_[module], edge_rules::scope_begin);
            for (auto const& [_, v] : instances_[i]) held.push_back(v);
        }
        if (held.empty()) return;
        draft_vertex_id const begin = graph_.add_vertex({node_role::join, false, 0, node::no_declaration});
        for (draft_vertex_id const v : held) graph_.add_edge(v, begin, edge_rules::join);
        for (std::size_t i = 0; i < begun_.size(); ++i) {
            if (is_check(i)) continue;
            for (auto const& [target, v] : instances_[i])
                if (target.mode() == resource_mode::managed) graph_.add_edge(begin, v, edge_rules::join);
        }
    }

    /// Drops the configurations of providers that no vertex depends on. Their expressions are not evaluated.
    void drop_idle_providers()
    {
        for (std::size_t i = 0; i < begun_.size(); ++i)
            if (declared_.kind(i) == declaration_kind::provider && graph_.dependents(begun_[i]).empty())
                graph_.erase_vertex(begun_[i]);
    }

    /// Drops what no change waits for. In a destroy, values that nobody needs may not be computable any more.
    void keep_what_changes_need()
    {
        std::vector<draft_vertex_id> changes;
        for (draft_vertex_id const v : graph_.vertices())
            if (graph_[v].role == node_role::creator) changes.push_back(v);
        basic_vertex_set<draft_vertex_id> needed = reachable(graph_, changes, direction::dependencies);
        for (draft_vertex_id const v : changes) needed.insert(v);
        std::vector<draft_vertex_id> gone;
        for (draft_vertex_id const v : graph_.vertices())
            if (!needed.contains(v)) gone.push_back(v);
        for (draft_vertex_id const v : gone) graph_.erase_vertex(v);
    }

    [[nodiscard]] auto take() && noexcept -> digraph<node> { return std::move(graph_); }

private:
    void connect_provider(draft_vertex_id v, std::string const& provider)
    {
        std::size_t const configuration = declared_.find(provider);
        if (configuration < begun_.size()) graph_.add_edge(v, begun_[configuration], edge_rules::scope_begin);
    }

    [[nodiscard]] auto is_check(std::size_t declaration) const -> bool
    {
        return is_of_check(declared_.configuration(), declared_[declaration]);
    }

    // One vertex for each instance that has something to do: its current object's change stands for its deposed ones.
    // `declared`: those of which an object will be left, else those that only destroy.
    void add_changes(std::vector<change<value_type>> const& changes, bool declared)
    {
        for (std::size_t i = 0; i < changes.size(); ++i) {
            change<value_type> const& c = changes[i];
            if ((c.what == action::no_op && !c.has_conditions) || c.what == action::forget) continue;
            bool const stays = c.declaration != no_declaration && !c.of_deposed && c.what != action::destroy;
            if (stays != declared) continue;
            if (c.of_deposed && i > 0 && stands_for(changes, i)) continue;
            draft_vertex_id const v = graph_.add_vertex(
                {node_role::creator, c.create_before_destroy, static_cast<std::uint32_t>(i), node::no_declaration});
            if (!declared) continue;
            graph_.add_edge(v, begun_[c.declaration], edge_rules::expansion);
            instances_[c.declaration].emplace(c.target, v);
        }
    }

    // Is there a vertex for this instance already, made for an earlier change of it?
    [[nodiscard]] static auto stands_for(std::vector<change<value_type>> const& changes, std::size_t i) -> bool
    {
        for (std::size_t j = i; j-- > 0 && changes[j].target == changes[i].target;)
            if (changes[j].what != action::no_op || changes[j].has_conditions) return true;
        return false;
    }

    // What is named is waited for: one instance where a key says which, else the declaration and all its instances.
    // Instances of the one that names wait through their declaration, those of the one that is named are waited for through
    // a join: n + m edges, not n times m, and one for each further declaration that names them.
    void connect(bool explicit_only, edge_rule rule)
    {
        for (std::size_t i = 0; i < begun_.size(); ++i)
            for (resolved_reference const& r : declared_.references(i)) {
                if (r.explicit_only != explicit_only) continue;
                edge_origin const origin = edge_origin(rule).at(r.place);
                if (r.declaration == i) connect_within(i, r, origin);
                else connect_to(begun_[i], r, origin);
            }
    }

    void connect_to(draft_vertex_id v, resolved_reference const& r, edge_origin origin)
    {
        std::size_t const named = r.declaration;
        if (closed_[named]) {
            graph_.add_edge(v, closed_[named], origin);
            graph_.add_edge(v, begun_[named], origin);  // its instances, even where nothing in it is left to do
            return;
        }
        if (r.key) {
            bool found = false;
            for (auto const& [target, instance] : instances_[named])
                if (target.key() == r.key) {
                    graph_.add_edge(v, instance, origin);
                    found = true;
                }
            if (found) return;
        }
        graph_.add_edge(v, begun_[named], origin);
        if (instances_[named].size() == 1) graph_.add_edge(v, instances_[named].begin()->second, origin);
        if (instances_[named].size() > 1) graph_.add_edge(v, all_of(named), origin);
    }

    // Stands for all instances of a declaration: who names it has one edge more, however many there are.
    auto all_of(std::size_t declaration) -> draft_vertex_id
    {
        draft_vertex_id& all = all_[declaration];
        if (all) return all;
        all = graph_.add_vertex({node_role::join, false, 0, node::no_declaration});
        for (auto const& [_, instance] : instances_[declaration]) graph_.add_edge(all, instance, edge_rules::join);
        return all;
    }

    // Instances of one declaration that refer to one another.
    void connect_within(std::size_t i, resolved_reference const& r, edge_origin origin)
    {
        if (r.explicit_only) return;
        for (auto const& [target, dependent] : instances_[i])
            for (auto const& [named, dependency] : instances_[i])
                if (dependent != dependency && (!r.key || named.key() == r.key))
                    graph_.add_edge(dependent, dependency, origin);
    }

    declaration_index<P> declared_;
    digraph<node> graph_;
    std::vector<draft_vertex_id> begun_;  // by declaration; of a module: where it begins
    std::vector<draft_vertex_id> closed_;
    std::vector<std::map<address, draft_vertex_id>> instances_;
    std::vector<draft_vertex_id> all_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_GRAPH_BUILDER_HPP
