// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

namespace {

using namespace strider;
using namespace strider::test;
using infra::action_reason;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

auto reasons(toy_plan const& plan) -> std::vector<std::string>
{
    std::vector<std::string> all;
    for (auto const& c : plan.changes)
        if (c.what != action::no_op)
            all.push_back(without_type(to_string(c.target)) + " " + std::string(to_string(c.reason)));
    return all;
}

class Planning : public engine_in_worlds {
protected:
    [[nodiscard]] auto dependencies(std::string const& of) const -> std::vector<std::string>
    {
        auto const a = infra::parse_address(of);
        auto const* const record = a ? this->kept.now().find(*a) : nullptr;
        return record != nullptr && record->current ? record->current->dependencies.names()
                                                    : std::vector<std::string>{"gone"};
    }
    [[nodiscard]] auto output(std::string const& name) const -> std::string
    {
        auto const at = this->kept.now().outputs.find(name);
        if (at == this->kept.now().outputs.end()) return "none";
        return (*infra::sim::from_document(at->second.value))["value"];
    }
    [[nodiscard]] static auto target(std::string const& text) -> infra::plan_options
    {
        infra::plan_options options;
        if (text.starts_with("module."))
            options.targets.emplace_back(std::vector<infra::module_step>{{text.substr(7), {}}},
                infra::resource_mode::managed, "", "", infra::instance_key());
        else options.targets.push_back(infra::parse_address("toy." + text).value());
        return options;
    }
};
INSTANTIATE_TEST_SUITE_P(In, Planning, worlds, name_of_world);

TEST_P(Planning, ASecondPlanHasNoChanges)
{
    auto const wanted =
        "a @count=3\n local.l =$a.id\n b from=$local.l\n module.m @depends_on=b\n m/c\n output.o =$b.id";
    this->given(wanted);
    auto const before = this->kept.now();

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_FALSE(plan.has_changes());
    EXPECT_TRUE(done.ok);
    EXPECT_EQ(this->kept.now(), before);
    EXPECT_THAT(this->order(), IsEmpty());
}

TEST_P(Planning, AnotherOutputIsAChange)
{
    this->given("a\n output.o =$a.id");

    EXPECT_TRUE(this->plan("a\n output.o =other").has_changes());
    EXPECT_TRUE(this->plan("a").has_changes());
    EXPECT_FALSE(this->plan("a\n output.o =$a.id").has_changes());
}

TEST_P(Planning, APlanThatIsOnlyShownHasAGraphOnlyWithChanges)
{
    this->given("a\n b from=$a.id");
    infra::plan_options shown;
    shown.shown_only = true;

    auto const same = this->plan("a\n b from=$a.id", shown);
    auto const changed = this->plan("a\n b from=$a.id x=1", shown);

    EXPECT_FALSE(same.has_changes());
    EXPECT_EQ(same.graph.vertex_count(), 0U);
    EXPECT_TRUE(changed.has_changes());
    EXPECT_GT(changed.graph.vertex_count(), 0U);
}

TEST_P(Planning, ADestroyRemovesAllObjectsFromStateAndCloud)
{
    auto const wanted = "a @count=3\n b from=$a.id\n module.m @depends_on=b\n m/c\n output.o =$b.id";
    this->given(wanted);

    auto const done = this->destroy(wanted);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_TRUE(this->kept.now().outputs.empty());
    EXPECT_TRUE(this->cloud.resources().empty());
    EXPECT_EQ(done.destroyed, 5U);
}

TEST_P(Planning, DependenciesAreStoredTransitivelyByConfigurationAddress)
{
    this->given("a @count=2\n local.l =$a[0].id\n b from=$local.l\n c from=$b.id");

    EXPECT_THAT(this->dependencies("toy.c"), ElementsAre("toy.a", "toy.b"));
    EXPECT_THAT(this->dependencies("toy.b"), ElementsAre("toy.a"));
}

TEST_P(Planning, ContentOfAModuleDependsOnTheDependenciesOfTheModule)
{
    auto const wanted = "a\n module.m @depends_on=a\n m/b\n module.n @depends_on=module.m\n n/c";
    this->given(wanted);

    EXPECT_THAT(this->dependencies("module.m.toy.b"), ElementsAre("toy.a"));
    EXPECT_THAT(this->dependencies("module.n.toy.c"), ElementsAre("module.m.toy.b", "toy.a"));
    this->cloud.start_new_log();
    EXPECT_TRUE(this->destroy(wanted).ok);
    EXPECT_THAT(this->order(), ElementsAre("module.n.c destroy", "module.m.b destroy", "a destroy"));
}

TEST_P(Planning, ModulesHaveDependenciesAndDependents)
{
    auto const done = this->run("module.m @depends_on=a\n m/x\n m/y from=$m/x.id\n a\n b @depends_on=module.m\n c");

    EXPECT_TRUE(done.ok);
    EXPECT_TRUE(this->before("a create", "m/x create") || this->cloud.before("toy.a create", "module.m.toy.x create"));
    EXPECT_TRUE(this->cloud.before("module.m.toy.y create", "toy.b create"));
}

TEST_P(Planning, AnUnknownValueThatBecomesEqualIsNoChange)
{
    this->given("a size=1 other=1\n b from=$a.stamp");
    auto const wanted = "a size=1 other=2\n b from=$a.stamp";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(actions(plan), ElementsAre("a update", "b update"));
    EXPECT_TRUE(done.ok);
    EXPECT_EQ(done.changed, 1U);
    EXPECT_THAT(this->order(), ElementsAre("a update"));
}

TEST_P(Planning, DriftIsDetectedAndReverted)
{
    this->given("a size=1\n b");
    this->cloud.change_outside("toy.a#1", "size", "7");
    this->cloud.destroy_outside("toy.b#1");

    auto const plan = this->plan("a size=1\n b");
    auto const done = this->apply("a size=1\n b", plan);

    EXPECT_EQ(plan.drift.size(), 2U);
    EXPECT_THAT(actions(plan), ElementsAre("a update", "b create"));
    EXPECT_TRUE(done.ok);
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Planning, WithoutRefreshNothingIsRead)
{
    this->given("a size=1");
    this->cloud.change_outside("toy.a#1", "size", "7");
    infra::plan_options options;
    options.refresh = false;

    EXPECT_FALSE(this->plan("a size=1", options).has_changes());
}

TEST_P(Planning, RefreshOnlyRecordsObjectsAndChangesNothing)
{
    this->given("a size=1\n b\n output.o =$a.size");
    this->cloud.change_outside("toy.a#1", "size", "7");
    this->cloud.destroy_outside("toy.b#1");
    infra::plan_options options;
    options.mode = plan_mode::refresh_only;

    auto const done = this->run("a size=1\n b\n output.o =$a.size", options);

    EXPECT_TRUE(done.ok) << testing::PrintToString(codes_of(done.problems));
    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_THAT(this->order(), IsEmpty());
}

TEST_P(Planning, OrphansAreDestroyedWithAReason)
{
    this->given("a @count=3\n b @each=x,y\n c @count=2\n d\n module.m\n m/e");

    auto const plan = this->plan("a @count=1\n b @each=y\n c @each=x");

    EXPECT_THAT(reasons(plan),
        UnorderedElementsAre("a[1] delete_because_count_index", "a[2] delete_because_count_index",
            "b[\"x\"] delete_because_each_key", "c[0] delete_because_wrong_repetition",
            "c[1] delete_because_wrong_repetition", "c[\"x\"] ", "d delete_because_no_resource_config",
            "module.m.e delete_because_no_resource_config"));
}

TEST_P(Planning, ObjectsOfRemovedModuleInstancesAreDestroyed)
{
    this->given("module.m @count=2\n m/e");

    auto const plan = this->plan("module.m @count=1\n m/e");

    EXPECT_THAT(reasons(plan), ElementsAre("module.m[1].e delete_because_no_module"));
}

TEST_P(Planning, FromOneToManyTheObjectMovesAutomatically)
{
    this->given("a\n b from=$a.id");

    auto const plan = this->plan("a @count=2\n b from=$a[0].id");
    auto const done = this->apply("a @count=2\n b from=$a[0].id", plan);

    EXPECT_THAT(actions(plan), ElementsAre("a[1] create"));
    ASSERT_TRUE(plan.changes[0].previous.has_value());
    EXPECT_EQ(to_string(*plan.changes[0].previous), "toy.a");
    EXPECT_TRUE(done.ok);
    EXPECT_EQ(this->kept.now().find(infra::address("toy", "a")), nullptr);
    EXPECT_THAT(this->state(), ElementsAre("a#1", "a[1]#1", "b#1"));
}

TEST_P(Planning, FromManyToOneTheFirstObjectMovesAutomatically)
{
    this->given("a @count=2");

    auto const plan = this->plan("a");
    auto const done = this->apply("a", plan);

    EXPECT_THAT(reasons(plan), ElementsAre("a[1] delete_because_wrong_repetition"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a[0]#1"));
}

TEST_P(Planning, FromOneToNamedInstancesNothingMoves)
{
    this->given("a");

    EXPECT_THAT(
        reasons(this->plan("a @each=x")), UnorderedElementsAre("a delete_because_wrong_repetition", "a[\"x\"] "));
}

TEST_P(Planning, OutputsFollowTheirValues)
{
    this->given("a size=1\n output.o =$a.size\n output.p =fixed\n output.q =null");
    EXPECT_EQ(this->output("o"), "1");
    EXPECT_EQ(this->output("p"), "fixed");
    EXPECT_EQ(this->output("q"), "none");

    auto const plan = this->plan("a size=2\n output.o =$a.size\n output.q =there");
    ASSERT_TRUE(this->apply("a size=2\n output.o =$a.size\n output.q =there", plan).ok);

    ASSERT_EQ(plan.outputs.size(), 3U);
    EXPECT_EQ(plan.outputs[0].what, action::update);
    EXPECT_EQ(plan.outputs[1].what, action::destroy);
    EXPECT_EQ(plan.outputs[2].what, action::create);
    EXPECT_EQ(this->output("o"), "2");
    EXPECT_EQ(this->output("p"), "none");
    EXPECT_EQ(this->output("q"), "there");
}

TEST_P(Planning, AnOutputIsHiddenIfItsPriorOrItsPlannedValueIsSensitive)
{
    this->given("output.hidden =old @sensitive\n output.shown =old\n output.gone =old @sensitive\n output.plain =old");

    auto const plan = this->plan("output.hidden =new\n output.shown =new @sensitive\n output.plain =new");

    std::vector<std::string> hidden;
    for (auto const& one : plan.outputs)
        if (one.sensitive) hidden.push_back(one.name);
    EXPECT_THAT(hidden, ElementsAre("gone", "hidden", "shown"));
}

TEST_P(Planning, AnOutputThatBecomesNullIsRemoved)
{
    this->given("output.o =there");

    ASSERT_TRUE(this->run("output.o =null").ok);

    EXPECT_EQ(this->output("o"), "none");
}

TEST_P(Planning, ATaintedObjectIsReplaced)
{
    this->how.provider.on("create toy.a/partly", fault::fails);
    ASSERT_FALSE(this->run("a").ok);
    this->how.provider = {};

    auto const plan = this->plan("a");
    auto const done = this->apply("a", plan);

    EXPECT_THAT(reasons(plan), ElementsAre("a replace_because_tainted"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#2"));
}

TEST_P(Planning, AReplacementByRequest)
{
    this->given("a\n b from=$a.id");
    infra::plan_options options;
    options.replace.emplace_back("toy", "a");

    auto const plan = this->plan("a\n b from=$a.id", options);

    EXPECT_THAT(reasons(plan), ElementsAre("a replace_by_request", "b "));
}

TEST_P(Planning, PreventDestroyRejectsAPlanThatWouldDestroyOrReplace)
{
    this->given("a kind=x\n b @count=2");
    infra::plan_options everything;
    everything.mode = plan_mode::destroy;
    auto const destroyed = std::vector<std::string>{std::string(infra::sim::codes::prevented)};

    EXPECT_EQ(codes_of(this->refusal("a kind=y @prevent_destroy\n b @count=2")), destroyed);
    EXPECT_EQ(codes_of(this->refusal("a kind=x\n b @count=1 @prevent_destroy")), destroyed);
    EXPECT_EQ(codes_of(this->refusal("a kind=x @prevent_destroy\n b @count=2", everything)), destroyed);
    EXPECT_THAT(this->refusal("a kind=x size=2 @prevent_destroy\n b @count=3 @prevent_destroy"), IsEmpty());
    EXPECT_THAT(this->refusal("b @count=2"), IsEmpty());
}

TEST_P(Planning, KeptObjectsAreRemovedFromStateAndNotDestroyed)
{
    this->given("a kind=x @keep\n b @count=2 @keep\n c @keep @cbd");

    auto const done = this->run("a kind=y @keep\n b @count=1 @keep\n d from=$a.id");

    EXPECT_TRUE(done.ok) << testing::PrintToString(codes_of(done.problems));
    EXPECT_THAT(this->state(), ElementsAre("a#2", "b[0]#1", "d#1"));
    EXPECT_THAT(this->order(), ElementsAre("a create", "d create"));
}

TEST_P(Planning, KeptObjectsAreForgottenWithAReason)
{
    this->given("a kind=x @keep\n b @count=2 @keep\n c @keep");

    auto const plan = this->plan("a kind=y @keep\n b @count=1 @keep");

    EXPECT_THAT(reasons(plan),
        UnorderedElementsAre("a replace_because_cannot_update", "b[1] forgot_because_lifecycle_destroy_in_config",
            "c forgot_because_lifecycle_destroy_in_state"));
    infra::plan_options everything;
    everything.mode = plan_mode::destroy;
    EXPECT_THAT(reasons(this->plan("a kind=x @keep\n b @count=2\n c @keep", everything)),
        UnorderedElementsAre("a forgot_because_lifecycle_destroy_in_config", "b[0] ", "b[1] ",
            "c forgot_because_lifecycle_destroy_in_config"));
}

TEST_P(Planning, AReplaceTriggerReplacesWhenItsSubjectChanges)
{
    this->given("a size=1 other=1\n b @trigger=a.size\n c @trigger=a\n d");

    auto const other = this->plan("a size=1 other=2\n b @trigger=a.size\n c @trigger=a\n d");
    auto const size = this->plan("a size=2 other=1\n b @trigger=a.size\n c @trigger=a\n d");
    auto const neither = this->plan("a size=1 other=1\n b @trigger=a.size\n c @trigger=a\n d @trigger=a");

    EXPECT_THAT(reasons(other), ElementsAre("a ", "c replace_by_triggers"));
    EXPECT_THAT(reasons(size), ElementsAre("a ", "b replace_by_triggers", "c replace_by_triggers"));
    EXPECT_THAT(reasons(neither), IsEmpty());
}

TEST_P(Planning, EachOfSeveralReplaceTriggersReplaces)
{
    this->given("a size=1\n b size=1\n c @trigger=a.size @trigger=b.size");

    auto const first = this->plan("a size=2\n b size=1\n c @trigger=a.size @trigger=b.size");
    auto const second = this->plan("a size=1\n b size=2\n c @trigger=a.size @trigger=b.size");

    EXPECT_THAT(reasons(first), ElementsAre("a ", "c replace_by_triggers"));
    EXPECT_THAT(reasons(second), ElementsAre("b ", "c replace_by_triggers"));
}

TEST_P(Planning, AReplaceTriggerOfAnInstanceThatIsNotThereIsRejected)
{
    this->given("a @count=2\n c");

    EXPECT_THAT(codes_of(this->refusal("a @count=2\n c @trigger=a[5]")), ElementsAre("unknown_replace_trigger"));
}

// As observed: the prior dependent is destroyed before the object that triggers it is updated.
TEST_P(Planning, AReplaceTriggerIsAReferenceToo)
{
    this->given("a size=1\n b @trigger=a");

    auto const done = this->run("a size=2\n b @trigger=a");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("b destroy", "a update", "b create"));
}

TEST_P(Planning, IgnoredChangesAreNotPlannedButAReplacementUsesTheConfiguration)
{
    this->given("a size=1 kind=x @ignore=size");

    auto const ignored = this->plan("a size=2 kind=x @ignore=size");
    ASSERT_TRUE(this->run("a size=2 kind=y @ignore=size").ok);

    EXPECT_FALSE(ignored.has_changes());
    auto const now = this->kept.now().find(infra::address("toy", "a"))->current;
    EXPECT_EQ((*infra::sim::from_document(now->attributes))["size"], "2");
}

TEST_P(Planning, CreateProvisionersRunInOrderAndOnlyAfterACreate)
{
    ASSERT_TRUE(this->run("a size=1 @create=one @create2=two\n b from=$a.id @create=$a.id").ok);
    EXPECT_THAT(without_type(this->cloud.commands()), ElementsAre("a: one", "a: two", "b: a#1"));
    this->cloud.start_new_log();

    ASSERT_TRUE(this->run("a size=2 @create=one @create2=two\n b from=$a.id @create=$a.id").ok);

    EXPECT_THAT(this->cloud.commands(), IsEmpty());
}

TEST_P(Planning, AFailureOfAProvisionerThatMayFailIsIgnored)
{
    this->how.provider.on("provision toy.a", fault::fails, 1);

    auto const done = this->run("a @create?=one @create2=two\n b from=$a.id");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(done.problems, IsEmpty());
    EXPECT_THAT(this->state(), ElementsAre("a#1", "b#1"));
    EXPECT_THAT(without_type(this->cloud.commands()), ElementsAre("a: two"));
}

TEST_P(Planning, AFailedProvisionerIsLocated)
{
    this->how.provider.on("provision toy.a", fault::fails);

    auto const done = this->run("g\n a @create=one");

    ASSERT_EQ(done.problems.size(), 1U);
    EXPECT_EQ(done.problems[0].source.line, 2U);
}

TEST_P(Planning, DestroyProvisionersRunBeforeTheDestroy)
{
    this->given("a kind=x @destroy=bye\n b @count=2 @destroy=$each\n c @destroy=late");

    auto const done = this->run("a kind=y @destroy=bye\n b @count=1 @destroy=$each");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(without_type(this->cloud.commands()), UnorderedElementsAre("a: bye", "b[1]: 1"));
}

TEST_P(Planning, ADestroyProvisionerThatFailsKeepsTheObject)
{
    this->given("a @destroy=bye\n b from=$a.id @destroy=bye");
    this->how.provider.on("provision toy.b", fault::fails);

    auto const done = this->destroy("a @destroy=bye\n b from=$a.id @destroy=bye");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#1", "b#1"));
    EXPECT_THAT(this->order(), IsEmpty());
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Planning, DestroyProvisionersDoNotRunForTaintedObjects)
{
    this->how.provider.on("create toy.a/partly", fault::fails);
    ASSERT_FALSE(this->run("a @destroy=bye").ok);
    this->how.provider = {};

    ASSERT_TRUE(this->destroy("a @destroy=bye").ok);

    EXPECT_THAT(this->cloud.commands(), IsEmpty());
    EXPECT_THAT(this->state(), IsEmpty());
}

TEST_P(Planning, ATargetIncludesItsDependenciesOnly)
{
    auto const wanted = "a\n b from=$a.id\n c from=$b.id\n output.o =$b.id\n output.p =$c.id";

    auto const done = this->run(wanted, this->target("b"));

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create", "b create"));
    EXPECT_EQ(this->output("o"), "toy.b#1");
    EXPECT_EQ(this->output("p"), "none");
}

TEST_P(Planning, ATargetedInstanceExcludesOtherInstances)
{
    this->given("a @count=2 size=1\n b from=$a.size");

    auto const plan = this->plan("a @count=2 size=2\n b from=$a.size", this->target("a[1]"));

    EXPECT_THAT(actions(plan), ElementsAre("a[1] update"));
    EXPECT_TRUE(plan.targeted);
}

TEST_P(Planning, ATargetedModuleIncludesItsContent)
{
    auto const wanted = "a\n module.m @depends_on=a\n m/b\n m/c\n d from=$m/b.id";

    auto const done = this->run(wanted, this->target("module.m"));

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), UnorderedElementsAre("a#1", "module.m.b#1", "module.m.c#1"));
}

TEST_P(Planning, ATargetedInstanceOfAModuleExcludesTheOthers)
{
    infra::plan_options options;
    options.targets.emplace_back(std::vector<infra::module_step>{{"m", infra::instance_key(std::int64_t{1})}},
        infra::resource_mode::managed, "", "", infra::instance_key());

    auto const done = this->run("module.m @count=2\n m/b", options);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("module.m[1].b#1"));
}

TEST_P(Planning, CreateBeforeDestroyIsRecordedForAnUnchangedObject)
{
    this->given("a size=1");

    auto const done = this->run("a size=1 @cbd");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), IsEmpty());
    EXPECT_TRUE(this->kept.now().find(infra::address("toy", "a"))->current->create_before_destroy);
}

