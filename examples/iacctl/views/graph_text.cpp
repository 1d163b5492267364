// SPDX-License-Identifier: BSL-1.0
#include "graph_text.hpp"

#include "base/formatted.hpp"

#include <strider/algorithm/dot.hpp>

#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace iacctl::views {

namespace {

using strider::dot_quoted;

// The name of a module, "module.a.module.b"; empty for the root module.
auto module_name(graph_view::vertex const& v) -> std::string
{
    std::string name;
    for (std::string const& step : v.module) name += (name.empty() ? "" : ".") + step;
    return name;
}

// The shape of a vertex; if it is empty, only the edges of the vertex are written.
auto shape_of(vertex_kind kind) -> std::string_view
{
    switch (kind) {
    case vertex_kind::operation:
    case vertex_kind::resource: return "box";
    case vertex_kind::value: return "note";
    case vertex_kind::provider: return "diamond";
    default: return {};
    }
}

// Joins have no name: a dependency on a join is replaced by its dependencies.
auto named_dependencies(graph_view const& graph) -> std::vector<std::set<std::size_t>>
{
    std::vector<std::vector<std::size_t>> direct(graph.vertices.size());
    for (auto const& e : graph.edges) direct[e.dependent].push_back(e.dependency);
    std::vector<std::set<std::size_t>> named(graph.vertices.size());
    for (std::size_t v = 0; v < graph.vertices.size(); ++v) {
        if (graph.vertices[v].name.empty()) continue;
        std::set<std::size_t> seen;
        std::vector todo{v};
        while (!todo.empty()) {
            auto const at = todo.back();
            todo.pop_back();
            for (auto const d : direct[at]) {
                if (!graph.vertices[d].name.empty()) named[v].insert(d);
                else if (seen.insert(d).second) todo.push_back(d);
            }
        }
    }
    return named;
}

auto operations_dot(graph_view const& graph) -> std::string
{
    auto const dependencies = named_dependencies(graph);
    auto const id = [&](std::size_t v) { return dot_quoted("[root] " + graph.vertices[v].name); };
    std::set<std::string> vertices;
    std::set<std::string> edges;
    for (std::size_t v = 0; v < graph.vertices.size(); ++v) {
        auto const& vertex = graph.vertices[v];
        if (vertex.name.empty()) continue;
        if (auto const shape = shape_of(vertex.kind); !shape.empty())
            vertices.insert(formatted("\t\t{} [label = {}, shape = \"{}\"]\n", id(v), dot_quoted(vertex.label), shape));
        for (auto const d : dependencies[v]) edges.insert(formatted("\t\t{} -> {}\n", id(v), id(d)));
    }
    std::string text = "digraph {\n\tcompound = \"true\"\n\tnewrank = \"true\"\n\tsubgraph \"root\" {\n";
    for (std::string const& line : vertices) text += line;
    for (std::string const& line : edges) text += line;
    return text + "\t}\n}\n\n";
}

// Each module has a box of its own.
auto resources_dot(graph_view const& graph) -> std::string
{
    struct module {
        std::set<std::string> vertices;
        std::set<std::string> edges;
    };
    std::map<std::string, module> modules;
    auto const in = [&](std::size_t v) -> std::string {
        auto const name = module_name(graph.vertices[v]);
        return name.empty() ? name : name + '.';
    };
    for (std::size_t v = 0; v < graph.vertices.size(); ++v) {
        auto const& vertex = graph.vertices[v];
        modules[in(v)].vertices.insert(formatted("{}{} [label={}];\n", vertex.module.empty() ? "  " : "    ",
            dot_quoted(vertex.name), dot_quoted(vertex.label)));
    }
    for (auto const& e : graph.edges)
        modules[in(e.dependent)].edges.insert(formatted("  {} -> {};\n", dot_quoted(graph.vertices[e.dependent].name),
            dot_quoted(graph.vertices[e.dependency].name)));
    std::string text = "digraph G {\n  rankdir = \"RL\";\n  node [shape = rect, fontname = \"sans-serif\"];\n";
    for (auto const& [prefix, m] : modules) {
        auto const name = prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1);
        if (!name.empty())
            text += formatted("  subgraph {} {{\n    label = {}\n    fontname = \"sans-serif\"\n",
                dot_quoted("cluster_" + name), dot_quoted(name));
        for (std::string const& line : m.vertices) text += line;
        if (!name.empty()) text += "  }\n";
    }
    for (auto const& [_, m] : modules)
        for (std::string const& line : m.edges) text += line;
    return text + "}\n";
}

