// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TRANSFORM_VERTEX_NAMING_HPP
#define STRIDER_TRANSFORM_VERTEX_NAMING_HPP

#include <strider/core/edge.hpp>
#include <strider/core/error.hpp>
#include <strider/core/graph_concepts.hpp>

#include <algorithm>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider {

/// Says how the vertices and edges of a graph are called where people read about them.
template <class P, class V>
concept naming_policy = requires(P const& policy, V const& value, edge_origin origin) {
    { policy.name(value) } -> std::convertible_to<std::string>;
    { policy.reason(value, value, origin) } -> std::convertible_to<std::string>;
};

/// Names vertices by their text, where they have one, and edges by the rule that made them.
struct default_naming {
    template <class V>
    [[nodiscard]] auto name(V const& value) const -> std::string
    {
        if constexpr (std::convertible_to<V const&, std::string_view>) return std::string(std::string_view(value));
        else if constexpr (requires {
                               { value.name() } -> std::convertible_to<std::string>;
                           })
            return value.name();
        else return "vertex";
    }
    template <class V>
    [[nodiscard]] auto reason(V const&, V const&, edge_origin origin) const -> std::string
    {
        return std::string(to_string(origin.made_by()));
    }
};

/// Writes down a path with names and reasons, an edge a step.
///
/// A vertex without a name is passed over: the step that leads to it leads to the next one that has a name.
template <directed_graph G, naming_policy<vertex_value_t<G>> Naming>
[[nodiscard]] auto name_steps(G const& g, std::vector<edge> const& path, Naming const& naming) -> std::vector<path_step>
{
    std::vector<path_step> steps;
    for (edge const& e : path) {
        std::string dependent = naming.name(g[e.dependent]);
        std::string dependency = naming.name(g[e.dependency]);
        if (!dependent.empty())
            steps.push_back({std::move(dependent), std::move(dependency),
                naming.reason(g[e.dependent], g[e.dependency], e.origin)});
        else if (!steps.empty()) steps.back().dependency = std::move(dependency);
    }
    return steps;
}

/// Writes down a cycle with names, so that it can be read without its graph.
template <directed_graph G, naming_policy<vertex_value_t<G>> Naming>
[[nodiscard]] auto report_cycle(
    G const& g, std::span<vertex_id const> members, std::vector<edge> const& path, Naming const& naming) -> cycle_report
{
    cycle_report report;
    for (vertex_id const v : members)
        if (std::string name = naming.name(g[v]); !name.empty()) report.members.push_back(std::move(name));
    auto const named = [&](edge const& e) { return !naming.name(g[e.dependent]).empty(); };
    auto const first = std::find_if(path.begin(), path.end(), named);
    std::vector<edge> around(first, path.end());
    around.insert(around.end(), path.begin(), first);
    report.path = name_steps(g, around, naming);
    return report;
}

/// One line a cycle: "a → b (reference) → a (stored dependency)".
[[nodiscard]] inline auto to_string(cycle_report const& report) -> std::string
{
    if (report.path.empty()) return {};
    std::string text = report.path.front().dependent;
    for (path_step const& step : report.path) text += " → " + step.dependency + " (" + step.reason + ")";
    return text;
}

}  // namespace strider

#endif  // STRIDER_TRANSFORM_VERTEX_NAMING_HPP
