// SPDX-License-Identifier: BSL-1.0
#include "declaration_graph.hpp"

#include <strider/infra/graph/graph_builder.hpp>
#include <strider/infra/graph/stages.hpp>

#include <utility>
#include <vector>

namespace iacctl::workspace {

auto declaration_graph(infra::graph_tables<program::hcl_program> const& tables)
    -> strider::result<strider::digraph<infra::node>>
{
    infra::graph_builder<program::hcl_program> builder(tables.declared());
    builder.add_resources();
    builder.connect_explicit_dependencies();
    builder.connect_references();
    builder.order_checks_last();
    auto scoped = infra::with_module_scopes(tables, std::move(builder).take());
    return scoped ? infra::default_stages().plan_graph(tables, std::move(*scoped), {}) : scoped;
}

auto check_declaration_graph(program::hcl_program const& desired) -> infra::diagnostics
{
    std::vector<infra::change<language::value>> const none;
    auto const graph =
        declaration_graph(infra::graph_tables<program::hcl_program>(desired, none, infra::plan_mode::normal));
    return graph ? infra::diagnostics() : infra::graph_diagnostics(graph.error());
}

}  // namespace iacctl::workspace