// Replaces characters with a meaning in Mermaid, or in the HTML that contains it, by entities.
auto mermaid_quoted(std::string_view text) -> std::string
{
    std::string quoted = "\"";
    for (char const c : text) {
        if (c == '\n' || c == '\r') quoted += ' ';
        else if (std::string_view("\"#&<>`;\\{}|[]()").find(c) == std::string_view::npos) quoted += c;
        else quoted += formatted("#{};", static_cast<int>(c));
    }
    return quoted + '"';
}

// The label without the module, which the box shows.
auto local_label(graph_view::vertex const& v) -> std::string_view
{
    std::string_view label = v.label;
    if (auto const module = module_name(v); !module.empty() && label.starts_with(module + '.'))
        label.remove_prefix(module.size() + 1);
    return label;
}

class mermaid_flowchart {
public:
    explicit mermaid_flowchart(graph_view const& graph) : of_(graph), shown_(shown(graph)) {}

    [[nodiscard]] auto text() -> std::string
    {
        out_ = "flowchart RL\n";
        std::map<std::vector<std::string>, std::vector<std::size_t>> modules;
        for (auto const v : shown_.vertices) modules[of_.vertices[v].module].push_back(v);
        std::vector<std::string> open;
        for (auto const& [path, vertices] : modules) {
            enter(open, path);
            for (auto const v : vertices) vertex(v, path.size());
        }
        enter(open, {});
        for (auto const& e : shown_.edges) out_ += formatted("  v{} --> v{}\n", e.dependent, e.dependency);
        if (colored_)
            out_ += "  classDef create fill:#dafbe1,stroke:#1a7f37,color:#116329\n"
                    "  classDef update fill:#fff8c5,stroke:#9a6700,color:#7d4e00\n"
                    "  classDef destroy fill:#ffebe9,stroke:#cf222e,color:#a40e26\n"
                    "  classDef read fill:#ddf4ff,stroke:#0969da,color:#0550ae\n";
        return std::move(out_);
    }

private:
    // Closes and opens subgraphs on the way from one module to another.
    void enter(std::vector<std::string>& open, std::vector<std::string> const& path)
    {
        std::size_t common = 0;
        while (common < open.size() && common < path.size() && open[common] == path[common]) ++common;
        for (; open.size() > common; open.pop_back()) out_ += std::string(2 * open.size(), ' ') + "end\n";
        for (; open.size() < path.size(); open.push_back(path[open.size()]))
            out_ += formatted("{}subgraph m{}[{}]\n", std::string(2 * open.size() + 2, ' '), subgraphs_++,
                mermaid_quoted(path[open.size()]));
    }

    void vertex(std::size_t v, std::size_t depth)
    {
        auto const& of = of_.vertices[v];
        out_ += formatted("{}v{}", std::string(2 * depth + 2, ' '), v);
        if (!is_named(of_, of)) out_ += "(( ))\n";
        else {
            bool const is_box = of.kind != vertex_kind::value;
            out_ += (is_box ? "[" : "(") + mermaid_quoted(local_label(of)) + (is_box ? "]" : ")");
            if (of.operation) {
                out_ += formatted(":::{}", to_string(*of.operation));
                colored_ = true;
            }
            out_ += '\n';
        }
    }

    graph_view const& of_;
    shown_graph shown_;
    std::string out_;
    std::size_t subgraphs_ = 0;
    bool colored_ = false;
};

}  // namespace

auto dot_text(graph_view const& graph) -> std::string
{
    return graph.content == graph_view::content_type::resources ? resources_dot(graph) : operations_dot(graph);
}

auto mermaid_text(graph_view const& graph) -> std::string
{
    return mermaid_flowchart(graph).text();
}

}  // namespace iacctl::views
