// SPDX-License-Identifier: BSL-1.0
#ifndef IACCTL_UI_GRAPH_VIEW_HPP
#define IACCTL_UI_GRAPH_VIEW_HPP

#include <strider/infra/model/action.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace iacctl::ui {

namespace infra = strider::infra;

enum class vertex_kind : std::uint8_t {
    operation,  ///< creates, reads, updates or destroys an object; without a change: invokes an action
    resource,   ///< a declaration
    value,      ///< a variable, local value, output, module or configuration of a provider
    provider,   ///< the begin of the use of a provider
    boundary,   ///< the end of a module or of the use of a provider
    join,       ///< has no name: stands for several vertices
    root,
};

/// A graph of a configuration or of a plan.
struct graph_view {
    enum class content_type : std::uint8_t { resources, declarations, operations };

    struct vertex {
        std::string name;   ///< unique, except that of joins, which is empty
        std::string label;  ///< the name without words that only distinguish it
        vertex_kind kind = vertex_kind::join;
        std::vector<std::string> module{};  ///< steps from the root, each as `module.a["k"]`
        std::string resource{};  ///< the resource that this is an instance or the declaration of, without its module
        std::optional<std::size_t> change{};  ///< the number of the change in the plan
        std::optional<infra::operation_kind> operation{};  ///< the operation that the change makes here
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

/// An edge between two vertices that are shown, and the edges of the view that it stands for, in order.
struct shown_edge {
    std::size_t dependent = 0;
    std::size_t dependency = 0;
    std::vector<std::size_t> through;
};

/// The vertices that a picture shows, and the edges between them.
struct shown_graph {
    std::vector<std::size_t> vertices;  ///< numbers in the view, ascending
    std::vector<shown_edge> edges;
};

/// True if a picture shows the vertex with its name: an operation, or in a graph without operations a declaration.
[[nodiscard]] auto is_named(graph_view const& of, graph_view::vertex const& v) -> bool;

/// Removes the vertices that a picture does not need: those that `is_named` does not hold for. A removed vertex connects its dependents with its dependencies. A vertex with many of both stays: it saves
/// more edges than it costs.
/// \complexity O(V + E) if removed vertices have few neighbors
[[nodiscard]] auto shown(graph_view const& of) -> shown_graph;

}  // namespace iacctl::ui

#endif  // IACCTL_UI_GRAPH_VIEW_HPP
