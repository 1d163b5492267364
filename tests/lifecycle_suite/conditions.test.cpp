// SPDX-License-Identifier: BSL-1.0
#include "lifecycle_test.hpp"

#include <string>

namespace {

using namespace strider::test;
using testing::AnyOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Lifecycles under the conditions of real clouds and stores.
class Conditions : public lifecycle_test {};

// A cloud that does not destroy a referenced object accepts each order with create_before_destroy.
TEST_F(Conditions, ACloudThatDestroysNothingReferencedAcceptsTheOrderOfReplacements)
{
    given("a kind=x @cbd\n b from=$a.id @cbd\n c from=$b.id other=$a.id\n apply refuses");

    auto const done =
        after("a kind=y @cbd\n b from=$a.id kind=z @cbd\n c from=$b.id other=$a.id\n apply refuses seed=5");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_TRUE(after("nothing\n apply refuses").ok);
    EXPECT_THAT(objects(), IsEmpty());
}

// Without it, the prior object is still referenced when it is to be destroyed; nothing is lost, and the run ends with
// the refusal.
TEST_F(Conditions, ARejectedDestructionKeepsTheObject)
{
    given("a kind=x\n b from=$a.id\n apply");

    auto const done = after("a kind=y\n b from=$a.id\n apply refuses");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(done.problems, Contains(HasSubstr("sim_operation_refused")));
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
}

// A cloud that shows a change only to later reads: the provider waits for what it has created, so a refresh loses nothing.
TEST_F(Conditions, ObjectsThatReadsDoNotSeeYetAreNotCreatedAgain)
{
    given("a size=1\n b from=$a.id\n data.d id=$a.id\n apply stale=2");

    EXPECT_TRUE(after("refresh stale=2").ok);

    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1", "a#1"));
}

// Two requests per second for six objects: each request is repeated until it is admitted, in virtual time.
TEST_F(Conditions, AThrottledRequestIsRepeated)
{
    auto const done = after("a size=1 @count=6\n apply throttle=2");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(done.order, testing::SizeIs(6));
}

// Far more requests than the cloud admits: refused operations are not carried out, and the next run carries them out.
TEST_F(Conditions, RequestsThatAreThrottledTooOftenFail)
{
    auto const done = after("a size=1 @count=20\n apply throttle=1 parallelism=20");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(done.problems, Each(HasSubstr("sim_throttled")));
    EXPECT_TRUE(after("apply").ok);
    EXPECT_THAT(objects(), testing::SizeIs(20));
}

// An outage during an apply: objects that were created before stay, and nothing is created twice.
TEST_F(Conditions, AnOutageFailsOperationsAndLosesNoObject)
{
    auto const done = after("a size=1\n b from=$a.id\n c from=$b.id\n apply latency=100 outage=150,1000");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(done.problems, ElementsAre("sim_cloud_unavailable c"));
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
    EXPECT_TRUE(after("apply").ok);
}

// An object is changed from outside while an apply runs. The next plan finds the change.
TEST_F(Conditions, DriftDuringAnApplyIsFoundByTheNextPlan)
{
    world = lifecycle_world({false, false});
    given("a size=1\n b size=1\n apply");

    EXPECT_TRUE(after("a size=1\n b size=2\n apply drift=1:a#1,size,9").ok);

    EXPECT_THAT(actions(after("plan")), ElementsAre("a update"));
    EXPECT_TRUE(after("apply").ok);
    EXPECT_THAT(actions(after("plan")), IsEmpty());
}

// An object that is destroyed by someone else between its plan and its destruction.
TEST_F(Conditions, AnObjectThatDisappearsDuringAnApplyCountsAsDestroyed)
{
    given("a size=1\n apply");

    EXPECT_TRUE(after("b size=1\n apply drift=1:a#1").ok);

    EXPECT_THAT(objects(), ElementsAre("b#1"));
}

// A crash at any step, with or without a loss of power: any part of the unsynchronized writes of the store may survive.
TEST_F(Conditions, AfterAPowerLossStateIsConsistentAndTheNextRunConverges)
{
    given("a kind=x @cbd\n b from=$a.id\n apply");
    for (int step = 3; step < 400; step += 7) {
        lifecycle_world now = world;
        auto const done = now.run("a kind=y @cbd\nb from=$a.id\nc from=$b.id\napply seed=3 crash="
            + std::to_string(step) + " power=" + std::to_string(step % 5));
        now.recover({{"a kind=y @cbd", "b from=$a.id", "c from=$b.id"}, {"apply"}});
        EXPECT_THAT(now.violations(), IsEmpty()) << "crash after " << step << " steps";
        if (done.ended) break;
    }
}

// Two operators without a lease: the store refuses the writes of the later one. Nothing is created twice.
TEST_F(Conditions, OfTwoOperatorsWithoutALeaseOneContinues)
{
    for (int seed = 0; seed != 20; ++seed) {
        lifecycle_world now;
        auto const done = now.run("a size=1\nb from=$a.id\napply operators=2 seed=" + std::to_string(seed));
        EXPECT_FALSE(done.ok) << seed;
        now.recover({{"a size=1", "b from=$a.id"}, {"apply"}});
        EXPECT_THAT(now.objects(), ElementsAre("a#1", "b#1")) << seed;
        EXPECT_THAT(now.violations(), IsEmpty()) << seed;
    }
}

// With a lease the second operator waits, and finds nothing to do.
TEST_F(Conditions, OperatorsWithALeaseAreSerialized)
{
    for (int seed = 0; seed != 20; ++seed) {
        lifecycle_world now;
        auto const done =
            now.run("a size=1\nb from=$a.id\napply operators=3 lease=60000 latency=50 seed=" + std::to_string(seed));
        EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
        EXPECT_THAT(done.order, ElementsAre("a create", "b create")) << seed;
        EXPECT_THAT(now.violations(), IsEmpty()) << seed;
    }
}

// A lease that expires while its holder works: the epoch fences the holder, and its objects are found as pending.
TEST_F(Conditions, AnExpiredLeaseFencesItsHolder)
{
    for (int seed = 0; seed != 20; ++seed) {
        lifecycle_world now;
        auto const done =
            now.run("a size=1\nb from=$a.id\napply operators=2 lease=300 latency=400 seed=" + std::to_string(seed));
        EXPECT_FALSE(done.ok) << seed;
        now.recover({{"a size=1", "b from=$a.id"}, {"apply"}});
        EXPECT_THAT(now.objects(), ElementsAre("a#1", "b#1")) << seed;
        EXPECT_THAT(now.violations(), IsEmpty()) << seed;
    }
}

// A resource that exists only for the time of a walk. It is opened when its configuration is known, and never stored.
TEST_F(Conditions, AnEphemeralResourceIsOpenedAndNotStored)
{
    given(
        "a size=1\n ephemeral.e size=$a.id\n provider.q host=$ephemeral.e.id\n b size=1 @provider=provider.q\n apply");

    EXPECT_THAT(world.cloud.commands(), Contains("ephemeral.toy.e: open"));
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
}

}  // namespace
