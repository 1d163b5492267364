// SPDX-License-Identifier: BSL-1.0
// A user-defined transformer: every "test x" waits for "build x"; a test without a build is an error.
#include <strider/transform.hpp>

#include <iostream>
#include <map>
#include <string>

inline constexpr strider::edge_rule tested{"test of a build"};  // the rule of the edges of this stage

struct tests_after_builds : strider::transformer_base {
    using excludes = strider::property_list<strider::properties::reduced>;  // this stage adds edges: reduce afterwards

    template <strider::mutable_digraph G>
    auto operator()(G g) const -> strider::result<G>
    {
        std::map<std::string, strider::draft_vertex_id> builds;
        for (auto const v : g.vertices())
            if (g[v].starts_with("build ")) builds.emplace(g[v].substr(6), v);
        for (auto const v : g.vertices()) {
            if (!g[v].starts_with("test ")) continue;
            auto const build = builds.find(g[v].substr(5));
            if (build == builds.end())
                return strider::graph_error(
                    strider::graph_errc::unknown_vertex, "no vertex builds what \"" + g[v] + "\" tests");
            g.add_edge(v, depends_on(build->second), tested);
        }
        return g;
    }
};

int main()
{
    //! [digraph]
    strider::digraph<std::string> draft;
    auto const core = draft.add_vertex("build core"), app = draft.add_vertex("build app");
    draft.add_edge(app, depends_on(core));
    draft.add_vertex("test app");
    draft.add_vertex("test core");
    //! [digraph]

    auto const stages = tests_after_builds{} | strider::transitive_reduction{} | strider::cycle_validation{};
    auto const graph = stages(draft).value();
    for (auto const v : graph.vertices())
        for (auto const d : graph.dependencies(v)) std::cout << graph[v] << " waits for " << graph[d] << '\n';

    draft.add_vertex("test nothing");
    std::cout << "refused: " << stages(draft).error().message() << '\n';
}
