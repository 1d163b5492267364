// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_CLI_COMMANDS_GRAPH_VIEWS_HPP
#define IACCTL_CLI_COMMANDS_GRAPH_VIEWS_HPP

#include "base/expected.hpp"
#include "views/graph_view.hpp"
#include "workspace/plan_file.hpp"
#include "workspace/program/hcl_program.hpp"

#include <strider/infra/graph/policies.hpp>

namespace iacctl::commands {

namespace infra = strider::infra;

/// Types that read the graphs of a configuration and name their vertices.
using tables_type = infra::graph_tables<program::hcl_program>;
using naming_type = infra::node_naming<program::hcl_program>;

/// The graph of the operations of a plan. The vertices have the same numbers as in the plan.
[[nodiscard]] auto operations_graph(program::hcl_program const& desired, workspace::plan const& p) -> views::graph_view;
/// The graph of all declarations that a plan walks.
[[nodiscard]] auto declarations_graph(program::hcl_program const& desired) -> expected<views::graph_view>;
/// The graph of declared resources and their dependencies only.
[[nodiscard]] auto resources_graph(program::hcl_program const& desired) -> expected<views::graph_view>;

}  // namespace iacctl::commands

#endif  // IACCTL_CLI_COMMANDS_GRAPH_VIEWS_HPP
