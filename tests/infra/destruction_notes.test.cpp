// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"
#include "plan_graph.hpp"

namespace {

using namespace strider;
using namespace strider::test;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

// The figures of the resource destruction notes, planned and applied: the edges of the figures, the order of the
// reduced graph, and the operations in the cloud.
class DestructionNotes : public engine_in_worlds {};
INSTANTIATE_TEST_SUITE_P(In, DestructionNotes, worlds, name_of_world);

TEST_P(DestructionNotes, SimpleCreate)
{
    auto const wanted = "a\n b from=$a.id\n c from=$b.id";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan), ElementsAre("b create -> a create", "c create -> b create"));
    EXPECT_THAT(covering_pairs(plan), ElementsAre("a create < b create", "b create < c create"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create", "b create", "c create"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DestructionNotes, SimpleUpdate)
{
    this->given("b size=1\n c from=$b.size");
    auto const wanted = "a\n b size=$a.id\n c from=$b.size";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan), ElementsAre("b update -> a create", "c update -> b update"));
    EXPECT_THAT(covering_pairs(plan), ElementsAre("a create < b update", "b update < c update"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create", "b update", "c update"));
}

TEST_P(DestructionNotes, SimpleDestroy)
{
    auto const wanted = "a\n b from=$a.id\n c from=$b.id";
    this->given(wanted);
    infra::plan_options options;
    options.mode = plan_mode::destroy;

    auto const plan = this->plan(wanted, options);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan),
        ElementsAre("a destroy -> b destroy", "a destroy -> c destroy", "b destroy -> c destroy"));
    EXPECT_THAT(covering_pairs(plan), ElementsAre("b destroy < a destroy", "c destroy < b destroy"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("c destroy", "b destroy", "a destroy"));
    EXPECT_TRUE(this->kept.now().resources.empty());
    EXPECT_TRUE(this->cloud.resources().empty());
}

TEST_P(DestructionNotes, ReplaceAll)
{
    this->given("a kind=x\n b kind=x from=$a.id");
    auto const wanted = "a kind=y\n b kind=y from=$a.id";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan),
        ElementsAre("a create -> a destroy", "a create -> b destroy", "a destroy -> b destroy", "b create -> a create",
            "b create -> a destroy", "b create -> b destroy"));
    EXPECT_THAT(
        covering_pairs(plan), ElementsAre("a create < b create", "a destroy < a create", "b destroy < a destroy"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("b destroy", "a destroy", "a create", "b create"));
}

TEST_P(DestructionNotes, ReplaceOne)
{
    this->given("a kind=x\n b from=$a.id");
    auto const wanted = "a kind=y\n b from=$a.id";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan),
        ElementsAre("a create -> a destroy", "b update -> a create", "b update -> a destroy"));
    EXPECT_THAT(covering_pairs(plan), ElementsAre("a create < b update", "a destroy < a create"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a destroy", "a create", "b update"));
}

TEST_P(DestructionNotes, DestroyThenUpdate)
{
    this->given("a size=1\n b from=$a.id");
    auto const wanted = "a size=2";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan), ElementsAre("a update -> b destroy"));
    EXPECT_THAT(covering_pairs(plan), ElementsAre("b destroy < a update"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("b destroy", "a update"));
}

TEST_P(DestructionNotes, ReplaceAllWhenTheDependencyIsCreatedBeforeItIsDestroyed)
{
    this->given("a kind=x @cbd\n b kind=x from=$a.id");
    auto const wanted = "a kind=y @cbd\n b kind=y from=$a.id";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan),
        ElementsAre("a create -> b destroy", "a destroy -> a create", "a destroy -> b create", "a destroy -> b destroy",
            "b create -> a create", "b create -> b destroy"));
    EXPECT_THAT(
        covering_pairs(plan), ElementsAre("a create < b create", "b create < a destroy", "b destroy < a create"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("b destroy", "a create", "b create", "a destroy deposed"));
}

