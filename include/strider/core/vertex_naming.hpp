// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_CORE_VERTEX_NAMING_HPP
#define STRIDER_CORE_VERTEX_NAMING_HPP

#include <strider/core/edge.hpp>
#include <strider/core/error.hpp>
#include <strider/core/graph_concepts.hpp>

#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

/// A policy that names the vertices and edge origins of a graph in messages.
template <class P, class V>
concept naming_policy = requires(P const& policy, V const& value, edge_origin origin) {
    { policy.name(value) } -> std::convertible_to<std::string>;
    { policy.reason(value, value, origin) } -> std::convertible_to<std::string>;
};

/// Names a vertex by its text, its `name()` or its member `name` if it has one, else by its number, and an edge by its rule.
struct default_naming {
    /// Returns the text of the value, its `name()` or `name`, or "vertex N". \param number  N: the index of the vertex
    template <class V>
    [[nodiscard]] auto name(V const& value, std::size_t number = 0) const -> std::string
    {
        if constexpr (std::convertible_to<V const&, std::string_view>) return std::string(std::string_view(value));
        else if constexpr (requires {
                               { value.name() } -> std::convertible_to<std::string>;
                           })
            return value.name();
        else if constexpr (requires {
                               { value.name } -> std::convertible_to<std::string_view>;
                           })
            return std::string(std::string_view(value.name));
        else return "vertex " + std::to_string(number);
    }
    /// Returns the name of the rule of the edge, or nothing for an edge without a stated reason; the place is ignored.
    template <class V>
    [[nodiscard]] auto reason(V const&, V const&, edge_origin origin) const -> std::string
    {
        if (origin.made_by() == edge_rules::unspecified) return {};
        return std::string(to_string(origin.made_by()));
    }
};

/// Names a vertex by a projection, such as a pointer to a member, and an edge by its rule: `cycle_validation(named_by(&task::id))`.
template <class Projection>
struct named_by : default_naming {
    /// Stores the projection; a `std::string` can be made of its result.
    constexpr explicit named_by(Projection projection) : projection_(std::move(projection)) {}

    /// Returns the projection of the value.
    template <class V>
        requires std::constructible_from<std::string, std::invoke_result_t<Projection const&, V const&>>
    [[nodiscard]] auto name(V const& value) const -> std::string
    {
        return std::string(std::invoke(projection_, value));
    }

private:
    Projection projection_;
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

namespace detail {

// Limits for the text of one cycle, and for the text of a list of cycles.
inline constexpr std::size_t most_shown = 20;
inline constexpr std::size_t most_shown_bytes = std::size_t{16} << 10U;

// Returns the number of leading elements that are shown. \param size  returns the number of bytes of an element
template <class T, class Size>
[[nodiscard, gnu::cold]] auto shown_of(std::vector<T> const& all, Size size) -> std::size_t
{
    std::size_t count = 0;
    for (std::size_t bytes = 0; count < all.size() && count < most_shown && bytes < most_shown_bytes; ++count)
        bytes += size(all[count]);
    return count;
}

}  // namespace detail

/// Returns a report that is short enough to be read: of a long cycle the first steps, one step with the number of the
/// omitted ones as its reason, and the last step; and the first members with the number of the others.
[[nodiscard, gnu::cold]] inline auto abridged(cycle_report const& report) -> cycle_report
{
    auto const& [members, path] = report;
    auto const named = detail::shown_of(members, [](std::string const& name) { return name.size(); });
    auto const stepped = detail::shown_of(
        path, [](path_step const& s) { return s.dependent.size() + s.dependency.size() + s.reason.size(); });
    cycle_report made;
    made.members.assign(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(named));
    if (named < members.size()) made.members.push_back("and " + std::to_string(members.size() - named) + " more");
    auto const rest = path.size() - stepped;
    made.path.assign(path.begin(), path.end() - static_cast<std::ptrdiff_t>(rest));
    if (rest > 2)
        made.path.push_back(
            {path[stepped].dependent, path.back().dependent, std::to_string(rest - 1) + " more dependencies"});
    else if (rest == 2) made.path.push_back(path[stepped]);
    if (rest != 0) made.path.push_back(path.back());
    return made;
}

/// Formats a cycle on one line: "a → b (reference) → a (stored dependency)", or "a → b → a" if the edges have no reason. A long
/// cycle is `abridged`.
[[nodiscard, gnu::cold]] inline auto to_string(cycle_report const& report) -> std::string
{
    if (report.path.empty()) return {};
    cycle_report const shown = abridged(report);
    std::string text = shown.path.front().dependent;
    for (path_step const& step : shown.path) {
        text.append(" → ").append(step.dependency);
        if (!step.reason.empty()) text.append(" (").append(step.reason).append(")");
    }
    return text;
}

/// Formats cycles on one line, the first ones if there are many: "cycle: a → b (reference) → a (reference); and 7 more cycles".
[[nodiscard, gnu::cold]] inline auto to_string(std::vector<cycle_report> const& reports) -> std::string
{
    std::string text;
    std::size_t shown = 0;
    for (; shown < reports.size() && shown < detail::most_shown && text.size() < detail::most_shown_bytes; ++shown)
        text.append(text.empty() ? "cycle: " : "; cycle: ") += to_string(reports[shown]);
    if (shown < reports.size()) text += "; and " + std::to_string(reports.size() - shown) + " more cycles";
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
