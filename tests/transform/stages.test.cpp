// SPDX-License-Identifier: BSL-1.0
#include "support/toy_lifecycle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <ctime>
#include <optional>
#include <ranges>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace strider;
using namespace strider::test;
using strider::test::edge;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

static_assert(transformer_for<cycle_validation<>, text_graph>);
static_assert(transformer_for<destroy_split<forgetful_toy>, text_graph>);
static_assert(std::is_empty_v<cycle_validation<>> && std::is_empty_v<forced_cbd<forgetful_toy>>);
static_assert(std::is_same_v<pipeline<transitive_reduction, cycle_validation<>>::establishes,
    property_list<properties::reduced, properties::acyclic>>);

// A pipeline inside another one has the properties that its stages need, exclude and invalidate.
using split_alone = pipeline<destroy_split<forgetful_toy>>;
static_assert(std::is_same_v<split_alone::excludes, destroy_split<forgetful_toy>::excludes>);
static_assert(std::is_same_v<split_alone::invalidates, destroy_split<forgetful_toy>::invalidates>);
static_assert(
    std::is_same_v<pipeline<cycle_validation<>, split_alone>::establishes, property_list<properties::destroy_split>>);
static_assert(std::is_same_v<pipeline<cbd_inversion<forgetful_toy>, cycle_validation<>>::needs,
    cbd_inversion<forgetful_toy>::needs>);
static_assert(std::is_same_v<pipeline<split_alone, pipeline<cbd_inversion<forgetful_toy>, cycle_validation<>>>::needs,
    property_list<>>);

// User-defined stages have an order relative to any other stage, by properties of their own and of the library.
struct tiered {};
inline constexpr edge_rule lower_tier_first{"lower tier first"};
struct tier_order : transformer_base {
    using excludes = property_list<properties::reduced>;
    using establishes = property_list<tiered>;
    using invalidates = property_list<properties::acyclic>;

    auto operator()(text_graph g) const -> result<text_graph>
    {
        for (auto const a : g.vertices())
            for (auto const b : g.vertices())
                if (g[a].size() == g[b].size() + 1) g.add_edge(a, depends_on(b), lower_tier_first);
        return g;
    }
};
struct needs_tiers : transformer_base {
    using needs = property_list<tiered>;
    auto operator()(text_graph g) const -> result<text_graph> { return g; }
};
using tiers_twice = pipeline<tier_order, pipeline<tier_order, needs_tiers>>;
static_assert(std::is_same_v<tiers_twice::establishes, property_list<tiered>>);
static_assert(std::is_same_v<pipeline<needs_tiers>::needs, property_list<tiered>>);

TEST(Pipeline, RunsOwnStagesAndNamesTheirRules)
{
    auto const stages = tier_order{} | needs_tiers{} | cycle_validation{};

    auto const looped = stages(graph("b: aa"));

    EXPECT_EQ(looped.error().message(), "cycle: b → aa (reference) → b (lower tier first)");
}

TEST(Pipeline, RunsStagesInOrderAndStopsAtTheFirstError)
{
    static int runs;
    struct count : transformer_base {
        auto operator()(text_graph g) const -> result<text_graph>
        {
            ++runs;
            return g;
        }
    };
    runs = 0;

    auto const fine = (count{} | cycle_validation{} | count{})(graph("b: a"));
    auto const looped = (count{} | cycle_validation{} | count{})(graph("a: b\n b: a"));

    EXPECT_TRUE(fine.has_value());
    EXPECT_FALSE(looped.has_value());
    EXPECT_EQ(runs, 3);
}

TEST(Pipeline, IsAssociative)
{
    auto const toy = forgetful_toy{};
    auto const left =
        ((forced_cbd{toy} | destroy_split{toy}) | cbd_inversion{toy}) | (transitive_reduction{} | cycle_validation{});
    auto const right =
        forced_cbd{toy} | (destroy_split{toy} | cbd_inversion{toy} | transitive_reduction{} | cycle_validation{});

    auto const initial = draft("a-replace\n b-cbd-replace: a-replace");

    EXPECT_EQ(text(left(initial).value()), text(right(initial).value()));
}

TEST(Pipeline, CanEndPipelinesThatEstablishItsNeeds)
{
    forgetful_toy const toy;
    auto const end = cbd_inversion{toy} | cycle_validation{};
    auto const input = graph("a cbd-replace\n b replace: a cbd-replace");

    auto const nested = pipeline(destroy_split{toy}, end)(input);
    auto const flat = (destroy_split{toy} | cbd_inversion{toy} | cycle_validation{})(input);

    ASSERT_TRUE(nested && flat);
    EXPECT_EQ(text(*nested), text(*flat));
}

TEST(Pipeline, DoesNotChangeTheGraphOfTheCaller)
{
    auto const toy = forgetful_toy{};
    auto const initial = draft("a-replace\n b-replace: a-replace");
    auto const as_it_was = text(initial);

    (void)(forced_cbd{toy} | destroy_split{toy} | cbd_inversion{toy} | cycle_validation{toy})(initial);

    EXPECT_EQ(text(initial), as_it_was);
}

