// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

namespace {

using namespace strider;
using namespace strider::test;
using testing::ElementsAre;
using testing::IsEmpty;

// Failed assertions are reported, and stop nothing.
class Checks : public engine_in_worlds {};
INSTANTIATE_TEST_SUITE_P(In, Checks, worlds, name_of_world);

TEST_P(Checks, AFailureIsAWarningOfPlanAndApply)
{
    auto const wanted = "a size=1\n b from=$a.id\n check.good @before=$a.size:1\n check.bad @before=$a.size:2";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    ASSERT_THAT(codes_of(plan.check_warnings), ElementsAre(infra::sim::codes::check_failed));
    EXPECT_THAT(plan.check_warnings.front().arguments, ElementsAre("check.bad", "1", "2"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::check_failed));
    EXPECT_THAT(this->state(), ElementsAre("a#1", "b#1"));
}

TEST_P(Checks, AnUnknownResultIsDecidedByTheApply)
{
    auto const wanted = "a\n check.c @before=$a.id:toy.a#1";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(codes_of(plan.check_warnings), ElementsAre(infra::sim::codes::check_undecided));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(done.problems, IsEmpty());
}

TEST_P(Checks, DoNotDelayDependentsOfTheirModule)
{
    auto const wanted = "module.m\n m/a\n m/check.c @before=$b.size:1\n b size=1 @depends_on=module.m";

    auto const done = this->run(wanted);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("module.m.a create", "b create"));
}

TEST_P(Checks, AreEvaluatedInARefreshOnlyPlanButNotInADestroy)
{
    auto const wanted = "a size=1\n check.bad @before=$a.size:2";
    this->given(wanted);
    infra::plan_options refresh;
    refresh.mode = plan_mode::refresh_only;
    infra::plan_options destroy;
    destroy.mode = plan_mode::destroy;

    EXPECT_THAT(codes_of(this->plan(wanted, refresh).check_warnings), ElementsAre(infra::sim::codes::check_failed));
    EXPECT_THAT(this->plan(wanted, destroy).check_warnings, IsEmpty());
}

TEST_P(Checks, AreNotEvaluatedForObjectsThatWereNotCreated)
{
    auto const wanted = "a size=1\n check.bad @before=$a.size:2";
    auto const plan = this->plan(wanted);
    this->how.provider.on("create toy.a", fault::fails);

    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::operation_refused));
}

TEST_P(Checks, AFailedEvaluationIsAnError)
{
    EXPECT_THAT(
        codes_of(this->refusal("a\n check.c @before=$nowhere.size:1")), ElementsAre(infra::sim::codes::undeclared));
}

}  // namespace