TEST_P(Planning, AnInstanceThatIsDestroyedIsNotDeclaredAtItsFormerAddress)
{
    this->given("a @count=2\n b");

    auto const done = this->run("a @count=1\n b\n moved a[1] b");

    EXPECT_TRUE(done.ok) << testing::PrintToString(codes_of(done.problems));
    EXPECT_THAT(this->order(), ElementsAre("a[1] destroy"));
}

TEST_P(Planning, ATargetOfADestroyIncludesItsDependents)
{
    auto const wanted = "a\n b from=$a.id\n c from=$b.id\n d";
    this->given(wanted);
    auto options = this->target("b");
    options.mode = plan_mode::destroy;

    auto const plan = this->plan(wanted, options);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(actions(plan), ElementsAre("b destroy", "c destroy"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("c destroy", "b destroy"));
    EXPECT_THAT(this->state(), ElementsAre("a#1", "d#1"));
}

TEST_P(Planning, ADestroyAfterAReversedDependencyFollowsTheConfigurationIfTheFormerDependentIsUnchanged)
{
    this->given("c size=1\n d size=1 @depends_on=c");
    EXPECT_TRUE(this->destroy("c size=2 @depends_on=d\n d size=1").ok);
    EXPECT_THAT(this->order(), ElementsAre("c destroy", "d destroy"));

    this->given("c size=1\n d size=1 @depends_on=c");
    EXPECT_TRUE(this->destroy("c size=2 @depends_on=d\n d size=2").ok);
    EXPECT_THAT(this->order(), ElementsAre("d destroy", "c destroy"));
}

TEST_P(Planning, ARefreshReportsConditionsThatDoNotHoldAsWarnings)
{
    this->given("a size=1\n b size=1");
    infra::plan_options refresh;
    refresh.mode = plan_mode::refresh_only;

    auto const plan = this->plan("a size=1 @before=$b.size:2 @after=size:2\n b size=1", refresh);

    EXPECT_THAT(plan.warnings, testing::SizeIs(2));
}

TEST_P(Planning, ARefreshSavesTheOutputsOfObjectsThatHaveChanged)
{
    auto const wanted = "a size=1\n output.o =$a.size";
    this->given(wanted);
    this->cloud.change_outside("toy.a#1", "size", "7");
    infra::plan_options refresh;
    refresh.mode = plan_mode::refresh_only;

    auto const done = this->run(wanted, refresh);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), IsEmpty());
    EXPECT_EQ(this->output("o"), "7");
}

