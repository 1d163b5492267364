// SPDX-License-Identifier: BSL-1.0
// Every figure of the resource destruction notes: its edges, including dotted ones, and its order.
#include "support/toy_lifecycle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace strider;
using namespace strider::test;
using strider::test::edge;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

// The lifecycle of a draft, before any reduction. `stored` contains the dependencies of the prior objects.
auto lifecycle(std::string_view wish, std::string_view stored) -> result<text_graph>
{
    remembering_toy const toy(stored);
    auto const stages = forced_cbd{toy} | destroy_split{toy} | cbd_inversion{toy} | cycle_validation{toy};
    return stages(draft(wish));
}

auto figure(std::string_view wish, std::string_view stored) -> text_graph
{
    return lifecycle(wish, stored).value();
}

auto edges_of(text_graph const& g)
{
    return edges(g, figure_name);
}

TEST(DestructionNotes, SimpleCreationFollowsReferences)
{
    auto const g = figure("a-create\n b-create: a-create\n c-create: b-create", "");

    EXPECT_THAT(edges_of(g), UnorderedElementsAre(edge("b create", "a create"), edge("c create", "b create")));
    EXPECT_THAT(order(g), ElementsAre("a create", "b create", "c create"));
}

TEST(DestructionNotes, SimpleUpdateFollowsReferences)
{
    auto const g = figure("a-create\n b-update: a-create\n c-update: b-update", "b: a\n c: a b");

    EXPECT_THAT(edges_of(g), UnorderedElementsAre(edge("b update", "a create"), edge("c update", "b update")));
    EXPECT_THAT(order(g), ElementsAre("a create", "b update", "c update"));
}

TEST(DestructionNotes, SimpleDestructionIsTheInverseOfCreation)
{
    auto const g = figure("a-destroy\n b-destroy\n c-destroy", "b: a\n c: a b");

    EXPECT_THAT(edges_of(g),
        UnorderedElementsAre(
            edge("a destroy", "b destroy"), edge("b destroy", "c destroy"), edge("a destroy", "c destroy")));
    EXPECT_THAT(order(g), ElementsAre("c destroy", "b destroy", "a destroy"));
}

TEST(DestructionNotes, ReplaceAllDestroysDependentsFirstAndCreatesThemLast)
{
    auto const g = figure("a-replace\n b-replace: a-replace", "b: a");

    EXPECT_THAT(edges_of(g),
        UnorderedElementsAre(edge("b create", "a create"), edge("a create", "a destroy"), edge("b create", "b destroy"),
            edge("a destroy", "b destroy"),                                       // E3
            edge("b create", "a destroy"), edge("a create", "b destroy")));       // dotted: E2, E4
    EXPECT_THAT(order(g), ElementsAre("b destroy", "a destroy", "a create", "b create"));
}

TEST(DestructionNotes, ReplaceOneUpdatesTheDependentLast)
{
    auto const g = figure("a-replace\n b-update: a-replace", "b: a");

    EXPECT_THAT(edges_of(g),
        UnorderedElementsAre(
            edge("b update", "a create"), edge("a create", "a destroy"), edge("b update", "a destroy")));  // dotted: E2
    EXPECT_THAT(order(g), ElementsAre("a destroy", "a create", "b update"));
}

TEST(DestructionNotes, DestroyThenUpdateDelaysTheUpdate)
{
    auto const g = figure("a-update\n b-destroy", "b: a");

    EXPECT_THAT(edges_of(g), UnorderedElementsAre(edge("a update", "b destroy")));  // E4
    EXPECT_THAT(order(g), ElementsAre("b destroy", "a update"));
}

TEST(DestructionNotes, ReplaceAllWithTheDependencyCreatedFirst)
{
    auto const g = figure("a-cbd-replace\n b-replace: a-cbd-replace", "b: a");

    EXPECT_THAT(edges_of(g),
        UnorderedElementsAre(edge("b create", "a create"), edge("a destroy", "a create"), edge("b create", "b destroy"),
            edge("a destroy", "b destroy"), edge("a destroy", "b create"), edge("a create", "b destroy")));
    EXPECT_THAT(order(g), ElementsAre("b destroy", "a create", "b create", "a destroy"));
}

