// SPDX-License-Identifier: BSL-1.0
#include "lifecycle_test.hpp"

#include <array>
#include <cstddef>
#include <string>

namespace {

using namespace strider::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Mistakes in the order of operations that are, or were, defects of other engines. This engine must have none of them.
class Ordering : public lifecycle_test {};

// A create_before_destroy object whose block is removed no longer forces its dependency by the configuration. Its
// destruction is late, because state records the flag; a dependency that is destroyed first would close a cycle.
TEST_F(Ordering, ADependencyOfARemovedCreateBeforeDestroyObjectIsReplacedTheSameWay)
{
    given("a kind=x\n b from=$a.id @cbd\n apply");

    auto const done = after("a kind=y\n apply");

    EXPECT_THAT(actions(done), ElementsAre("a create/destroy", "b destroy"));
    EXPECT_THAT(done.order, ElementsAre("a create", "b destroy", "a destroy deposed"));
    EXPECT_THAT(objects(), ElementsAre("a#2"));
}

// The same through an object in between, which stays and is updated.
TEST_F(Ordering, ARemovedCreateBeforeDestroyObjectForcesItsDependencies)
{
    given("a kind=x\n b from=$a.id\n c from=$b.id @cbd\n apply");

    auto const done = after("a kind=y\n b from=$a.id kind=z\n apply");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(actions(done), ElementsAre("a create/destroy", "b create/destroy", "c destroy"));
    EXPECT_THAT(objects(), ElementsAre("a#2", "b#2"));
}

// After the removed object is destroyed, its former dependency is an ordinary object again.
TEST_F(Ordering, AForcedFlagEndsWithTheObjectThatForcedIt)
{
    given("a kind=x\n b from=$a.id @cbd\n apply\n a kind=y\n apply");

    auto const done = after("a kind=z\n apply");

    EXPECT_THAT(done.order, ElementsAre("a destroy", "a create"));
}

// A smaller count removes an instance while its resource loses create_before_destroy: the flag in state determines the
// order.
TEST_F(Ordering, ALostInstanceForcesItsDependenciesByTheFlagOfState)
{
    given("a kind=x\n b from=$a.id @cbd @count=2\n apply");

    auto const done = after("a kind=y\n b from=$a.id @count=1\n apply");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(actions(done), ElementsAre("a create/destroy", "b[0] update", "b[1] destroy"));
    EXPECT_THAT(objects(), ElementsAre("a#2", "b[0]#1"));
}

// A removed instance has the flag that state records. The new flag of its resource is for new objects.
TEST_F(Ordering, ALostInstanceIsDestroyedByItsRecordedFlag)
{
    given("c size=1 @each=k,l\n d from=$c.id\n apply");

    auto const done = after("c size=1 @each=k @cbd\n d size=2 from=$c.id\n f from=$d.id @cbd\n apply");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(done.order, ElementsAre("c[\"l\"] destroy", "d update", "f create"));
}

// An instance is removed while its resource, and a replaced dependent, become create_before_destroy: its destruction
// waits for that of the dependent, which waits for the new dependent. A new dependent that waits for the destruction
// would close a cycle.
TEST_F(Ordering, ALostInstanceIsDestroyedAfterADependentThatIsReplacedLate)
{
    given("c size=1\n d kind=x from=$c.id\n apply");

    auto const done = after("c size=1 @each=k,l @cbd\n d kind=y from=$c.id @cbd\n f from=$d.id\n apply");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(
        actions(done), ElementsAre("c destroy", "c[\"k\"] create", "c[\"l\"] create", "d create/destroy", "f create"));
    EXPECT_THAT(objects(), ElementsAre("c[\"k\"]#1", "c[\"l\"]#1", "d#2", "f#1"));
}

// The same if only the dependent declares the order, and forces it on the resource.
TEST_F(Ordering, ALostInstanceIsDestroyedAfterADependentThatForcesTheOrder)
{
    given("a size=1 @each=k,l\n f kind=x from=$a.id\n apply");

    auto const done = after("a size=1\n f kind=y from=$a.id @cbd\n apply");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(
        done.order, ElementsAre("a create", "f create", "f destroy deposed", "a[\"k\"] destroy", "a[\"l\"] destroy"));
}

// A removed object that is outside of the targets forces nothing.
TEST_F(Ordering, ARemovedObjectOutsideOfTheTargetsForcesNothing)
{
    given("a kind=x\n b from=$a.id @cbd\n apply");

    auto const done = after("a kind=y\n plan target=a");

    EXPECT_THAT(actions(done), ElementsAre("a destroy/create"));
}

// A forgotten object is not destroyed, so it forces nothing.
TEST_F(Ordering, AForgottenObjectForcesNothing)
{
    given("a kind=x\n b from=$a.id @cbd\n apply");

    auto const done = after("a kind=y\n removed b\n apply");

    EXPECT_THAT(done.order, ElementsAre("a destroy", "a create"));
    EXPECT_THAT(objects(), ElementsAre("a#2"));
}

// Objects that leave state instead of being destroyed, around objects that are create_before_destroy: the new object
// exists before its dependents are replaced, and each trigger fires.
TEST_F(Ordering, AKeptObjectIsRemovedFromStateInTheOrderOfCreateBeforeDestroy)
{
    given("a kind=x @keep\n b from=$a.id kind=x @cbd @keep\n c from=$b.id kind=x @cbd\n t size=1 @trigger=b\n apply");

    auto const done = after("a kind=y @keep\n b from=$a.id kind=y @cbd @keep\n c from=$b.id kind=y @cbd\n"
                            "t size=1 @trigger=b\n apply");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(
        actions(done), ElementsAre("a forget/create", "b forget/create", "c create/destroy", "t destroy/create"));
    EXPECT_THAT(objects(), ElementsAre("a#2", "b#2", "c#2", "t#2"));
}

// With create_before_destroy a kept object stays in state until there is a new one.
TEST_F(Ordering, AKeptObjectStaysInStateIfTheNewOneCannotBeCreated)
{
    given("a kind=x @keep @cbd\n b from=$a.id @cbd\n apply");

    EXPECT_FALSE(after("a kind=y @keep @cbd\n b from=$a.id @cbd\n apply fails=create:a").ok);

    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
    EXPECT_TRUE(after("apply").ok);
    EXPECT_THAT(objects(), ElementsAre("a#2", "b#1"));
}

// An incomplete replacement leaves both objects in state; the prior one then leaves state without being destroyed.
TEST_F(Ordering, ADeposedObjectThatIsKeptIsRemovedFromStateLater)
{
    given("a kind=x @keep @cbd\n apply");

    EXPECT_FALSE(after("a kind=y @keep @cbd\n apply fails=create:a,partly").ok);

    EXPECT_THAT(objects(), ElementsAre("a#2 tainted", "a#1 deposed"));
    auto const done = after("apply");
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(done.order, ElementsAre("a create"));
    EXPECT_THAT(objects(), ElementsAre("a#3"));
}

// A current object that leaves state does not hide the destruction of a deposed one.
TEST_F(Ordering, ADeposedObjectIsDestroyedIfTheCurrentOneIsKept)
{
    given("a kind=x @cbd\n apply");
    EXPECT_FALSE(after("a kind=y @cbd\n apply fails=destroy:a").ok);
    given("a kind=y @cbd @keep\n refresh");

    auto const done = after("nothing\n apply");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(done.order, ElementsAre("a destroy deposed"));
    EXPECT_THAT(objects(), IsEmpty());
}

// The order follows from the flags before and after, and from the action of each object. All combinations for an object
// and its dependent: none is refused, each keeps the order, a second apply does nothing, a destroy leaves nothing.
TEST_F(Ordering, EveryCombinationOfChangesAndFlagsHasAnOrder)
{
    static constexpr std::array<char const*, 4> kinds{"kind=x size=1", "kind=x size=2", "kind=y size=1", ""};
    static constexpr std::array<char const*, 2> flags{"", " @cbd"};
    for (std::size_t i = 0; i != 512; ++i) {
        auto const bit = [i](std::size_t n) { return flags.at(i >> n & 1U); };
        std::string const a = kinds.at(i >> 4U & 3U);
        std::string const b = kinds.at(i >> 6U & 3U);
        bool const refers = !a.empty() && i < 256;
        // A flag of an object that is removed, or that nothing refers to, has no effect.
        bool const idle = ((a.empty() || !refers) && (i >> 2U & 1U) != 0) || (b.empty() && (i >> 3U & 1U) != 0);
        if (idle) continue;
        std::string const before =
            "a kind=x size=1" + std::string(bit(0)) + "\nb kind=x size=1 from=$a.id" + bit(1) + "\napply\n";
        std::string program;
        if (!a.empty()) program += "a " + a + bit(2) + "\n";
        if (!b.empty()) program += "b " + b + (refers ? " from=$a.id" : "") + bit(3) + "\n";
        std::string const text = before + (program.empty() ? "nothing\n" : program) + "apply seed=" + std::to_string(i);
        lifecycle_world alone({true, false});
        EXPECT_TRUE(alone.run(text).ok) << text;
        EXPECT_THAT(alone.violations(), IsEmpty()) << text;
    }
}

// A kept object is removed from state, and its successor remains, independent of the actions of its dependent.
TEST_F(Ordering, EveryReplacementOfAKeptObjectLeavesTheNewOneInState)
{
    static constexpr std::array<char const*, 8> before{"", "b kind=x", "b kind=x @cbd", "b kind=x from=$a.id",
        "b kind=x from=$a.id @cbd", "b kind=x from=$a.id @keep", "b kind=x from=$a.id @cbd @keep",
        "b kind=x @count=2 from=$a.id @cbd"};
    static constexpr std::array<char const*, 9> after{"", "b kind=x", "b kind=x @cbd", "b kind=y @cbd",
        "b kind=x from=$a.id @cbd", "b kind=y from=$a.id @cbd", "b kind=x @depends_on=a @cbd",
        "b kind=y from=$a.id @cbd @keep", "removed b"};
    for (std::string const flag : {"", " @cbd", " @cbd=false"})
        for (std::string const was : before)
            for (std::string const is : after) {
                std::string const text =
                    "a kind=x @keep" + flag + "\n" + was + "\napply\na kind=y @keep" + flag + "\n" + is + "\napply";
                lifecycle_world alone({true, false});
                EXPECT_TRUE(alone.run(text).ok) << text;
                EXPECT_THAT(alone.objects(), Contains("a#2")) << text;
            }
}

// `replace` names one instance; a trigger replaces the others as well.
TEST_F(Ordering, ARequestedReplacementOfOneInstanceDoesNotHideTheTriggerOfTheOthers)
{
    given("t size=1\n a size=1 @count=3 @trigger=t.size\n apply");

    auto const done = after("t size=2\n a size=1 @count=3 @trigger=t.size\n apply replace=a[1]");

    EXPECT_THAT(
        actions(done), ElementsAre("a[0] destroy/create", "a[1] destroy/create", "a[2] destroy/create", "t update"));
    EXPECT_THAT(objects(), ElementsAre("a[0]#2", "a[1]#2", "a[2]#2", "t#1"));
}

// A requested replacement of the trigger's subject counts as its change.
TEST_F(Ordering, ARequestedReplacementFiresTriggersOfAllInstances)
{
    given("t size=1\n a size=1 @each=x,y @trigger=t.id\n apply");

    auto const done = after("t size=1\n a size=1 @each=x,y @trigger=t.id\n apply replace=t");

    EXPECT_THAT(actions(done), ElementsAre("a[\"x\"] destroy/create", "a[\"y\"] destroy/create", "t destroy/create"));
}

// An apply that fails keeps everything that state had.
TEST_F(Ordering, AFailedApplyLosesNothingFromState)
{
    given("a kind=x\n b from=$a.id\n c size=1\n output.o =$a.id\n apply");

    for (std::string const how : {"fails=destroy:a", "throws=destroy:a", "commit=fails", "commit=throws#2",
             "fails=configure:provider.q", "fails=plan:a", "fails=read:c", "stop=1", "kill=1"}) {
        lifecycle_world again = world;
        auto const done =
            again.run("provider.q host=$c.id\na kind=y\nb from=$a.id\nc size=1\nd size=1 @provider=provider.q\n"
                      "output.o =$a.id\napply "
                + how);

        EXPECT_FALSE(done.ok) << how;
        EXPECT_THAT(again.objects(), Contains("c#1")) << how;
        EXPECT_TRUE(again.kept.now().outputs.contains("o")) << how;
        again.recover({{"a kind=y", "b from=$a.id", "c size=1"}, {"apply"}});
        EXPECT_THAT(again.violations(), IsEmpty()) << how;
    }
}

// The same for the last object of a state: an empty state is written only after its destruction has succeeded.
TEST_F(Ordering, AFailedDestroyOfTheLastObjectKeepsIt)
{
    given("a size=1\n apply");

    EXPECT_FALSE(after("nothing\n apply fails=destroy:a").ok);

    EXPECT_THAT(objects(), ElementsAre("a#1"));
}

// A deposed object has no conditions: those of its resource apply to the current object.
TEST_F(Ordering, AMissingDeposedObjectHasNoConditions)
{
    given("a kind=x @cbd @before=$l.size:1\n l size=1\n apply");
    EXPECT_FALSE(after("a kind=y @cbd @before=$l.size:1\n l size=1\n apply fails=destroy:a").ok);
    ASSERT_THAT(objects(), ElementsAre("a#2", "a#1 deposed", "l#1"));
    given("outside destroy=a#1");

    auto const done = after("a kind=y @cbd @before=$l.size:1\n l size=1\n apply");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(objects(), ElementsAre("a#2", "l#1"));
}

TEST_F(Ordering, ADeposedObjectOfAResourceWithoutInstancesHasNoConditions)
{
    given("a kind=x @cbd @count=1 @before=$l.size:1\n l size=1\n apply");
    EXPECT_FALSE(after("a kind=y @cbd @count=1 @before=$l.size:1\n l size=1\n apply fails=destroy:a[0]").ok);
    given("outside destroy=a[0]#1");

    EXPECT_TRUE(after("a kind=y @cbd @count=0 @before=$l.size:1\n l size=2\n apply").ok);

    EXPECT_THAT(objects(), ElementsAre("l#1"));
}

// A condition that can no longer hold does not prevent a destruction.
TEST_F(Ordering, ConditionsDoNotPreventADestroy)
{
    given(
        "a size=1\n b size=1 @before=$a.size:1 @after=size:1\n output.o =$b.size\n check.k @before=$a.size:1\n apply");

    auto const done = after("a size=1\n b size=1 @before=$a.size:2 @after=size:3\n output.o =$b.size\n check.k "
                            "@before=$a.size:2\n destroy");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(done.order, ElementsAre("b destroy", "a destroy"));
}

// A rejected value does not keep an object whose block is removed in the same change.
TEST_F(Ordering, AFailedConditionOfOneObjectStopsThePlanBeforeAnythingIsDestroyed)
{
    given("a size=1\n b from=$a.id\n apply");

    auto const done = after("a size=1 @before=$a2.size:2\n a2 size=1\n apply");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(done.problems, Contains(HasSubstr("sim_precondition_failed")));
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
}

}  // namespace
