// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

#include <mutex>

namespace {

using namespace strider;
using namespace strider::test;
using infra::event_kind;
using infra::sim::toy_value;
using testing::ElementsAre;
using testing::IsEmpty;

// Existing objects are imported into state by their ids.
class Imports : public engine_in_worlds {
protected:
    // An existing object that state does not know.
    void exists(std::string const& id, toy_value::attribute_map attributes)
    {
        toy_value value(std::move(attributes));
        value.set("stamp", "of-" + value["size"]);
        this->cloud.create_outside(id, infra::address("toy", "elsewhere"), std::move(value));
    }
    [[nodiscard]] static auto imported(toy_plan const& plan) -> std::vector<std::string>
    {
        std::vector<std::string> all;
        for (auto const& c : plan.changes)
            if (c.import_id) all.push_back(without_type(to_string(c.target)) + " " + *c.import_id);
        return all;
    }
};
INSTANTIATE_TEST_SUITE_P(In, Imports, worlds, name_of_world);

TEST_P(Imports, AnObjectThatMatchesTheConfigurationIsOnlyAddedToState)
{
    this->exists("known", {{"size", "1"}});

    auto const plan = this->plan("a size=1 @import=known");
    auto const done = this->apply("a size=1 @import=known", plan);

    EXPECT_TRUE(plan.has_changes());
    EXPECT_THAT(this->imported(plan), ElementsAre("a known"));
    EXPECT_THAT(actions(plan), IsEmpty());
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->cloud.log(), IsEmpty());
    EXPECT_THAT(this->state(), ElementsAre("known"));
    EXPECT_FALSE(this->plan("a size=1 @import=known").has_changes());
}

TEST_P(Imports, AnObjectThatDiffersIsUpdatedOrReplaced)
{
    this->exists("one", {{"size", "1"}});
    this->exists("two", {{"size", "1"}, {"kind", "x"}});
    auto const wanted = "a size=2 @import=one\n b size=1 kind=y @import=two";

    auto const plan = this->plan(wanted);
    auto const done = this->apply(wanted, plan);

    EXPECT_THAT(actions(plan), ElementsAre("a update", "b destroy/create"));
    EXPECT_TRUE(done.ok);
    EXPECT_EQ(done.changed, 1U);
    EXPECT_THAT(this->state(), ElementsAre("one", "b#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Imports, OneInstanceIsImportedAndOthersAreCreated)
{
    this->exists("second", {{"size", "1"}});

    auto const plan = this->plan("a size=1 @count=2 @import[1]=second");

    EXPECT_THAT(actions(plan), ElementsAre("a[0] create"));
    EXPECT_THAT(this->imported(plan), ElementsAre("a[1] second"));
}

TEST_P(Imports, AnUndeclaredInstanceIsRejected)
{
    this->exists("third", {});

    auto const why = this->refusal("a @count=2 @import[2]=third");

    EXPECT_THAT(codes_of(why), ElementsAre(infra::codes::import_target_not_declared));
}

TEST_P(Imports, AnAddressThatIsInStateIsUnchanged)
{
    this->given("a size=1");
    this->exists("other", {{"size", "1"}});

    auto const plan = this->plan("a size=1 @import=other");

    EXPECT_FALSE(plan.has_changes());
    EXPECT_THAT(this->imported(plan), IsEmpty());
}

TEST_P(Imports, AMissingObjectIsAnError)
{
    auto const why = this->refusal("a @import=nowhere\n b from=$a.id");

    EXPECT_THAT(codes_of(why), ElementsAre(infra::codes::import_found_nothing));
}

TEST_P(Imports, AnUnknownIdIsRejected)
{
    auto const why = this->refusal("a\n b @import=$a.id");

    EXPECT_THAT(codes_of(why), ElementsAre(infra::sim::codes::unknown_import_id));
}

TEST_P(Imports, AFailedReadImportsNothing)
{
    this->exists("known", {});
    this->how.provider.on("import toy.a", fault::fails);

    EXPECT_THAT(codes_of(this->refusal("a @import=known")), ElementsAre(infra::sim::codes::import_failed));
}

TEST_P(Imports, OnlyTargetsAreImportedAndNothingInOtherModes)
{
    this->exists("one", {});
    this->exists("two", {});
    infra::plan_options only_a;
    only_a.targets.emplace_back("toy", "a");
    infra::plan_options no_change;
    no_change.mode = plan_mode::refresh_only;
    infra::plan_options without_refresh = only_a;
    without_refresh.refresh = false;

    EXPECT_THAT(this->imported(this->plan("a @import=one\n b @import=two", only_a)), ElementsAre("a one"));
    EXPECT_THAT(this->imported(this->plan("a @import=one\n b @import=two", without_refresh)), ElementsAre("a one"));
    EXPECT_FALSE(this->plan("a @import=one", no_change).has_changes());
    EXPECT_TRUE(this->plan("a @import=one", no_change).refreshed.empty());
}

TEST_P(Imports, OptionsCanNameObjects)
{
    this->exists("one", {{"size", "1"}});
    infra::plan_options options;
    options.mode = plan_mode::refresh_only;
    options.imports.push_back({infra::address("toy", "a"), "one"});

    auto const done = this->run("a size=2\n b", options);

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->cloud.log(), IsEmpty());
    EXPECT_THAT(this->state(), ElementsAre("one"));
}

TEST_P(Imports, AnImportIsReportedAfterItIsDurable)
{
    this->exists("one", {{"size", "1"}});
    std::mutex locked;
    std::vector<std::string> reported;
    this->how.watch = [&](toy_event const& e) {
        std::scoped_lock const lock(locked);
        if (e.kind == event_kind::import_prepared) reported.push_back("prepared " + e.text);
        if (e.kind == event_kind::imported)
            reported.push_back("imported " + e.text + (this->kept.now().resources.empty() ? " too early" : ""));
        if (e.kind == event_kind::operation_started) reported.push_back("started");
    };

    auto const done = this->run("a size=2 @import=one");

    EXPECT_TRUE(done.ok);
    EXPECT_THAT(reported, ElementsAre("prepared one", "imported one", "started"));
}

// Only in virtual time can the world end at any step.
class ImportsInTheSimulatedWorld : public Imports {};
INSTANTIATE_TEST_SUITE_P(In, ImportsInTheSimulatedWorld, testing::Values(&simulated), name_of_world);

TEST_P(ImportsInTheSimulatedWorld, ACrashAtAnyStepLosesNoObject)
{
    auto const wanted = "a size=2 @import=one\n b from=$a.id";
    for (std::uint64_t steps = 0; steps < 400; steps += 3) {
        cloud = {};
        kept = {};
        exists("one", {{"size", "1"}});
        auto const before = plan(wanted);
        how.crash_after = steps;
        (void)apply_simulated(toy(wanted), before, cloud, kept, how);
        how.crash_after.reset();

        auto const again = run(wanted);

        ASSERT_TRUE(again.ok) << "ended after " << steps << " steps";
        EXPECT_THAT(state(), ElementsAre("one", "b#1")) << steps;
        EXPECT_TRUE(is_settled()) << steps;
    }
}

}  // namespace
