// SPDX-License-Identifier: BSL-1.0
#include "graph_view.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace iacctl::views {

namespace {

// A graph from which vertices are removed. Both ends of an edge store the shortest path that the edge represents.
class contracted_graph {
public:
    explicit contracted_graph(graph_view const& graph) : out_(graph.vertices.size()), in_(graph.vertices.size())
    {
        for (std::size_t e = 0; e < graph.edges.size(); ++e)
            add(graph.edges[e].dependent, graph.edges[e].dependency, {e});
    }

    [[nodiscard]] auto dependencies(std::size_t v) const -> std::map<std::size_t, std::vector<std::size_t>> const&
    {
        return out_[v];
    }
    /// Returns whether the removal of the vertex adds few edges.
    [[nodiscard]] auto is_dispensable(std::size_t v) const -> bool
    {
        auto const in = in_[v].size();
        auto const out = out_[v].size();
        return in * out <= in + out + 2;
    }
    void remove(std::size_t v)
    {
        auto const in = std::exchange(in_[v], {});
        auto const out = std::exchange(out_[v], {});
        for (auto const& [d, _] : out) in_[d].erase(v);
        for (auto const& [from, _] : in) {
            auto const first = std::move(out_[from].extract(v).mapped());
            for (auto const& [to, second] : out) {
                auto way = first;
                way.insert(way.end(), second.begin(), second.end());
                add(from, to, std::move(way));
            }
        }
    }

private:
    void add(std::size_t from, std::size_t to, std::vector<std::size_t> way)
    {
        if (from == to) return;
        auto const [at, added] = out_[from].try_emplace(to, std::move(way));
        if (added) in_[to].emplace(from, true);
        else if (way.size() < at->second.size()) at->second = std::move(way);
    }

    std::vector<std::map<std::size_t, std::vector<std::size_t>>> out_;
    std::vector<std::map<std::size_t, bool>> in_;
};

}  // namespace

auto is_named(graph_view const& graph, graph_view::vertex const& v) -> bool
{
    if (graph.content == graph_view::content_type::operations) {
        bool const invokes = v.kind == vertex_kind::operation && !v.change;
        return invokes || v.operation.has_value();
    }
    return v.kind == vertex_kind::resource || v.kind == vertex_kind::value;
}

auto shown(graph_view const& graph) -> shown_graph
{
    contracted_graph thinned(graph);
    std::vector<bool> stays(graph.vertices.size(), true);
    // A removal can make others possible, so there are several rounds. The root is always removed, because it orders
    // nothing.
    for (bool changed = true; std::exchange(changed, false);)
        for (std::size_t v = 0; v < graph.vertices.size(); ++v) {
            auto const& vertex = graph.vertices[v];
            if (!stays[v] || is_named(graph, vertex)) continue;
            bool const ends = vertex.kind == vertex_kind::root;
            if (!ends && !thinned.is_dispensable(v)) continue;
            thinned.remove(v);
            stays[v] = false;
            changed = true;
        }
    shown_graph made;
    for (std::size_t v = 0; v < graph.vertices.size(); ++v) {
        if (!stays[v]) continue;
        made.vertices.push_back(v);
        for (auto const& [d, way] : thinned.dependencies(v)) made.edges.push_back({v, d, way});
    }
    return made;
}

}  // namespace iacctl::views
