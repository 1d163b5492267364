// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

#include <mutex>

namespace {

using namespace strider;
using namespace strider::test;
using infra::event_kind;
using testing::ElementsAre;
using testing::IsEmpty;

// Reported operations are durable, operations that are not durable are not carried out, and unknown results are
// requested.
class Durability : public engine_in_worlds {};
INSTANTIATE_TEST_SUITE_P(In, Durability, worlds, name_of_world);

TEST_P(Durability, NoResultIsReportedAfterAFailedCommit)
{
    this->how.limits.parallelism = 1;
    this->how.store.on("commit", fault::fails, 2);
    std::mutex locked;
    std::vector<std::string> reported;
    this->how.watch = [&](toy_event const& e) {
        std::scoped_lock const lock(locked);
        if (e.kind == event_kind::operation_done) reported.push_back(to_string(e.target));
    };

    auto const done = this->run("a\n b from=$a.id\n c");

    EXPECT_EQ(done.store_error, boost::system::errc::no_space_on_device);
    EXPECT_FALSE(done.ok);
    EXPECT_THAT(reported, IsEmpty());
    EXPECT_EQ(this->cloud.log().size(), 1U);
    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_EQ(this->kept.now().pending.size(), 1U);
    EXPECT_EQ(objects(done.state).size(), 1U);
}

TEST_P(Durability, NoOperationStartsIfTheFirstCommitFails)
{
    this->how.store.on("commit", fault::fails);

    auto const done = this->run("a\n b");

    EXPECT_TRUE(done.store_error.failed());
    EXPECT_THAT(this->cloud.log(), IsEmpty());
}

TEST_P(Durability, AStoreThatThrowsIsTreatedAsFailed)
{
    this->how.store.on("commit", fault::throws, 1);

    auto const done = this->run("a");

    EXPECT_TRUE(done.store_error.failed());
    EXPECT_THAT(this->cloud.log(), IsEmpty());
}

TEST_P(Durability, TheNextPlanResolvesTheOperationsOfAFailedCommit)
{
    auto const wanted = "a\n b from=$a.id";
    this->how.store.on("commit", fault::fails, 2);
    ASSERT_FALSE(this->run(wanted).ok);
    this->how.store = {};

    auto const done = this->run(wanted);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create", "b create"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Durability, ConcurrentAppendsShareACommit)
{
    this->how.store.delay(std::chrono::milliseconds(20)).on("commit", fault::slow);
    this->how.limits.parallelism = 10;

    auto const done = this->run("a @count=10");

    EXPECT_TRUE(done.ok);
    EXPECT_EQ(done.entries, 20U);
    EXPECT_LT(done.commits, done.entries);
    EXPECT_EQ(this->kept.batches().size(), done.commits);
}

TEST_P(Durability, TheBeginningOfAnOperationIsDurableBeforeItsProviderIsCalled)
{
    std::mutex locked;
    bool early = false;
    this->how.watch = [&](toy_event const& e) {
        std::scoped_lock const lock(locked);
        if (e.kind != event_kind::operation_started) return;
        early = early || this->kept.batches().empty();
    };
    this->how.limits.parallelism = 1;

    ASSERT_TRUE(this->run("a").ok);

    EXPECT_FALSE(early);
    EXPECT_EQ(this->kept.entries().front().kind(), infra::journal_entry::kind_type::begin);
}

TEST_P(Durability, OperationsWithoutSideEffectsDoNotWaitForCommits)
{
    this->how.store.delay(std::chrono::milliseconds(20)).on("commit", fault::slow);
    this->how.limits.parallelism = 1;
    this->how.objects_in_state = true;

    auto const done = this->run("a @count=30");

    EXPECT_TRUE(done.ok);
    EXPECT_EQ(done.entries, 60U);
    EXPECT_LT(done.commits, 20U);
    EXPECT_EQ(this->state().size(), 30U);
    EXPECT_THAT(this->kept.now().pending, IsEmpty());
}

TEST_P(Durability, OperationsWithoutSideEffectsDoNotOutrunTheStoreWithoutBound)
{
    this->how.objects_in_state = true;
    this->how.limits.parallelism = 10;
    this->how.store.delay(std::chrono::milliseconds(50)).on("commit", fault::slow, 1).on("commit", fault::slow, 2);

    auto const done = this->run("a @count=1500");

    EXPECT_TRUE(done.ok);
    EXPECT_EQ(done.entries, 3000U);
    for (auto const& batch : this->kept.batches()) EXPECT_LE(batch.size(), 600U);
}

TEST_P(Durability, OperationsWithoutSideEffectsAreRepeatedAfterACrash)
{
    auto const wanted = "a @count=4\n b from=$a.id\n c from=$b.id";
    this->how.objects_in_state = true;
    bool ended = false;
    for (std::uint64_t steps = 1; !ended && &this->where() == &simulated; steps += 3) {
        this->kept = infra::sim::durable_state();
        auto const plan = this->plan(wanted);
        this->how.crash_after = steps;
        ended = this->where().apply(toy(wanted), plan, this->cloud, this->kept, this->how).has_value();
        this->how.crash_after.reset();
        this->kept.restart(steps);

        EXPECT_TRUE(this->run(wanted).ok) << steps;
        EXPECT_EQ(this->state().size(), 6U) << steps;
        EXPECT_THAT(this->kept.now().pending, IsEmpty()) << steps;
    }
}

TEST_P(Durability, OperationsWithoutSideEffectsAreReportedWhenTheyAreDurable)
{
    this->how.store.on("commit", fault::fails, 2);
    this->how.limits.parallelism = 1;
    this->how.objects_in_state = true;
    std::mutex locked;
    std::vector<std::string> reported;
    this->how.watch = [&](toy_event const& e) {
        std::scoped_lock const lock(locked);
        if (e.kind == event_kind::operation_done) reported.push_back(to_string(e.target));
    };

    auto const done = this->run("a\n b from=$a.id\n c from=$b.id\n d from=$c.id\n e from=$d.id");

    std::vector<std::string> stored;
    for (auto const& [target, record] : this->kept.now().resources) stored.push_back(to_string(target));
    EXPECT_EQ(reported, stored);
    EXPECT_EQ(done.ok, done.commits < 2U);
}

TEST_P(Durability, ProvisionersOfOperationsWithoutSideEffectsWaitForCommits)
{
    this->how.objects_in_state = true;
    std::mutex locked;
    bool early = false;
    this->how.watch = [&](toy_event const& e) {
        std::scoped_lock const lock(locked);
        if (e.kind != event_kind::provision_started) return;
        auto const entries = this->kept.entries();
        early = early || entries.empty() || entries.back().kind() == infra::journal_entry::kind_type::end;
    };

    ASSERT_TRUE(this->run("a @create=hello @destroy=bye").ok);
    ASSERT_TRUE(this->run("").ok);

    EXPECT_FALSE(early);
    EXPECT_THAT(this->state(), IsEmpty());
}

TEST_P(Durability, AnEndIsReportedBeforeTheBeginningsThatDependOnIt)
{
    std::mutex locked;
    std::vector<std::string> reported;
    this->how.watch = [&](toy_event const& e) {
        std::scoped_lock const lock(locked);
        if (e.kind == event_kind::operation_started) reported.push_back("begin " + to_string(e.target));
        if (e.kind == event_kind::operation_done) reported.push_back("end " + to_string(e.target));
    };

    ASSERT_TRUE(this->run("a\n b from=$a.id\n c from=$b.id").ok);

    EXPECT_THAT(
        reported, ElementsAre("begin toy.a", "end toy.a", "begin toy.b", "end toy.b", "begin toy.c", "end toy.c"));
}

TEST_P(Durability, AnOperationWaitsForOneCommit)
{
    auto const done = this->run("a\n b from=$a.id\n c from=$b.id");

    bool const gathers_surely = &this->where() == &simulated;
    EXPECT_EQ(done.entries, 6U);
    EXPECT_LE(done.commits, gathers_surely ? 4U : 6U);
}

TEST_P(Durability, AStalePlanIsRejected)
{
    this->given("a");
    auto const old = this->plan("a\n b");
    ASSERT_TRUE(this->run("a\n c").ok);
    this->cloud.start_new_log();

    auto const done = this->apply("a\n b", old);

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::codes::stale_plan));
    EXPECT_THAT(this->order(), IsEmpty());
}

