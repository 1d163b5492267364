// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VERTEX_NAMING_HPP
#define STRIDER_CORE_VERTEX_NAMING_HPP

#include <strider/core/edge.hpp>
#include <strider/core/error.hpp>
#include <strider/core/graph_concepts.hpp>

#include <concepts>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider {

/// A policy that names the vertices and edge origins of a graph in messages.
template <class P, class V>
concept naming_policy = requires(P const& policy, V const& value, edge_origin origin) {
    { policy.name(value) } -> std::convertible_to<std::string>;
    { policy.reason(value, value, origin) } -> std::convertible_to<std::string>;
};

/// Names a vertex by its text or by its `name()` if it has one, else by its number, and an edge by its rule.
struct default_naming {
    /// Returns the text of the value, or its `name()`, or "vertex N". \param number  N: the index of the vertex
    template <class V>
    [[nodiscard]] auto name(V const& value, std::size_t number = 0) const -> std::string
    {
        if constexpr (std::convertible_to<V const&, std::string_view>) return std::string(std::string_view(value));
        else if constexpr (requires {
                               { value.name() } -> std::convertible_to<std::string>;
                           })
            return value.name();
        else return "vertex " + std::to_string(number);
    }
    /// Returns the name of the rule of the edge; the place is ignored.
    template <class V>
    [[nodiscard]] auto reason(V const&, V const&, edge_origin origin) const -> std::string
    {
        return std::string(to_string(origin.made_by()));
    }
};

/// Returns the name of a vertex. A policy may also use the number of the vertex: `name(value, number)`.
template <directed_graph G, naming_policy<vertex_value_t<G>> Naming>
[[nodiscard]] auto name_of(G const& g, vertex_id_t<G> v, Naming const& naming) -> std::string
{
    if constexpr (requires { naming.name(g[v], v.index()); }) return naming.name(g[v], v.index());
    else return naming.name(g[v]);
}

namespace detail {

// Converts the edges from `first` on, and then those before it, as `name_steps` describes it.
template <class G, class Naming>
[[nodiscard, gnu::cold]] auto name_steps_from(
    G const& g, std::size_t first, std::vector<edge_t<G>> const& path, Naming const& naming) -> std::vector<path_step>
{
    std::vector<path_step> steps(path.size());
    std::size_t end = 0;
    for (std::size_t i = 0; i < path.size(); ++i) {
        edge_t<G> const& e = path[(first + i) % path.size()];
        std::string dependent = name_of(g, e.dependent, naming);
        if (!dependent.empty()) {
            steps[end].dependent = std::move(dependent);
            steps[end++].reason = naming.reason(g[e.dependent], g[e.dependency], e.origin);
        }
        if (end != 0) steps[end - 1].dependency = name_of(g, e.dependency, naming);
    }
    while (steps.size() != end) steps.pop_back();
    return steps;
}

// Converts a cycle to steps, from a named vertex on.
template <class G, class Naming>
[[nodiscard, gnu::cold]] auto name_cycle(G const& g, std::vector<edge_t<G>> const& path, Naming const& naming)
    -> std::vector<path_step>
{
    std::size_t first = 0;
    while (first < path.size() && name_of(g, path[first].dependent, naming).empty()) ++first;
    return name_steps_from(g, first, path, naming);
}

}  // namespace detail

/// Converts a path to steps with names and reasons, one per edge.
///
/// A vertex without a name is omitted: the step that leads to it leads to the next named vertex instead.
template <directed_graph G, naming_policy<vertex_value_t<G>> Naming>
[[nodiscard]] auto name_steps(G const& g, std::vector<edge_t<G>> const& path, Naming const& naming)
    -> std::vector<path_step>
{
    return detail::name_steps_from(g, 0, path, naming);
}

/// Converts a cycle to names, so that it can be read without its graph. The path begins at a named vertex.
/// \param members  the vertices of the strong component of the cycle
template <directed_graph G, vertex_range<vertex_id_t<G>> Members, naming_policy<vertex_value_t<G>> Naming>
[[nodiscard, gnu::cold]] auto report_cycle(
    G const& g, Members const& members, std::vector<edge_t<G>> const& path, Naming const& naming) -> cycle_report
{
    cycle_report report;
    for (vertex_id_t<G> const v : members)
        if (std::string name = name_of(g, v, naming); !name.empty()) report.members.push_back(std::move(name));
    report.path = detail::name_cycle(g, path, naming);
    return report;
}

/// Formats a cycle on one line: "a → b (reference) → a (stored dependency)".
[[nodiscard, gnu::cold]] inline auto to_string(cycle_report const& report) -> std::string
{
    if (report.path.empty()) return {};
    std::string text = report.path.front().dependent;
    for (path_step const& step : report.path)
        text.append(" → ").append(step.dependency).append(" (").append(step.reason).append(")");
    return text;
}

/// Makes the error of a cycle, with names, reasons and ids.
/// \param path  the edges of one cycle
template <directed_graph G, naming_policy<vertex_value_t<G>> Naming>
[[nodiscard, gnu::cold]] auto cycle_error(G const& g, std::vector<edge_t<G>> const& path, Naming const& naming)
    -> graph_error
{
    std::vector<cycle_report> cycles(1);
    cycle_report& report = cycles.front();
    report.path = detail::name_cycle(g, path, naming);
    for (path_step const& step : report.path) report.members.push_back(std::string(step.dependent));
    std::string message = "the graph has a cycle: ";
    message += to_string(report);
    std::vector<draft_edge> ids(path.size());
    for (std::size_t i = 0; i < path.size(); ++i)
        ids[i] = {
            draft_vertex_id(path[i].dependent.index()), draft_vertex_id(path[i].dependency.index()), path[i].origin};
    return graph_error(graph_errc::cycle, std::move(message), std::move(ids), std::move(cycles));
}

}  // namespace strider

#endif  // STRIDER_CORE_VERTEX_NAMING_HPP