// The plan and the apply see the present values of the instances that a target excludes.
TEST_P(Planning, ATargetedDependentSeesInstancesOutsideOfTheTargets)
{
    this->given("a @count=2 size=1\n b from=none");
    auto options = this->target("a[1]");
    options.targets.emplace_back("toy", "b");
    auto const wanted = "a @count=2 size=2\n b from=$a.size";

    auto const done = this->run(wanted, options);

    EXPECT_TRUE(done.ok) << testing::PrintToString(codes_of(done.problems));
    auto const b = this->kept.now().find(infra::address("toy", "b"))->current;
    EXPECT_EQ((*infra::sim::from_document(b->attributes))["from"], "1,2");
}

TEST_P(Planning, AReferenceCycleIsRejectedWithItsPath)
{
    auto const why = this->refusal("a from=$b.id\n b from=$a.id");

    ASSERT_EQ(why.size(), 1U);
    EXPECT_EQ(why[0].code, infra::codes::dependency_cycle);
    EXPECT_THAT(why[0].arguments,
        ElementsAre("toy.a, toy.b", "toy.a", "toy.b", "reference at line 1", "toy.b", "toy.a", "reference at line 2"));
}

TEST_P(Planning, AnUndeclaredReferenceIsReported)
{
    EXPECT_THAT(codes_of(this->refusal("a from=$nobody.id")), ElementsAre(infra::sim::codes::undeclared));
    EXPECT_THAT(codes_of(this->refusal("a\n b from=$a[3].id")), ElementsAre(infra::sim::codes::invalid_index));
    EXPECT_THAT(codes_of(this->refusal("a\n b @count=$a.id")), ElementsAre(infra::sim::codes::unknown_repetition));
}

