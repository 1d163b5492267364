// SPDX-License-Identifier: BSL-1.0
#include "lifecycle_test.hpp"

#include <string>

namespace {

using namespace strider::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Runs of some objects only, protected objects, and destroys.
class Selection : public lifecycle_test {};

// A target includes its dependencies, and nothing else.
TEST_F(Selection, ATargetIncludesItsDependencies)
{
    auto const done = after("a size=1\n b from=$a.id\n c from=$b.id\n d size=1\n apply target=b");

    EXPECT_THAT(done.order, ElementsAre("a create", "b create"));
    EXPECT_THAT(after("apply").order, testing::UnorderedElementsAre("c create", "d create"));
}

// Instances that are not targets keep their objects, and their dependencies in state, whatever the program declares now.
TEST_F(Selection, ObjectsOutsideOfTheTargetsAreUnchanged)
{
    given("a size=1\n b from=$a.id\n apply");

    EXPECT_THAT(after("a size=2\n b from=x kind=z\n apply target=a").order, ElementsAre("a update"));
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));

    EXPECT_THAT(after("nothing\n destroy").order, ElementsAre("b destroy", "a destroy"));
}

TEST_F(Selection, AnInstanceCanBeATarget)
{
    given("a size=1 @count=3\n apply");

    EXPECT_THAT(after("a size=2 @count=3\n apply target=a[1]").order, ElementsAre("a[1] update"));
}

TEST_F(Selection, AModuleCanBeATarget)
{
    given("a size=1\n module.m\n m/b size=1\n m/c from=$m/b.id\n apply");

    EXPECT_THAT(after("a size=2\n module.m\n m/b size=2\n m/c from=$m/b.size\n apply target=module.m").order,
        ElementsAre("module.m.b update", "module.m.c update"));
}

// An exclusion includes all dependents.
TEST_F(Selection, AnExclusionIncludesDependents)
{
    auto const done = after("a size=1\n b from=$a.id\n c from=$b.id\n d size=1\n apply exclude=b");

    EXPECT_THAT(done.order, testing::UnorderedElementsAre("a create", "d create"));
}

// A targeted destroy includes dependents, because they could not stay.
TEST_F(Selection, ATargetedDestroyIncludesDependents)
{
    given("a size=1\n b from=$a.id\n c size=1\n apply");

    EXPECT_THAT(after("destroy target=a").order, ElementsAre("b destroy", "a destroy"));
    EXPECT_THAT(objects(), ElementsAre("c#1"));
}

// An excluded object keeps its dependencies.
TEST_F(Selection, ADestroyKeepsDependenciesOfAnExcludedObject)
{
    given("a size=1\n b from=$a.id\n c size=1\n apply");

    EXPECT_THAT(after("destroy exclude=b").order, ElementsAre("c destroy"));
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
}

// Protect: the plan is refused before anything happens.
TEST_F(Selection, AProtectedObjectIsNeitherDestroyedNorReplaced)
{
    given("a kind=x @prevent_destroy\n b kind=x from=$a.id @prevent_destroy\n apply");

    auto const replaced = after("a kind=y @prevent_destroy\n b kind=y from=$a.id @prevent_destroy\n apply");
    EXPECT_THAT(replaced.problems, ElementsAre("sim_prevented a"));
    EXPECT_FALSE(after("a kind=x @prevent_destroy\n b kind=x from=$a.id @prevent_destroy\n destroy").ok);
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
}

TEST_F(Selection, ATargetedDestroyIsNotRejectedBecauseOfAProtectedObjectThatStays)
{
    given("a size=1\n b size=1 @prevent_destroy\n c from=$b.id\n apply");

    EXPECT_THAT(after("destroy target=a").order, ElementsAre("a destroy"));
    EXPECT_THAT(after("destroy exclude=b").order, ElementsAre("c destroy"));
    EXPECT_THAT(after("destroy target=b").problems, ElementsAre("sim_prevented b"));
    EXPECT_THAT(objects(), ElementsAre("b#1"));
}

// The rule belongs to the program: without it the object can be destroyed.
TEST_F(Selection, AnObjectIsNoLongerProtectedIfItsBlockIsRemoved)
{
    given("a size=1 @prevent_destroy\n apply");

    EXPECT_THAT(after("nothing\n apply").order, ElementsAre("a destroy"));
}

// A replacement by a trigger is a destruction as well.
TEST_F(Selection, AProtectedObjectIsNotReplacedByATrigger)
{
    given("t size=1\n a size=1 @trigger=t.size @prevent_destroy\n apply");

    EXPECT_THAT(
        after("t size=2\n a size=1 @trigger=t.size @prevent_destroy\n apply").problems, ElementsAre("sim_prevented a"));
}

// Views of the plan: a plan changes nothing, and the apply does what a plan shows.
TEST_F(Selection, APlanShowsTheOperationsOfTheApply)
{
    given("a kind=x\n b from=$a.id\n c size=1\n apply");
    std::string const wanted = "a kind=y @cbd\n b from=$a.id size=2\n d size=1\n ";

    auto const shown = actions(after(wanted + "plan"));
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1", "c#1"));
    auto const done = after(wanted + "apply");

    EXPECT_THAT(shown, ElementsAre("a create/destroy", "b update", "c destroy", "d create"));
    EXPECT_EQ(actions(done), shown);
}

// A destroy uses the data in state; the program may be empty.
TEST_F(Selection, ADestroyNeedsNoConfiguration)
{
    given("a size=1\n b from=$a.id\n c from=$b.id @cbd\n output.o =$c.id\n apply");

    EXPECT_THAT(after("nothing\n destroy").order, ElementsAre("c destroy", "b destroy", "a destroy"));
}

// Objects whose provider is configured from another object are destroyed while that object exists.
TEST_F(Selection, ADestroyKeepsTheConfigurationOfAProviderUntilItsObjectsAreGone)
{
    given("a size=1\n provider.q host=$a.id\n b size=1 @provider=provider.q\n apply");

    EXPECT_THAT(after("destroy").order, ElementsAre("b destroy", "a destroy"));
}

// An object whose provider is missing cannot be destroyed, which is reported.
TEST_F(Selection, AnObjectNeedsItsProviderToBeDestroyed)
{
    given("provider.q host=1\n b size=1 @provider=provider.q\n apply");

    EXPECT_THAT(after("without provider.q\n apply").problems, ElementsAre("sim_missing_provider b (orphan)"));
    EXPECT_THAT(objects(), ElementsAre("b#1"));
}

}  // namespace
