// SPDX-License-Identifier: BSL-1.0
#include "graph_views.hpp"

#include "workspace/declaration_graph.hpp"
#include "workspace/expected_durations.hpp"

#include <strider/algorithm/reachability.hpp>
#include <strider/infra/graph/stages.hpp>
#include <strider/transform/transitive_reduction.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace iacctl::commands {

namespace {

using infra::node;
using infra::node_role;
using strider::draft_vertex_id;
using declaration = program::hcl_program::declaration;

auto steps_of(std::vector<infra::module_step> const& path) -> std::vector<std::string>
{
    std::vector<std::string> steps;
    for (infra::module_step const& step : path) steps.push_back("module." + step.name + to_string(step.key));
    return steps;
}

auto steps_of(program::hcl_program::module const& in) -> std::vector<std::string>
{
    std::vector<std::string> steps;
    for (auto const* m = &in; !m->is_root(); m = m->caller) steps.push_back("module." + m->call->name);
    std::ranges::reverse(steps);
    return steps;
}

auto resource_of(infra::address const& a) -> std::string
{
    return std::string(prefix_of(a.mode())) + a.type() + '.' + a.name();
}

// The operation that a vertex carries out for its change.
auto operation_of(infra::change<language::value> const& c, node const& n) -> std::optional<infra::operation_kind>
{
    if (infra::is_destroyer(n))
        return infra::destroys_object(c.what) ? std::optional(infra::operation_kind::destroy) : std::nullopt;
    return workspace::making_operation(c.what);
}

auto view_of(tables_type const& tables, naming_type const& naming, node const& n) -> views::graph_view::vertex
{
    views::graph_view::vertex v;
    v.name = v.label = naming.name(n);
    switch (n.role) {
    case node_role::creator:
    case node_role::destroyer:
    case node_role::deposed_destroyer: {
        auto const& c = tables.change_of(n);
        v.kind = views::vertex_kind::operation;
        v.module = steps_of(c.target.module());
        v.resource = resource_of(c.target);
        v.change = n.index;
        v.operation = operation_of(c, n);
        break;
    }
    case node_role::declaration: {
        declaration const& d = tables.declaration_of(n);
        bool const is_resource = d.kind == infra::declaration_kind::resource;
        v.kind = is_resource ? views::vertex_kind::resource : views::vertex_kind::value;
        v.module = steps_of(*d.in);
        if (is_resource) v.resource = resource_of(d.address);
        if (auto const suffix = v.label.rfind(" (expand)"); suffix != std::string::npos) v.label.erase(suffix);
        break;
    }
    case node_role::invocation:
        v.kind = views::vertex_kind::operation;
        v.module = steps_of(tables.invocations()[n.index].target.module());
        v.resource = resource_of(tables.invocations()[n.index].target);
        break;
    case node_role::provider_begin: v.kind = views::vertex_kind::provider; break;
    case node_role::module_close: v.module = steps_of(*tables.declaration_of(n).in); [[fallthrough]];
    case node_role::provider_close: v.kind = views::vertex_kind::boundary; break;
    case node_role::root: v.kind = views::vertex_kind::root; break;
    case node_role::orphan:
    case node_role::join: break;
    }
    return v;
}

template <class G>
auto view_of(tables_type const& tables, G const& g, views::graph_view::content_type content) -> views::graph_view
{
    naming_type const naming(tables);
    views::graph_view view;
    view.content = content;
    std::map<strider::vertex_id_t<G>, std::size_t> numbers;
    for (auto const v : g.vertices()) {
        numbers.emplace(v, view.vertices.size());
        view.vertices.push_back(view_of(tables, naming, g[v]));
    }
    for (auto const v : g.vertices())
        for (auto const e : g.dependency_edges(v))
            view.edges.push_back({numbers[v], numbers[e.dependency], std::string(to_string(e.origin.made_by())),
                infra::place_text(tables.configuration(), e.origin.place())});
    return view;
}

}  // namespace

auto operations_graph(program::hcl_program const& desired, workspace::plan const& p) -> views::graph_view
{
    tables_type const tables(desired, p.changes, p.mode, p.invocations);
    return view_of(tables, p.graph, views::graph_view::content_type::operations);
}

auto declarations_graph(program::hcl_program const& desired) -> expected<views::graph_view>
{
    std::vector<infra::change<language::value>> const none;
    tables_type const tables(desired, none, infra::plan_mode::normal);
    auto const graph = workspace::declaration_graph(tables);
    if (!graph) return infra::failure(infra::graph_diagnostics(graph.error()));
    return view_of(tables, *graph, views::graph_view::content_type::declarations);
}

auto resources_graph(program::hcl_program const& desired) -> expected<views::graph_view>
{
    std::vector<infra::change<language::value>> const none;
    tables_type const tables(desired, none, infra::plan_mode::normal);
    auto const graph = workspace::declaration_graph(tables);
    if (!graph) return infra::failure(infra::graph_diagnostics(graph.error()));
    auto const is_resource = [&](draft_vertex_id v) {
        return tables.declares((*graph)[v], infra::declaration_kind::resource);
    };
    strider::digraph<declaration const*> resources;
    strider::basic_vertex_map<draft_vertex_id, draft_vertex_id> drawn(graph->id_bound());
    for (auto const v : graph->vertices())
        if (is_resource(v)) drawn[v] = resources.add_vertex(&tables.declaration_of((*graph)[v]));
    auto const closure = strider::dependency_closure(*graph, is_resource);
    for (auto const v : graph->vertices()) {
        if (!is_resource(v)) continue;
        // An edge of a direct reference has a place; a longer path is represented by one edge.
        std::map<draft_vertex_id, strider::edge_origin> direct;
        for (auto const e : graph->dependency_edges(v)) direct.emplace(e.dependency, e.origin);
        for (auto const d : closure[v]) {
            auto const found = direct.find(d);
            resources.add_edge(drawn[v], depends_on(drawn[d]),
                found == direct.end() ? strider::edge_origin(strider::edge_rules::reference) : found->second);
        }
    }
    (resources |= strider::transitive_reduction{}).value();
    views::graph_view view;
    std::map<draft_vertex_id, std::size_t> numbers;
    for (auto const v : resources.vertices()) {
        declaration const& d = *resources[v];
        numbers.emplace(v, view.vertices.size());
        view.vertices.push_back({d.name, d.name.substr(d.in->prefix.size()), views::vertex_kind::resource,
            steps_of(*d.in), resource_of(d.address)});
    }
    for (auto const v : resources.vertices())
        for (auto const e : resources.dependency_edges(v))
            view.edges.push_back({numbers[v], numbers[e.dependency], std::string(to_string(e.origin.made_by())),
                infra::place_text(desired, e.origin.place())});
    return view;
}

}  // namespace iacctl::commands