TEST_P(Planning, ConditionsAreCheckedAgainOnObjectsThatDoNotChange)
{
    this->given("a size=1\n b from=1 @before=$a.stamp:of-1");

    auto const done = this->run("a size=2\n b from=1 @before=$a.stamp:of-1");

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::precondition_failed));
    EXPECT_THAT(this->order(), ElementsAre("a update"));
}

TEST_P(Planning, APostconditionThatFailsStopsDependentsAndKeepsTheObject)
{
    auto const done = this->run("a size=1 @after=stamp:of-2\n b from=$a.id");

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::postcondition_failed));
    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_TRUE(this->is_settled());
}

// Graph-engine specification 6.1.
TEST_P(Planning, CreateBeforeDestroyPropagatesThroughValuesAndModulesToDependenciesOnly)
{
    this->given("a\n local.l =$a.id\n module.m @depends_on=local.l\n m/b\n c @depends_on=m/b @cbd\n d from=$c.id");
    auto const cbd = [&](std::string const& of) {
        return this->kept.now().find(infra::parse_address(of).value())->current->create_before_destroy;
    };

    EXPECT_TRUE(cbd("toy.a"));
    EXPECT_TRUE(cbd("module.m.toy.b"));
    EXPECT_TRUE(cbd("toy.c"));
    EXPECT_FALSE(cbd("toy.d"));
}

