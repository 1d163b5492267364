// SPDX-License-Identifier: BSL-1.0
#include "lifecycle_test.hpp"

#include <string>

namespace {

using namespace strider::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Objects enter state, change their addresses in it, follow the cloud, and leave state.
class StateOf : public lifecycle_test {};

// An alias: the object has moved. It is the same object, whatever else changes at the same time.
TEST_F(StateOf, AMovedObjectKeepsItsIdentity)
{
    given("a size=1\n b from=$a.id\n apply");

    auto const done = after("moved a c\n c size=2\n b from=$c.id\n apply");

    EXPECT_THAT(done.order, ElementsAre("c update"));
    EXPECT_THAT(objects(), ElementsAre("b#1", "a#1"));
}

TEST_F(StateOf, AMovedModuleMovesItsObjects)
{
    given("module.m\n m/a size=1\n m/b from=$m/a.id\n apply");

    auto const done = after("moved module.m module.n\n module.n\n n/a size=1\n n/b from=$n/a.id\n apply");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(done.order, IsEmpty());
    EXPECT_THAT(actions(after("plan")), IsEmpty());
}

// A chain of former names leads to the last one.
TEST_F(StateOf, AChainOfMovesIsFollowed)
{
    given("a size=1\n apply");

    auto const done = after("moved a b\n moved b c\n c size=1\n apply");

    EXPECT_THAT(done.order, IsEmpty());
    EXPECT_THAT(objects(), ElementsAre("a#1"));
}

// A single object and the first of many are the same object, without a `moved` statement.
TEST_F(StateOf, AnObjectMovesToTheFirstInstanceAndBack)
{
    given("a size=1\n apply");
    EXPECT_THAT(after("a size=1 @count=2\n apply").order, ElementsAre("a[1] create"));

    EXPECT_THAT(after("a size=1\n apply").order, ElementsAre("a[1] destroy"));

    EXPECT_THAT(objects(), ElementsAre("a#1"));
}

// A moved object and its prior, deposed objects stay together.
TEST_F(StateOf, DeposedObjectsMoveWithTheirInstance)
{
    given("a kind=x @cbd\n apply");
    EXPECT_FALSE(after("a kind=y @cbd\n apply fails=destroy:a").ok);

    auto const done = after("moved a b\n b kind=y @cbd\n apply");

    EXPECT_THAT(done.order, ElementsAre("b destroy deposed"));
    EXPECT_THAT(objects(), ElementsAre("a#2"));
}

// A component: objects of a module are created in its order, and removed with it.
TEST_F(StateOf, AModuleIsCreatedAndDestroyedAsAWhole)
{
    given("a size=1\n module.m @depends_on=a @count=2\n m/b size=1\n m/c from=$m/b.id\n d size=1 "
          "@depends_on=module.m\n apply");

    auto const done = after("a size=1\n d size=1\n apply");

    EXPECT_THAT(done.order,
        UnorderedElementsAre(
            "module.m[0].c destroy", "module.m[1].c destroy", "module.m[0].b destroy", "module.m[1].b destroy"));
}

TEST_F(StateOf, AnImportedObjectIsNotCreated)
{
    given("outside create=a#9,size,1,kind,x");

    auto const done = after("a size=2 kind=x @import=toy.a#9\n apply");

    EXPECT_THAT(done.order, ElementsAre("a update"));
    EXPECT_THAT(objects(), ElementsAre("a#9"));
    EXPECT_THAT(actions(after("plan")), IsEmpty());
}

// An import of an object that does not exist creates nothing instead.
TEST_F(StateOf, AnImportOfAMissingObjectIsRejected)
{
    auto const done = after("a size=1 @import=toy.a#9\n apply");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(done.problems, Contains(HasSubstr("import_found_nothing")));
    EXPECT_THAT(objects(), IsEmpty());
}

// An import that has to replace the object destroys it in the order of its flag.
TEST_F(StateOf, AnImportedObjectMayHaveToBeReplaced)
{
    given("outside create=a#9,size,1,kind,x");

    auto const done = after("a size=1 kind=y @import=toy.a#9 @cbd\n apply");

    EXPECT_THAT(done.order, ElementsAre("a create", "a destroy deposed"));
}

// A refresh records changes from outside, and changes no object.
TEST_F(StateOf, ARefreshFollowsTheCloud)
{
    given("a size=1\n b from=$a.size\n apply\n outside change=a#1,size,7\n refresh");

    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
    EXPECT_THAT(actions(after("plan refresh=false")), ElementsAre("a update"));
    EXPECT_TRUE(after("apply").ok);
}

// An object that was destroyed outside leaves state; its dependents stay, and are updated when it exists again.
TEST_F(StateOf, ARefreshRemovesMissingObjects)
{
    given("a size=1\n b from=$a.id\n apply\n outside destroy=a#1\n refresh");
    EXPECT_THAT(objects(), ElementsAre("b#1"));

    EXPECT_THAT(after("apply").order, ElementsAre("a create", "b update"));
}

// Refresh before update: an apply reads first, and changes the object that it finds, not the one in state.
TEST_F(StateOf, AnApplyReadsBeforeItChanges)
{
    given("a size=1\n apply\n outside destroy=a#1");

    EXPECT_THAT(after("a size=2\n apply").order, ElementsAre("a create"));
}

// A minimal refresh reads only objects that the plan by the stored values changes, and plans these again.
TEST_F(StateOf, AMinimalRefreshReadsOnlyChangedObjects)
{
    given("a size=1\n b size=1\n c size=1\n apply\n outside destroy=a#1\n outside destroy=b#1");

    auto const done = after("a size=1\n b size=2\n c size=1\n apply refresh=minimal fails=read:a fails=read:c");

    EXPECT_THAT(done.order, ElementsAre("b create"));
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#2", "c#1"));
    EXPECT_THAT(after("apply").order, ElementsAre("a create"));
}

// An object that is replaced for a reason other than its values is read nevertheless, and so is a removed one.
TEST_F(StateOf, AMinimalRefreshReadsReplacedAndRemovedObjects)
{
    given("a size=1\n b size=1\n c size=1 @trigger=a\n d size=1\n apply");
    for (std::string const object : {"b", "c", "d"}) given("outside destroy=" + object + "#1");

    auto const done = after("a size=2\n b size=1\n c size=1 @trigger=a\n apply refresh=minimal replace=b");

    EXPECT_THAT(done.order, UnorderedElementsAre("a update", "b create", "c create"));
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#2", "c#2"));
}

// A destroy does not depend on present values, so nothing is read before it.
TEST_F(StateOf, AMinimalRefreshReadsNothingBeforeADestroy)
{
    given("a size=1\n b from=$a.id\n apply");

    auto const done = after("destroy refresh=minimal fails=read:a fails=read:b");

    EXPECT_THAT(done.order, ElementsAre("b destroy", "a destroy"));
    EXPECT_THAT(objects(), IsEmpty());
}

// A failed read stops the plan: the object is not removed from state.
TEST_F(StateOf, AFailedReadDropsNothing)
{
    given("a size=1\n b size=1\n apply");

    EXPECT_FALSE(after("b size=2\n apply fails=read:a").ok);

    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
}

// Retain on delete: a removed object leaves state and stays in the cloud; its former dependents are destroyed.
TEST_F(StateOf, AForgottenObjectStaysInTheCloud)
{
    given("a size=1\n b from=$a.id\n apply");

    auto const done = after("removed a\n apply");

    EXPECT_THAT(actions(done), ElementsAre("a forget", "b destroy"));
    EXPECT_THAT(objects(), IsEmpty());
    EXPECT_NE(world.cloud.find("toy.a#1"), nullptr);
}

TEST_F(StateOf, AllInstancesOfAForgottenResourceStay)
{
    given("a size=1 @each=x,y\n apply\n removed a\n apply");

    EXPECT_THAT(objects(), IsEmpty());
    EXPECT_EQ(world.cloud.resources().size(), 2U);
}

// Data are a copy of the cloud: they are never destroyed, and read again each time.
TEST_F(StateOf, DataFollowTheirObjects)
{
    given("a size=1\n apply\n a size=1\n data.d id=toy.a#1\n b size=$data.d.size\n apply\n outside change=a#1,size,5");

    auto const done = after("a size=5\n data.d id=toy.a#1\n b size=$data.d.size\n apply");

    EXPECT_THAT(done.order, ElementsAre("b update"));
    EXPECT_TRUE(after("a size=5\n apply").ok);
    EXPECT_THAT(objects(), ElementsAre("a#1"));
}

// Data of an object that is about to change are read when it has changed.
TEST_F(StateOf, DataAreReadAfterPendingChangesOfTheirDependencies)
{
    given("a size=1\n data.d id=$a.id\n b size=$data.d.size\n apply");

    auto const done = after("a size=2\n data.d id=$a.id\n b size=$data.d.size\n apply");

    EXPECT_THAT(done.order, ElementsAre("a update", "b update"));
    EXPECT_THAT(actions(after("plan")), IsEmpty());
}

// An output that depends on an object that is replaced has the value of the new one.
TEST_F(StateOf, OutputsFollowTheirObjects)
{
    given("a kind=x\n output.o =$a.id\n apply\n a kind=y\n output.o =$a.id\n apply");

    EXPECT_NE(world.kept.now().outputs.at("o").value.text().find("toy.a#2"), std::string::npos);

    EXPECT_TRUE(after("a kind=y\n apply").ok);
    EXPECT_TRUE(world.kept.now().outputs.empty());
}

}  // namespace
