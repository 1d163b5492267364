// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm.hpp>
#include <strider/core.hpp>
#include <strider/transform/transitive_reduction.hpp>

#include <support/property.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace strider;
using test::acyclic_edges;
using test::any_edges;

using matrix = std::vector<std::vector<bool>>;

// The pairs of vertices with a path of one edge or more, by Warshall's algorithm.
template <class G>
auto naive_closure(G const& g) -> matrix
{
    std::size_t const n = g.id_bound();
    matrix reach(n, std::vector<bool>(n));
    for (auto const v : g.vertices())
        for (auto const d : g.dependencies(v)) reach[v.index()][d.index()] = true;
    for (std::size_t via = 0; via < n; ++via)
        for (std::size_t from = 0; from < n; ++from)
            if (reach[from][via])
                for (std::size_t to = 0; to < n; ++to)
                    if (reach[via][to]) reach[from][to] = true;
    return reach;
}

// Edges u -> w with another dependency of u that reaches w.
auto naive_redundant(digraph<std::size_t> const& g) -> std::set<std::pair<draft_vertex_id, draft_vertex_id>>
{
    auto const reach = naive_closure(g);
    std::set<std::pair<draft_vertex_id, draft_vertex_id>> redundant;
    for (auto const v : g.vertices())
        for (auto const d : g.dependencies(v))
            for (auto const other : g.dependencies(v))
                if (reach[other.index()][d.index()]) redundant.emplace(v, d);
    return redundant;
}

auto by_ends(std::vector<draft_edge> const& edges) -> std::set<std::pair<draft_vertex_id, draft_vertex_id>>
{
    std::set<std::pair<draft_vertex_id, draft_vertex_id>> ends;
    for (draft_edge const& e : edges) ends.emplace(e.dependent, e.dependency);
    return ends;
}

STRIDER_PROPERTY(TopologicalOrderLaw, EveryVertexOnceAfterItsDependencies, (acyclic_edges const& drawn))
{
    auto const g = drawn.graph();

    auto const order = topological_order(g).value();

    STRIDER_LAW(order.size() == g.vertex_count());
    basic_vertex_map<draft_vertex_id, std::size_t> position(g.id_bound(), order.size());
    for (std::size_t i = 0; i < order.size(); ++i) position[order[i]] = i;
    for (auto const v : g.vertices()) {
        STRIDER_LAW(position[v] < order.size());
        for (auto const d : g.dependencies(v)) STRIDER_LAW(position[d] < position[v]);
    }
}

STRIDER_PROPERTY(TopologicalOrderLaw, ExistsExactlyWithoutACycle, (any_edges const& drawn))
{
    auto const g = drawn.graph();
    auto const reach = naive_closure(g);
    bool cyclic = false;
    for (std::size_t v = 0; v < reach.size(); ++v) cyclic = cyclic || reach[v][v];

    STRIDER_LAW(topological_order(g).has_value() == !cyclic);
    STRIDER_LAW(freeze(g).has_value() == !cyclic);
    STRIDER_LAW(is_acyclic(g) == !cyclic);
    STRIDER_LAW(find_cycle(g).empty() == !cyclic);
}

STRIDER_PROPERTY(FreezeLaw, KeepsVerticesEdgesAndOrder, (acyclic_edges const& drawn))
{
    auto const g = drawn.graph();

    auto const frozen = freeze(g).value();

    STRIDER_LAW(equivalent(g, frozen));
    for (auto const v : frozen.vertices())
        for (auto const d : frozen.dependencies(v)) STRIDER_LAW(d < v);
}

STRIDER_PROPERTY(StrongComponentsLaw, AreMutualReachability, (any_edges const& drawn))
{
    auto const g = drawn.graph();
    auto const reach = naive_closure(g);

    auto const components = strong_components(g);

    for (auto const v : g.vertices())
        for (auto const w : g.vertices()) {
            bool const mutual = v == w || (reach[v.index()][w.index()] && reach[w.index()][v.index()]);
            STRIDER_LAW(components.same(v, w) == mutual);
        }
}

STRIDER_PROPERTY(StrongComponentsLaw, ComeAfterTheirDependencies, (any_edges const& drawn))
{
    auto const g = drawn.graph();

    auto const components = strong_components(g);

    std::size_t listed = 0;
    for (std::size_t c = 0; c < components.size(); ++c) listed += components[c].size();
    STRIDER_LAW(listed == g.vertex_count());
    for (auto const v : g.vertices())
        for (auto const d : g.dependencies(v)) STRIDER_LAW(components.of(d) <= components.of(v));
}

