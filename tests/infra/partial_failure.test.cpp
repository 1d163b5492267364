// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

namespace {

using namespace strider;
using namespace strider::test;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Graph-engine specification 7.2 to 7.4, 8.5 and 8.6.
class PartialFailure : public engine_in_worlds {
protected:
    [[nodiscard]] auto attribute(std::string const& name, std::string const& of) const -> std::string
    {
        auto const* const record = this->kept.now().find(infra::address("toy", of));
        if (record == nullptr || !record->current) return "gone";
        return (*infra::sim::from_document(record->current->attributes))[name];
    }
};
INSTANTIATE_TEST_SUITE_P(In, PartialFailure, worlds, name_of_world);

TEST_P(PartialFailure, SkipsDependentsAndContinuesOtherBranches)
{
    this->how.provider.on("create toy.a", fault::fails);

    auto const done = this->run("a\n b from=$a.id\n c from=$b.id\n d");

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::operation_refused));
    EXPECT_THAT(this->state(), ElementsAre("d#1"));
    EXPECT_EQ(done.added, 1U);
    EXPECT_FALSE(done.stopped);
    EXPECT_TRUE(this->is_settled());
}

TEST_P(PartialFailure, ACreateWithoutAnObjectLeavesNoRecord)
{
    this->how.provider.on("create toy.a", fault::fails);

    EXPECT_FALSE(this->run("a").ok);

    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_TRUE(this->is_settled());
}