TEST_P(DestructionNotes, ReplaceDependencyThatIsCreatedBeforeItIsDestroyed)
{
    this->given("a kind=x @cbd\n b from=$a.id");
    auto const wanted = "a kind=y @cbd\n b from=$a.id";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan),
        ElementsAre("a destroy -> a create", "a destroy -> b update", "b update -> a create"));
    EXPECT_THAT(covering_pairs(plan), ElementsAre("a create < b update", "b update < a destroy"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create", "b update", "a destroy deposed"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DestructionNotes, UpdateThenDestroyACreateBeforeDestroyObject)
{
    this->given("a size=1 @cbd\n b from=$a.size");
    auto const wanted = "b from=elsewhere";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan), ElementsAre("a destroy -> b update"));
    EXPECT_THAT(covering_pairs(plan), ElementsAre("b update < a destroy"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("b update", "a destroy"));
}

TEST_P(DestructionNotes, DestroyThenUpdateWithoutCreateBeforeDestroy)
{
    this->given("a size=1\n b from=$a.size");
    auto const wanted = "b from=elsewhere";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan), ElementsAre("b update -> a destroy"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a destroy", "b update"));
}

TEST_P(DestructionNotes, ADependentThatIsCreatedBeforeItIsDestroyedForcesItsDependency)
{
    this->given("a kind=x @cbd=false\n b kind=x from=$a.id @cbd");
    auto const wanted = "a kind=y @cbd=false\n b kind=y from=$a.id @cbd";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan),
        ElementsAre("a destroy -> a create", "a destroy -> b create", "a destroy -> b destroy", "b create -> a create",
            "b destroy -> a create", "b destroy -> b create"));
    EXPECT_THAT(
        covering_pairs(plan), ElementsAre("a create < b create", "b create < b destroy", "b destroy < a destroy"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create", "b create", "b destroy deposed", "a destroy deposed"));
    EXPECT_TRUE(this->kept.now().find(infra::address("toy", "a"))->current->create_before_destroy);
}

// The dependencies that state records force it too, also on an engine whose stages force nothing.
TEST(DestructionNotes, RecordedDependenciesForceCreateBeforeDestroyWithoutTheStage)
{
    auto const wanted = toy("a kind=x\n b kind=x from=$a.id @cbd");
    auto const changed = toy("a kind=y\n b kind=y from=$a.id @cbd");
    infra::sim::cloud cloud;
    infra::sim::durable_state kept;
    run_conditions unforced;
    unforced.forces = false;
    auto const first = *plan_simulated(wanted, {}, cloud, kept, unforced);
    ASSERT_TRUE(first.has_value());
    ASSERT_TRUE(apply_simulated(wanted, *first, cloud, kept, {})->ok);

    auto const next = *plan_simulated(changed, {}, cloud, kept, unforced);

    ASSERT_TRUE(next.has_value()) << testing::PrintToString(codes_of(next.error().why()));
    EXPECT_THAT(actions(*next), UnorderedElementsAre("a create/destroy", "b create/destroy"));
    EXPECT_TRUE(apply_simulated(changed, *next, cloud, kept, {})->ok);
}

// Graph-engine specification 5.6.
class CanonicalCases : public engine_in_worlds {};
INSTANTIATE_TEST_SUITE_P(In, CanonicalCases, worlds, name_of_world);

TEST_P(CanonicalCases, AnUnchangedResourceBetweenTwoOthersHasNoOperation)
{
    this->given("a size=1\n b from=$a.size\n c from=$b.id");
    auto const wanted = "b from=1";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(actions(plan), UnorderedElementsAre("a destroy", "c destroy"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("c destroy", "a destroy"));
}

TEST_P(CanonicalCases, StoredListsAreTransitiveSoThatOrderHoldsAcrossAnUnchangedResource)
{
    this->given("a kind=x size=1\n b from=$a.size\n c kind=x from=$b.id");
    auto const wanted = "a kind=y size=1\n b from=$a.size\n c kind=y from=$b.id";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(actions(plan), ElementsAre("a destroy/create", "c destroy/create"));
    EXPECT_THAT(covering_pairs(plan),
        UnorderedElementsAre("c destroy < a destroy", "a destroy < a create", "a create < c create"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("c destroy", "a destroy", "a create", "c create"));
}

TEST_P(CanonicalCases, ARemovedInstanceIsDestroyedBeforeItsDependentIsUpdated)
{
    this->given("a @count=2\n b from=$a.id");
    auto const wanted = "a @count=1\n b from=$a.id";

    auto const done = this->run(wanted);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a[1] destroy", "b update"));
}

TEST_P(CanonicalCases, UnrelatedResourcesAreNotOrdered)
{
    this->given("a kind=x\n b size=1");

    auto const plan = this->plan("a kind=y");

    EXPECT_THAT(actions(plan), ElementsAre("a destroy/create", "b destroy"));
    EXPECT_THAT(covering_pairs(plan), ElementsAre("a destroy < a create"));
}

// Graph-engine specification 5.7.
TEST_P(CanonicalCases, DestroyOrderFollowsStateAndCreateOrderFollowsTheDeclaration)
{
    this->given("a kind=x\n b kind=x from=$a.id");
    auto const wanted = "a kind=y\n b kind=x2\n";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(covering_pairs(plan),
        UnorderedElementsAre("b destroy < a destroy", "a destroy < a create", "a destroy < b create"));
}

// Graph-engine specification 5.5.
TEST_P(CanonicalCases, InstancesOfOneModuleAreNotOrderedAgainstEachOther)
{
    auto const wanted = "module.m @count=2\n m/a\n m/b from=$m/a.id";
    this->given(wanted);
    infra::plan_options options;
    options.mode = plan_mode::destroy;

    auto const plan = this->plan(wanted, options);

    std::vector<std::string> pairs;
    for (std::size_t i = 0; i < plan.changes.size(); ++i) pairs.push_back(to_string(plan.changes[i].target));
    EXPECT_THAT(pairs, ElementsAre("module.m[0].toy.a", "module.m[0].toy.b", "module.m[1].toy.a", "module.m[1].toy.b"));
    std::size_t ordered = 0;
    for (vertex_id const v : plan.graph.vertices())
        for (vertex_id const d : plan.graph.vertices())
            if (v != d && acts(plan.graph[v]) && acts(plan.graph[d]) && has_path(plan.graph, v, d)) {
                ++ordered;
                EXPECT_EQ(plan.changes[plan.graph[v].index].target.module(),
                    plan.changes[plan.graph[d].index].target.module());
            }
    EXPECT_EQ(ordered, 2U);
}

// Graph-engine specification 6.3.
TEST_P(CanonicalCases, AllInstancesAreCreatedThenDependentsUpdatedThenPriorInstancesDestroyed)
{
    this->given("a kind=x @cbd @count=2\n b from=$a.id @count=2");
    auto const wanted = "a kind=y @cbd @count=2\n b from=$a.id @count=2";

    auto const done = this->run(wanted);

    EXPECT_TRUE(done.ok);
    for (std::string const i : {"[0]", "[1]"})
        for (std::string const j : {"[0]", "[1]"}) {
            EXPECT_TRUE(this->before("a" + i + " create", "b" + j + " update"));
            EXPECT_TRUE(this->before("b" + j + " update", "a" + i + " destroy deposed"));
        }
}

TEST_P(CanonicalCases, CreateBeforeDestroyNeverAffectsADestroy)
{
    auto const wanted = "a @cbd\n b from=$a.id @cbd\n c from=$b.id";
    this->given(wanted);

    auto const done = this->destroy(wanted);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("c destroy", "b destroy", "a destroy"));
}

// The example of docs/graph.md.
TEST_P(CanonicalCases, TheExampleOfTheGraphPageIsAChain)
{
    this->given("a kind=x @cbd\n b kind=x from=$a.id\n old from=$b.id");
    auto const wanted = "a kind=y @cbd\n b kind=y from=$a.id";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(drawn_edges(toy(wanted), plan),
        testing::IsSupersetOf({"a create -> b destroy", "a destroy -> a create", "a destroy -> b create",
            "a destroy -> b destroy", "b create -> a create", "b create -> b destroy", "b create -> old destroy",
            "b destroy -> old destroy"}));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("old destroy", "b destroy", "a create", "b create", "a destroy deposed"));
}

TEST_P(CanonicalCases, SwitchingCreateBeforeDestroyOffIsRecordedWithoutAnyChange)
{
    this->given("a @cbd\n b from=$a.id");

    auto const plan = this->plan("a\n b from=$a.id");
    auto const done = this->apply("a\n b from=$a.id", plan);

    EXPECT_FALSE(plan.has_changes());
    EXPECT_TRUE(done.ok);
    EXPECT_TRUE(this->order().empty());
    EXPECT_FALSE(this->kept.now().find(infra::address("toy", "a"))->current->create_before_destroy);
}

}  // namespace
