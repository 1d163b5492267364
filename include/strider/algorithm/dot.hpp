// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_DOT_HPP
#define STRIDER_ALGORITHM_DOT_HPP

#include <strider/core/edge.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/algorithm/any_of.hpp>
#include <range/v3/algorithm/binary_search.hpp>
#include <range/v3/algorithm/equal.hpp>
#include <range/v3/algorithm/none_of.hpp>
#include <range/v3/algorithm/sort.hpp>
#include <range/v3/functional/comparisons.hpp>

#include <array>
#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace strider {

/// Attributes of a vertex or an edge in a DOT text: names and values, of any characters.
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

// Quotes the name of an attribute unless it is an identifier of DOT.
[[nodiscard]] inline auto dot_name(std::string_view name) -> std::string
{
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    constexpr std::array<std::string_view, 6> keywords{"node", "edge", "graph", "digraph", "subgraph", "strict"};
    auto const same_letter = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    bool const is_identifier = !name.empty() && name.find_first_not_of(letters) == std::string_view::npos;
    bool const is_keyword =
        ranges::any_of(keywords, [&](std::string_view word) { return ranges::equal(word, name, same_letter); });
    return is_identifier && !is_keyword ? std::string(name) : dot_quoted(name);
}

// Formats " [a=\"b\", c=\"d\"]", or nothing.
[[nodiscard]] inline auto dot_attribute_list(dot_attributes const& attributes) -> std::string
{
    std::string list;
    for (auto const& [name, value] : attributes) {
        list += list.empty() ? " [" : ", ";
        list += dot_name(name);
        list += '=';
        list += dot_quoted(value);
    }
    if (!list.empty()) list += ']';
    return list;
}

// The attributes of a vertex. Its name is the label, unless they have a label.
template <class Name, class VertexAttributes, class V>
[[nodiscard]] auto dot_vertex(Name& name, VertexAttributes& vertex_attributes, V const& value) -> dot_attributes
{
    dot_attributes attributes = std::invoke(vertex_attributes, value);
    auto const is_label = [](auto const& attribute) { return attribute.first == "label"; };
    if (ranges::none_of(attributes, is_label))
        attributes.emplace(attributes.begin(), "label", std::string_view(std::invoke(name, value)));
    return attributes;
}

template <class F, class T>
concept dot_attribute_projection =
    std::invocable<F&, T> && std::convertible_to<std::invoke_result_t<F&, T>, dot_attributes>;

}  // namespace detail

/// Writes a graph as a DOT text, in pieces, to `sink(std::string_view)`.
///
/// Vertices are in ascending id, each before its edges, which go from dependent to dependency in order of insertion.
/// Equal graphs therefore give equal texts. A node is identified by the id of its vertex, and has the name as its label, unless
/// `vertex_attributes` gives it one; so vertices may have the same name.
template <directed_graph G, std::invocable<std::string_view> Sink,
    detail::text_projection<vertex_value_t<G>> Name = std::identity,
    detail::dot_attribute_projection<vertex_value_t<G> const&> VertexAttributes = detail::no_dot_attributes,
    detail::dot_attribute_projection<edge_t<G> const&> EdgeAttributes = detail::no_dot_attributes>
void write_dot(G const& g, Sink sink, dot_options<vertex_id_t<G>> const& options = {}, Name name = {},
    VertexAttributes vertex_attributes = {}, EdgeAttributes edge_attributes = {})
{
    auto const put = [&](std::string const& line) { std::invoke(sink, std::string_view(line)); };
    auto const node = [](vertex_id_t<G> v) { return std::to_string(v.index()); };
    auto marked = options.marked;
    auto const ends = [](edge_t<G> const& e) { return std::pair(e.dependent, e.dependency); };
    ranges::sort(marked, ranges::less(), ends);

    put(options.graph_name.empty() ? "digraph {\n" : "digraph " + dot_quoted(options.graph_name) + " {\n");
    if (!options.rankdir.empty()) put("  rankdir=" + dot_quoted(options.rankdir) + ";\n");
    for (auto const v : g.vertices()) {
        put("  " + node(v) + detail::dot_attribute_list(detail::dot_vertex(name, vertex_attributes, g[v])) + ";\n");
        for (edge_t<G> const e : g.dependency_edges(v)) {
            dot_attributes attributes = std::invoke(edge_attributes, e);
            if (options.origins) attributes.emplace_back("label", to_string(e.origin.made_by()));
            if (ranges::binary_search(marked, ends(e), ranges::less(), ends)) attributes.emplace_back("color", "red");
            put("  " + node(v) + " -> " + node(e.dependency) + detail::dot_attribute_list(attributes) + ";\n");
        }
    }
    put("}\n");
}

/// Returns a graph as a DOT text. \see write_dot
template <directed_graph G, detail::text_projection<vertex_value_t<G>> Name = std::identity,
    detail::dot_attribute_projection<vertex_value_t<G> const&> VertexAttributes = detail::no_dot_attributes,
    detail::dot_attribute_projection<edge_t<G> const&> EdgeAttributes = detail::no_dot_attributes>
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