TEST_P(PartialFailure, APartialCreateLeavesATaintedObject)
{
    this->how.provider.on("create toy.a/partly", fault::fails);

    EXPECT_FALSE(this->run("a size=1").ok);

    EXPECT_THAT(this->state(), ElementsAre("a#1 tainted"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(PartialFailure, AFailedCreateProvisionerTaintsTheObjectAndSkipsFurtherOnes)
{
    this->how.provider.on("provision toy.a", fault::fails, 2);

    auto const done = this->run("a @create=one @create2=two @create3=three\n b from=$a.id");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#1 tainted"));
    EXPECT_THAT(without_type(this->cloud.commands()), ElementsAre("a: one"));
}

TEST_P(PartialFailure, AFailedUpdateKeepsTheObjectAndDoesNotTaintIt)
{
    this->given("a size=1");
    this->how.provider.on("update toy.a", fault::fails);

    EXPECT_FALSE(this->run("a size=2").ok);

    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_EQ(this->attribute("size", "a"), "1");
    EXPECT_EQ(this->attribute("stamp", "a"), "of-1");
}

TEST_P(PartialFailure, APartialUpdateKeepsTheObjectAndDoesNotTaintIt)
{
    this->given("a size=1");
    this->how.provider.on("update toy.a/partly", fault::fails);

    EXPECT_FALSE(this->run("a size=2").ok);

    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_EQ(this->attribute("stamp", "a"), "partial");
}

TEST_P(PartialFailure, AFailedDestroyKeepsTheObjectWithItsDependencies)
{
    this->given("a\n b from=$a.id");
    this->how.provider.on("destroy toy.b", fault::fails);

    EXPECT_FALSE(this->run("a").ok);

    EXPECT_THAT(this->state(), ElementsAre("a#1", "b#1"));
    EXPECT_THAT(this->kept.now().find(infra::address("toy", "b"))->current->dependencies.names(), ElementsAre("toy.a"));
}

TEST_P(PartialFailure, APartialDestroyKeepsTheRestOfTheObjectWithItsDependencies)
{
    this->given("a\n b from=$a.id @cbd");
    this->how.provider.on("destroy toy.b/partly", fault::fails);

    EXPECT_FALSE(this->run("a").ok);

    EXPECT_THAT(this->state(), ElementsAre("a#1", "b#1"));
    EXPECT_EQ(this->attribute("stamp", "b"), "partial");
    auto const stored = *this->kept.now().find(infra::address("toy", "b"))->current;
    EXPECT_THAT(stored.dependencies.names(), ElementsAre("toy.a"));
    EXPECT_TRUE(stored.create_before_destroy);
}

TEST_P(PartialFailure, AFailedDestroyKeepsATaintedObjectTainted)
{
    this->how.provider.on("create toy.a/partly", fault::fails);
    ASSERT_FALSE(this->run("a").ok);
    this->how.provider = strider::sim::fault_plan().on("destroy toy.a/partly", fault::fails);

    EXPECT_FALSE(this->run("").ok);

    EXPECT_THAT(this->state(), ElementsAre("a#1 tainted"));
}

TEST_P(PartialFailure, AReplacementWhoseCreateFailsLeavesNoObject)
{
    this->given("a kind=x");
    this->how.provider.on("create toy.a", fault::fails);

    EXPECT_FALSE(this->run("a kind=y").ok);

    EXPECT_THAT(this->order(), ElementsAre("a destroy"));
    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_TRUE(this->is_settled());
}

TEST_P(PartialFailure, AReplacementWhoseDestroyFailsCreatesNothing)
{
    this->given("a kind=x");
    this->how.provider.on("destroy toy.a", fault::fails);

    EXPECT_FALSE(this->run("a kind=y").ok);

    EXPECT_THAT(this->order(), IsEmpty());
    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(PartialFailure, AProviderThatThrowsLeavesAPendingOperation)
{
    this->how.provider.on("create toy.a/done", fault::throws);

    auto const done = this->run("a\n b from=$a.id\n c");

    ASSERT_THAT(codes_of(done.problems), ElementsAre(infra::codes::operation_threw));
    EXPECT_THAT(done.problems[0].arguments, ElementsAre("create", "toy.a", "the provider failed"));
    EXPECT_THAT(this->state(), ElementsAre("c#1"));
    EXPECT_EQ(this->kept.now().pending.size(), 1U);
}

TEST_P(PartialFailure, AProviderThatThrowsWhilePlanningFailsThePlanWithADiagnostic)
{
    this->how.provider.on("plan toy.a", fault::throws);

    auto const why = this->refusal("a\n b");

    EXPECT_THAT(codes_of(why), ElementsAre(infra::codes::planning_failed));
    EXPECT_THAT(this->cloud.log(), IsEmpty());
}

TEST_P(PartialFailure, LackOfMemoryIsReportedOnce)
{
    this->how.provider.on("plan toy.a", fault::no_memory);
    this->how.provider.on("plan toy.b", fault::no_memory);

    EXPECT_THAT(codes_of(this->refusal("a\n b\n c")), ElementsAre(infra::codes::out_of_memory));
}

TEST_P(PartialFailure, AnOperationWithoutMemoryStaysPending)
{
    this->how.provider.on("create toy.a/done", fault::no_memory);
    this->how.provider.on("create toy.b/done", fault::no_memory);

    auto const done = this->run("a\n b\n c");

    EXPECT_THAT(codes_of(done.problems),
        UnorderedElementsAre(
            infra::codes::out_of_memory, infra::codes::operation_interrupted, infra::codes::operation_interrupted));
    EXPECT_THAT(this->state(), ElementsAre("c#1"));
    EXPECT_EQ(this->kept.now().pending.size(), 2U);
}

TEST_P(PartialFailure, AReadThatFailsFailsThePlan)
{
    this->given("a");
    this->how.provider.on("read toy.a", fault::fails);

    EXPECT_THAT(codes_of(this->refusal("a")), ElementsAre(infra::sim::codes::cloud_unavailable));
}

TEST_P(PartialFailure, AReadThatFailsIsLocated)
{
    this->given("a");
    this->how.provider.on("read toy.a", fault::fails);

    auto const refused = this->refusal("g\n a");

    ASSERT_EQ(refused.size(), 1U);
    EXPECT_EQ(refused[0].source.line, 2U);
}

TEST_P(PartialFailure, AFinalPlanThatFailsStartsNoOperation)
{
    this->how.provider.on("plan toy.a", fault::fails, 2);

    auto const plan = this->plan("a");
    this->how.provider = strider::sim::fault_plan().on("plan toy.a", fault::fails);
    auto const done = this->apply("a", plan);

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::plan_refused));
    EXPECT_THAT(this->cloud.log(), IsEmpty());
    EXPECT_TRUE(this->is_settled());
}

TEST_P(PartialFailure, ASuccessfulCreateWithoutAnObjectIsAnError)
{
    this->how.violations["create toy.a"] = contract_violation::returns_nothing;

    auto const done = this->run("a\n b from=$a.id");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::codes::no_object_after_apply));
    EXPECT_THAT(this->state(), IsEmpty());
}

TEST_P(PartialFailure, ASuccessfulUpdateWithoutAnObjectKeepsThePriorObject)
{
    this->given("a size=1");
    this->how.violations["update toy.a"] = contract_violation::returns_nothing;

    auto const done = this->run("a size=2");

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::codes::no_object_after_apply));
    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_EQ(this->attribute("size", "a"), "1");
}

TEST_P(PartialFailure, ASuccessfulDestroyWithAnObjectIsAnErrorAndKeepsTheObject)
{
    this->given("a size=1");
    this->how.violations["destroy toy.a"] = contract_violation::returns_object;

    auto const done = this->run("");

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::codes::object_after_destroy));
    EXPECT_THAT(this->state(), ElementsAre("a#1"));
}

