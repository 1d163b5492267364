// SPDX-License-Identifier: BSL-1.0
#include <strider/algorithm/dependency_count.hpp>
#include <strider/algorithm/topological_order.hpp>

#include <support/graph_text.hpp>

#include <gtest/gtest.h>

namespace {

using namespace strider;
using test::find;
using test::graph;

// A graph that does not store its degrees.
class plain_graph {
public:
    using value_type = std::string;
    explicit plain_graph(test::text_graph g) : g_(std::move(g)) {}

    [[nodiscard]] auto vertices() const { return g_.vertices(); }
    [[nodiscard]] auto vertex_count() const -> std::size_t { return g_.vertex_count(); }
    [[nodiscard]] auto edge_count() const -> std::size_t { return g_.edge_count(); }
    [[nodiscard]] auto id_bound() const -> std::size_t { return g_.id_bound(); }
    [[nodiscard]] auto dependencies(draft_vertex_id v) const { return g_.dependencies(v); }
    [[nodiscard]] auto dependents(draft_vertex_id v) const { return g_.dependents(v); }
    [[nodiscard]] auto dependency_edges(draft_vertex_id v) const { return g_.dependency_edges(v); }
    [[nodiscard]] auto operator[](draft_vertex_id v) const -> std::string const& { return g_[v]; }

private:
    test::text_graph g_;
};

TEST(DependencyCount, CountsDependenciesNotDependents)
{
    auto const g = graph("c: a b\nd: c");

    auto const degree = dependency_counts(g);

    EXPECT_EQ(degree[find(g, "c")], 2U);
    EXPECT_EQ(degree[find(g, "d")], 1U);
    EXPECT_EQ(degree[find(g, "a")], 0U);
}

TEST(DependencyCount, IsComputedForGraphsThatDoNotStoreIt)
{
    auto const known = graph("c: a b c\nd: c");
    plain_graph const plain(known);

    auto const degree = dependency_counts(plain);

    for (auto const v : known.vertices()) EXPECT_EQ(degree[v], known.dependency_count(v)) << known[v];
}

TEST(DependencyCount, IsNotNeededForAnOrder)
{
    plain_graph const plain(graph("d: b c\nc: a\nb: a"));

    auto const order = topological_order(plain).value();

    ASSERT_EQ(order.size(), 4U);
    EXPECT_EQ(plain[order.front()], "a");
    EXPECT_EQ(plain[order.back()], "d");
}

}  // namespace
