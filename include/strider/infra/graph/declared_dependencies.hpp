// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_DECLARED_DEPENDENCIES_HPP
#define STRIDER_INFRA_GRAPH_DECLARED_DEPENDENCIES_HPP

#include <strider/algorithm/topological_order.hpp>
#include <strider/core/digraph.hpp>
#include <strider/core/vertex_map.hpp>
#include <strider/infra/graph/dependency_tables.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/infra/graph/prior_instances.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/declaration_index.hpp>
#include <strider/infra/program/program.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Computes the dependencies of resources from the graph of all declarations with the boundaries of modules.
///
/// \complexity O(V + E), and for data the number of their references.
template <program P>
class declared_dependencies {
public:
    /// Collects the dependencies at once; the arguments are used by this constructor only, except `tables`.
    declared_dependencies(graph_tables<P> const& tables, digraph<node> const& graph, prior_instances const& prior)
        : tables_(&tables),
          declared_(tables.declared())
    {
        collect(graph, orphans_by_module(prior));
    }

    /// Moves the tables out; this object is empty afterwards.
    [[nodiscard]] auto take() noexcept -> dependency_tables { return std::move(found_); }

private:
    using orphan_names = std::map<std::size_t, std::vector<std::string>>;  // by declaration of the module

    // Returns the resources of declared modules that are in state and no longer declared.
    [[nodiscard]] auto orphans_by_module(prior_instances const& prior) const -> orphan_names
    {
        orphan_names orphans;
        for (auto const& [block, _] : prior.blocks()) {
            if (block.module().empty() || declared_.find(block) != no_declaration) continue;
            std::size_t const module = declared_.find(to_string(block.module()));
            if (module != no_declaration && declared_.kind(module) == declaration_kind::module)
                orphans[module].push_back(to_string(block));
        }
        return orphans;
    }

    // Computes the dependencies of each resource, by declaration. Cycles are reported later, when targets are known.
    void collect(digraph<node> const& graph, orphan_names const& orphans)
    {
        found_.declared.resize(declared_.size());
        found_.planned.resize(declared_.size());
        found_.data_dependencies.resize(declared_.size());
        auto const order = topological_order(graph);
        if (!order) return;
        basic_vertex_map<draft_vertex_id, dependency_set> found(graph.id_bound());
        if (!orphans.empty()) close_over(graph, *order, found, found_.planned, orphans);
        close_over(graph, *order, found, found_.declared, {});
        if (orphans.empty()) found_.planned = found_.declared;
        collect_data_dependencies(graph, found);
    }

    // Computes the dependencies of each vertex, in topological order. The close of a module also includes its
    // orphans.
    template <class Order>
    void close_over(digraph<node> const& graph, Order const& order,
        basic_vertex_map<draft_vertex_id, dependency_set>& found, std::vector<dependency_set>& table,
        orphan_names const& orphans) const
    {
        for (auto const v : order) {
            std::vector<std::string> names;
            std::vector<dependency_set> parts;
            if (graph[v].role == node_role::module_close)
                if (auto const in_module = orphans.find(graph[v].index); in_module != orphans.end())
                    names = in_module->second;
            for (draft_vertex_id const d : graph.dependencies(v)) {
                if (tables_->declares(graph[d], declaration_kind::resource))
                    names.push_back(to_string(block_of(graph[d].index)));
                parts.push_back(found[d]);
            }
            found[v] = dependency_set(std::move(names), std::move(parts));
            if (tables_->declares(graph[v], declaration_kind::resource)) table[graph[v].index] = found[v];
        }
    }
    [[nodiscard]] auto block_of(std::size_t declaration) const -> address
    {
        return declared_.configuration().address_of(declared_[declaration]);
    }
    [[nodiscard]] auto is_data(std::size_t declaration) const -> bool
    {
        return declared_.kind(declaration) == declaration_kind::resource
            && block_of(declaration).mode() == resource_mode::data;
    }

    // Computes the dependencies that delay the reading of data: explicit ones of the data and of enclosing modules,
    // and objects that the data refer to. A declaration that is neither object nor data includes all of its
    // dependencies.
    void collect_data_dependencies(
        digraph<node> const& graph, basic_vertex_map<draft_vertex_id, dependency_set> const& found)
    {
        std::vector<draft_vertex_id> vertices;  // by declaration; of a module: its close
        for (std::size_t i = 0; i < declared_.size(); ++i) {
            if (!is_data(i)) continue;
            if (vertices.empty()) vertices = vertices_of(graph);
            std::vector<std::string> names;
            std::vector<dependency_set> parts;
            auto const await = [&](std::size_t by, bool all) {
                for (resolved_reference const& r : declared_.references(by)) {
                    if (declared_.kind(r.declaration) == declaration_kind::resource) {
                        address const a = block_of(r.declaration);
                        if ((all || r.explicit_only) && a.mode() == resource_mode::managed)
                            names.push_back(to_string(a));
                    } else if (r.explicit_only && vertices[r.declaration])
                        parts.push_back(found[vertices[r.declaration]]);
                }
            };
            await(i, true);
            for (auto module = declared_.module(i); module != no_declaration; module = declared_.module(module))
                await(module, false);
            found_.data_dependencies[i] = dependency_set(std::move(names), std::move(parts));
        }
    }
    [[nodiscard]] auto vertices_of(digraph<node> const& graph) const -> std::vector<draft_vertex_id>
    {
        std::vector<draft_vertex_id> all(declared_.size());
        for (draft_vertex_id const v : graph.vertices()) {
            bool const end = graph[v].role == node_role::module_close;
            if (end || (graph[v].role == node_role::declaration && !all[graph[v].index])) all[graph[v].index] = v;
        }
        return all;
    }

    graph_tables<P> const* tables_;
    declaration_index<P> declared_;
    dependency_tables found_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_DECLARED_DEPENDENCIES_HPP
