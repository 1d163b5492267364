// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

namespace {

using namespace strider;
using namespace strider::test;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Graph-engine specification 6.6, line by line: `a` is replaced and created before it is destroyed, `b` uses it.
class DeposedObjects : public engine_in_worlds {
protected:
    static constexpr auto first = "a kind=x @cbd\n b from=$a.id";
    static constexpr auto second = "a kind=y @cbd\n b from=$a.id";
    static constexpr auto third = "a kind=z @cbd\n b from=$a.id";
};
INSTANTIATE_TEST_SUITE_P(In, DeposedObjects, worlds, name_of_world);

TEST_P(DeposedObjects, AreDestroyedAfterASuccessfulReplacement)
{
    this->given(this->first);

    auto const done = this->run(this->second);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#2", "b#1"));
    EXPECT_TRUE(this->is_settled());
    EXPECT_EQ(done.added, 1U);
    EXPECT_EQ(done.changed, 1U);
    EXPECT_EQ(done.destroyed, 1U);
}

TEST_P(DeposedObjects, AreDeposedWhenTheCreateBegins)
{
    this->given(this->first);
    std::size_t const before = this->kept.entries().size();

    ASSERT_TRUE(this->run(this->second).ok);

    for (std::size_t i = before; i < this->kept.entries().size(); ++i) {
        auto const entry = this->kept.entries()[i];
        if (entry.kind() != infra::journal_entry::kind_type::begin) continue;
        EXPECT_EQ(entry.operation().kind, infra::operation_kind::create);
        EXPECT_THAT(objects(this->kept.after(i).value()), ElementsAre("a#1", "b#1"));
        EXPECT_THAT(objects(this->kept.after(i + 1).value()), ElementsAre("a#1 deposed", "b#1"));
        return;
    }
    FAIL() << "no operation was begun";
}

TEST_P(DeposedObjects, BecomeCurrentAgainIfNothingWasCreated)
{
    this->given(this->first);
    this->how.provider.on("create toy.a", fault::fails);

    auto const done = this->run(this->second);

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::operation_refused));
    EXPECT_THAT(this->state(), ElementsAre("a#1", "b#1"));
    EXPECT_THAT(this->order(), IsEmpty());
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DeposedObjects, StayIfTheNewObjectIsPartial)
{
    this->given(this->first);
    this->how.provider.on("create toy.a/partly", fault::fails);

    auto const done = this->run(this->second);

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#2 tainted", "a#1 deposed", "b#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DeposedObjects, StayIfACreateProvisionerFails)
{
    auto const with_step = "a kind=y @cbd @create=hello\n b from=$a.id";
    this->given(this->first);
    this->how.provider.on("provision toy.a", fault::fails);

    auto const done = this->run(with_step);

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#2 tainted", "a#1 deposed", "b#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DeposedObjects, StayIfTheirDestructionFails)
{
    this->given(this->first);
    this->how.provider.on("destroy toy.a", fault::fails);

    auto const done = this->run(this->second);

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create", "b update"));
    EXPECT_THAT(this->state(), ElementsAre("a#2", "a#1 deposed", "b#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DeposedObjects, StayIfADependentCannotBeUpdated)
{
    this->given(this->first);
    this->how.provider.on("update toy.b", fault::fails);

    auto const done = this->run(this->second);

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create"));
    EXPECT_THAT(this->state(), ElementsAre("a#2", "a#1 deposed", "b#1"));
}

TEST_P(DeposedObjects, AreDestroyedByTheNextPlan)
{
    this->given(this->first);
    this->how.provider.on("destroy toy.a", fault::fails);
    ASSERT_FALSE(this->run(this->second).ok);
    this->how.provider = {};

    auto const plan = this->plan(this->second);
    auto const done = this->apply(this->second, plan);

    EXPECT_THAT(actions(plan), ElementsAre("a destroy deposed"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#2", "b#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DeposedObjects, StayIfOnlyADependentIsATarget)
{
    this->given(this->first);
    this->how.provider.on("destroy toy.a", fault::fails);
    ASSERT_FALSE(this->run(this->second).ok);
    this->how.provider = {};
    infra::plan_options options;
    options.targets.emplace_back("toy", "b");

    EXPECT_THAT(actions(this->plan(this->second, options)), IsEmpty());
    EXPECT_THAT(actions(this->plan(this->second)), ElementsAre("a destroy deposed"));
}

TEST_P(DeposedObjects, AccumulateAndAreDestroyedIndividually)
{
    this->given(this->first);
    this->how.provider.on("destroy toy.a", fault::fails);
    ASSERT_FALSE(this->run(this->second).ok);
    ASSERT_FALSE(this->run(this->third).ok);
    ASSERT_THAT(this->state(), UnorderedElementsAre("a#3", "a#1 deposed", "a#2 deposed", "b#1"));
    this->how.provider = {};

    auto const plan = this->plan(this->third);
    auto const done = this->apply(this->third, plan);

    EXPECT_THAT(actions(plan), ElementsAre("a destroy deposed", "a destroy deposed"));
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#3", "b#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DeposedObjects, AreReplacedAgainAfterATaintedOne)
{
    this->given(this->first);
    this->how.provider.on("create toy.a/partly", fault::fails);
    ASSERT_FALSE(this->run(this->second).ok);
    this->how.provider = {};
    this->cloud.start_new_log();

    auto const plan = this->plan(this->second);
    auto const done = this->apply(this->second, plan);

    EXPECT_THAT(actions(plan), ElementsAre("a create/destroy", "a destroy deposed", "b update"));
    EXPECT_EQ(plan.changes[0].reason, infra::action_reason::replace_because_tainted);
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#3", "b#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DeposedObjects, AreDroppedIfTheyNoLongerExist)
{
    this->given(this->first);
    this->how.provider.on("destroy toy.a", fault::fails);
    ASSERT_FALSE(this->run(this->second).ok);
    this->how.provider = {};
    this->cloud.destroy_outside("toy.a#1");

    auto const plan = this->plan(this->second);
    auto const done = this->apply(this->second, plan);

    EXPECT_FALSE(plan.has_changes());
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#2", "b#1"));
}

TEST_P(DeposedObjects, AreDroppedAlsoIfTheirInstanceMoved)
{
    this->given(this->first);
    this->how.provider.on("destroy toy.a", fault::fails);
    ASSERT_FALSE(this->run(this->second).ok);
    this->how.provider = {};
    this->cloud.destroy_outside("toy.a#1");

    auto const done = this->run("a kind=y @cbd @count=1\n b from=$a.id");

    EXPECT_TRUE(done.ok) << done.store_error.message();
    EXPECT_THAT(this->state(), ElementsAre("a#2", "b#1"));
    EXPECT_EQ(this->kept.now().find(infra::address("toy", "a")), nullptr);
}

TEST_P(DeposedObjects, MoveAlongWithTheirInstance)
{
    this->given(this->first);
    this->how.provider.on("destroy toy.a", fault::fails);
    ASSERT_FALSE(this->run(this->second).ok);
    this->how.provider = {};
    auto const moved = "a kind=y @cbd @count=1\n b from=$a.id";

    auto const plan = this->plan(moved);
    auto const done = this->apply(moved, plan);

    EXPECT_THAT(actions(plan), ElementsAre("a[0] destroy deposed"));
    EXPECT_TRUE(done.ok) << done.store_error.message();
    EXPECT_THAT(this->state(), ElementsAre("a#2", "b#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DeposedObjects, AreNotProtectedByPreventDestroy)
{
    this->given("a kind=x @cbd");
    this->how.provider.on("destroy toy.a", fault::fails);
    ASSERT_FALSE(this->run("a kind=y @cbd").ok);
    this->how.provider = {};

    auto const done = this->run("a kind=y @cbd @prevent_destroy");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#2"));
}

TEST_P(DeposedObjects, AreDestroyedWithoutProvisioners)
{
    this->given("a kind=x @cbd @destroy=bye");

    auto const done = this->run("a kind=y @cbd @destroy=bye");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->cloud.commands(), IsEmpty());
}

TEST_P(DeposedObjects, AreDestroyedWithTheirUndeclaredInstance)
{
    this->given(this->first);
    this->how.provider.on("destroy toy.a", fault::fails);
    ASSERT_FALSE(this->run(this->second).ok);
    this->how.provider = {};

    auto const done = this->run("");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_TRUE(this->cloud.resources().empty());
}

TEST_P(DeposedObjects, AreDestroyedByADestroy)
{
    this->given(this->first);
    this->how.provider.on("destroy toy.a", fault::fails);
    ASSERT_FALSE(this->run(this->second).ok);
    this->how.provider = {};

    auto const done = this->destroy(this->second);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_TRUE(this->cloud.resources().empty());
}

// "Hazard, better avoided": if the operation ends before the provider was called, the object must not stay deposed.
TEST_P(DeposedObjects, AreNotDeposedByACreateThatNeverBegan)
{
    this->given("g size=1\n a kind=x @cbd");
    auto const plan = this->plan("g size=1\n a kind=y @cbd");
    this->how.provider.on("plan toy.a", fault::fails);

    auto const done = this->apply("g size=1\n a kind=y @cbd", plan);

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#1", "g#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DeposedObjects, AreNotDeposedIfAConditionFailsDuringTheApply)
{
    this->given("g size=1\n a kind=x @cbd @before=$g.stamp:of-1");
    auto const wanted = "g size=2\n a kind=y @cbd @before=$g.stamp:of-1";

    auto const done = this->run(wanted);

    EXPECT_THAT(codes_of(done.problems), ElementsAre(infra::sim::codes::precondition_failed));
    EXPECT_THAT(this->state(), ElementsAre("a#1", "g#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(DeposedObjects, AreNotDeposedByAStop)
{
    this->given("a kind=x @cbd\n b kind=x @cbd\n c kind=x @cbd from=$a.id");
    this->how.limits.parallelism = 1;
    this->how.provider.delay(std::chrono::milliseconds(50))
        .on("create toy.a", fault::slow)
        .on("create toy.b", fault::slow);
    bool stopped = false;
    this->how.stop_at = [&stopped](toy_event const& e) {
        return e.kind == infra::event_kind::operation_started && !std::exchange(stopped, true);
    };

    auto const done = this->run("a kind=y @cbd\n b kind=y @cbd\n c kind=y @cbd from=$a.id");

    EXPECT_TRUE(done.stopped);
    EXPECT_EQ(this->order().size(), 1U);
    std::size_t deposed = 0;
    for (std::string const& o : this->state()) deposed += o.ends_with("deposed") ? 1U : 0U;
    EXPECT_EQ(deposed, 1U);
    EXPECT_TRUE(this->is_settled());
}

}  // namespace
