// SPDX-License-Identifier: BSL-1.0
#include "lifecycle_test.hpp"

#include <strider/infra/model/deferral.hpp>
#include <strider/infra/sim/codes.hpp>

#include <string>
#include <vector>

namespace {

using namespace strider::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

// Plans in rounds: each plan leaves changes that depend on unknown values to the next one.
class Deferral : public lifecycle_test {};

auto deferred(step_outcome const& done) -> std::vector<std::string>
{
    std::vector<std::string> all;
    if (!done.plan) return {"no plan"};
    for (auto const& one : done.plan->deferred)
        all.push_back(action_of(one.planned) + " " + std::string(to_string(one.reason)));
    return all;
}

TEST_F(Deferral, AnUnknownNumberOfInstancesIsAnErrorUnlessItMayBeDeferred)
{
    auto const done = after("a kind=x\n b @each=$a.id\n plan");

    EXPECT_THAT(done.problems, Contains(HasSubstr(strider::infra::sim::codes::unknown_repetition)));
}

TEST_F(Deferral, UnknownInstancesAndTheirDependentsWaitForALaterPlan)
{
    auto const first = after("a kind=x\n b @each=$a.id from=$a.id\n c from=$b.id\n d kind=z\n apply defer");

    EXPECT_TRUE(first.ok) << testing::PrintToString(first.problems);
    EXPECT_THAT(actions(first), ElementsAre("a create", "d create"));
    EXPECT_THAT(deferred(first), ElementsAre("b[*] create instance_count_unknown", "c create deferred_prereq"));

    auto const second = after("apply defer");

    EXPECT_THAT(second.order, ElementsAre(HasSubstr("b["), "c create"));
    EXPECT_THAT(deferred(second), IsEmpty());
}

// The dependencies that are declared for unknown instances are also those of the objects that exist.
TEST_F(Deferral, ObjectsOfUnknownInstancesAreDestroyedBeforeTheDependenciesOfTheirNumber)
{
    given("e kind=x\n f @count=2\n apply\n e kind=x\n g from=$e.id\n f @each=$g.id\n apply defer");

    auto const done = after("e kind=y\n g from=$e.id\n f @each=$g.id\n apply defer");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    ASSERT_GT(done.order.size(), 3U);
    EXPECT_THAT(
        std::vector(done.order.begin(), done.order.begin() + 2), UnorderedElementsAre("f[0] destroy", "f[1] destroy"));
    EXPECT_THAT(done.order[2], "e destroy");
}

TEST_F(Deferral, ObjectsThatTriggerUnknownActionsAndTheirDependentsWaitForALaterPlan)
{
    auto const first = after(
        "a kind=x\n action.n @each=$a.id\n b @on=after_create:action.n[k]\n c from=$b.id\n d kind=z\n apply defer");

    EXPECT_TRUE(first.ok) << testing::PrintToString(first.problems);
    EXPECT_THAT(actions(first), ElementsAre("a create", "d create"));
    EXPECT_THAT(deferred(first), ElementsAre("b create absent_prereq", "c create deferred_prereq"));
}

TEST_F(Deferral, TheObjectsOfUnknownInstancesStay)
{
    given("a kind=x\n b @each=$a.id\n apply defer\n apply defer");

    auto const first = after("a kind=y\n b @each=$a.id\n apply defer");

    EXPECT_THAT(first.order, ElementsAre("a destroy", "a create"));
    EXPECT_THAT(objects(), IsSupersetOf({HasSubstr("b["), HasSubstr("a#")}));

    auto const second = after("apply defer");

    EXPECT_THAT(second.order, ElementsAre(HasSubstr(" destroy"), HasSubstr(" create")));
}

// The dependent may be one of the instances that a later plan destroys, and then it is destroyed first.
TEST_F(Deferral, AnObjectIsNotDestroyedBeforeADependentThatALaterPlanMayDestroy)
{
    given("old kind=z\n a kind=x\n b @each=$a.id from=$old.id\n apply defer\n apply defer");

    auto const first = after("a kind=y\n b @each=$a.id\n apply defer");

    EXPECT_THAT(first.order, ElementsAre("a destroy", "a create"));
    EXPECT_THAT(deferred(first), Contains("old destroy deferred_prereq"));

    auto const second = after("apply defer");

    EXPECT_THAT(second.order, Contains("old destroy"));
    EXPECT_THAT(second.order.front(), HasSubstr("b["));
    EXPECT_THAT(objects(), Not(Contains(HasSubstr("old"))));
}

// The first round determines the number; a destroy then leaves no deferred object.
TEST_F(Deferral, ADestroyBetweenTwoRoundsLeavesNothing)
{
    given("a kind=x\n b @each=$a.id\n c from=$b.id\n apply defer");

    auto const done = after("destroy defer");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(objects(), IsEmpty());
}

// The refresh before a destroy plans unknown instances, because a declaration of the program may refer to them.
TEST_F(Deferral, ADestroyNeedsNoInstancesOfADeclarationThatOthersReferTo)
{
    given("z kind=x\n apply");

    auto const done = after(
        "z kind=x\n a kind=x\n b @each=$a.id\n c from=$b.id\n module.m @each=$a.id\n m/d kind=x\n m/e from=$m/d.id\n"
        " destroy defer");

    EXPECT_TRUE(done.ok) << testing::PrintToString(done.problems);
    EXPECT_THAT(done.order, ElementsAre("z destroy"));
    EXPECT_THAT(objects(), IsEmpty());
}

// An object that a replacement has left belongs to no declaration, so that no later plan needs to decide on it.
TEST_F(Deferral, ADeposedObjectOfAnUnknownInstanceIsDestroyed)
{
    given("module.m\n m/a kind=x @cbd\n apply");
    (void)after("module.m\n m/a kind=y @cbd\n apply fails=destroy:m/a");
    ASSERT_THAT(objects(), Contains(HasSubstr(" deposed")));

    auto const done = after("b kind=x\n module.m @each=$b.id\n m/a kind=y @cbd\n apply defer");

    EXPECT_THAT(done.order, UnorderedElementsAre("b create", HasSubstr("a destroy")));
    EXPECT_THAT(objects(), Not(Contains(HasSubstr(" deposed"))));
}

}  // namespace