TEST(DestructionNotes, ReplaceTheDependencyCreatedFirstAndUpdateItsDependentBetween)
{
    auto const g = figure("a-cbd-replace\n b-update: a-cbd-replace", "b: a");

    EXPECT_THAT(edges_of(g),
        UnorderedElementsAre(edge("b update", "a create"), edge("a destroy", "b update"),
            edge("a destroy", "a create")));  // dotted: the own one
    EXPECT_THAT(order(g), ElementsAre("a create", "b update", "a destroy"));
}

TEST(DestructionNotes, RemovedDependencyWithCreateBeforeDestroyIsDestroyedAfterTheUpdate)
{
    auto const g = figure("b-update\n a-cbd-destroy", "b: a");

    EXPECT_THAT(edges_of(g), UnorderedElementsAre(edge("a destroy", "b update")));
    EXPECT_THAT(order(g), ElementsAre("b update", "a destroy"));
}

TEST(DestructionNotes, RemovedDependencyWithoutCreateBeforeDestroyIsDestroyedBeforeTheUpdate)
{
    auto const g = figure("b-update\n a-destroy", "b: a");

    EXPECT_THAT(edges_of(g), UnorderedElementsAre(edge("b update", "a destroy")));
    EXPECT_THAT(order(g), ElementsAre("a destroy", "b update"));
}

TEST(DestructionNotes, CreateBeforeDestroyOnTheDependentAloneIsACycleThatNamesItsReasons)
{
    remembering_toy const toy("b: a");
    auto const unforced = destroy_split{toy} | cbd_inversion{toy} | cycle_validation{toy};

    auto const refused = unforced(draft("a-replace\n b-cbd-replace: a-replace"));

    ASSERT_FALSE(refused.has_value());
    auto const error = refused.error();
    ASSERT_EQ(error.code(), graph_errc::cycle);
    ASSERT_EQ(error.cycles().size(), 1U);
    auto const& cycle = error.cycles().front();
    EXPECT_THAT(cycle.members, UnorderedElementsAre("a create", "a destroy", "b create", "b destroy"));
    EXPECT_EQ(to_string(cycle),
        "a create → a destroy (own replacement) → b destroy (stored dependency) → a create (create_before_destroy)");
}

TEST(DestructionNotes, ForcedCreateBeforeDestroyOnBothResolvesTheCycle)
{
    auto const g = figure("a-replace\n b-cbd-replace: a-replace", "b: a");

    EXPECT_THAT(edges_of(g),
        UnorderedElementsAre(edge("b create", "a create"), edge("a destroy", "a create"), edge("b destroy", "b create"),
            edge("a destroy", "b destroy"), edge("b destroy", "a create"),
            edge("a destroy", "b create")));  // dotted, turned as well
    EXPECT_THAT(order(g), ElementsAre("a create", "b create", "b destroy", "a destroy"));
}

// Specification 5.6, the lines that are not figures of the notes.
TEST(CanonicalCases, RemovedInstanceIsDestroyedBeforeItsDependentIsUpdated)
{
    remembering_toy const toy("b: a");
    auto const g = destroy_split{toy}(draft("a-keep\n b-update: a-keep\n a-destroy")).value();

    EXPECT_TRUE(before(g, "a destroy", "b update"));
}

TEST(CanonicalCases, ADependentWithoutAChangeHasNoOperation)
{
    auto const g = figure("a-destroy\n b-keep\n c-destroy", "b: a\n c: a b");

    EXPECT_TRUE(before(g, "c destroy", "a destroy"));
    EXPECT_THAT(edges_of(g), UnorderedElementsAre(edge("a destroy", "c destroy")));
}

TEST(CanonicalCases, ADeferredReadWaitsForTheDestructionOfItsDependency)
{
    auto const g = figure("a-destroy\n d-update", "d: a");

    EXPECT_TRUE(before(g, "a destroy", "d update"));
}

TEST(CanonicalCases, AllDestroyedInTheOrderOfTheStoredClosure)
{
    auto const g = figure("a-destroy\n b-destroy\n c-destroy", "b: a\n c: a b");

    EXPECT_TRUE(before(g, "c destroy", "b destroy"));
    EXPECT_TRUE(before(g, "b destroy", "a destroy"));
}