TEST_P(Durability, APlanIsValidForOneApply)
{
    auto const plan = this->plan("a");
    ASSERT_TRUE(this->apply("a", plan).ok);

    auto const again = this->apply("a", plan);

    EXPECT_THAT(codes_of(again.problems), ElementsAre(infra::codes::stale_plan));
    EXPECT_THAT(this->order(), ElementsAre("a create"));
}

TEST_P(Durability, ADamagedStateIsRejectedByPlanAndApply)
{
    this->given("a\n b from=$a.id");
    auto const plan = this->plan("a\n b from=$a.id size=2");
    infra::snapshot damaged = this->kept.now();
    damaged.resources.at(infra::address("toy", "b")).current->dependencies = {"not an address"};
    this->kept.tamper(damaged);

    EXPECT_THAT(codes_of(this->refusal("a")), ElementsAre(infra::codes::state_invalid_dependency));
    EXPECT_THAT(codes_of(this->apply("a\n b from=$a.id size=2", plan).problems),
        ElementsAre(infra::codes::state_invalid_dependency));
    EXPECT_THAT(this->order(), IsEmpty());
}

TEST_P(Durability, AnUnreadableObjectIsReported)
{
    this->given("a");
    infra::snapshot damaged = this->kept.now();
    damaged.resources.at(infra::address("toy", "a")).current->attributes = infra::document("no line");
    this->kept.tamper(damaged);

    EXPECT_THAT(codes_of(this->refusal("a")), ElementsAre(infra::sim::codes::foreign_object));
}