STRIDER_PROPERTY(CycleLaw, WitnessIsAShortestCycleOfItsComponent, (any_edges const& drawn))
{
    auto const g = drawn.graph();
    auto const components = strong_components(g);
    // Lengths of the shortest paths of one edge or more, by Floyd's algorithm.
    std::size_t const far = g.vertex_count() + 1;
    std::vector<std::vector<std::size_t>> distance(g.id_bound(), std::vector<std::size_t>(g.id_bound(), far));
    for (auto const v : g.vertices())
        for (auto const d : g.dependencies(v)) distance[v.index()][d.index()] = 1;
    for (std::size_t via = 0; via < distance.size(); ++via)
        for (auto& from : distance)
            for (std::size_t to = 0; to < distance.size(); ++to)
                from[to] = std::min(from[to], from[via] + distance[via][to]);

    auto const cycles = find_cycles(g);

    STRIDER_LAW(cycles.size() == cyclic_components(g).size());
    for (auto const& path : cycles) {
        for (std::size_t i = 0; i < path.size(); ++i) {
            STRIDER_LAW(g.has_edge(path[i].dependent, depends_on(path[i].dependency)));
            STRIDER_LAW(path[i].dependency == path[(i + 1) % path.size()].dependent);
            STRIDER_LAW(path.front().dependent <= path[i].dependent);
        }
        std::size_t shortest = far;
        for (auto const v : components[components.of(path.front().dependent)])
            shortest = std::min(shortest, distance[v.index()][v.index()]);
        STRIDER_LAW(path.size() == shortest);
    }
}

STRIDER_PROPERTY(ReductionLaw, FindsExactlyTheRedundantEdgesEitherWay, (acyclic_edges const& drawn))
{
    auto const g = drawn.graph();
    auto const expected = naive_redundant(g);

    STRIDER_LAW(by_ends(redundant_edges(g, {.scans_per_edge = 0}).value()) == expected);
    STRIDER_LAW(by_ends(redundant_edges(g, {.scans_per_edge = 1}).value()) == expected);
    STRIDER_LAW(
        by_ends(redundant_edges(g, {.scans_per_edge = std::numeric_limits<std::size_t>::max()}).value()) == expected);
}

STRIDER_PROPERTY(ReductionLaw, HoldsInLargerGraphsWithHubs, (std::uint32_t seed))
{
    std::mt19937 random(seed);
    auto const below = [&](std::size_t end) { return random() % end; };
    std::size_t const count = 150 + below(150);
    std::vector<draft_vertex_id> at(count);  // dependencies first; ids are shuffled
    digraph<std::size_t> g;
    for (std::size_t i = 0; i < count; ++i) at[i] = g.add_vertex(i);
    std::shuffle(at.begin(), at.end(), random);
    std::size_t const hubs = 1 + below(4);
    for (std::size_t i = hubs; i < count; ++i) {
        for (std::size_t h = 0; h < hubs; ++h)
            if (below(4) != 0) g.add_edge(at[i], depends_on(at[h]));
        for (std::size_t edges = below(4); edges != 0; --edges)
            g.add_edge(at[i], depends_on(at[i - 1 - below(std::min<std::size_t>(i, 40))]));
    }
    std::set<std::pair<draft_vertex_id, draft_vertex_id>> expected;
    for (auto const v : g.vertices()) {
        for (auto const d : g.dependencies(v)) {
            basic_vertex_set<draft_vertex_id> const found(views::ancestors(g, d));
            for (auto const w : g.dependencies(v))
                if (found.contains(w)) expected.emplace(v, w);
        }
    }

    for (std::size_t const scans : {std::size_t{0}, std::size_t{2}, std::numeric_limits<std::size_t>::max()})
        STRIDER_LAW(by_ends(redundant_edges(g, {.scans_per_edge = scans}).value()) == expected);
}

STRIDER_PROPERTY(ReductionLaw, KeepsReachabilityAndIsMinimal, (acyclic_edges const& drawn))
{
    auto g = drawn.graph();
    auto const before = naive_closure(g);

    (g |= transitive_reduction{}).value();

    STRIDER_LAW(naive_closure(g) == before);
    for (auto const v : g.vertices())
        for (auto const d : g.dependencies(v)) {
            auto without = g;
            without.erase_edge(v, depends_on(d));
            STRIDER_LAW(!has_path(without, v, d));
        }
}