TEST(CanonicalCases, UnrelatedObjectsAreNotOrdered)
{
    auto const g = figure("a-replace\n b-destroy", "");

    EXPECT_FALSE(before(g, "a create", "b destroy"));
    EXPECT_FALSE(before(g, "b destroy", "a create"));
    EXPECT_FALSE(before(g, "b destroy", "a destroy"));
}

TEST(CanonicalCases, OrderHoldsAcrossAMiddleResourceWithoutAChange)
{
    auto const g = figure("a-replace\n b-keep: a-replace\n c-replace: b-keep", "b: a\n c: a b");

    EXPECT_TRUE(before(g, "c destroy", "a destroy"));
    EXPECT_TRUE(before(g, "a destroy", "a create"));
    EXPECT_TRUE(before(g, "a create", "c create"));
}

// Specification 5.7.
TEST(CanonicalCases, DestroyOrderFollowsStateAndCreateOrderFollowsConfiguration)
{
    auto const refused = lifecycle("b-replace\n a-replace: b-replace", "b: a");
    auto const updated = figure("b-update\n a-update: b-update\n z-destroy", "b: a");

    // Both are replaced, with the order reversed: E4 delays a until b's object is destroyed, E2 delays b until a's
    // object is.
    ASSERT_TRUE(refused.has_value()) << refused.error().message();
    EXPECT_TRUE(before(*refused, "b destroy", "a destroy"));
    EXPECT_TRUE(before(*refused, "b create", "a create"));
    EXPECT_THAT(edges_of(updated), UnorderedElementsAre(edge("a update", "b update")));
}

// Specification 6.3.
TEST(CreateBeforeDestroy, CountedDependenciesAreReplacedAroundTheUpdatesOfAllDependents)
{
    remembering_toy const toy("b: a");
    auto const stages = destroy_split{toy} | cbd_inversion{toy} | cycle_validation{toy};
    auto g = text_graph();
    auto const a0 = g.add_vertex("a cbd-replace");
    auto const a1 = g.add_vertex("a cbd-replace");
    auto const b0 = g.add_vertex("b update");
    auto const b1 = g.add_vertex("b update");
    for (auto const b : {b0, b1})
        for (auto const a : {a0, a1}) g.add_edge(b, depends_on(a), edge_rules::reference);

    auto const done = stages(g).value();

    for (auto const v : done.vertices()) {
        if (done[v] != "a cbd-destroy") continue;
        EXPECT_TRUE(has_path(done, v, b0));
        EXPECT_TRUE(has_path(done, v, b1));
    }
    EXPECT_TRUE(has_path(done, b0, a1));
    EXPECT_EQ(done.vertex_count(), 6U);
}

// Specification 6.1 and 6.4.
TEST(ForcedCbd, PropagatesThroughValuesToDependenciesOnly)
{
    auto const g =
        forced_cbd{forgetful_toy{}}(draft("a-update\n local: a-update\n b-cbd-update: local\n d-update: b-cbd-update"))
            .value();

    EXPECT_TRUE(find(g, "a cbd-update"));
    EXPECT_TRUE(find(g, "d update"));
    EXPECT_TRUE(find(g, "local"));
}

TEST(ForcedCbd, NamesTheNearestVertexThatForces)
{
    struct noting : forgetful_toy {
        std::map<std::string, std::string>* by;
        void force_create_before_destroy(std::string& v, std::string const& who) const { (*by)[v] = who; }
    };
    std::map<std::string, std::string> by;
    noting toy;
    toy.by = &by;

    (void)forced_cbd{toy}(draft("a-update\n b-update: a-update\n c-cbd-update: b-update"));

    EXPECT_EQ(by["a update"], "c cbd-update");
    EXPECT_EQ(by["b update"], "c cbd-update");
}

TEST(ForcedCbd, ForcesNoVertexThatCreatesBeforeItDestroysAnyway)
{
    struct counting : forgetful_toy {
        int* forced;
        void force_create_before_destroy(std::string&, std::string const&) const { ++*forced; }
    };
    int forced = 0;
    counting toy;
    toy.forced = &forced;

    // Both b and c reach a, which is forced once.
    (void)forced_cbd{toy}(draft("a-update\n b-cbd-update: a-update\n c-cbd-update: a-update b-cbd-update"));

    EXPECT_EQ(forced, 1);
}

