// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/topological_order.hpp>
#include <strider/core/dag.hpp>

#include <support/graph_text.hpp>

#include <range/v3/range/conversion.hpp>
#include <range/v3/view/zip.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using namespace strider;
using test::find;
using test::graph;
using testing::ElementsAre;

TEST(FrozenDigraph, AssignsSmallerIdsToDependencies)
{
    auto const g = graph("d: b c\nc: a\nb: a");

    auto const frozen = freeze(g).value();

    for (auto const v : frozen.vertices())
        for (auto const d : frozen.dependencies(v)) EXPECT_LT(d, v);
    EXPECT_EQ(test::text(frozen), test::text(g));
}

TEST(FrozenDigraph, KeepsTheOrderOfVerticesThatAreReadyTogether)
{
    auto const g = graph("c\nb\na\nd: c b a");

    auto const frozen = freeze(g).value();

    std::vector<std::string> order;
    for (auto const v : frozen.vertices()) order.push_back(frozen[v]);
    EXPECT_THAT(order, ElementsAre("c", "b", "a", "d"));
}

TEST(FrozenDigraph, MapsTheIdsOfItsSource)
{
    auto g = graph("x\nb: a");
    g.erase_vertex(find(g, "x"));

    auto const frozen = freeze(g).value();

    EXPECT_EQ(frozen.id_bound(), 2U);
    EXPECT_EQ(frozen.source(find(frozen, "a")), find(g, "a"));
    EXPECT_EQ(frozen.source(find(frozen, "b")), find(g, "b"));
}

inline constexpr edge_rule own_rule{"own rule"};

TEST(FrozenDigraph, KeepsOriginsOfEdges)
{
    digraph<std::string> g;
    auto const a = g.add_vertex("a");
    auto const b = g.add_vertex("b");
    g.add_edge(b, depends_on(a), edge_origin(own_rule, 3));

    auto const frozen = freeze(g).value();

    edge const e = *frozen.dependency_edges(find(frozen, "b")).begin();
    EXPECT_EQ(e.dependency, find(frozen, "a"));
    EXPECT_EQ(e.origin, edge_origin(own_rule, 3));
    auto const again = frozen;
    EXPECT_EQ((*again.dependency_edges(find(again, "b")).begin()).origin, edge_origin(own_rule, 3));
}

TEST(FrozenDigraph, CountsDependenciesAsInDegree)
{
    auto const frozen = freeze(graph("c: a b\nd: c")).value();
    auto const c = find(frozen, "c");

    EXPECT_EQ(frozen.dependency_count(c), 2U);
    EXPECT_EQ(frozen.dependency_count(c), 2U);
    EXPECT_EQ(frozen.dependent_count(c), 1U);
}

TEST(FrozenDigraph, RejectsACycleAndShowsThePath)
{
    auto const g = graph("x: a\na: b\nb: c y\nc: a");

    auto const frozen = freeze(g);

    ASSERT_FALSE(frozen.has_value());
    EXPECT_EQ(frozen.error().code(), graph_errc::cycle);
    auto const path = frozen.error().path();
    ASSERT_EQ(path.size(), 3U);
    for (std::size_t i = 0; i < path.size(); ++i) {
        EXPECT_TRUE(g.has_edge(path[i].dependent, depends_on(path[i].dependency)));
        EXPECT_EQ(path[i].dependency, path[(i + 1) % path.size()].dependent);
        EXPECT_EQ(path[i].origin.made_by(), edge_rules::reference);
    }
}

TEST(FrozenDigraph, RejectsASelfLoop)
{
    auto const g = graph("a: a");

    auto const frozen = freeze(g);

    ASSERT_FALSE(frozen.has_value());
    EXPECT_THAT(frozen.error().path(), ElementsAre(draft_edge{find(g, "a"), find(g, "a")}));
}

TEST(FrozenDigraph, NamesTheCycleThatItRejects)
{
    auto const error = freeze(graph("c: b\nb: a c\na")).error();

    EXPECT_EQ(error.message(), "the graph has a cycle: c → b (reference) → c (reference)");
    ASSERT_EQ(error.cycles().size(), 1U);
    EXPECT_THAT(error.cycles().front().members, ElementsAre("c", "b"));
    EXPECT_EQ(error.path().size(), 2U);
}

