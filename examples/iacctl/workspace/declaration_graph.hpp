// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_WORKSPACE_DECLARATION_GRAPH_HPP
#define IACCTL_WORKSPACE_DECLARATION_GRAPH_HPP

#include "workspace/program/hcl_program.hpp"

#include <strider/core/digraph.hpp>
#include <strider/core/result.hpp>
#include <strider/infra/graph/policies.hpp>
#include <strider/infra/model/diagnostics.hpp>

namespace iacctl::workspace {

namespace infra = strider::infra;

/// The graph of all declarations, ready to be planned.
[[nodiscard]] auto declaration_graph(infra::graph_tables<program::hcl_program> const& tables)
    -> strider::result<strider::digraph<infra::node>>;

/// Reports declarations that depend on one another in a cycle.
[[nodiscard]] auto check_declaration_graph(program::hcl_program const& desired) -> infra::diagnostics;

}  // namespace iacctl::workspace

#endif  // IACCTL_WORKSPACE_DECLARATION_GRAPH_HPP
