// SPDX-License-Identifier: BSL-1.0
#include "lifecycle_test.hpp"

#include <string>

namespace {

using namespace strider::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// The state after a failure, a cancellation or a crash, and the continuation by the next run.
class Failures : public lifecycle_test {};

// Continue on error: operations that do not depend on the failed one are carried out; its dependents are skipped and do
// not change.
TEST_F(Failures, SkipOnlyDependents)
{
    given("a size=1\n b from=$a.size\n c size=1\n apply");

    auto const done = after("a size=2\n b from=$a.size\n c size=2\n apply fails=update:a");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(done.order, ElementsAre("c update"));
    EXPECT_THAT(after("apply").order, ElementsAre("a update", "b update"));
}

// A destruction waits for the dependents of the object; after a failure it does not take place.
TEST_F(Failures, KeepDependenciesOfTheFailedObject)
{
    given("a size=1\n b from=$a.id\n c from=$b.id\n apply");

    EXPECT_FALSE(after("nothing\n apply fails=destroy:b").ok);

    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
    EXPECT_THAT(after("apply").order, ElementsAre("b destroy", "a destroy"));
}

// A failed provider configuration skips its objects and keeps them.
TEST_F(Failures, OfAProviderConfigurationKeepItsObjects)
{
    given("a size=1\n provider.q host=$a.stamp\n b size=1 @provider=provider.q\n apply");

    auto const done = after(
        "a size=2\n provider.q host=$a.stamp\n b size=2 @provider=provider.q\n apply fails=configure:provider.q#2");

    EXPECT_TRUE(done.ok) << "each run configures the provider once";
    EXPECT_FALSE(after("apply fails=configure:provider.q").ok);
    EXPECT_THAT(objects(), ElementsAre("a#1", "b#1"));
}

// A partial failure: the object exists, its initialisation failed. It is stored, and replaced by the next run.
TEST_F(Failures, OfAPartialCreateLeaveATaintedObject)
{
    auto const done = after("a size=1\n b from=$a.id\n apply fails=create:a,partly");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(objects(), ElementsAre("a#1 tainted"));
    EXPECT_THAT(after("apply").order, ElementsAre("a destroy", "a create", "b create"));
}

// A partial update leaves what the provider returned, and is repeated.
TEST_F(Failures, OfAPartialUpdateAreRepeated)
{
    given("a size=1\n apply");

    EXPECT_FALSE(after("a size=2\n apply fails=update:a,partly").ok);

    EXPECT_THAT(after("apply").order, ElementsAre("a update"));
}

// A lost reply: the operation is pending, and its result is looked up.
TEST_F(Failures, OfAReplyAreResolvedByTheNextPlan)
{
    EXPECT_FALSE(after("a size=1\n apply throws=create:a,done").ok);
    EXPECT_EQ(world.kept.now().pending.size(), 1U);

    EXPECT_THAT(after("apply").order, IsEmpty());
    EXPECT_THAT(objects(), ElementsAre("a#1"));
}

// A provider that does not know the result: nothing is assumed, the user has to decide.
TEST_F(Failures, WithAnUnknownResultNeedADecision)
{
    EXPECT_FALSE(after("a size=1\n apply throws=create:a,done").ok);

    EXPECT_FALSE(after("apply forgetful").ok);
    EXPECT_EQ(world.kept.now().pending.size(), 1U);
}

// Hooks: the object is tainted if a create-time step fails, and kept if a destroy-time step fails.
TEST_F(Failures, OfStepsKeepTheirObject)
{
    EXPECT_FALSE(after("a size=1 @create=hello @destroy=bye\n apply fails=provision:a").ok);
    EXPECT_THAT(objects(), ElementsAre("a#1 tainted"));
    EXPECT_TRUE(after("apply").ok);

    EXPECT_FALSE(after("a size=1 @create=hello @destroy=bye\n destroy fails=provision:a").ok);
    EXPECT_THAT(objects(), ElementsAre("a#2"));
}

// Error hooks: a step that may fail does not fail its operation.
TEST_F(Failures, OfStepsThatMayFailAreIgnored)
{
    EXPECT_TRUE(after("a size=1 @create?=hello\n apply fails=provision:a").ok);
    EXPECT_THAT(objects(), ElementsAre("a#1"));
}

// A postcondition applies to an existing object: the object stays, and its dependents wait.
TEST_F(Failures, OfAPostconditionKeepTheObject)
{
    auto const done = after("a size=1 @after=stamp:other\n b from=$a.id\n apply");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(objects(), ElementsAre("a#1"));
}

// Shutdown: running operations may end, no further one starts, and everything is recorded.
TEST_F(Failures, ACancellationLetsRunningOperationsEnd)
{
    auto const done = after("a size=1\n b from=$a.id\n apply stop=1 latency=100");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(done.order, ElementsAre("a create"));
    EXPECT_TRUE(world.kept.now().pending.empty());
    EXPECT_THAT(after("apply").order, ElementsAre("b create"));
}

// A second, terminal signal interrupts a hanging operation, which is then pending.
TEST_F(Failures, ATerminalCancellationLeavesAnOperationPending)
{
    auto const done = after("a size=1\n apply hangs=create:a,done kill=1");

    EXPECT_FALSE(done.ok);
    EXPECT_TRUE(after("apply").ok);
    EXPECT_THAT(objects(), ElementsAre("a#1"));
}

// A store that is full: no further operation starts, and operations without a recorded result are pending.
TEST_F(Failures, OfTheStoreStopAllOperations)
{
    for (int commit = 1; commit != 8; ++commit)
        for (std::string const how : {"fails", "throws"}) {
            lifecycle_world now;
            auto const done =
                now.run("a size=1\nb from=$a.id\nc from=$b.id\napply commit=" + how + "#" + std::to_string(commit));
            now.recover({now.program(), {"apply"}});
            EXPECT_THAT(now.violations(), IsEmpty()) << how << " of commit " << commit;
            if (done.ok) break;
        }
}

// A crash at every step of a run with all kinds of operations.
TEST_F(Failures, ACrashAtAnyStepIsRecoveredFrom)
{
    given("a kind=x @cbd\n b from=$a.id\n d size=1 @destroy=bye\n apply");
    for (int step = 1; step < 1000; step += 6) {
        lifecycle_world now = world;
        auto const done = now.run(
            "a kind=y @cbd\nb from=$a.id\nc from=$b.id @create=hello\napply seed=11 crash=" + std::to_string(step));
        now.recover({now.program(), {"apply"}});
        EXPECT_THAT(now.violations(), IsEmpty()) << "crash after " << step << " steps";
        if (done.ended) break;
    }
}

// An answer that violates the contract of providers is an error, but the object is stored nevertheless.
TEST_F(Failures, OfTheContractKeepTheObject)
{
    for (std::string const how : {"returns_unknown", "ignores_plan"}) {
        lifecycle_world now;
        EXPECT_FALSE(now.run("a size=1\napply violates=create:a:" + how).ok) << how;
        EXPECT_THAT(now.objects(), ElementsAre("a#1 tainted")) << how;
        now.recover({now.program(), {"apply"}});
        EXPECT_THAT(now.violations(), IsEmpty()) << how;
    }
}

}  // namespace
