// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_GRAPH_TEXT_HPP
#define IACCTL_VIEWS_GRAPH_TEXT_HPP

#include "graph_view.hpp"

#include <string>

namespace iacctl::views {

/// A graph in the language of Graphviz.
[[nodiscard]] auto dot_text(graph_view const& graph) -> std::string;

/// A graph as a flowchart of Mermaid: modules are subgraphs, and operations have the colors of their kinds.
[[nodiscard]] auto mermaid_text(graph_view const& graph) -> std::string;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_GRAPH_TEXT_HPP
