// SPDX-License-Identifier: BSL-1.0
#include <support/lifecycle_world.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

namespace {

using namespace strider;
using namespace strider::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Tests of the world of the lifecycle suite itself: scenarios as text, and the laws that every step checks.

TEST(Scenario, ATextAndItsStepsAreTheSame)
{
    std::string const text = "a kind=x @cbd\nb from=$a.id\napply\napply seed=7 fails=create:a\nnothing\ndestroy\n";

    EXPECT_EQ(to_text(parse_scenario(text)), text);
}

TEST(Scenario, AnUnknownWordIsRejected)
{
    lifecycle_world world;

    EXPECT_THROW((void)world.run("a size=1\napply fail=create:a"), std::invalid_argument);
    EXPECT_THROW((void)parse_scenario("a size=1"), std::invalid_argument);
}

TEST(Scenario, AProgramHasEveryCapability)
{
    lifecycle_world world;

    auto const made = world.run(R"(
        provider.q host=$a.id
        a size=1
        data.d id=$a.id
        module.m @depends_on=a @count=2
        m/b from=$data.d.size @provider=provider.q @each=x,y
        c other=$m/b.stamp @cbd @ignore=size @trigger=a.size @before=$a.size:1 @after=size:1 size=1 @create=hello
        output.o =$c.id
        check.k @before=$a.size:1
        apply)");
    EXPECT_TRUE(made.ok) << testing::PrintToString(made.problems);
    EXPECT_THAT(made.order,
        ElementsAre("a create", "module.m[0].b[\"x\"] create", "module.m[0].b[\"y\"] create",
            "module.m[1].b[\"x\"] create", "module.m[1].b[\"y\"] create", "c create"));

    auto const changed = world.run(R"(
        moved c d
        removed m/b
        module.m @depends_on=a @count=2
        a size=2
        d size=1
        apply)");
    EXPECT_TRUE(changed.ok) << testing::PrintToString(changed.problems);
    EXPECT_THAT(changed.order, ElementsAre("a update", "d update"));
    EXPECT_THAT(world.objects(), ElementsAre("a#1", "c#1"));
    EXPECT_THAT(world.violations(), IsEmpty());
}

TEST(LifecycleWorld, AnObjectThatStateLosesIsReported)
{
    lifecycle_world world;
    ASSERT_TRUE(world.run("a size=1\napply").ok);
    infra::snapshot lost = world.kept.now();
    lost.resources.clear();
    world.kept.tamper(lost);

    (void)world.run("nothing\napply");

    EXPECT_THAT(
        world.violations(), Contains(HasSubstr("a#1 exists, but is not in state and not in a pending operation")));
}

TEST(LifecycleWorld, AnOperationThatIsPerformedTwiceIsReported)
{
    lifecycle_world world;
    world.cloud.begin({"run1/create/toy.a/", infra::operation_kind::create, toy_address("a"), {}, {}, {}});

    (void)world.run("a size=1\napply");

    EXPECT_THAT(world.violations(), Contains(HasSubstr("performed twice: run1/create/toy.a/")));
}

TEST(LifecycleWorld, AFaultACancellationAndACrashAreFollowedByARecovery)
{
    for (std::string const how : {"fails=create:b", "throws=create:b,done", "crash=40", "stop=1",
             "kill=1 slow=create:b", "commit=fails#2", "rates=200,100,0,100@3"})
        EXPECT_THAT(
            play(parse_scenario("a kind=x @cbd\nb from=$a.id\napply\na kind=y @cbd\nb kind=z\napply seed=9 " + how)),
            IsEmpty())
            << how;
}

}  // namespace