TEST(CycleValidation, ReportsEachStrongComponentWithItsMembers)
{
    auto const refused = cycle_validation{}(graph("a: b\n b: a\n c: a\n d: d"));

    ASSERT_FALSE(refused.has_value());
    auto const error = refused.error();
    ASSERT_EQ(error.cycles().size(), 2U);
    std::set<std::string> texts;
    for (auto const& c : error.cycles()) texts.insert(to_string(c));
    EXPECT_EQ(texts, (std::set<std::string>{"a → b (reference) → a (reference)", "d → d (reference)"}));
}

TEST(CycleValidation, NamesTheFirstOfManyCyclesInItsMessage)
{
    text_graph g;
    for (int i = 0; i < 50'000; ++i) {
        auto const a = g.add_vertex("a" + std::to_string(i));
        g.add_edge(a, depends_on(a));
    }

    auto const error = cycle_validation{}(std::move(g)).error();

    EXPECT_EQ(error.cycles().size(), 50'000U);
    EXPECT_LT(error.message().size(), 4096U);
    EXPECT_THAT(error.message(), testing::EndsWith("; and 49980 more cycles"));
}

TEST(CycleValidation, ReportsManyCyclesInLinearTime)
{
    auto const time = [](int pairs) {
        text_graph g;
        for (int i = 0; i < pairs; ++i) {
            auto const a = g.add_vertex("a");
            auto const b = g.add_vertex("b");
            g.add_edge(a, depends_on(b));
            g.add_edge(b, depends_on(a));
        }
        std::clock_t const begin = std::clock();  // the time of the processor: other work on the machine does not count
        EXPECT_EQ(cycle_validation{}(std::move(g)).error().cycles().size(), static_cast<std::size_t>(pairs));
        return static_cast<double>(std::clock() - begin);
    };
    // Quadratic work takes 64 times as long, linear work 8 times. The fastest of several runs is the least disturbed.
    double few = 1e9;
    double many = 1e18;
    for (int i = 0; i < 30 && many >= 24 * few; ++i) {
        few = std::min(few, time(500));
        many = std::min(many, time(4000));
    }
    EXPECT_LT(many, 24 * few);
}

TEST(CycleValidation, RejectsAGraphThatIsOneCycle)
{
    EXPECT_FALSE(cycle_validation{}(graph("a: b\n b: c\n c: a")).has_value());
}

struct selecting {
    std::set<std::string> wanted;
    [[nodiscard]] auto enabled() const -> bool { return !wanted.empty(); }
    [[nodiscard]] auto selected(std::string const& v) const -> bool { return wanted.contains(v); }
    [[nodiscard]] auto counts(std::string const& v) const -> bool { return !v.starts_with("output") && v != "local"; }
    [[nodiscard]] auto is_result(std::string const& v) const -> bool { return v.starts_with("output"); }
};

TEST(TargetSubgraph, KeepsTargetsAndTheirDependencies)
{
    auto const g = target_subgraph{selecting{{"b"}}}(graph("b: local\n local: a\n c: b\n d")).value();

    EXPECT_EQ(text(g), "a:\nb: local\nlocal: a\n");
}

TEST(TargetSubgraph, KeepsOutputsWhoseDependenciesAreComplete)
{
    auto const initial = graph("b: a\n c: b\n output-b: b local\n output-c: c\n output-none\n local");

    auto const g = target_subgraph{selecting{{"b"}}}(initial).value();

    EXPECT_EQ(text(g), "a:\nb: a\nlocal:\noutput-b: b local\n");
}

TEST(TargetSubgraph, KeepsAllVerticesWithoutTargets)
{
    auto const initial = graph("b: a\n c: b");

    EXPECT_EQ(text(target_subgraph{selecting{}}(initial).value()), text(initial));
}

TEST(Prune, RemovesUnneededVerticesTransitively)
{
    struct unused_values {
        [[nodiscard]] auto is_optional(std::string const& v) const -> bool { return v.starts_with("local"); }
        [[nodiscard]] auto needs(std::string const& dependent, std::string const&) const -> bool
        {
            return !dependent.starts_with("note");
        }
    };

    auto const g = prune{unused_values{}}(graph("r: local-1\n local-2: local-3\n note: local-4\n local-3: r")).value();

    EXPECT_EQ(text(g), "local-1:\nnote:\nr: local-1\n");
}

TEST(Reduce, DropsEdgesThatFollowFromOthers)
{
    EXPECT_EQ(text(transitive_reduction{}(graph("a: b c\n b: c")).value()), "a: b\nb: c\nc:\n");
}

TEST(Stages, ApplyToATemporaryGraph)
{
    auto const g = graph("a: b c\n b: c") | (transitive_reduction{} | cycle_validation{});

    EXPECT_EQ(text(g.value()), "a: b\nb: c\nc:\n");
}

TEST(Stages, ApplyInPlace)
{
    auto g = graph("a: b c\n b: c");

    EXPECT_TRUE(g |= transitive_reduction{} | cycle_validation{});

    EXPECT_EQ(text(g), "a: b\nb: c\nc:\n");
}

TEST(Stages, LeaveAGraphUnchangedInPlaceAfterAnError)
{
    auto g = graph("a: b\n b: a\n c: a b");

    auto const done = g |= transitive_reduction{} | cycle_validation{};

    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code(), graph_errc::cycle);
    EXPECT_EQ(text(g), "a: b\nb: a\nc: a b\n");
}

