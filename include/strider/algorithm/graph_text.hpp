// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_ALGORITHM_GRAPH_TEXT_HPP
#define STRIDER_ALGORITHM_GRAPH_TEXT_HPP

#include <strider/algorithm/detail/name_scanner.hpp>
#include <strider/core/digraph.hpp>
#include <strider/core/edge.hpp>
#include <strider/core/error.hpp>
#include <strider/core/graph_concepts.hpp>
#include <strider/core/result.hpp>
#include <strider/core/vertex_id.hpp>

#include <range/v3/range/primitives.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strider {

/// Returns a name as `read_text` and `read_vertices` read it. It is in quotes if it is empty, begins with `#`, or contains
/// a blank, a control character, a colon or a quote; quotes, backslashes and control characters are then escaped:
/// `"a \"b\"\n"`.
[[nodiscard]] inline auto text_quoted(std::string_view name) -> std::string
{
    if (!name.empty() && name.front() != '#' && std::all_of(name.begin(), name.end(), detail::is_bare))
        return std::string(name);
    std::string quoted = "\"";
    for (char const c : name) quoted += detail::escaped(c);
    return quoted += '"';
}

namespace detail {

// The vertices of a graph by name.
template <class Id>
using vertices_by_name = std::map<std::string, Id, std::less<>>;

// \return graph_errc::duplicate_vertex if two vertices have one name
template <class G, class Name>
[[nodiscard]] auto index_names(G const& g, Name& name) -> result<vertices_by_name<vertex_id_t<G>>>
{
    vertices_by_name<vertex_id_t<G>> ids;
    for (auto const v : g.vertices())
        if (auto const [at, is_new] = ids.emplace(std::string_view(std::invoke(name, g[v])), v); !is_new)
            return graph_error(
                graph_errc::duplicate_vertex, "two vertices have the same name: " + shown_name(at->first));
    return ids;
}

}  // namespace detail

/// Writes a graph as a text that `read_text` reads, in pieces, to `sink(std::string_view)`.
///
/// Each vertex has a line: its name and, after a colon, the names of its dependencies, such as `program: main.o list.o`.
/// Vertices are in ascending id. Names are written as `text_quoted` returns them, origins of edges are not written.
/// \return graph_errc::duplicate_vertex if two vertices have one name; nothing is written then.
/// \complexity O((V + E) log V) comparisons of names
template <directed_graph G, std::invocable<std::string_view> Sink, class Name = std::identity>
    requires std::invocable<Name&, vertex_value_t<G> const&>
auto write_text(G const& g, Sink sink, Name name = {}) -> result<void>
{
    auto const names = detail::index_names(g, name);
    if (!names) return names.error();
    auto const quoted = [&](vertex_id_t<G> v) { return text_quoted(std::string_view(std::invoke(name, g[v]))); };
    for (auto const v : g.vertices()) {
        std::string line = quoted(v);
        if (!ranges::empty(g.dependencies(v))) line += ':';
        for (auto const d : g.dependencies(v)) line.append(" ").append(quoted(d));
        line += '\n';
        std::invoke(sink, std::string_view(line));
    }
    return {};
}

/// Returns a graph as a text. \see write_text
template <directed_graph G, class Name = std::identity>
    requires std::invocable<Name&, vertex_value_t<G> const&>
[[nodiscard]] auto to_text(G const& g, Name name = {}) -> result<std::string>
{
    std::string text;
    auto const written = write_text(g, [&text](std::string_view line) { text += line; }, std::move(name));
    if (!written) return written.error();
    return text;
}