TEST_P(Durability, AnUnreadableStateIsReported)
{
    this->how.store.on("read", fault::fails);

    EXPECT_THAT(codes_of(this->refusal("a")), ElementsAre(infra::sim::codes::state_unreadable));
}

TEST_P(Durability, APendingCreateThatWasPerformedIsAdopted)
{
    this->how.provider.on("create toy.a/done", fault::throws);
    ASSERT_FALSE(this->run("a\n b from=$a.id").ok);
    this->how.provider = {};

    auto const done = this->run("a\n b from=$a.id");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#1", "b#1"));
    EXPECT_TRUE(this->is_settled());
    EXPECT_THAT(this->cloud.duplicates(), IsEmpty());
}

TEST_P(Durability, APendingCreateIsTaintedIfProvisionersDidNotRun)
{
    this->how.provider.on("create toy.a/done", fault::throws);
    ASSERT_FALSE(this->run("a @create=hello").ok);
    this->how.provider = {};

    auto const plan = this->plan("a @create=hello");

    EXPECT_THAT(actions(plan), ElementsAre("a destroy/create"));
    EXPECT_EQ(plan.changes[0].reason, infra::action_reason::replace_because_tainted);
}

TEST_P(Durability, AnObjectIsDurableBeforeItsProvisionersBegin)
{
    std::mutex locked;
    std::vector<std::string> seen;
    std::size_t pending = 0;
    this->how.watch = [&](toy_event const& e) {
        std::scoped_lock const lock(locked);
        if (e.kind != event_kind::provision_started) return;
        seen = this->state();
        pending = this->kept.now().pending.size();
    };

    ASSERT_TRUE(this->run("a @create=hello").ok);

    EXPECT_THAT(seen, ElementsAre("a#1 tainted"));
    EXPECT_EQ(pending, 1U);
    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_TRUE(this->is_settled());
}

// Virtual time only: the world ends while the first provisioner runs.
class CrashDuringProvisioner : public engine_in_worlds {
protected:
    auto plan_and_crash(std::string_view text) -> bool
    {
        auto const planned = this->plan(text);
        bool running = false;
        this->how.watch = [&](toy_event const& e) { running = running || e.kind == event_kind::provision_started; };
        auto const cloud_before = this->cloud;
        auto const kept_before = this->kept;
        for (std::uint64_t steps = 1; steps < 10'000; ++steps) {
            this->cloud = cloud_before;
            this->kept = kept_before;
            running = false;
            this->how.crash_after = steps;
            auto const done = apply_simulated(toy(text), planned, this->cloud, this->kept, this->how);
            if (done) return false;
            if (running && !this->cloud.commands().empty()) break;
        }
        this->how.crash_after.reset();
        this->how.watch = {};
        return running;
    }
};

INSTANTIATE_TEST_SUITE_P(In, CrashDuringProvisioner, testing::Values(&simulated), name_of_world);

