// SPDX-License-Identifier: BSL-1.0
#include "lifecycle_test.hpp"

#include <string>

namespace {

using namespace strider::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Replacement: in both orders, interrupted between its steps, forced by a trigger, by a request or by a taint.
class Replacement : public lifecycle_test {};

// The default order. The dependent is updated, because nothing but its reference changes.
TEST_F(Replacement, DestroysFirstAndUpdatesDependentsLast)
{
    given("a kind=x\n b from=$a.id\n apply");

    auto const done = after("a kind=y\n b from=$a.id\n apply");

    EXPECT_THAT(actions(done), ElementsAre("a destroy/create", "b update"));
    EXPECT_THAT(done.order, ElementsAre("a destroy", "a create", "b update"));
}

// A dependent that is also replaced is destroyed before its dependency, and created after it.
TEST_F(Replacement, OfADependentEnclosesThatOfItsDependency)
{
    given("a kind=x\n b kind=x from=$a.id\n apply");

    auto const done = after("a kind=y\n b kind=y from=$a.id\n apply");

    EXPECT_THAT(done.order, ElementsAre("b destroy", "a destroy", "a create", "b create"));
}

TEST_F(Replacement, WithCreateBeforeDestroyOutlivesItsDependents)
{
    given("a kind=x @cbd\n b from=$a.id\n apply");

    auto const done = after("a kind=y @cbd\n b from=$a.id\n apply");

    EXPECT_THAT(done.order, ElementsAre("a create", "b update", "a destroy deposed"));
}

// create_before_destroy propagates to all dependencies of an object, through a local value and through a module.
TEST_F(Replacement, ForcesCreateBeforeDestroyOnAllDependencies)
{
    given("a kind=x\n local.l =$a.id\n module.m\n m/b kind=x from=$local.l\n c kind=x from=$m/b.id @cbd\n apply");

    auto const done =
        after("a kind=y\n local.l =$a.id\n module.m\n m/b kind=y from=$local.l\n c kind=y from=$m/b.id @cbd\n apply");

    EXPECT_THAT(done.order,
        ElementsAre("a create", "module.m.b create", "c create", "c destroy deposed", "module.m.b destroy deposed",
            "a destroy deposed"));
}

// Pending replace: an object is destroyed and not created again. State does not contain it, the next run creates it.
TEST_F(Replacement, IsCompletedByTheNextRunIfTheCreateFailed)
{
    given("a kind=x\n b from=$a.id\n apply");

    EXPECT_FALSE(after("a kind=y\n b from=$a.id\n apply fails=create:a").ok);
    EXPECT_THAT(objects(), ElementsAre("b#1"));

    auto const done = after("apply");
    EXPECT_THAT(done.order, ElementsAre("a create", "b update"));
}

// Pending replace of an object that is no longer declared: there is nothing to do.
TEST_F(Replacement, ThatIsHalfDoneNeedsNothingIfTheObjectIsNoLongerDeclared)
{
    given("a kind=x\n b size=1\n apply");
    EXPECT_FALSE(after("a kind=y\n b size=1\n apply fails=create:a").ok);

    EXPECT_THAT(actions(after("b size=1\n apply")), IsEmpty());
    EXPECT_THAT(objects(), ElementsAre("b#1"));
}

// Pending delete: the new object exists, the prior one could not be destroyed. The next run destroys it.
TEST_F(Replacement, LeavesADeposedObjectIfTheDestructionFailed)
{
    given("a kind=x @cbd\n apply");

    EXPECT_FALSE(after("a kind=y @cbd\n apply fails=destroy:a").ok);
    EXPECT_THAT(objects(), ElementsAre("a#2", "a#1 deposed"));

    EXPECT_THAT(after("apply").order, ElementsAre("a destroy deposed"));
}

// Several failures may leave several prior objects; each is destroyed in the end.
TEST_F(Replacement, MayLeaveSeveralDeposedObjects)
{
    given("a kind=x @cbd\n apply");
    EXPECT_FALSE(after("a kind=y @cbd\n apply fails=destroy:a").ok);
    EXPECT_FALSE(after("a kind=z @cbd\n apply fails=destroy:a").ok);
    ASSERT_THAT(objects(), testing::UnorderedElementsAre("a#3", "a#1 deposed", "a#2 deposed"));

    EXPECT_TRUE(after("apply").ok);

    EXPECT_THAT(objects(), ElementsAre("a#3"));
}

// A create that fails completely leaves the prior object as the current one.
TEST_F(Replacement, RestoresThePriorObjectIfNothingWasCreated)
{
    given("a kind=x @cbd\n b from=$a.id\n apply");

    auto const done = after("a kind=y @cbd\n b from=$a.id\n apply fails=create:a");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(done.order, IsEmpty());
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
}

// A create that fails partly leaves a tainted object beside the prior one, and dependents as they were.
TEST_F(Replacement, KeepsBothObjectsIfTheNewOneIsIncomplete)
{
    given("a kind=x @cbd\n b from=$a.id\n apply");

    EXPECT_FALSE(after("a kind=y @cbd\n b from=$a.id\n apply fails=create:a,partly").ok);
    EXPECT_THAT(objects(), ElementsAre("a#2 tainted", "a#1 deposed", "b#1"));

    EXPECT_TRUE(after("apply").ok);
    EXPECT_THAT(objects(), ElementsAre("a#3", "b#1"));
}

// The prior object stays while a dependent still uses it.
TEST_F(Replacement, KeepsThePriorObjectIfADependentCannotBeUpdated)
{
    given("a kind=x @cbd\n b from=$a.id\n apply");

    EXPECT_FALSE(after("a kind=y @cbd\n b from=$a.id\n apply fails=update:b").ok);
    EXPECT_THAT(objects(), ElementsAre("a#2", "a#1 deposed", "b#1"));

    EXPECT_THAT(after("apply").order, ElementsAre("b update", "a destroy deposed"));
}

// A taint: the object is replaced although its configuration is unchanged, in the order of its flag.
TEST_F(Replacement, IsCausedByATaint)
{
    EXPECT_FALSE(after("a kind=x @create=hello\n b from=$a.id\n apply fails=provision:a").ok);
    ASSERT_THAT(objects(), ElementsAre("a#1 tainted"));

    auto const done = after("apply");

    EXPECT_THAT(actions(done), ElementsAre("a destroy/create", "b create"));
    EXPECT_THAT(done.order, ElementsAre("a destroy", "a create", "b create"));
}

// replace_triggered_by: an update of the subject causes the replacement, no change does not.
TEST_F(Replacement, IsCausedByATrigger)
{
    given("a size=1\n b size=1 @trigger=a.size\n apply");

    EXPECT_THAT(actions(after("a size=1\n b size=1 @trigger=a.size\n plan")), IsEmpty());

    auto const done = after("a size=2\n b size=1 @trigger=a.size\n apply");
    EXPECT_THAT(done.order, ElementsAre("b destroy", "a update", "b create"));
}

// As in OpenTofu, the creation of the subject of @trigger+ also fires it.
TEST_F(Replacement, FollowsTheCreationOfItsTriggerIfConfigured)
{
    given("a size=1 @trigger+=t\n b size=1 @trigger=t\n t size=1 @count=1\n c size=1 @trigger+=t.size\n apply");

    auto const done =
        after("a size=1 @trigger+=t\n b size=1 @trigger=t\n t size=1 @count=2\n c size=1 @trigger+=t[1].size\n apply");

    EXPECT_THAT(actions(done), ElementsAre("a destroy/create", "c destroy/create", "t[1] create"));
}

// Replace-with: a trigger on the identity of another object makes both one unit of replacement, through a chain.
TEST_F(Replacement, PropagatesAlongAChainOfTriggers)
{
    given("a kind=x\n b size=1 @trigger=a.id\n c size=1 @trigger=b.id\n apply");

    auto const done = after("a kind=y\n b size=1 @trigger=a.id\n c size=1 @trigger=b.id\n apply");

    EXPECT_THAT(actions(done), ElementsAre("a destroy/create", "b destroy/create", "c destroy/create"));
    EXPECT_THAT(done.order, ElementsAre("c destroy", "b destroy", "a destroy", "a create", "b create", "c create"));
}

// A trigger and create_before_destroy: the subject is also created before its destruction, because the other object
// depends on it.
TEST_F(Replacement, OfATriggerFollowsCreateBeforeDestroy)
{
    given("a kind=x\n b size=1 @trigger=a.id @cbd\n apply");

    auto const done = after("a kind=y\n b size=1 @trigger=a.id @cbd\n apply");

    EXPECT_THAT(done.order, ElementsAre("a create", "b create", "b destroy deposed", "a destroy deposed"));
}

// A change of the provider's own configuration does not replace its objects. Objects that need another one are.
TEST_F(Replacement, IsNotCausedByTheConfigurationOfAProvider)
{
    given("provider.q host=1\n a size=1 @provider=provider.q\n apply");

    EXPECT_THAT(actions(after("provider.q host=2\n a size=1 @provider=provider.q\n apply")), IsEmpty());
}

}  // namespace
