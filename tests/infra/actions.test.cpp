// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

#include <strider/infra/sim/codes.hpp>

namespace {

using namespace strider;
using namespace strider::test;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// Tests of the operations in the cloud and their order: "a create", "action.n: size=1".
class Actions : public engine_in_worlds {
protected:
    /// Returns what the actions and configurations were called with.
    [[nodiscard]] auto called() const -> std::vector<std::string> { return without_type(cloud.commands()); }
    /// Returns whether an action is pending in state.
    [[nodiscard]] auto is_pending(std::string const& name) const -> bool
    {
        return std::any_of(kept.now().pending.begin(), kept.now().pending.end(),
            [&](auto const& one) { return to_string(one.second.target) == "action.toy." + name; });
    }
    [[nodiscard]] static auto invoke(std::vector<std::string> const& names) -> infra::plan_options
    {
        infra::plan_options options;
        options.mode = plan_mode::refresh_only;
        for (std::string const& name : names) options.invoke.push_back(toy_address(name));
        return options;
    }
};

TEST_P(Actions, EachEventOfAChangeInvokesItsActionOnce)
{
    std::string const actions = "action.n size=$caller.size\n";
    std::string const all = "before_create,after_create,before_update,after_update,before_destroy,after_destroy";

    auto const created = run(actions + "a size=1 @on=" + all + ":action.n");
    auto const at_create = called();
    cloud.start_new_log();
    auto const updated = run(actions + "a size=2 @on=" + all + ":action.n");
    auto const at_update = called();
    cloud.start_new_log();
    auto const destroyed = destroy(actions + "a size=2 @on=" + all + ":action.n");

    EXPECT_TRUE(created.ok && updated.ok && destroyed.ok);
    EXPECT_THAT(at_create, ElementsAre("action.n: size=1", "action.n: size=1"));
    EXPECT_THAT(at_update, ElementsAre("action.n: size=2", "action.n: size=2"));
    EXPECT_THAT(called(), ElementsAre("action.n: size=2", "action.n: size=2"));
    EXPECT_EQ(created.invoked, 2U);
    EXPECT_TRUE(is_settled());
}

TEST_P(Actions, AReplacementHasTheEventsOfADestroyAndOfACreation)
{
    std::string const actions = "action.d\n action.c\n action.u\n";
    std::string const triggers = " @on=before_destroy,after_destroy:action.d @on=before_create,after_create:action.c"
                                 " @on=before_update,after_update:action.u";
    given(actions + "a kind=x" + triggers);

    auto const done = run(actions + "a kind=y" + triggers);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(called(), ElementsAre("action.d:", "action.d:", "action.c:", "action.c:"));
}

TEST_P(Actions, AnUpdateWithoutAnEffectInvokesNothing)
{
    std::string const text = "action.n size=$caller.size\n a kind=x size=1\n"
                             "b size=1 from=$a.stamp @on=before_update,after_update:action.n\n";
    given(text);

    // The stamp is unknown in the plan, and turns out to be unchanged.
    auto const done = run("action.n size=$caller.size\n a kind=y size=1\n"
                          "b size=1 from=$a.stamp @on=before_update,after_update:action.n\n");

    EXPECT_TRUE(done.ok);
    EXPECT_EQ(done.changed, 0U);
    EXPECT_THAT(called(), IsEmpty());
}

TEST_P(Actions, AFailedActionBeforeAChangePreventsIt)
{
    how.provider.on("invoke action.toy.n", fault::fails);

    auto const done = run("action.n\n a @on=before_create:action.n\n b from=$a.id\n c");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(codes_of(done.problems), Contains(infra::sim::codes::action_failed));
    EXPECT_THAT(state(), ElementsAre("c#1"));
    EXPECT_TRUE(is_settled());
}

TEST_P(Actions, AFailedActionAfterAChangeStopsDependentsAndKeepsTheObject)
{
    how.provider.on("invoke action.toy.n", fault::fails);

    auto const done = run("action.n\n a @on=after_create:action.n\n b from=$a.id");
    auto const again = run("action.n\n a @on=after_create:action.n\n b from=$a.id");

    EXPECT_FALSE(done.ok);
    EXPECT_TRUE(again.ok);
    EXPECT_THAT(called(), IsEmpty());  // the change is done, so its action is not repeated
    EXPECT_THAT(state(), ElementsAre("a#1", "b#1"));
}

TEST_P(Actions, AFailedActionTaintsACreatedObjectIfItsTriggerSaysSo)
{
    how.provider.on("invoke action.toy.n", fault::fails, 1);

    auto const done = run("action.n\n a @on_taint=after_create:action.n\n b from=$a.id");
    auto const tainted = state();
    how.provider = {};
    auto const again = run("action.n\n a @on_taint=after_create:action.n\n b from=$a.id");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(tainted, ElementsAre("a#1 tainted"));
    EXPECT_TRUE(again.ok);
    EXPECT_THAT(state(), ElementsAre("a#2", "b#1"));
}

TEST_P(Actions, AFailedActionMayOnlyWarn)
{
    how.provider.on("invoke action.toy.n", fault::fails);

    auto const done = run("action.n\n a @on_warn=before_create,after_create:action.n\n b from=$a.id");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(codes_of(done.problems), Contains(infra::sim::codes::action_failed));
    EXPECT_THAT(state(), ElementsAre("a#1", "b#1"));
    EXPECT_EQ(done.invoked, 0U);
}

TEST_P(Actions, AFailedCreateInvokesNoActionAfterIt)
{
    how.provider.on("create toy.a/partly", fault::fails);

    auto const done = run("action.n\n action.p\n a @on=before_create:action.p @on=after_create:action.n");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(called(), ElementsAre("action.p:"));
    EXPECT_THAT(state(), ElementsAre("a#1 tainted"));
}

TEST_P(Actions, AFailedDestroyInvokesNoActionAfterIt)
{
    given("action.n\n action.p\n a @on=before_destroy:action.p @on=after_destroy:action.n");
    how.provider.on("destroy toy.a", fault::fails);

    auto const done = destroy("action.n\n action.p\n a @on=before_destroy:action.p @on=after_destroy:action.n");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(called(), ElementsAre("action.p:"));
    EXPECT_THAT(state(), ElementsAre("a#1"));
}

TEST_P(Actions, AConditionDecidesAlsoIfOnlyTheApplyKnowsIt)
{
    std::string const text = "action.n\n a size=1\n"
                             "b from=$a.id @on=after_create:action.n:$caller.stamp:of-1\n"
                             "c size=1 from=$a.id @on=after_create:action.n:$caller.stamp:of-1\n"
                             "d @on=after_create:action.n:$a.size:2\n";

    auto const planned = plan(text);
    auto const done = apply(text, planned);

    ASSERT_EQ(planned.invocations.size(), 2U);
    EXPECT_TRUE(planned.invocations[0].conditional && planned.invocations[1].conditional);
    EXPECT_TRUE(done.ok);
    EXPECT_EQ(done.invoked, 1U);
}

TEST_P(Actions, ActionsOfInstancesHaveTheirKeys)
{
    auto const done = run("action.n @each=x,y k=$each\n a @each=x,y @on=after_create:action.n[$each]");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(called(), UnorderedElementsAre("action.n[\"x\"]: k=x", "action.n[\"y\"]: k=y"));
}

TEST_P(Actions, AnActionOfAModuleIsInvokedInTheModuleInstanceOfItsCaller)
{
    auto const done = run("module.m @count=2\n m/action.n id=$caller.id\n m/a @on=after_create:m/action.n");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(called(),
        UnorderedElementsAre("module.m[0].action.n: id=module.m[0].a#1", "module.m[1].action.n: id=module.m[1].a#1"));
}

TEST_P(Actions, DependentsWaitForAnActionAfterTheirDependency)
{
    how.provider.on("invoke action.toy.n", fault::slow);

    auto const done = run("action.n\n a @on=after_create:action.n\n b from=$a.id @create=$a.id");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(called(), ElementsAre("action.n:", "b: a#1"));
}

TEST_P(Actions, AnInterruptedActionStaysPendingUntilItIsDecided)
{
    how.provider.on("invoke action.toy.n/done", fault::throws, 1);
    std::string const text = "action.n\n a @on=after_create:action.n";

    auto const done = run(text);
    how.provider = {};
    auto const refused = refusal(text);
    std::vector<infra::journal_entry> ends;
    for (auto const& [_, operation] : kept.now().pending)
        ends.push_back(infra::journal_entry::end(operation, std::nullopt, false));
    ASSERT_TRUE(kept.append(ends));
    auto const again = run(text);

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(codes_of(done.problems), Contains("action_interrupted"));
    EXPECT_THAT(codes_of(refused), ElementsAre("undecided_action"));
    EXPECT_TRUE(again.ok);
    EXPECT_EQ(again.invoked, 0U);
    EXPECT_TRUE(is_settled());
}

TEST_P(Actions, AnInterruptedActionIsAnErrorEvenIfFailuresAreWarnings)
{
    how.provider.on("invoke action.toy.n", fault::throws, 1);

    auto const done = run("action.n\n a @on_warn=after_create:action.n\n b from=$a.id");

    EXPECT_FALSE(done.ok);  // no plan is made before the action is decided
    EXPECT_THAT(codes_of(done.problems), Contains("action_interrupted"));
    EXPECT_THAT(state(), ElementsAre("a#1", "b#1"));
    EXPECT_TRUE(is_pending("n"));
}

TEST_P(Actions, AnInterruptedActionOfADestroyIsAnError)
{
    given("action.n\n a @on=after_destroy:action.n");
    how.provider.on("invoke action.toy.n", fault::throws, 1);

    auto const done = destroy("action.n\n a @on=after_destroy:action.n");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(codes_of(done.problems), Contains("action_interrupted"));
    EXPECT_THAT(state(), IsEmpty());
    EXPECT_TRUE(is_pending("n"));
}

TEST_P(Actions, ADestroyDoesNotNeedActionsOfInstancesThatAreNoLongerDeclared)
{
    std::string const members = "m/action.n\n m/a @on=after_destroy:m/action.n";
    given("module.m @count=2\n" + members);
    infra::plan_options options;
    options.mode = plan_mode::destroy;

    auto const planned = plan("module.m @each=x\n" + members, options);
    auto const done = apply("module.m @each=x\n" + members, planned);

    EXPECT_THAT(codes_of(planned.warnings),
        ElementsAre("unknown_action", "action_not_planned", "unknown_action", "action_not_planned"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(state(), IsEmpty());
}

TEST_P(Actions, AnActionThatTheOptionsNameIsInvokedForEachCaller)
{
    std::string const text = "action.n id=$caller.id\n action.k\n a @count=2 @on=after_create:action.n";
    given(text);

    auto const done = run(text, invoke({"action.n", "action.k"}));

    EXPECT_TRUE(done.ok);
    EXPECT_EQ(done.invoked, 3U);
    EXPECT_THAT(called(), UnorderedElementsAre("action.n: id=a[0]#1", "action.n: id=a[1]#1", "action.k:"));
    EXPECT_THAT(order(), IsEmpty());
}

TEST_P(Actions, AnActionThatTheOptionsNameSeesTheObjectOfTheCloud)
{
    std::string const text = "action.n size=$caller.size\n a size=1 @on=after_create:action.n";
    given(text);
    cloud.change_outside("toy.a#1", "size", "7");

    auto const done = run(text, invoke({"action.n"}));

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(called(), ElementsAre("action.n: size=7"));
}

TEST_P(Actions, ATargetIncludesTheActionsThatItTriggers)
{
    infra::plan_options options;
    options.targets.push_back(toy_address("a"));

    auto const done = run("action.n\n action.k\n a @on=after_create:action.n\n b @on=after_create:action.k", options);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(order(), ElementsAre("a create"));
    EXPECT_THAT(called(), ElementsAre("action.n:"));
}

TEST_P(Actions, AnActionMayReferToTheObjectThatItFollows)
{
    auto const done = run("a\n action.n of=$a.id\n b @on=after_create:action.n");
    auto const own = run("a @on=after_update:action.n size=2\n action.n of=$a.stamp\n b @on=after_create:action.n");

    EXPECT_TRUE(done.ok && own.ok);
    EXPECT_THAT(called(), ElementsAre("action.n: of=a#1", "action.n: of=of-2"));
}

INSTANTIATE_TEST_SUITE_P(In, Actions, worlds, name_of_world);

}  // namespace