/// Reads a graph from a text in the form that `write_text` writes.
///
/// Every vertex has one line; a line may refer to later lines. Blanks separate names, `#` where a name could begin starts
/// a comment, and empty lines are ignored. A byte in a quoted name may be written as `\xHH`. A dependency that is listed twice
/// is added once. Bytes above 127 are part of names and not checked. The graph may have cycles, which `freeze` reports.
///
/// The origin of an edge is `edge_rules::reference`, with the number of the line as its place.
/// \return     graph_errc::invalid_value if the text has another form or more than 2^32 - 1 bytes, graph_errc::duplicate_vertex if a
///             name has two lines, graph_errc::unknown_vertex if a dependency has no line. The message begins with line and column, in bytes,
///             and states what is expected.
/// \complexity O(n log n) in the length of the text, and that of `digraph::add_edge` per dependency
[[nodiscard]] inline auto read_text(std::string_view text) -> result<digraph<std::string>>
{
    struct reference {
        draft_vertex_id dependent;
        detail::scanned_name dependency;
    };
    struct definition {
        draft_vertex_id vertex;
        std::size_t line;
    };
    if (text.size() > std::numeric_limits<std::uint32_t>::max())
        return graph_error(graph_errc::invalid_value, "the text of a graph has at most 4294967295 bytes");
    digraph<std::string> g;
    std::map<std::string, definition, std::less<>> definitions;
    std::vector<reference> references;
    for (detail::name_scanner line(text); !line.is_at_end(); line.next_line()) {
        if (line.is_at_end_of_line()) continue;
        auto name = line.name("the name of a vertex");
        if (!name) return name.error();
        auto const [at, is_new] = definitions.try_emplace(name->text);
        if (!is_new)
            return detail::error_at(name->place, graph_errc::duplicate_vertex,
                "the vertex " + detail::shown_name(name->text) + " already has line "
                    + std::to_string(at->second.line));
        at->second = {g.add_vertex(name->text), name->place.line};
        if (line.is_at_end_of_line()) continue;
        if (!line.skip_colon()) return line.unexpected("a colon or the end of the line");
        while (!line.is_at_end_of_line()) {
            auto dependency = line.name("the name of a dependency");
            if (!dependency) return dependency.error();
            references.push_back({at->second.vertex, std::move(*dependency)});
        }
    }
    for (auto const& [dependent, dependency] : references) {
        auto const found = definitions.find(dependency.text);
        if (found == definitions.end())
            return detail::error_at(dependency.place, graph_errc::unknown_vertex,
                "the vertex " + detail::shown_name(dependency.text)
                    + " has no line; expected the name of a vertex that has one");
        auto const place = static_cast<std::uint32_t>(dependency.place.line);
        g.add_edge(dependent, depends_on(found->second.vertex), edge_origin(edge_rules::reference, place));
    }
    return g;
}

/// Writes vertices of a graph by name, one on each line, in the form that `read_vertices` reads: for example those that another
/// process shall visit. \see text_quoted to write one name
/// \return graph_errc::duplicate_vertex if two vertices of the graph have one name
template <directed_graph G, vertex_range<vertex_id_t<G>> Vertices, class Name = std::identity>
    requires std::invocable<Name&, vertex_value_t<G> const&>
[[nodiscard]] auto to_text(G const& g, Vertices&& vertices, Name name = {}) -> result<std::string>
{
    auto const names = detail::index_names(g, name);
    if (!names) return names.error();
    std::string text;
    for (vertex_id_t<G> const v : vertices)
        text.append(text_quoted(std::string_view(std::invoke(name, g[v])))).append("\n");
    return text;
}

/// Reads names of vertices, one on each line, and returns their ids in the graph, in the order of the text. Comments and empty
/// lines are ignored.
/// \return graph_errc::invalid_value if the text has another form, graph_errc::unknown_vertex if the graph does not have
///         a vertex with that name, graph_errc::duplicate_vertex if two vertices of the graph have one name.
template <directed_graph G, class Name = std::identity>
    requires std::invocable<Name&, vertex_value_t<G> const&>
[[nodiscard]] auto read_vertices(std::string_view text, G const& g, Name name = {})
    -> result<std::vector<vertex_id_t<G>>>
{
    auto const ids = detail::index_names(g, name);
    if (!ids) return ids.error();
    std::vector<vertex_id_t<G>> vertices;
    for (detail::name_scanner line(text); !line.is_at_end(); line.next_line()) {
        if (line.is_at_end_of_line()) continue;
        auto const read = line.name("the name of a vertex");
        if (!read) return read.error();
        auto const found = ids->find(read->text);
        if (found == ids->end())
            return detail::error_at(
                read->place, graph_errc::unknown_vertex, "the graph has no vertex " + detail::shown_name(read->text));
        vertices.push_back(found->second);
        if (!line.is_at_end_of_line()) return line.unexpected("the end of the line");
    }
    return vertices;
}

}  // namespace strider

#endif  // STRIDER_ALGORITHM_GRAPH_TEXT_HPP
