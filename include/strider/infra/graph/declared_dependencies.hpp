// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_GRAPH_DECLARED_DEPENDENCIES_HPP
#define STRIDER_INFRA_GRAPH_DECLARED_DEPENDENCIES_HPP

#include <strider/algorithm/topological_order.hpp>
#include <strider/core/digraph.hpp>
#include <strider/core/vertex_map.hpp>
#include <strider/infra/graph/declared_resources.hpp>
#include <strider/infra/graph/dependency_tables.hpp>
#include <strider/infra/graph/nodes.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/infra/graph/prior_instances.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/instances.hpp>
#include <strider/infra/program/program.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace strider::infra {

/// Finds out what resources depend on, from the graph of all declarations with the boundaries of modules.
///
/// \complexity O(V + E), and for data what they refer to.
template <program P>
class declared_dependencies {
public:
    declared_dependencies(graph_tables<P> const& tables, digraph<node> const& graph, prior_instances const& there)
        : wanted_(&tables.wanted())
    {
        collect(tables, graph, orphans_by_module(there));
    }

    [[nodiscard]] auto take() noexcept -> dependency_tables { return std::move(found_); }

private:
    // Resource blocks that state has in modules that are there, and that are no longer declared.
    [[nodiscard]] auto orphans_by_module(prior_instances const& there) const
        -> std::map<std::string, std::vector<std::string>>
    {
        std::map<std::string, std::vector<std::string>> orphans;
        for (auto const& d : wanted_->declarations())
            if (kind_of(*wanted_, d) == declaration_kind::module) orphans.try_emplace(wanted_->name_of(d));
        if (orphans.empty()) return orphans;
        declared_resources<P> declared(*wanted_);
        for (auto const& [block, _] : there.blocks()) {
            auto const module = orphans.find(to_string(block.module()));
            if (module != orphans.end() && declared.find(block) == no_declaration)
                module->second.push_back(to_string(block));
        }
        return orphans;
    }

    // What each resource depends on by declaration. Cycles are refused later, when targets are known.
    void collect(graph_tables<P> const& tables, digraph<node> const& graph,
        std::map<std::string, std::vector<std::string>> const& orphans)
    {
        std::size_t const count = declaration_count(*wanted_);
        found_.declared.resize(count);
        found_.planned.resize(count);
        found_.awaited.resize(count);
        auto const order = topological_order(graph);
        if (!order) return;
        vertex_map<dependency_set, draft_vertex_id> found(graph.id_bound());
        bool const any_orphans =
            std::any_of(orphans.begin(), orphans.end(), [](auto const& module) { return !module.second.empty(); });
        if (any_orphans) {
            close_over(tables, graph, *order, found, found_.planned,
                [&](std::string const& module) { return orphans.at(module); });
        }
        close_over(tables, graph, *order, found, found_.declared,
            [](std::string const&) { return std::vector<std::string>(); });
        if (!any_orphans) found_.planned = found_.declared;
        collect_awaited(tables, graph, found);
    }

    // What each vertex depends on, dependencies first. `in_module`: what the end of a module stands for besides.
    template <class Order, class F>
    void close_over(graph_tables<P> const& tables, digraph<node> const& graph, Order const& order,
        vertex_map<dependency_set, draft_vertex_id>& found, std::vector<dependency_set>& table, F in_module) const
    {
        for (auto const v : order) {
            std::vector<std::string> names;
            std::vector<dependency_set> parts;
            if (graph[v].role == node_role::module_close)
                names = in_module(wanted_->name_of(tables.declaration_of(graph[v])));
            for (auto const d : graph.dependencies(v)) {
                if (is_resource(tables, graph[d]))
                    names.push_back(to_string(address(wanted_->address_of(tables.declaration_of(graph[d])))));
                parts.push_back(found[d]);
            }
            found[v] = dependency_set(std::move(names), std::move(parts));
            if (is_resource(tables, graph[v])) table[graph[v].index] = found[v];
        }
    }
    [[nodiscard]] auto is_resource(graph_tables<P> const& tables, node const& n) const -> bool
    {
        return n.role == node_role::declaration
            && kind_of(*wanted_, tables.declaration_of(n)) == declaration_kind::resource;
    }

    // What data wait for: what they or the modules around them say that they depend on, and objects that they mention.
    // What is neither object nor data stands for all that it depends on.
    void collect_awaited(graph_tables<P> const& tables, digraph<node> const& graph,
        vertex_map<dependency_set, draft_vertex_id> const& found)
    {
        auto const is_data = [&](auto const& d) {
            return kind_of(*wanted_, d) == declaration_kind::resource
                && address(wanted_->address_of(d)).mode() == resource_mode::data;
        };
        if (std::ranges::none_of(wanted_->declarations(), is_data)) return;
        std::map<std::string, draft_vertex_id> by_name;  // of a module: its end
        for (auto const v : graph.vertices()) {
            bool const end = graph[v].role == node_role::module_close;
            if (end || graph[v].role == node_role::declaration) {
                auto const at = by_name.try_emplace(wanted_->name_of(tables.declaration_of(graph[v])), v).first;
                if (end) at->second = v;
            }
        }
        for (auto const& [_, v] : by_name) {
            auto const& d = tables.declaration_of(graph[v]);
            if (!is_data(d)) continue;
            std::vector<std::string> names;
            std::vector<dependency_set> parts;
            auto const await = [&](auto const& by, bool all) {
                for (reference const& r : wanted_->references(by)) {
                    auto const at = by_name.find(r.name);
                    if (at == by_name.end()) continue;
                    auto const& named = tables.declaration_of(graph[at->second]);
                    if (kind_of(*wanted_, named) == declaration_kind::resource) {
                        address const a = wanted_->address_of(named);
                        if ((all || r.explicit_only) && a.mode() == resource_mode::managed)
                            names.push_back(to_string(a));
                    } else if (r.explicit_only) parts.push_back(found[at->second]);
                }
            };
            await(d, true);
            for (std::string module = module_of(*wanted_, d); !module.empty();) {
                auto const& call = tables.declaration_of(graph[by_name.at(module)]);
                await(call, false);
                module = module_of(*wanted_, call);
            }
            found_.awaited[graph[v].index] = dependency_set(std::move(names), std::move(parts));
        }
    }

    P const* wanted_;
    dependency_tables found_;
};

}  // namespace strider::infra

#endif  // STRIDER_INFRA_GRAPH_DECLARED_DEPENDENCIES_HPP