TEST(DestroySplit, UsesTheEdgesOfTheInputWithoutStoredDependencies)
{
    forgetful_toy const toy;
    auto const stages = forced_cbd{toy} | destroy_split{toy} | cbd_inversion{toy} | cycle_validation{toy};

    auto const g = stages(draft("a-replace\n local: a-replace\n b-replace: local")).value();

    EXPECT_TRUE(before(g, "b destroy", "a destroy"));
    EXPECT_TRUE(before(g, "a destroy", "a create"));
    EXPECT_TRUE(before(g, "a create", "b create"));
}

TEST(DestroySplit, AddsNoEdgesToVerticesWithoutOperations)
{
    auto const g = figure("a-replace\n local: a-replace\n b-replace: local", "b: a");

    auto const local = find(g, "local");
    EXPECT_THAT(edges_of(g), testing::Not(testing::Contains(edge("local", "a destroy"))));
    EXPECT_EQ(std::ranges::distance(g.dependencies(local)), 1);
    EXPECT_EQ(std::ranges::distance(g.dependents(local)), 1);
}

TEST(DestroySplit, KeepsIdsOfRemainingVerticesAndRemovesPureDestroys)
{
    auto const wish = draft("a-destroy\n b-replace");
    auto const a = find(wish, "a destroy");
    auto const b = find(wish, "b replace");
    remembering_toy const toy("");

    auto const g = destroy_split{toy}(wish).value();

    EXPECT_FALSE(g.contains(a));
    EXPECT_EQ(g[b], "b replace");
    EXPECT_EQ(g.vertex_count(), 3U);
}

// Specification 5.4: an existing order takes precedence over a tentative edge.
TEST(DestroySplit, OmitsATentativeEdgeThatWouldCloseACycle)
{
    struct across : remembering_toy {
        using remembering_toy::remembering_toy;
        [[nodiscard]] auto ordered(std::string const& dependent, std::string const& dependency) const -> ordering
        {
            return key_of(dependent) == key_of(dependency) ? ordering::required : ordering::tentative;
        }
    };
    across const toy("b: a");
    auto const stages = destroy_split{toy} | cycle_validation{toy};

    auto const kept = stages(draft("a-replace\n b-destroy")).value();
    auto const dropped = destroy_split{toy}(draft("a-destroy: x\n x")).value();
    auto turned = draft("a-replace\n q: a-replace\n b-replace: q");
    auto const through_provider = stages(turned).value();

    EXPECT_TRUE(before(kept, "b destroy", "a destroy"));
    EXPECT_EQ(dropped.edge_count(), 0U);
    EXPECT_TRUE(before(through_provider, "b destroy", "a destroy"));
}

TEST(CbdInversion, RemovesATentativeEdgeThatItMakesPartOfACycle)
{
    struct across : remembering_toy {
        using remembering_toy::remembering_toy;
        [[nodiscard]] auto ordered(std::string const& dependent, std::string const& dependency) const -> ordering
        {
            return key_of(dependent) == key_of(dependency) ? ordering::required : ordering::tentative;
        }
    };
    across const toy("b: a");
    auto const stages = destroy_split{toy} | cbd_inversion{toy} | cycle_validation{toy};

    auto const g = stages(draft("a-destroy\n b-cbd-replace")).value();

    EXPECT_TRUE(before(g, "a destroy", "b create"));
    EXPECT_TRUE(before(g, "b create", "b destroy"));
}

// The order of two objects is tentative, that of all others required.
struct tentative_between_a_and_b : remembering_toy {
    using remembering_toy::remembering_toy;
    [[nodiscard]] auto ordered(std::string const& dependent, std::string const& dependency) const -> ordering
    {
        auto const is_either = [](std::string const& key) { return key == "a" || key == "b"; };
        return is_either(key_of(dependent)) && is_either(key_of(dependency)) ? ordering::tentative : ordering::required;
    }
};

TEST(CbdInversion, RemovesATentativeEdgeThatClosesACycleWhenItIsReversed)
{
    tentative_between_a_and_b const toy("b: a x\n a: x");
    auto const stages = destroy_split{toy} | cbd_inversion{toy} | cycle_validation{toy};

    auto const g = stages(draft("x-destroy\n a-update\n b-cbd-destroy")).value();

    EXPECT_TRUE(before(g, "b destroy", "x destroy"));
    EXPECT_TRUE(before(g, "x destroy", "a update"));
}

