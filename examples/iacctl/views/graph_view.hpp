// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_VIEWS_GRAPH_VIEW_HPP
#define IACCTL_VIEWS_GRAPH_VIEW_HPP

#include <strider/infra/model/action.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::views {

namespace infra = strider::infra;

enum class vertex_kind : std::uint8_t {
    operation,  ///< creates, reads, updates or destroys an object; without a change: invokes an action
    resource,   ///< a declaration, or an instance in state
    value,      ///< a variable, local value, output, module or configuration of a provider
    provider,   ///< the begin of the use of a provider
    boundary,   ///< the end of a module or of the use of a provider
    join,       ///< represents several vertices; has no name
    root,
};

/// A graph of a configuration, of a plan, or of the instances in a state.
struct graph_view {
    enum class content_type : std::uint8_t { resources, declarations, operations, instances };

    struct vertex {
        std::string name;   ///< unique, except that of joins, which is empty
        std::string label;  ///< the name without the words that only make it unique
        vertex_kind kind = vertex_kind::join;
        std::vector<std::string> module{};  ///< steps from the root, each like `module.a["k"]`
        std::string resource{};  ///< the resource of the instance or declaration, without its module
        std::optional<std::size_t> change{};  ///< the index of the change in the plan
        std::optional<infra::operation_kind> operation{};  ///< the operation of the change
    };

    struct edge {
        std::size_t dependent = 0;
        std::size_t dependency = 0;
        std::string rule{};   ///< the reason
        std::string place{};  ///< of the reason, such as "main.tf:12"
    };

    content_type content = content_type::resources;
    std::vector<vertex> vertices;
    std::vector<edge> edges;
};

/// An edge between two visible vertices, and the edges of the view that it represents, in order.
struct shown_edge {
    std::size_t dependent = 0;
    std::size_t dependency = 0;
    std::vector<std::size_t> through;
};

/// The visible vertices of a picture, and the edges between them.
struct shown_graph {
    std::vector<std::size_t> vertices;  ///< indices in the view, ascending
    std::vector<shown_edge> edges;
};

/// Returns whether a picture shows the vertex with its name: an operation, or in a graph without operations a
/// declaration.
[[nodiscard]] auto is_named(graph_view const& graph, graph_view::vertex const& v) -> bool;

/// Removes vertices that are not `is_named`, and connects their dependents with their dependencies. A vertex with many
/// of both is kept, as its removal would add more edges than it removes.
/// \complexity O(V + E) if removed vertices have few neighbors
[[nodiscard]] auto shown(graph_view const& graph) -> shown_graph;

}  // namespace iacctl::views

#endif  // IACCTL_VIEWS_GRAPH_VIEW_HPP