TEST_P(Planning, ReportsTheObjectThatForcesCreateBeforeDestroy)
{
    this->given("a kind=x @cbd=false\n b kind=x from=$a.id @cbd\n c kind=x from=$b.id");

    auto const idle = this->plan("a kind=x @cbd=false\n b kind=x from=$a.id @cbd\n c kind=x from=$b.id");
    auto const busy = this->plan("a kind=y @cbd=false\n b kind=x from=$a.id @cbd\n c kind=x from=$b.id");

    EXPECT_THAT(idle.warnings, testing::IsEmpty());
    ASSERT_EQ(busy.warnings.size(), 1U);
    EXPECT_EQ(busy.warnings.front().code, infra::codes::overruled_create_before_destroy);
    EXPECT_THAT(busy.warnings.front().arguments, ElementsAre("toy.a", "toy.b"));
}

TEST_P(Planning, ReportsTheObjectWhoseRecordedDependenciesForceCreateBeforeDestroy)
{
    this->given("a kind=x\n b kind=x from=$a.id @cbd");

    auto const plan = this->plan("a kind=y @cbd=false\n b kind=y @cbd");

    EXPECT_THAT(actions(plan), ElementsAre("a create/destroy", "b create/destroy"));
    ASSERT_EQ(plan.warnings.size(), 1U);
    EXPECT_EQ(plan.warnings.front().code, infra::codes::overruled_create_before_destroy);
    EXPECT_THAT(plan.warnings.front().arguments, ElementsAre("toy.a", "toy.b"));
}

TEST_P(Planning, AChangeThatForgetsAnObjectNamesItsResource)
{
    this->given("a @count=2");

    auto const plan = this->plan("removed a");

    EXPECT_THAT(actions(plan), ElementsAre("a[0] forget", "a[1] forget"));
    for (auto const& c : plan.changes) EXPECT_EQ(c.config, "toy.a");
}

TEST_P(Planning, RejectsKnownValuesThatViolateAPostcondition)
{
    auto const problems = this->refusal("a size=1 @after=size:2");

    EXPECT_THAT(codes_of(problems), ElementsAre(infra::sim::codes::postcondition_failed));
}

}  // namespace
