// SPDX-License-Identifier: BSL-1.0
#include "graph_text.hpp"

#include <strider/algorithm/dot.hpp>
#include <strider/algorithm/reachability.hpp>
#include <strider/algorithm/transitive_reduction.hpp>
#include <strider/core/vertex_set.hpp>
#include <strider/infra/graph/graph_builder.hpp>
#include <strider/infra/graph/stages.hpp>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::app {

namespace {

using infra::node;
using strider::draft_vertex_id;

// What a vertex is drawn as, or nothing: then only its edges are written.
auto shape_of(tables_type const& tables, node const& n) -> std::string
{
    switch (n.role) {
    case infra::node_role::creator:
    case infra::node_role::destroyer:
    case infra::node_role::deposed_destroyer: return "box";
    case infra::node_role::provider_begin: return "diamond";
    case infra::node_role::declaration:
        return tables.configuration().kind_of(tables.declaration_of(n)) == infra::declaration_kind::resource ? "box"
                                                                                                             : "note";
    default: return {};
    }
}

// Joins have no name: who waits for one waits for what lies behind it.
template <class G>
auto named_dependencies(naming_type const& naming, G const& g, strider::vertex_id_t<G> v) -> std::set<std::string>
{
    std::set<std::string> names;
    strider::vertex_set_t<G> seen;
    std::vector todo{v};
    while (!todo.empty()) {
        auto const at = todo.back();
        todo.pop_back();
        for (auto const d : g.dependencies(at)) {
            std::string name = naming.name(g[d]);
            if (!name.empty()) names.insert(std::move(name));
            else if (seen.insert(d)) todo.push_back(d);
        }
    }
    return names;
}

template <class G>
auto whole_graph(tables_type const& tables, naming_type const& naming, G const& g) -> std::string
{
    std::set<std::string> vertices;
    std::set<std::string> edges;
    for (auto const v : g.vertices()) {
        std::string const name = naming.name(g[v]);
        if (name.empty()) continue;
        std::string const id = strider::dot_quoted("[root] " + name);
        if (auto const shape = shape_of(tables, g[v]); !shape.empty()) {
            std::string label = name;
            if (auto const suffix = label.rfind(" (expand)"); suffix != std::string::npos) label.erase(suffix);
            vertices.insert("\t\t" + id + " [label = " + strider::dot_quoted(label) + ", shape = \"" + shape + "\"]\n");
        }
        for (std::string const& d : named_dependencies(naming, g, v))
            edges.insert("\t\t" + id + " -> " + strider::dot_quoted("[root] " + d) + "\n");
    }
    std::string text = "digraph {\n\tcompound = \"true\"\n\tnewrank = \"true\"\n\tsubgraph \"root\" {\n";
    for (std::string const& line : vertices) text += line;
    for (std::string const& line : edges) text += line;
    return text + "\t}\n}\n\n";
}

// The declarations, ready to be planned.
auto plan_graph(tables_type const& tables) -> strider::result<strider::digraph<node>>
{
    infra::graph_builder<program::hcl_program> builder(tables.declared());
    builder.add_resources();
    builder.connect_explicit_dependencies();
    builder.connect_references();
    builder.order_checks_last();
    auto scoped = infra::with_module_scopes(tables, std::move(builder).take());
    return scoped ? infra::default_stages().plan_graph(tables, std::move(*scoped), {}) : scoped;
}

}  // namespace

auto apply_graph_dot(program::hcl_program const& wanted, plan const& of) -> std::string
{
    tables_type const tables(wanted, of.changes, of.mode);
    return whole_graph(tables, naming_type(tables), of.graph);
}

auto plan_graph_dot(program::hcl_program const& wanted) -> infra::expected<std::string>
{
    std::vector<infra::change<language::value>> const none;
    tables_type const tables(wanted, none, infra::plan_mode::normal);
    auto const graph = plan_graph(tables);
    if (!graph) return infra::failure(infra::graph_diagnostics(graph.error()));
    return whole_graph(tables, naming_type(tables), *graph);
}

auto resource_graph_dot(program::hcl_program const& wanted) -> infra::expected<std::string>
{
    std::vector<infra::change<language::value>> const none;
    tables_type const tables(wanted, none, infra::plan_mode::normal);
    auto const graph = plan_graph(tables);
    if (!graph) return infra::failure(infra::graph_diagnostics(graph.error()));
    auto const is_resource = [&](draft_vertex_id v) {
        node const& n = (*graph)[v];
        return n.role == infra::node_role::declaration
            && wanted.kind_of(tables.declaration_of(n)) == infra::declaration_kind::resource;
    };
    strider::digraph<program::hcl_program::declaration const*> resources;
    strider::vertex_map<draft_vertex_id, draft_vertex_id> drawn(graph->id_bound());
    for (auto const v : graph->vertices())
        if (is_resource(v)) drawn[v] = resources.add_vertex(&tables.declaration_of((*graph)[v]));
    auto const closure = strider::dependency_closure(*graph, is_resource);
    for (auto const v : graph->vertices())
        if (is_resource(v))
            for (auto const d : closure[v]) resources.add_edge(drawn[v], drawn[d], strider::edge_rules::reference);
    (void)strider::reduce_in_place(resources);
    // By module, each in a box of its own.
    std::map<program::hcl_program::module const*, std::set<std::string>> vertices;
    std::map<program::hcl_program::module const*, std::set<std::string>> edges;
    for (auto const v : resources.vertices()) {
        auto const& d = *resources[v];
        std::string const name = strider::dot_quoted(d.name);
        std::string const label = strider::dot_quoted(d.name.substr(d.in->prefix.size()));
        vertices[d.in].insert((d.in->is_root() ? "  " : "    ") + name + " [label=" + label + "];\n");
        for (auto const on : resources.dependencies(v))
            edges[d.in].insert("  " + name + " -> " + strider::dot_quoted(resources[on]->name) + ";\n");
    }
    std::map<std::string, program::hcl_program::module const*> modules;
    for (auto const& m : wanted.modules()) modules.emplace(m.prefix, &m);
    std::string text = "digraph G {\n  rankdir = \"RL\";\n  node [shape = rect, fontname = \"sans-serif\"];\n";
    for (auto const& [_, m] : modules) {
        if (vertices[m].empty()) continue;
        if (!m->is_root())
            text += "  subgraph " + strider::dot_quoted("cluster_" + m->name())
                + " {\n    label = " + strider::dot_quoted(m->name()) + "\n    fontname = \"sans-serif\"\n";
        for (std::string const& line : vertices[m]) text += line;
        if (!m->is_root()) text += "  }\n";
    }
    for (auto const& [_, m] : modules)
        for (std::string const& line : edges[m]) text += line;
    return text + "}\n";
}

}  // namespace iacctl::app
