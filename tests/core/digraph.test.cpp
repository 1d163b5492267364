// SPDX-License-Identifier: BSL-1.0
#include <strider/core/digraph.hpp>

#include <support/graph_text.hpp>

#include <range/v3/range/primitives.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <ranges>
#include <span>
#include <stdexcept>

namespace {

using namespace strider;

using test::find;
using test::graph;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

auto ids(auto const& range) -> std::vector<draft_vertex_id>
{
    std::vector<draft_vertex_id> all;
    for (auto const v : range) all.push_back(v);
    return all;
}

TEST(Digraph, NumbersVerticesInTheOrderOfTheirCreation)
{
    digraph<int> g;

    auto const first = g.add_vertex(7);
    auto const second = g.add_vertex(8);

    EXPECT_EQ(first.index(), 0U);
    EXPECT_EQ(second.index(), 1U);
    EXPECT_EQ(g[second], 8);
}

TEST(Digraph, KeepsIdsOfTheOthersWhenAVertexIsErased)
{
    auto g = graph("c: b\nb: a");
    auto const a = find(g, "a");
    auto const b = find(g, "b");

    g.erase_vertex(b);

    EXPECT_TRUE(g.contains(a));
    EXPECT_EQ(g[a], "a");
    EXPECT_FALSE(g.contains(b));
    EXPECT_EQ(test::text(g), "a:\nc:\n");
    EXPECT_EQ(g.edge_count(), 0U);
}

TEST(Digraph, NeverReusesAnId)
{
    digraph<int> g;
    auto const gone = g.add_vertex(1);

    g.erase_vertex(gone);
    auto const fresh = g.add_vertex(2);

    EXPECT_NE(fresh, gone);
    EXPECT_EQ(g.vertex_count(), 1U);
    EXPECT_EQ(g.id_bound(), 2U);
}

TEST(Digraph, KeepsTheFirstOriginOfAnEdgeThatIsAddedTwice)
{
    auto g = graph("b\na");
    auto const b = find(g, "b");
    auto const a = find(g, "a");

    bool const first = g.add_edge(b, depends_on(a), edge_origin(edge_rules::reference, 12));
    bool const second = g.add_edge(b, depends_on(a), edge_rules::join);

    EXPECT_TRUE(first);
    EXPECT_FALSE(second);
    EXPECT_EQ(g.edge_count(), 1U);
    EXPECT_EQ(g.origin(b, depends_on(a)), edge_origin(edge_rules::reference, 12));
}

TEST(Digraph, KeepsTheOriginOfEveryEdgeWhenItIsMoved)
{
    auto g = graph("d\nc\nb\na");
    auto const a = find(g, "a"), b = find(g, "b"), c = find(g, "c"), d = find(g, "d");
    g.add_edge(d, depends_on(c), edge_origin(edge_rules::reference, 1));
    g.add_edge(c, depends_on(b), edge_origin(edge_rules::join, 2));
    g.add_edge(b, depends_on(a), edge_origin(edge_rules::reference, 3));
    g.add_edge(d, depends_on(a));

    auto moved = std::move(g);
    digraph<std::string> assigned;
    assigned = std::move(moved);

    EXPECT_EQ(assigned.origin(d, depends_on(c)), edge_origin(edge_rules::reference, 1));
    EXPECT_EQ(assigned.origin(c, depends_on(b)), edge_origin(edge_rules::join, 2));
    EXPECT_EQ(assigned.origin(b, depends_on(a)), edge_origin(edge_rules::reference, 3));
    EXPECT_EQ(assigned.origin(d, depends_on(a)), edge_origin());
}

#ifndef NDEBUG
TEST(DigraphDeathTest, AssertsThatBothEndsOfAnEdgeAreVertices)
{
    auto g = graph("b\na");
    auto const a = find(g, "a"), b = find(g, "b");
    g.erase_vertex(b);

    EXPECT_DEATH(g.add_edge(a, depends_on(b)), "the vertex is in the graph");
    EXPECT_DEATH(g.add_edge(draft_vertex_id(9), depends_on(a)), "the vertex is in the graph");
    EXPECT_DEATH(g.add_edge(a, depends_on(draft_vertex_id())), "the vertex is in the graph");
}
#endif

TEST(Digraph, ViewsCoverElementsThatExistedWhenTheyWereCreated)
{
    auto g = graph("c: b a\nb\na");
    auto const c = find(g, "c");
    auto const row = g.dependencies(c);
    auto const all = g.vertices();
    auto const edges = g.edges();

    for (auto const v : all) g.add_edge(c, depends_on(g.add_vertex("d" + g[v])));

    EXPECT_EQ(row.size(), 2U);
    EXPECT_EQ(std::ranges::distance(row.begin(), row.end()), 2);
    EXPECT_EQ(all.size(), 3U);
    EXPECT_EQ(std::ranges::distance(all.begin(), all.end()), 3);
    EXPECT_EQ(std::ranges::distance(edges.begin(), edges.end()), 2);
    EXPECT_EQ(g.dependencies(c).size(), 5U);
    EXPECT_EQ(g.edges().size(), 5U);
}

TEST(Digraph, DistinguishesTheTwoDirectionsOfAPair)
{
    auto g = graph("b: a");

    g.add_edge(find(g, "a"), depends_on(find(g, "b")));
    g.erase_edge(find(g, "b"), depends_on(find(g, "a")));

    EXPECT_THAT(test::edges(g), ElementsAre(test::edge("a", "b")));
}

TEST(Digraph, ListsNeighboursInOrderOfInsertion)
{
    auto const g = graph("d: c a b\ne: a");

    auto const dependencies = ids(g.dependencies(find(g, "d")));
    auto const dependents = ids(g.dependents(find(g, "a")));

    EXPECT_THAT(dependencies, ElementsAre(find(g, "c"), find(g, "a"), find(g, "b")));
    EXPECT_THAT(dependents, ElementsAre(find(g, "d"), find(g, "e")));
}

TEST(Digraph, KeepsTheOrderOfTheOtherEdgesWhenOneIsErased)
{
    for (std::string const gone : {"a", "b", "c"}) {
        auto g = graph("x: a b c\ny: b");
        auto const x = find(g, "x");

        bool const erased = g.erase_edge(x, depends_on(find(g, gone)));
        g.add_edge(x, depends_on(find(g, gone)));

        auto expected = std::vector{find(g, "a"), find(g, "b"), find(g, "c")};
        std::erase(expected, find(g, gone));
        expected.push_back(find(g, gone));
        EXPECT_TRUE(erased);
        EXPECT_EQ(ids(g.dependencies(x)), expected) << "without " << gone;
    }
}

TEST(Digraph, ReportsThatThereWasNoEdgeToErase)
{
    auto g = graph("b: a");

    bool const erased = g.erase_edge(find(g, "a"), depends_on(find(g, "b")));

    EXPECT_FALSE(erased);
    EXPECT_EQ(g.edge_count(), 1U);
}

TEST(Digraph, ErasesAVertexWithASelfLoop)
{
    auto g = graph("a: a b\nc: a");

    g.erase_vertex(find(g, "a"));

    EXPECT_EQ(test::text(g), "b:\nc:\n");
    EXPECT_EQ(g.edge_count(), 0U);
    EXPECT_EQ(g.dependent_count(find(g, "b")), 0U);
}

TEST(Digraph, CountsDependenciesAsInDegree)
{
    auto const g = graph("c: a b\nd: c");
    auto const c = find(g, "c");

    EXPECT_EQ(g.dependency_count(c), 2U);
    EXPECT_EQ(g.dependency_count(c), 2U);
    EXPECT_EQ(g.dependent_count(c), 1U);
}

TEST(Digraph, ViewOfVerticesCoversVerticesThatExistedWhenItWasCreated)
{
    auto g = graph("a\nb");
    auto const before = g.vertices();

    for (auto const v : before) g.add_vertex(g[v] + "'");

    EXPECT_EQ(ids(before).size(), 2U);
    EXPECT_EQ(ids(g.vertices()).size(), 4U);
}

TEST(Digraph, ViewOfVerticesSkipsGaps)
{
    auto g = graph("a\nb\nc\nd");

    g.erase_vertex(find(g, "a"));
    g.erase_vertex(find(g, "c"));

    EXPECT_THAT(ids(g.vertices()), ElementsAre(draft_vertex_id(1), draft_vertex_id(3)));
}

TEST(Digraph, ReturnsEdgesFromBothEnds)
{
    auto const g = graph("b: a\nc: a");
    auto const a = find(g, "a");

    std::vector<strider::draft_edge> out;
    std::vector<strider::draft_edge> in;
    for (auto const e : g.dependency_edges(find(g, "b"))) out.push_back(e);
    for (auto const e : g.dependent_edges(a)) in.push_back(e);

    EXPECT_THAT(out, ElementsAre(strider::draft_edge{find(g, "b"), a}));
    EXPECT_EQ(out.front().origin, edge_origin(edge_rules::reference));
    EXPECT_THAT(in, UnorderedElementsAre(strider::draft_edge{find(g, "b"), a}, strider::draft_edge{find(g, "c"), a}));
}

TEST(Digraph, ListsRemainingEdgesInOrderOfInsertion)
{
    auto g = graph("d: c a\nc: b\nb: a");
    g.erase_edge(find(g, "c"), depends_on(find(g, "b")));
    g.erase_edge(find(g, "d"), depends_on(find(g, "c")));
    g.add_edge(find(g, "c"), depends_on(find(g, "b")));

    std::vector<strider::draft_edge> all;
    for (auto const e : g.edges()) all.push_back(e);

    EXPECT_THAT(all,
        ElementsAre(strider::draft_edge{find(g, "d"), find(g, "a")}, strider::draft_edge{find(g, "b"), find(g, "a")},
            strider::draft_edge{find(g, "c"), find(g, "b")}));
}

TEST(Digraph, ViewOfEdgesStaysValidWhileEdgesAreAdded)
{
    digraph<int> g;
    std::vector<draft_vertex_id> v;
    for (int i = 0; i < 200; ++i) v.push_back(g.add_vertex(i));
    for (std::size_t i = 1; i < 100; ++i) g.add_edge(v[i], depends_on(v[i - 1]));

    std::size_t seen = 0;
    for (auto const e : g.edges()) {
        ++seen;
        g.add_edge(v[e.dependent.index() + 100], depends_on(e.dependency));
    }

    EXPECT_EQ(seen, 99U);
    EXPECT_EQ(g.edge_count(), 198U);
}

TEST(Digraph, IsEmptyAfterAMove)
{
    digraph<int> g;
    auto const a = g.add_vertex(1);
    g.add_edge(g.add_vertex(2), depends_on(a));

    digraph<int> const h = std::move(g);

    EXPECT_EQ(h.edge_count(), 1U);
    EXPECT_EQ(g.vertex_count(), 0U);  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(g.edge_count(), 0U);
    EXPECT_EQ(g.id_bound(), 0U);
    EXPECT_EQ(g.add_vertex(3).index(), 0U);
    digraph<int> i;
    i = std::move(g);
    EXPECT_EQ(i.vertex_count(), 1U);
    EXPECT_EQ(g.vertex_count(), 0U);
}

TEST(Digraph, CopiesAreIndependent)
{
    auto const g = graph("b: a");
    auto copy = g;

    copy.erase_vertex(find(copy, "a"));

    EXPECT_EQ(test::text(g), "a:\nb: a\n");
}

TEST(Digraph, StoresMoveOnlyValues)
{
    digraph<std::unique_ptr<int>> g;

    auto const v = g.add_vertex(std::make_unique<int>(5));
    auto const moved = std::move(g);

    EXPECT_EQ(*moved[v], 5);
}

static_assert(mutable_digraph<digraph<int>>);
static_assert(mutable_digraph<digraph<std::string>>);
static_assert(!mutable_digraph<digraph<int> const>);

// A value whose copies throw after a number of them.
struct limited_copies {
    static inline int left = 0;
    int number = 0;