TEST_P(PartialFailure, UnknownPartsOfAnObjectAreAnErrorAndKeepTheObject)
{
    this->how.violations["create toy.a"] = contract_violation::returns_unknown;

    auto const done = this->run("a size=1");

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::codes::unknown_after_apply));
    EXPECT_THAT(this->state(), ElementsAre("a#1 tainted"));
}

TEST_P(PartialFailure, AnObjectThatDiffersFromThePlanIsAnErrorAndIsKept)
{
    this->how.violations["create toy.a"] = contract_violation::ignores_plan;

    auto const done = this->run("a size=1");

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::inconsistent_result));
    EXPECT_THAT(this->state(), ElementsAre("a#1 tainted"));
}

TEST_P(PartialFailure, AnUpdateThatDiffersFromThePlanIsAnErrorAndDoesNotTaintTheObject)
{
    this->given("a size=1");
    this->how.violations["update toy.a"] = contract_violation::ignores_plan;

    auto const done = this->run("a size=2");

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::inconsistent_result));
    EXPECT_EQ(done.problems[0].address, "toy.a");
    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_EQ(this->attribute("size", "a"), "other");
}

TEST_P(PartialFailure, DependentsOfAnObjectThatDiffersFromThePlanAreNotCreated)
{
    this->how.violations["create toy.a"] = contract_violation::ignores_plan;

    EXPECT_FALSE(this->run("a size=1\n b from=$a.id").ok);

    EXPECT_THAT(this->order(), ElementsAre("a create"));
}

TEST_P(PartialFailure, APlanThatContradictsTheConfigurationIsRejected)
{
    this->how.violations["plan toy.a"] = contract_violation::ignores_configuration;

    auto const why = this->refusal("a size=1\n b");

    EXPECT_THAT(codes_of(why), ElementsAre(infra::sim::codes::invalid_plan));
    EXPECT_EQ(why[0].address, "toy.a");
}

TEST_P(PartialFailure, APlanThatReplacesWithoutACauseIsRejected)
{
    this->given("a size=1 kind=x");
    this->how.violations["plan toy.a"] = contract_violation::ignores_configuration;

    EXPECT_THAT(codes_of(this->refusal("a size=2 kind=y")), ElementsAre(infra::sim::codes::invalid_plan));
}

TEST_P(PartialFailure, AFinalPlanThatContradictsTheConfigurationStartsNoOperation)
{
    auto const plan = this->plan("a size=1");
    this->how.violations["plan toy.a"] = contract_violation::ignores_configuration;

    auto const done = this->apply("a size=1", plan);

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::invalid_plan));
    EXPECT_THAT(this->cloud.log(), IsEmpty());
    EXPECT_TRUE(this->is_settled());
}

TEST_P(PartialFailure, AFinalPlanThatDiffersInKnownValuesStartsNoOperation)
{
    this->how.violations["plan toy.b"] = contract_violation::is_inconsistent;

    auto const done = this->run("a\n b from=$a.id");

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::inconsistent_final_plan));
    EXPECT_THAT(this->order(), ElementsAre("a create"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(PartialFailure, AReadObjectWithUnknownPartsIsRejected)
{
    this->given("a size=1");
    this->how.violations["read toy.a"] = contract_violation::returns_unknown;

    EXPECT_THAT(codes_of(this->refusal("a size=1")), ElementsAre(infra::sim::codes::invalid_object));
    EXPECT_THAT(codes_of(this->refusal("")), ElementsAre(infra::sim::codes::invalid_object));
}

TEST_P(PartialFailure, AnUnknownForcingAttributeCausesAReplacement)
{
    this->given("a size=1\n b kind=x");
    auto const wanted = "a size=2\n b kind=$a.stamp";

    auto const plan = this->plan(wanted);

    EXPECT_THAT(actions(plan), UnorderedElementsAre("a update", "b destroy/create"));
}

TEST_P(PartialFailure, TheNextRunContinuesAfterAFailure)
{
    this->how.provider.on("create toy.b", fault::fails).on("create toy.d/partly", fault::fails);
    auto const wanted = "a\n b from=$a.id\n c from=$b.id\n d\n e from=$d.id";
    ASSERT_FALSE(this->run(wanted).ok);
    this->how.provider = {};

    auto const done = this->run(wanted);
    auto const again = this->plan(wanted);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), UnorderedElementsAre("a#1", "b#1", "c#1", "d#2", "e#1"));
    EXPECT_FALSE(again.has_changes());
    EXPECT_TRUE(this->is_settled());
    EXPECT_THAT(this->cloud.duplicates(), IsEmpty());
}

}  // namespace