// A cycle of `size` vertices, whose names have a size of their own.
auto ring(std::size_t size, std::size_t name_size = 0) -> digraph<std::string>
{
    digraph<std::string> g;
    std::vector<draft_vertex_id> all;
    for (std::size_t i = 0; i < size; ++i)
        all.push_back(g.add_vertex("v" + std::to_string(i) + std::string(name_size, 'x')));
    for (std::size_t i = 0; i < size; ++i) g.add_edge(all[i], depends_on(all[(i + 1) % size]));
    return g;
}

TEST(FrozenDigraph, NamesAPartOfALongCycleWithTheNumberOfTheOthers)
{
    auto const error = freeze(ring(100'000)).error();

    EXPECT_LT(error.message().size(), 4096U);
    EXPECT_THAT(error.message(), testing::StartsWith("the graph has a cycle: v"));
    EXPECT_THAT(error.message(), testing::HasSubstr(" (99979 more dependencies) → "));
    EXPECT_EQ(error.path().size(), 100'000U);
    ASSERT_EQ(error.cycles().size(), 1U);
    EXPECT_EQ(error.cycles().front().path.size(), 100'000U);
    auto const shown = abridged(error.cycles().front());
    ASSERT_EQ(shown.path.size(), 22U);
    for (std::size_t i = 0; i < shown.path.size(); ++i)
        EXPECT_EQ(shown.path[i].dependency, shown.path[(i + 1) % shown.path.size()].dependent) << i;
    EXPECT_EQ(shown.members.size(), 21U);
    EXPECT_EQ(shown.members.back(), "and 99980 more");
}

TEST(FrozenDigraph, NamesAPartOfACycleWithLongNames)
{
    EXPECT_LT(freeze(ring(1000, 4000)).error().message().size(), 64U * 1024);
}

TEST(FrozenDigraph, NamesAllOfAShortCycle)
{
    for (std::size_t const size : {1U, 2U, 19U, 20U}) {
        auto const report = freeze(ring(size)).error().cycles().front();
        EXPECT_EQ(abridged(report).path.size(), size);
        EXPECT_EQ(abridged(report).members, report.members);
    }
    for (std::size_t const size : {21U, 22U})
        for (auto const& step : abridged(freeze(ring(size)).error().cycles().front()).path) EXPECT_EQ(step.reason, "");
}

struct with_number {
    [[nodiscard]] auto name(int value) const -> std::string { return "number " + std::to_string(value); }
    [[nodiscard]] auto reason(int, int, edge_origin origin) const -> std::string
    {
        return "line " + std::to_string(origin.place());
    }
};

TEST(FrozenDigraph, NamesACycleByTheGivenPolicy)
{
    digraph<int> g;
    auto const a = g.add_vertex(7);
    g.add_edge(a, depends_on(a), edge_origin(own_rule, 3));

    EXPECT_EQ(freeze(g, with_number{}).error().message(), "the graph has a cycle: number 7 → number 7 (line 3)");
    EXPECT_EQ(freeze(g).error().message(), "the graph has a cycle: vertex 0 → vertex 0 (own rule)");
}

// A graph in which no vertex knows its dependents.
class one_way_graph {
public:
    using value_type = std::string;
    explicit one_way_graph(test::text_graph g) : g_(std::move(g)), alone_(g_.add_vertex("alone")) {}

    [[nodiscard]] auto vertices() const { return g_.vertices(); }
    [[nodiscard]] auto vertex_count() const -> std::size_t { return g_.vertex_count(); }
    [[nodiscard]] auto edge_count() const -> std::size_t { return g_.edge_count(); }
    [[nodiscard]] auto id_bound() const -> std::size_t { return g_.id_bound(); }
    [[nodiscard]] auto dependencies(draft_vertex_id v) const { return g_.dependencies(v); }
    [[nodiscard]] auto dependents(draft_vertex_id) const { return g_.dependents(alone_); }
    [[nodiscard]] auto dependency_edges(draft_vertex_id v) const { return g_.dependency_edges(v); }
    [[nodiscard]] auto dependency_count(draft_vertex_id v) const -> std::size_t { return g_.dependency_count(v); }
    [[nodiscard]] auto operator[](draft_vertex_id v) const -> std::string const& { return g_[v]; }

private:
    test::text_graph g_;
    draft_vertex_id alone_;
};

TEST(FrozenDigraph, RejectsAGraphWhoseDirectionsDisagree)
{
    one_way_graph const g(graph("b: a"));

    auto const frozen = freeze(g);

    ASSERT_FALSE(frozen.has_value());
    EXPECT_EQ(frozen.error().message(), "the graph has a cycle: b → b");
}

TEST(FrozenDigraph, HasItsRowsInArrays)
{
    auto const g = freeze(graph("d: b c\nc: a\nb: a")).value();

    auto const dependents = detail::dag_access::dependents(g);
    auto const dependencies = detail::dag_access::dependencies(g);

    ASSERT_EQ(dependents.size(), 4U);
    for (auto const v : g.vertices()) {
        EXPECT_THAT(dependents[v.index()], testing::ElementsAreArray(g.dependents(v) | ranges::to<std::vector>()));
        EXPECT_THAT(dependencies[v.index()], testing::ElementsAreArray(g.dependencies(v) | ranges::to<std::vector>()));
    }
    EXPECT_EQ(detail::row_arrays<vertex_id>().size(), 0U);
}

TEST(FrozenDigraph, FindsTheVerticesOfItsSource)
{
    auto g = graph("c: b\nb: a\na\ngone");
    auto const gone = find(g, "gone");
    g.erase_vertex(gone);

    auto const frozen = freeze(g).value();

    auto const to = frozen.forward_map();
    EXPECT_EQ(to.id_bound(), g.id_bound());
    for (auto const v : g.vertices()) {
        EXPECT_EQ(frozen[to[v]], g[v]);
        EXPECT_EQ(frozen.source(to[v]), v);
    }
    EXPECT_FALSE(to[gone]);
}

TEST(FrozenDigraph, FreezesAnEmptyGraph)
{
    auto const frozen = freeze(digraph<int>()).value();

    EXPECT_EQ(frozen.vertex_count(), 0U);
    EXPECT_EQ(frozen.edge_count(), 0U);
    EXPECT_EQ(frozen.vertices().begin(), frozen.vertices().end());
}

TEST(FrozenDigraph, MovesValuesFromATemporary)
{
    digraph<std::unique_ptr<int>> g;
    g.add_vertex(std::make_unique<int>(5));

    auto const frozen = freeze(std::move(g)).value();

    EXPECT_EQ(*frozen[vertex_id(0)], 5);
}

TEST(FrozenDigraph, ValueOfAnErrorThrowsTheError)
{
    auto const frozen = freeze(graph("a: b\nb: a"));

    try {
        (void)frozen.value();
        FAIL() << "there is no value";
    } catch (graph_exception const& e) {
        EXPECT_EQ(e.error().code(), graph_errc::cycle);
        EXPECT_EQ(e.error().path().size(), 2U);
        EXPECT_EQ(std::string(e.what()), e.error().message());
        EXPECT_EQ(e.code(), graph_errc::cycle);
    }
}

TEST(FrozenDigraph, IsReadAsItsDraft)
{
    auto draft = graph("d: b c\nc: a\nb: a");
    draft.add_edge(find(draft, "d"), depends_on(find(draft, "a")), edge_origin(edge_rules::reference, 7));

    auto const g = freeze(draft).value();

    auto const id = [&](char const* name) { return find(g, name); };
    EXPECT_TRUE(g.contains(id("a")));
    EXPECT_FALSE(g.contains(vertex_id(4)));
    EXPECT_FALSE(g.contains(vertex_id()));
    EXPECT_TRUE(g.has_edge(id("d"), depends_on(id("a"))));
    EXPECT_FALSE(g.has_edge(id("a"), depends_on(id("d"))));
    EXPECT_FALSE(g.has_edge(id("c"), depends_on(id("b"))));
    EXPECT_EQ(g.origin(id("d"), depends_on(id("a"))), edge_origin(edge_rules::reference, 7));
    EXPECT_EQ(g.origin(id("d"), depends_on(id("b"))), edge_rules::reference);
    std::vector<std::string> into;
    for (edge const e : g.dependent_edges(id("a")))
        into.push_back(g[e.dependent] + g[e.dependency] + std::to_string(e.origin.place()));
    EXPECT_THAT(into, testing::UnorderedElementsAre("ba0", "ca0", "da7"));
}

static_assert(acyclic_graph<dag<int>>);
static_assert(directed_graph<dag<int>>);
static_assert(!mutable_digraph<dag<int>>);
static_assert(!acyclic_graph<digraph<int>>);

TEST(FrozenDigraph, HasReferencesToValuesOfTypeBool)
{
    digraph<bool> draft;
    auto const a = draft.add_vertex(true), b = draft.add_vertex(false);
    draft.add_edge(b, depends_on(a));
    auto g = freeze(draft).value();

    bool const& first = std::as_const(g)[vertex_id(0)];
    EXPECT_TRUE(first);
    EXPECT_FALSE(g[vertex_id(1)]);
    g[vertex_id(0)] = false;
    EXPECT_FALSE(first);
}

TEST(FrozenDigraph, HasRowsWithUnsignedSizes)
{
    digraph<int> draft;
    auto const a = draft.add_vertex(1), b = draft.add_vertex(2);
    draft.add_edge(b, depends_on(a));
    auto const g = freeze(draft).value();

    static_assert(std::is_same_v<decltype(g.vertices().size()), std::size_t>);
    static_assert(std::is_same_v<decltype(g.dependents(vertex_id(0)).size()), std::size_t>);
    auto const pairs =
        ranges::views::zip(g.dependencies(vertex_id(1)), g.dependents(vertex_id(0))) | ranges::to<std::vector>();
    ASSERT_EQ(pairs.size(), 1U);
    EXPECT_EQ(pairs[0].first, vertex_id(0));
    EXPECT_EQ(pairs[0].second, vertex_id(1));
}

TEST(Dag, ListsAllEdgesWithTheirOrigins)
{
    auto const g = freeze(graph("a\nb\nc: a b\nd\ne: c d")).value();

    std::vector<std::string> all;
    for (edge const e : g.edges())
        all.push_back(g[e.dependent] + g[e.dependency] + std::string(e.origin.made_by().name()));

    EXPECT_EQ(all, (std::vector<std::string>{"careference", "cbreference", "ecreference", "edreference"}));
    EXPECT_EQ(g.edges().size(), 4U);
    dag<int> const empty;
    EXPECT_TRUE(empty.edges().empty());
}

// A value that can be made of a list of values, as those of JSON libraries, which is not used.
struct json {
    json() = default;
    json(json const&) = default;
    json(std::initializer_list<json>) = delete;
};

TEST(Dag, CopiesValuesAsTheyAre)
{
    digraph<json> draft;
    draft.add_vertex(json());

    EXPECT_EQ(freeze(draft)->vertex_count(), 1U);
}

TEST(Dag, HasAcyclicDerivedClasses)
{
    struct plan : dag<int> {};

    static_assert(acyclic_graph<plan>);
    EXPECT_EQ(topological_order(plan())->size(), 0U);
}

TEST(Dag, IsUnchangedAfterAnAssignmentThatThrows)
{
    struct value {
        int number;
        bool throws = false;
        explicit value(int n) : number(n) {}
        value(value const& other) : number(other.number), throws(other.throws)
        {
            if (throws) throw std::runtime_error("no copy");
        }
        auto operator=(value const& other) -> value&
        {
            if (other.throws) throw std::runtime_error("no copy");
            number = other.number;
            return *this;
        }
        ~value() = default;
    };
    digraph<value> draft;
    for (int const i : {1, 2}) draft.add_vertex(value(i));
    auto target = freeze(draft).value();
    for (int const i : {3, 4}) draft.add_vertex(value(i));
    auto source = freeze(draft).value();
    source[vertex_id(1)].throws = true;

    EXPECT_THROW(target = source, std::runtime_error);

    EXPECT_EQ(target.vertex_count(), 2U);
    EXPECT_EQ(target[vertex_id(0)].number, 1);
}

#ifndef NDEBUG
TEST(DagDeathTest, RejectsIdsOfNoVertex)
{
    auto const g = freeze(graph("b: a")).value();

    EXPECT_DEATH((void)g.dependency_count(vertex_id(2)), "the vertex is in the graph");
    EXPECT_DEATH((void)g.dependent_count(vertex_id()), "the vertex is in the graph");
    EXPECT_DEATH((void)g.dependency_edges(vertex_id(2)), "the vertex is in the graph");
    EXPECT_DEATH((void)g.dependent_edges(vertex_id(2)), "the vertex is in the graph");
}
#endif

}  // namespace