STRIDER_PROPERTY(ClosureLaw, ListsWhatIsReachedAmongTheInteresting, (any_edges const& drawn))
{
    auto const g = drawn.graph();
    auto const reach = naive_closure(g);
    auto const interesting = [](draft_vertex_id v) { return v.index() % 3 != 1; };

    auto const closure = dependency_closure(g, interesting);

    for (auto const v : g.vertices()) {
        std::vector<draft_vertex_id> expected;
        for (auto const d : g.vertices())
            if (interesting(v) && interesting(d) && reach[v.index()][d.index()]) expected.push_back(d);
        STRIDER_LAW(closure[v] == expected);
    }
}

STRIDER_PROPERTY(ReachabilityLaw, AgreesWithTheClosure, (any_edges const& drawn))
{
    auto const g = drawn.graph();
    auto const reach = naive_closure(g);

    for (auto const v : g.vertices()) {
        basic_vertex_set<draft_vertex_id> const down(views::ancestors(g, v));
        basic_vertex_set<draft_vertex_id> const up(views::descendants(g, v));
        for (auto const w : g.vertices()) {
            STRIDER_LAW(down.contains(w) == reach[v.index()][w.index()]);
            STRIDER_LAW(up.contains(w) == reach[w.index()][v.index()]);
            STRIDER_LAW(has_path(g, v, w) == reach[v.index()][w.index()]);
        }
    }
}

STRIDER_PROPERTY(CriticalPathLaw, IsAPathAsLongAsTheLongest, (acyclic_edges const& drawn))
{
    auto const g = drawn.graph();
    auto const weight = [](std::size_t number) { return number % 5; };
    basic_vertex_map<draft_vertex_id, std::size_t> longest(g.id_bound());
    std::size_t most = 0;
    for (auto const v : topological_order(g).value()) {
        for (auto const d : g.dependencies(v)) longest[v] = std::max(longest[v], longest[d]);
        longest[v] += weight(g[v]);
        most = std::max(most, longest[v]);
    }

    auto const path = critical_path(g, weight).value();

    std::size_t sum = 0;
    for (auto const v : path.vertices) sum += weight(g[v]);
    for (std::size_t i = 1; i < path.vertices.size(); ++i)
        STRIDER_LAW(g.has_edge(path.vertices[i], depends_on(path.vertices[i - 1])));
    STRIDER_LAW(path.weight == most);
    STRIDER_LAW(sum == most);
}

STRIDER_PROPERTY(
    DigraphLaw, AgreesWithASetOfPairsUnderAnyChange, (any_edges const& drawn, std::vector<bool> const& keep))
{
    digraph<std::size_t> g;
    for (std::size_t i = 0; i < drawn.count; ++i) g.add_vertex(i);
    std::set<std::pair<std::size_t, std::size_t>> model;

    std::size_t step = 0;
    for (auto const& e : drawn.edges) {
        STRIDER_LAW(
            g.add_edge(draft_vertex_id(e.first), depends_on(draft_vertex_id(e.second))) == model.insert(e).second);
        if (step < keep.size() && !keep[step]) {
            auto const& other = drawn.edges[step * 7 % drawn.edges.size()];
            STRIDER_LAW(g.erase_edge(draft_vertex_id(other.first), depends_on(draft_vertex_id(other.second)))
                == (model.erase(other) != 0));
        }
        ++step;
    }
    std::size_t const gone = drawn.count / 2;
    g.erase_vertex(draft_vertex_id(gone));
    std::erase_if(model, [gone](auto const& e) { return e.first == gone || e.second == gone; });

    std::set<std::pair<std::size_t, std::size_t>> down;
    std::set<std::pair<std::size_t, std::size_t>> up;
    for (auto const v : g.vertices()) {
        std::size_t count = 0;
        for (auto const d : g.dependencies(v)) {
            down.emplace(v.index(), d.index());
            ++count;
        }
        for (auto const d : g.dependents(v)) up.emplace(d.index(), v.index());
        STRIDER_LAW(count == g.dependency_count(v));
    }
    STRIDER_LAW(down == model);
    STRIDER_LAW(up == model);
    STRIDER_LAW(g.edge_count() == model.size());
}

}  // namespace
