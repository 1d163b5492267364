// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

namespace {

using namespace strider;
using namespace strider::test;
using testing::ElementsAre;
using testing::IsEmpty;

// Providers whose configuration may depend on other objects, which must be created first.
class Providers : public engine_in_worlds {
protected:
    std::string const wanted = "a kind=x\n provider.q host=$a.id\n b kind=x @provider=provider.q";
    std::string const replaced = "a kind=y\n provider.q host=$a.id\n b kind=y @provider=provider.q";
};
INSTANTIATE_TEST_SUITE_P(In, Providers, worlds, name_of_world);

TEST_P(Providers, AreConfiguredWithKnownValuesInThePlanAndAllValuesInTheApply)
{
    auto const plan = this->plan(this->wanted);
    auto const while_planning = this->cloud.commands();
    this->cloud.start_new_log();
    auto const done = this->apply(this->wanted, plan);

    EXPECT_THAT(while_planning, ElementsAre("provider.q: host=?"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->cloud.commands(), ElementsAre("provider.q: host=toy.a#1"));
    EXPECT_THAT(this->order(), ElementsAre("a create", "b create"));
}

TEST_P(Providers, MakeTheirObjectsDependOnTheirConfiguration)
{
    this->given(this->wanted);

    auto const& b = *this->kept.now().find(infra::parse_address("toy.b").value());

    EXPECT_THAT(b.current->dependencies.names(), ElementsAre("toy.a"));
}

TEST_P(Providers, OrderReplacementsUnlessThatClosesACycle)
{
    this->given(this->wanted);

    auto const done = this->run(this->replaced);

    // The object with which b was created is destroyed by then; the reverse order would be a cycle.
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a destroy", "a create", "b destroy", "b create"));
}

TEST_P(Providers, StayConfiguredUntilTheirObjectsAreDestroyed)
{
    this->given(this->wanted);
    this->cloud.start_new_log();
    infra::plan_options options;
    options.mode = plan_mode::destroy;

    auto const plan = this->plan(this->wanted, options);
    this->cloud.start_new_log();
    auto const done = this->apply(this->wanted, plan);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->cloud.commands(), ElementsAre("provider.q: host=toy.a#1"));
    EXPECT_THAT(this->order(), ElementsAre("b destroy", "a destroy"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Providers, AreConfiguredBeforeOneOfTheirObjectsIsDestroyed)
{
    this->given(this->wanted);
    infra::plan_options options;
    options.mode = plan_mode::destroy;
    options.targets = {infra::parse_address("toy.b").value()};

    auto const plan = this->plan(this->wanted, options);
    this->cloud.start_new_log();
    auto const done = this->apply(this->wanted, plan);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->cloud.commands(), ElementsAre("provider.q: host=toy.a#1"));
    EXPECT_THAT(this->order(), ElementsAre("b destroy"));
}

TEST_P(Providers, AreConfiguredBeforeAnUndeclaredObjectIsDestroyed)
{
    this->given(this->wanted);

    auto const plan = this->plan("a kind=x\n provider.q host=$a.id");
    auto const while_planning = this->cloud.commands();
    this->cloud.start_new_log();
    auto const done = this->apply("a kind=x\n provider.q host=$a.id", plan);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(while_planning, ElementsAre("provider.q: host=toy.a#1"));
    EXPECT_THAT(this->cloud.commands(), ElementsAre("provider.q: host=toy.a#1"));
    EXPECT_THAT(this->order(), ElementsAre("b destroy"));
}

TEST_P(Providers, ForceCreateBeforeDestroyOnDependenciesOfTheirConfiguration)
{
    this->given("a kind=x\n provider.q host=$a.id\n b @cbd kind=x @provider=provider.q");

    auto const done = this->run("a kind=y\n provider.q host=$a.id\n b @cbd kind=x @provider=provider.q");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create", "a destroy deposed"));
}

TEST_P(Providers, ThatCannotBeConfiguredCreateNothing)
{
    auto const plan = this->plan(this->wanted);
    this->how.provider.on("configure provider.q", fault::fails);

    auto const done = this->apply(this->wanted, plan);

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::configuration_failed));
    EXPECT_THAT(this->order(), ElementsAre("a create"));
}

TEST_P(Providers, AreConfiguredBeforeAPendingOperationIsResolved)
{
    this->how.provider.on("create toy.b/done", fault::throws);
    ASSERT_FALSE(this->run(this->wanted).ok);
    this->how.provider = {};
    auto const told_before = this->cloud.commands().size();

    auto const plan = this->plan(this->wanted);

    // It is configured once to read b, with the value of a in state, and once to plan.
    EXPECT_THAT(actions(plan), IsEmpty());
    EXPECT_EQ(this->cloud.commands().size(), told_before + 2);
    EXPECT_EQ(this->cloud.commands().back(), "provider.q: host=toy.a#1");
}

TEST_P(Providers, AreConfiguredWithOneObjectOfSeveralBeforeAPendingOperationIsResolved)
{
    std::string const many = "a kind=x\n c kind=x\n provider.q host=$a.id\n b kind=x @provider=provider.q";
    this->how.provider.on("create toy.b/done", fault::throws);
    ASSERT_FALSE(this->run(many).ok);
    this->how.provider = {};
    this->cloud.start_new_log();

    auto const plan = this->plan(many);

    EXPECT_THAT(actions(plan), IsEmpty());
    EXPECT_THAT(this->cloud.commands(), testing::Each("provider.q: host=toy.a#1"));
}

TEST_P(Providers, AreNotConfiguredWithoutUse)
{
    std::string const idle = "a kind=x\n provider.q host=$a.id";

    auto const plan = this->plan(idle);
    auto const done = this->apply(idle, plan);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create"));
    EXPECT_THAT(this->cloud.commands(), IsEmpty());
}

TEST_P(Providers, AreNotConfiguredForObjectsOutsideOfTheTargets)
{
    infra::plan_options options;
    options.targets = {infra::parse_address("toy.a").value()};

    auto const plan = this->plan(this->wanted, options);

    EXPECT_THAT(actions(plan), ElementsAre("a create"));
    EXPECT_THAT(this->cloud.commands(), IsEmpty());
}

}  // namespace