TEST_P(CrashDuringProvisioner, AnObjectWhoseProvisionerWasRunningIsTainted)
{
    ASSERT_TRUE(this->plan_and_crash("a @create=hello @destroy=bye"));

    auto const plan = this->plan("a @create=hello @destroy=bye");

    EXPECT_THAT(actions(plan), ElementsAre("a destroy/create"));
    EXPECT_EQ(plan.changes[0].reason, infra::action_reason::replace_because_tainted);
}

TEST_P(CrashDuringProvisioner, AnObjectWhoseProvisionerWasRunningIsDestroyedWithItsDestroyProvisioner)
{
    ASSERT_TRUE(this->plan_and_crash("a @create=hello @destroy=bye"));

    auto const done = this->run("a @create=hello @destroy=bye");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(without_type(this->cloud.commands()), ElementsAre("a: hello", "a: bye", "a: hello"));
    EXPECT_THAT(this->state(), ElementsAre("a#2"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(CrashDuringProvisioner, ADestroyProvisionerThatMayHaveRunNeedsADecision)
{
    this->given("a kind=x @destroy=bye");
    ASSERT_TRUE(this->plan_and_crash("a kind=y @destroy=bye"));

    for (char const* const text : {"a kind=y @destroy=bye", "a kind=y"}) {
        auto const why = this->refusal(text);
        ASSERT_THAT(codes_of(why), ElementsAre(infra::codes::undecided_provisioners)) << text;
        EXPECT_EQ(why[0].address, "toy.a");
    }
}

TEST_P(CrashDuringProvisioner, ARefreshKeepsTheDestroyProvisionerOfAnUnfinishedObject)
{
    ASSERT_TRUE(this->plan_and_crash("a @create=hello @destroy=bye"));
    infra::plan_options refresh;
    refresh.mode = plan_mode::refresh_only;
    ASSERT_TRUE(this->run("a @create=hello @destroy=bye", refresh).ok);
    ASSERT_THAT(this->state(), ElementsAre("a#1 tainted"));

    EXPECT_TRUE(this->destroy("a @create=hello @destroy=bye").ok);

    EXPECT_THAT(without_type(this->cloud.commands()), ElementsAre("a: hello", "a: bye"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(CrashDuringProvisioner, TheProviderIsNotCalledForARecordedObject)
{
    ASSERT_TRUE(this->plan_and_crash("a @create=hello"));
    this->how.lost_memory = true;

    EXPECT_TRUE(this->run("a @create=hello").ok);
    EXPECT_THAT(this->state(), ElementsAre("a#2"));
}

TEST_P(CrashDuringProvisioner, ADestroyProvisionerOfAFailedCreateDoesNotRun)
{
    this->how.provider.on("provision toy.a", fault::fails);
    ASSERT_FALSE(this->run("a @create=hello @destroy=bye").ok);
    this->how.provider = {};

    EXPECT_TRUE(this->destroy("a @create=hello @destroy=bye").ok);

    EXPECT_THAT(this->cloud.commands(), IsEmpty());
}

TEST_P(CrashDuringProvisioner, AReplacementKeepsBothObjectsUntilTheOldOneIsDestroyed)
{
    this->given("a kind=x @cbd @create=hello");
    ASSERT_TRUE(this->plan_and_crash("a kind=y @cbd @create=hello"));
    ASSERT_THAT(this->state(), ElementsAre("a#2 tainted", "a#1 deposed"));

    EXPECT_TRUE(this->run("a kind=y @cbd @create=hello").ok);

    EXPECT_THAT(this->state(), ElementsAre("a#3"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(CrashDuringProvisioner, APlanBesideARunningApplyTreatsRecordedObjectsAsCreated)
{
    ASSERT_TRUE(this->plan_and_crash("a @create=hello"));
    infra::plan_options beside;
    beside.under_way = true;

    auto const plan = this->plan("a @create=hello\n b", beside);

    EXPECT_THAT(actions(plan), ElementsAre("b create"));
}

TEST_P(CrashDuringProvisioner, APlanMadeDuringAnApplyIsStaleAfterTheApplyIsInterrupted)
{
    ASSERT_TRUE(this->plan_and_crash("a @create=hello"));
    infra::plan_options beside;
    beside.under_way = true;
    auto const plan = this->plan("a @create=hello\n b", beside);

    auto const done = this->apply("a @create=hello\n b", plan);

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::codes::stale_plan));
    EXPECT_EQ(done.problems[0].code, infra::codes::stale_plan);
    EXPECT_THAT(this->state(), ElementsAre("a#1 tainted"));
}

TEST_P(Durability, APlanBesideARunningApplyDoesNotResolveItsOperations)
{
    this->how.provider.on("create toy.a/done", fault::throws);
    ASSERT_FALSE(this->run("a").ok);
    this->how.provider = {};
    this->how.lost_memory = true;
    infra::plan_options beside;
    beside.under_way = true;

    EXPECT_THAT(actions(this->plan("a", beside)), ElementsAre("a create"));
}

TEST_P(Durability, APendingCreateThatWasNotPerformedIsDropped)
{
    this->how.provider.on("create toy.a", fault::throws);
    ASSERT_FALSE(this->run("a").ok);
    ASSERT_EQ(this->kept.now().pending.size(), 1U);
    this->how.provider = {};

    auto const done = this->run("a");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Durability, AnObjectOfAPendingCreateIsReplacedIfItsDeclarationHasProvisionersByNow)
{
    this->how.provider.on("create toy.a/done", fault::throws);
    ASSERT_FALSE(this->run("a").ok);
    this->how.provider = {};

    EXPECT_THAT(actions(this->plan("a @create=hello")), ElementsAre("a destroy/create"));
    EXPECT_THAT(actions(this->plan("a @destroy=bye")), IsEmpty());
}

TEST_P(Durability, APendingCreateThatWasNotPerformedRestoresTheDeposedObject)
{
    this->given("a kind=x @cbd\n b from=$a.id");
    this->how.provider.on("create toy.a", fault::throws);
    ASSERT_FALSE(this->run("a kind=y @cbd\n b from=$a.id").ok);
    ASSERT_THAT(this->state(), ElementsAre("a#1 deposed", "b#1"));
    this->how.provider = {};

    auto const done = this->run("a kind=y @cbd\n b from=$a.id");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#2", "b#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Durability, APendingUpdateThatWasPerformedIsAdopted)
{
    this->given("a\n b size=1 from=$a.id");
    this->how.provider.on("update toy.b/done", fault::throws);
    ASSERT_FALSE(this->run("a\n b size=2 from=$a.id").ok);
    this->how.provider = {};

    auto const plan = this->plan("a\n b size=2 from=$a.id");
    auto const done = this->apply("a\n b size=2 from=$a.id", plan);

    EXPECT_FALSE(plan.has_changes());
    EXPECT_TRUE(done.ok);
    EXPECT_TRUE(this->is_settled());
    EXPECT_THAT(this->kept.now().find(infra::address("toy", "b"))->current->dependencies.names(), ElementsAre("toy.a"));
}

TEST_P(Durability, AnObjectToKeepIsKeptAfterAPendingUpdate)
{
    this->given("a size=1 @keep");
    this->how.provider.on("update toy.a/done", fault::throws, 1);
    ASSERT_FALSE(this->run("a size=2 @keep").ok);
    this->how.provider = {};

    auto const planned = this->plan("");

    EXPECT_THAT(actions(planned), ElementsAre("a forget"));
}

TEST_P(Durability, APendingDestroyThatWasPerformedIsAdopted)
{
    this->given("a\n b from=$a.id");
    this->how.provider.on("destroy toy.b/done", fault::throws);
    ASSERT_FALSE(this->run("a").ok);
    this->how.provider = {};

    auto const plan = this->plan("a");
    auto const done = this->apply("a", plan);

    EXPECT_FALSE(plan.has_changes());
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Durability, APendingDestroyThatWasNotPerformedIsRepeated)
{
    this->given("a");
    this->how.provider.on("destroy toy.a", fault::throws);
    ASSERT_FALSE(this->run("").ok);
    this->how.provider = {};

    auto const done = this->run("");

    EXPECT_TRUE(done.ok);
    EXPECT_TRUE(this->cloud.resources().empty());
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Durability, APendingOperationWithAnUnknownResultIsReportedWithARemedy)
{
    this->how.provider.on("create toy.a/done", fault::throws);
    ASSERT_FALSE(this->run("a").ok);
    this->how.provider = {};
    this->how.lost_memory = true;

    auto const why = this->refusal("a");

    ASSERT_THAT(codes_of(why), ElementsAre(infra::codes::undecided_operation));
    EXPECT_EQ(why[0].address, "toy.a");
    EXPECT_THAT(why[0].arguments, ElementsAre("create", "toy.a"));
}

}  // namespace