TEST(Reduce, LeavesACycleForValidationToReport)
{
    EXPECT_FALSE((transitive_reduction{} | cycle_validation{})(graph("a: b\n b: a")).has_value());
}

TEST(SingleRoot, DependsOnEveryVertexWithoutDependents)
{
    struct named_root {
        [[nodiscard]] auto root() const -> std::string { return "root"; }
    };

    auto const g = single_root{named_root{}}(graph("b: a\n c: a\n d")).value();

    EXPECT_EQ(text(g), "a:\nb: a\nc: a\nd:\nroot: b c d\n");
}

// "m.n.x" is in module "m.n"; names in capitals are boundaries.
struct dotted_modules {
    using key = std::string;
    [[nodiscard]] auto scope(std::string const& v) const -> std::optional<key>
    {
        auto const dot = v.rfind('.');
        if (dot == std::string::npos || v.ends_with("destroy")) return std::nullopt;
        return v.substr(0, dot);
    }
    [[nodiscard]] auto begins(std::string const& v) const -> std::optional<key>
    {
        return v.starts_with("BEGIN-") ? std::optional(v.substr(6)) : std::nullopt;
    }
    [[nodiscard]] auto closes(std::string const& v) const -> std::optional<key>
    {
        return v.starts_with("CLOSE-") ? std::optional(v.substr(6)) : std::nullopt;
    }
    [[nodiscard]] auto parent(key const& k) const -> std::optional<key>
    {
        auto const dot = k.rfind('.');
        return dot == std::string::npos ? std::nullopt : std::optional(k.substr(0, dot));
    }
    [[nodiscard]] auto make_begin(key const& k) const -> std::string { return "BEGIN-" + k; }
    [[nodiscard]] auto make_close(key const& k) const -> std::string { return "CLOSE-" + k; }
};

TEST(ScopeBoundaries, PutBeginBeforeAndCloseAfterAllMembers)
{
    auto const g = scope_boundaries{dotted_modules{}}(graph("m.a\n m.b: m.a\n free")).value();

    EXPECT_EQ(text(g), "BEGIN-m:\nCLOSE-m: BEGIN-m m.a m.b\nfree:\nm.a: BEGIN-m\nm.b: BEGIN-m m.a\n");
}

TEST(ScopeBoundaries, ChainNestedScopesThroughTheirParents)
{
    auto const g = scope_boundaries{dotted_modules{}}(graph("m.n.a")).value();

    EXPECT_THAT(edges(g),
        UnorderedElementsAre(edge("m.n.a", "BEGIN-m.n"), edge("CLOSE-m.n", "m.n.a"), edge("CLOSE-m.n", "BEGIN-m.n"),
            edge("BEGIN-m.n", "BEGIN-m"), edge("CLOSE-m", "CLOSE-m.n"), edge("CLOSE-m", "BEGIN-m")));
}

TEST(ScopeBoundaries, AreMadeForOuterScopesWithoutMembers)
{
    auto const g = scope_boundaries{dotted_modules{}}(graph("m.n.o.a")).value();

    EXPECT_EQ(g.vertex_count(), 7U);
    EXPECT_TRUE(has_path(g, find(g, "BEGIN-m.n.o"), find(g, "BEGIN-m")));
    EXPECT_TRUE(has_path(g, find(g, "CLOSE-m"), find(g, "CLOSE-m.n.o")));
}

TEST(ScopeBoundaries, UseExistingBoundaries)
{
    auto const g = scope_boundaries{dotted_modules{}}(graph("m.a\n BEGIN-m: first\n last: CLOSE-m")).value();

    EXPECT_EQ(g.vertex_count(), 5U);
    EXPECT_TRUE(has_path(g, find(g, "m.a"), find(g, "first")));
    EXPECT_TRUE(has_path(g, find(g, "last"), find(g, "m.a")));
}

TEST(ScopeBoundaries, IgnoreVerticesOutsideOfScopes)
{
    auto g = graph("m.a");
    auto const destroyer = g.add_vertex("m.b destroy");

    auto const bounded = scope_boundaries{dotted_modules{}}(std::move(g)).value();

    EXPECT_TRUE(find(bounded, "BEGIN-m"));
    EXPECT_TRUE(std::ranges::empty(bounded.dependencies(destroyer)));
    EXPECT_TRUE(std::ranges::empty(bounded.dependents(destroyer)));
}

}  // namespace
