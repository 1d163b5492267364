// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_DOT_HPP
#define STRIDER_ALGORITHM_DOT_HPP

#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>
#include <strider/core/vertex_map.hpp>

#include <range/v3/algorithm/binary_search.hpp>
#include <range/v3/algorithm/sort.hpp>
#include <range/v3/functional/comparisons.hpp>

#include <concepts>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider {

/// Attributes of a vertex or an edge in a DOT text: names and values. `write_dot` quotes them.
using dot_attributes = std::vector<std::pair<std::string, std::string>>;

/// Options for writing a graph as DOT.
template <class Id = vertex_id>
struct dot_options {
    std::string graph_name;    ///< no name if empty
    std::string rankdir;       ///< "LR", "TB" and so on; DOT's default if empty
    bool origins = false;      ///< label each edge with its origin
    std::vector<basic_edge<Id>> marked;  ///< edges to draw red, such as a cycle
};

/// Quotes a text as a DOT string: escapes quotes and backslashes, and replaces a line break by `\n`.
[[nodiscard]] inline auto dot_quoted(std::string_view text) -> std::string
{
    std::string quoted = "\"";
    for (char const c : text) {
        if (c == '"' || c == '\\') quoted += '\\';
        if (c == '\n') quoted += "\\n";
        else if (c != '\r') quoted += c;
    }
    quoted += '"';
    return quoted;
}

namespace detail {

struct no_dot_attributes {
    template <class T>
    [[nodiscard]] auto operator()(T const&) const -> dot_attributes
    {
        return {};
    }
};

// Formats " [a=\"b\", c=\"d\"]", or nothing.
[[nodiscard]] inline auto dot_attribute_list(dot_attributes const& attributes) -> std::string
{
    std::string list;
    for (auto const& [name, value] : attributes) {
        list += list.empty() ? " [" : ", ";
        list += name;
        list += '=';
        list += dot_quoted(value);
    }
    if (!list.empty()) list += ']';
    return list;
}

// A DOT name identifies one vertex, so vertices with the same name get their id appended.
template <class G, class Name>
[[nodiscard]] auto dot_names(G const& g, Name& name) -> vertex_map_t<G, std::string>
{
    vertex_map_t<G, std::string> names(g.id_bound());
    std::map<std::string, int, std::less<>> uses;
    for (auto const v : g.vertices()) {
        names[v] = std::string_view(std::invoke(name, g[v]));
        ++uses[names[v]];
    }
    for (auto const v : g.vertices()) {
        if (uses.find(names[v])->second > 1) names[v] += " #" + std::to_string(v.index());
        names[v] = dot_quoted(names[v]);
    }
    return names;
}

}  // namespace detail

/// Writes a graph as a DOT text, in pieces, to `sink(std::string_view)`.
///
/// Vertices are in ascending id, each before its edges, which go from dependent to dependency in order of insertion.
/// Equal graphs therefore give equal texts. Vertices with the same name are distinguished by their id.
template <directed_graph G, std::invocable<std::string_view> Sink, class Name = std::identity,
    class VertexAttributes = detail::no_dot_attributes, class EdgeAttributes = detail::no_dot_attributes>
    requires std::invocable<Name&, vertex_value_t<G> const&>
void write_dot(G const& g, Sink sink, dot_options<vertex_id_t<G>> const& options = {}, Name name = {},
    VertexAttributes vertex_attributes = {}, EdgeAttributes edge_attributes = {})
{
    auto const put = [&](std::string const& line) { std::invoke(sink, std::string_view(line)); };
    auto const names = detail::dot_names(g, name);
    auto marked = options.marked;
    auto const ends = [](edge_t<G> const& e) { return std::pair(e.dependent, e.dependency); };
    ranges::sort(marked, ranges::less(), ends);

    put(options.graph_name.empty() ? "digraph {\n" : "digraph " + dot_quoted(options.graph_name) + " {\n");
    if (!options.rankdir.empty()) put("  rankdir=" + dot_quoted(options.rankdir) + ";\n");
    for (auto const v : g.vertices()) {
        dot_attributes const of_vertex = std::invoke(vertex_attributes, g[v]);
        put("  " + names[v] + detail::dot_attribute_list(of_vertex) + ";\n");
        for (auto const e : g.dependency_edges(v)) {
            dot_attributes attributes = std::invoke(edge_attributes, e);
            if (options.origins) attributes.emplace_back("label", to_string(e.origin.made_by()));
            if (ranges::binary_search(marked, ends(e), ranges::less(), ends)) attributes.emplace_back("color", "red");
            put("  " + names[v] + " -> " + names[e.dependency] + detail::dot_attribute_list(attributes) + ";\n");
        }
    }
    put("}\n");
}

/// Returns a graph as a DOT text. \see write_dot
template <directed_graph G, class Name = std::identity, class VertexAttributes = detail::no_dot_attributes,
    class EdgeAttributes = detail::no_dot_attributes>
    requires std::invocable<Name&, vertex_value_t<G> const&>
[[nodiscard]] auto to_dot(G const& g, dot_options<vertex_id_t<G>> const& options = {}, Name name = {},
    VertexAttributes vertex_attributes = {}, EdgeAttributes edge_attributes = {}) -> std::string
{
    std::string text;
    write_dot(
        g, [&text](std::string_view piece) { text += piece; }, options, std::move(name), std::move(vertex_attributes),
        std::move(edge_attributes));
    return text;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_DOT_HPP
