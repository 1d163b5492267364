// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_PROPERTY_HPP
#define STRIDER_TESTS_SUPPORT_PROPERTY_HPP

#include <strider/core.hpp>

#include <gtest/gtest.h>

#include <rapidcheck.h>
#include <rapidcheck/gtest.h>  // needs what is above

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <utility>
#include <vector>

/// A law that must hold for all values that RapidCheck generates:
/// `STRIDER_PROPERTY(Suite, Sentence, (small_graph const& g))`. Its body uses `STRIDER_LAW(condition)`. Only this file
/// depends on RapidCheck.
#define STRIDER_PROPERTY(suite, sentence, arguments) RC_GTEST_PROP(suite, sentence, arguments)
#define STRIDER_LAW(condition) RC_ASSERT(condition)

namespace strider::test {

/// Edges between vertices 0 to `count` - 1, dependent first. They are generated, and reduced when a law is violated.
struct drawn_edges {
    std::size_t count = 0;
    std::vector<std::pair<std::size_t, std::size_t>> edges;

    friend auto operator<<(std::ostream& out, drawn_edges const& drawn) -> std::ostream&
    {
        out << drawn.count << " vertices:";
        for (auto const& [dependent, dependency] : drawn.edges) out << ' ' << dependent << "->" << dependency;
        return out;
    }

    /// The value of a vertex is its number.
    [[nodiscard]] auto graph() const -> digraph<std::size_t>
    {
        digraph<std::size_t> g;
        for (std::size_t i = 0; i < count; ++i) g.add_vertex(i);
        for (auto const& [dependent, dependency] : edges)
            g.add_edge(draft_vertex_id(dependent), depends_on(draft_vertex_id(dependency)));
        return g;
    }
};

/// Any graph, self edges and cycles included.
struct any_edges : drawn_edges {};
/// A graph without a cycle; its vertices are in any order.
struct acyclic_edges : drawn_edges {};

[[nodiscard]] inline auto draw_edges(std::size_t most) -> drawn_edges
{
    drawn_edges drawn;
    drawn.count = *rc::gen::inRange<std::size_t>(1, most + 1);
    auto const end = rc::gen::inRange<std::size_t>(0, drawn.count);
    auto const how_many = *rc::gen::inRange<std::size_t>(0, 3 * drawn.count + 1);
    drawn.edges = *rc::gen::container<decltype(drawn.edges)>(how_many, rc::gen::pair(end, end));
    return drawn;
}

}  // namespace strider::test

namespace rc {

template <>
struct Arbitrary<strider::test::any_edges> {
    static auto arbitrary() -> Gen<strider::test::any_edges>
    {
        return gen::exec([] { return strider::test::any_edges{strider::test::draw_edges(24)}; });
    }
};

template <>
struct Arbitrary<strider::test::acyclic_edges> {
    static auto arbitrary() -> Gen<strider::test::acyclic_edges>
    {
        return gen::exec([] {
            strider::test::acyclic_edges drawn{strider::test::draw_edges(40)};
            auto const step = *gen::inRange<std::size_t>(0, 97);
            // A rank for each vertex, other than its id: edges go from the higher to the lower rank.
            std::vector<std::size_t> rank(drawn.count);
            for (std::size_t i = 0; i < rank.size(); ++i) rank[i] = (i * 97 + step) % 1009;
            std::erase_if(drawn.edges, [](auto const& e) { return e.first == e.second; });
            for (auto& [dependent, dependency] : drawn.edges)
                if (rank[dependent] < rank[dependency]) std::swap(dependent, dependency);
            return drawn;
        });
    }
};

}  // namespace rc

#endif  // STRIDER_TESTS_SUPPORT_PROPERTY_HPP
