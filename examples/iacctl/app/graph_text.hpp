// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_APP_GRAPH_TEXT_HPP
#define IACCTL_APP_GRAPH_TEXT_HPP

#include "plan_file.hpp"
#include "program/hcl_program.hpp"

#include <strider/infra/graph/policies.hpp>

#include <string>

namespace iacctl::app {

/// How the graphs of a configuration are read and their vertices named.
using tables_type = infra::graph_tables<program::hcl_program>;
using naming_type = infra::node_naming<program::hcl_program>;

/// The graph of a plan as DOT text.
[[nodiscard]] auto apply_graph_dot(program::hcl_program const& wanted, plan const& of) -> std::string;
/// The graph of all declarations.
[[nodiscard]] auto plan_graph_dot(program::hcl_program const& wanted) -> infra::expected<std::string>;
/// Resources and what depends on what, nothing else.
[[nodiscard]] auto resource_graph_dot(program::hcl_program const& wanted) -> infra::expected<std::string>;

}  // namespace iacctl::app

#endif  // IACCTL_APP_GRAPH_TEXT_HPP