    explicit limited_copies(int n) : number(n) {}
    limited_copies(limited_copies const& other) : number(other.number) { count(); }
    limited_copies(limited_copies&&) = default;
    auto operator=(limited_copies const& other) -> limited_copies&
    {
        count();
        number = other.number;
        return *this;
    }
    auto operator=(limited_copies&&) -> limited_copies& = default;
    ~limited_copies() = default;
    static void count()
    {
        if (left-- == 0) throw std::runtime_error("no more copies");
    }
};

TEST(Digraph, IsUnchangedAfterAnAssignmentThatThrows)
{
    digraph<limited_copies> from;
    digraph<limited_copies> to;
    for (int const i : {1, 2, 3}) from.add_vertex(limited_copies(i));
    from.add_edge(draft_vertex_id(0), depends_on(draft_vertex_id(1)));
    for (int const i : {4, 5, 6}) to.add_vertex(limited_copies(i));

    limited_copies::left = 2;
    EXPECT_THROW(to = from, std::runtime_error);

    EXPECT_EQ(to[draft_vertex_id(0)].number, 4);
    EXPECT_TRUE(ranges::empty(to.dependencies(draft_vertex_id(0))));
    limited_copies::left = 3;
    to = from;
    EXPECT_TRUE(to.has_edge(draft_vertex_id(0), depends_on(draft_vertex_id(1))));
}

TEST(Digraph, MovesFewVerticesWhenManyRangesAreAdded)
{
    static int moves = 0;
    struct counted {
        counted() = default;
        counted(counted&&) noexcept { ++moves; }
        auto operator=(counted&&) noexcept -> counted& = default;
        ~counted() = default;
    };
    digraph<counted> g;
    moves = 0;

    for (int i = 0; i < 1000; ++i) g.add_vertices(std::vector<counted>(1));

    EXPECT_LT(moves, 10'000);
}

TEST(Digraph, MovesTheElementsOfATemporaryContainer)
{
    digraph<std::unique_ptr<int>> g;
    std::vector<std::unique_ptr<int>> values;
    values.push_back(std::make_unique<int>(7));

    auto const ids = g.add_vertices(std::move(values));

    EXPECT_EQ(*g[ids.front()], 7);
    digraph<std::string> names;
    std::vector<std::string> const kept{"a"};
    names.add_vertices(kept);
    std::vector<std::string> shown{"a name that is long enough for an allocation"};
    names.add_vertices(std::span(shown));
    EXPECT_FALSE(shown.front().empty());
}

}  // namespace