TEST(CbdInversion, KeepsOneOfTheTentativeEdgesOfACycle)
{
    tentative_between_a_and_b const toy("b: a");
    auto const stages = destroy_split{toy} | cbd_inversion{toy} | cycle_validation{toy};

    auto const g = stages(draft("a-replace\n b-cbd-replace")).value();

    EXPECT_THAT(edges_of(g),
        UnorderedElementsAre(edge("a create", "a destroy"), edge("b create", "a destroy"),
            edge("b destroy", "b create"), edge("b destroy", "a create")));
}

TEST(DestroySplit, StatesWhichEdgesAreTentative)
{
    auto const g = destroy_split{tentative_between_a_and_b("b: a")}(draft("a-replace\n b-destroy")).value();
    auto const origin = [&](std::string_view dependent, std::string_view dependency) {
        return g.origin(find(g, dependent, figure_name), depends_on(find(g, dependency, figure_name))).made_by();
    };

    EXPECT_EQ(origin("a destroy", "b destroy"), edge_rules::tentative_destroy_order);
    EXPECT_EQ(origin("a create", "b destroy"), edge_rules::tentative_after_destruction_of_dependent);
    EXPECT_EQ(origin("a create", "a destroy"), edge_rules::own_destroyer);
}

// Objects may have been stored at different times, under configurations that contradict each other.
TEST(DestroySplit, DestroysObjectsThatDependedOnEachOtherInAnyOrder)
{
    auto const pair = figure("a-destroy\n b-destroy", "a: b\n b: a");
    auto const two_pairs = figure("a-destroy\n b-destroy\n c-destroy\n d-destroy", "a: b\n b: a\n c: d\n d: c");
    auto const three = figure("a-destroy\n b-destroy\n c-destroy", "a: b\n b: c\n c: a");

    EXPECT_EQ(pair.vertex_count(), 2U);
    EXPECT_EQ(pair.edge_count(), 0U);
    EXPECT_EQ(two_pairs.edge_count(), 0U);
    EXPECT_EQ(three.edge_count(), 0U);
}

TEST(DestroySplit, KeepsTheOrderOfACycleRelativeToAllOthers)
{
    // Of the cycle, only a was used by u, and only b used d.
    auto const g = figure("u-destroy\n a-destroy\n b-destroy\n d-replace", "u: a\n a: b\n b: a d");

    EXPECT_THAT(edges_of(g),
        UnorderedElementsAre(edge("a destroy", "u destroy"), edge("b destroy", "u destroy"),
            edge("d destroy", "b destroy"), edge("d create", "b destroy"), edge("d create", "d destroy")));
}

TEST(DestroySplit, KeepsAllEdgesOfCreatorsToACycle)
{
    auto const g = figure("a-replace\n b-destroy\n c-update", "a: b\n b: a\n c: a b");

    EXPECT_THAT(edges_of(g),
        UnorderedElementsAre(edge("a create", "a destroy"), edge("a create", "b destroy"),
            edge("c update", "a destroy"), edge("c update", "b destroy")));
}

// Specification 5.5.
TEST(DestroySplit, AddsNothingAcrossABoundaryWithoutOrder)
{
    struct apart : remembering_toy {
        using remembering_toy::remembering_toy;
        [[nodiscard]] auto ordered(std::string const&, std::string const&) const -> ordering { return ordering::none; }
    };

    auto const g = destroy_split{apart("b: a")}(draft("a-replace\n b-replace")).value();

    EXPECT_THAT(
        edges(g, figure_name), UnorderedElementsAre(edge("a create", "a destroy"), edge("b create", "b destroy")));
}

TEST(DestroySplit, CallsEachFunctionOfThePolicyOncePerVertex)
{
    struct counting : remembering_toy {
        using remembering_toy::remembering_toy;
        int* asked;
        [[nodiscard]] auto stored_dependencies(std::string const& v) const
        {
            ++*asked;
            return remembering_toy::stored_dependencies(v);
        }
    };
    int asked = 0;
    counting toy("b: a");
    toy.asked = &asked;

    (void)destroy_split{toy}(draft("a-replace\n b-replace\n c-keep\n local"));

    EXPECT_EQ(asked, 4);  // two creators, two destroyers; vertices without a change are not queried
}

}  // namespace
