// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_GRAPH_TEXT_HPP
#define STRIDER_TESTS_SUPPORT_GRAPH_TEXT_HPP

#include <strider/core.hpp>

#include <algorithm>
#include <map>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// Graphs as text, with one vertex and its dependencies on each line: `graph("b: a\nc: a b")`.
namespace strider::test {

using text_graph = digraph<std::string>;

/// An edge by the names of its ends, dependent first: `edge("b", "a")` reads "b depends on a".
struct named_edge {
    std::string dependent;
    std::string dependency;
    friend auto operator<=>(named_edge const&, named_edge const&) = default;
    friend auto operator<<(std::ostream& out, named_edge const& e) -> std::ostream&
    {
        return out << e.dependent << " -> " << e.dependency;
    }
};

[[nodiscard]] inline auto edge(std::string dependent, std::string dependency) -> named_edge
{
    return {std::move(dependent), std::move(dependency)};
}

/// The vertex with this name; an invalid id if there is none.
template <class G, class Name = std::identity>
[[nodiscard]] auto find(G const& g, std::string_view name, Name name_of = {}) -> vertex_id_t<G>
{
    for (auto const v : g.vertices())
        if (std::string_view(name_of(g[v])) == name) return v;
    return {};
}

/// Reads lines such as "b: a c"; the first mention of a name creates the vertex.
[[nodiscard]] inline auto graph(std::string_view text) -> text_graph
{
    text_graph g;
    std::map<std::string, draft_vertex_id, std::less<>> ids;
    auto const vertex = [&](std::string const& name) {
        auto const known = ids.find(name);
        return known != ids.end() ? known->second : ids.emplace(name, g.add_vertex(name)).first->second;
    };
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
        auto const colon = line.find(':');
        std::istringstream head(line.substr(0, colon));
        std::string name;
        if (!(head >> name)) continue;
        draft_vertex_id const dependent = vertex(name);
        if (colon == std::string::npos) continue;
        std::istringstream tail(line.substr(colon + 1));
        for (std::string dependency; tail >> dependency;)
            g.add_edge(dependent, depends_on(vertex(dependency)), edge_rules::reference);
    }
    return g;
}

/// All edges by name, sorted.
template <class G, class Name = std::identity>
[[nodiscard]] auto edges(G const& g, Name name_of = {}) -> std::vector<named_edge>
{
    std::vector<named_edge> all;
    for (auto const v : g.vertices())
        for (auto const d : g.dependencies(v)) all.push_back({std::string(name_of(g[v])), std::string(name_of(g[d]))});
    std::sort(all.begin(), all.end());
    return all;
}

/// The text that `graph` reads, vertices and dependencies sorted by name.
template <class G, class Name = std::identity>
[[nodiscard]] auto text(G const& g, Name name_of = {}) -> std::string
{
    std::map<std::string, std::vector<std::string>> rows;
    for (auto const v : g.vertices()) {
        auto& row = rows[std::string(name_of(g[v]))];
        for (auto const d : g.dependencies(v)) row.emplace_back(name_of(g[d]));
        std::sort(row.begin(), row.end());
    }
    std::string out;
    for (auto const& [name, row] : rows) {
        out += name + ":";
        for (auto const& d : row) out += " " + d;
        out += "\n";
    }
    return out;
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_GRAPH_TEXT_HPP
