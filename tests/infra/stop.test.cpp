// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

namespace {

using namespace strider;
using namespace strider::test;
using infra::event_kind;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

// Graph-engine specification 7.8: the result of a stop.
class Stop : public engine_in_worlds {
protected:
    // Requests a stop when `what` has begun.
    void stop_when_started(std::string what, asio::cancellation_type type)
    {
        this->how.stop = type;
        if (type == asio::cancellation_type::terminal) this->how.stop_after = std::chrono::milliseconds(30);
        this->how.stop_at = [what = std::move(what)](toy_event const& e) {
            return e.kind == event_kind::operation_started && to_string(e.target) == "toy." + what;
        };
    }
    [[nodiscard]] static auto slow(std::string operation) -> strider::sim::fault_plan
    {
        return strider::sim::fault_plan().delay(std::chrono::milliseconds(50)).on(std::move(operation), fault::slow);
    }
};
INSTANTIATE_TEST_SUITE_P(In, Stop, worlds, name_of_world);

TEST_P(Stop, LetsRunningOperationsEndAndStartsNoOthers)
{
    this->how.provider = this->slow("create toy.a");
    this->stop_when_started("a", asio::cancellation_type::partial);

    auto const done = this->run("a\n b from=$a.id\n c from=$b.id");

    EXPECT_TRUE(done.stopped);
    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create"));
    EXPECT_THAT(this->state(), ElementsAre("a#1"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Stop, SavesTheResultOfACreateBetweenDeposingAndDestroying)
{
    this->given("a kind=x @cbd");
    this->how.provider = this->slow("create toy.a");
    this->stop_when_started("a", asio::cancellation_type::partial);

    auto const done = this->run("a kind=y @cbd");

    EXPECT_TRUE(done.stopped);
    EXPECT_THAT(this->state(), ElementsAre("a#2", "a#1 deposed"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Stop, BetweenDestroyAndCreateLeavesNoObject)
{
    this->given("a kind=x");
    this->how.provider = this->slow("destroy toy.a");
    this->stop_when_started("a", asio::cancellation_type::partial);

    auto const done = this->run("a kind=y");

    EXPECT_TRUE(done.stopped);
    EXPECT_THAT(this->order(), ElementsAre("a destroy"));
    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Stop, IsNotAnErrorOfAnOperationAndTheNextApplyContinues)
{
    auto const wanted = "a\n b from=$a.id\n c from=$b.id";
    this->how.provider = this->slow("create toy.a");
    this->stop_when_started("a", asio::cancellation_type::partial);
    auto const stopped = this->run(wanted);
    this->how.stop_at = nullptr;

    auto const done = this->run(wanted);

    EXPECT_THAT(stopped.problems, IsEmpty());
    EXPECT_TRUE(done.ok);
    EXPECT_THAT(this->order(), ElementsAre("a create", "b create", "c create"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Stop, ImmediatelyCancelsAProviderThatHangsAndSavesItsError)
{
    this->how.provider.on("create toy.a", fault::hangs);
    this->stop_when_started("a", asio::cancellation_type::terminal);

    auto const done = this->run("a\n b from=$a.id");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Stop, ImmediatelyLeavesOnlyInterruptedOperationsPending)
{
    this->how.provider.on("create toy.a/partly", fault::hangs);
    this->stop_when_started("a", asio::cancellation_type::terminal);

    auto const done = this->run("a\n b from=$a.id");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(codes_of(done.problems), Contains(infra::codes::operation_interrupted));
    EXPECT_EQ(this->kept.now().pending.size(), 1U);
    EXPECT_THAT(this->state(), IsEmpty());
}

TEST_P(Stop, ImmediatelySavesResultsThatArriveMeanwhile)
{
    this->how.store.delay(std::chrono::milliseconds(20)).on("commit", fault::slow);
    this->how.stop = asio::cancellation_type::terminal;
    this->how.stop_at = [](toy_event const& e) { return e.kind == event_kind::operation_started; };

    auto const done = this->run("a\n b\n c");

    std::size_t begun = 0;
    std::size_t ended = 0;
    for (auto const& entry : this->kept.entries()) {
        begun += entry.kind() == infra::journal_entry::kind_type::begin ? 1U : 0U;
        ended += entry.kind() == infra::journal_entry::kind_type::end ? 1U : 0U;
    }
    if (done.ok) EXPECT_EQ(ended, 3U) << "the stop came after the last operation";
    EXPECT_EQ(begun, ended + this->kept.now().pending.size());
    EXPECT_TRUE(infra::verify_integrity(this->kept.now()).empty());
}

TEST_P(Stop, BeforeAProvisionerTaintsTheObject)
{
    this->how.provider = this->slow("create toy.a");
    this->how.stop = asio::cancellation_type::terminal;
    this->how.stop_after = std::chrono::milliseconds(80);
    this->how.stop_at = [](toy_event const& e) { return e.kind == event_kind::provision_started; };
    this->how.provider.on("provision toy.a", fault::hangs);

    auto const done = this->run("a @create=hello\n b from=$a.id");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->state(), ElementsAre("a#1 tainted"));
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Stop, ImmediatelyStartsNoProvisioner)
{
    this->how.provider = this->slow("create toy.a");
    this->stop_when_started("a", asio::cancellation_type::partial);
    this->how.stop = asio::cancellation_type::terminal;

    auto const done = this->run("a @create=hello\n b from=$a.id");

    EXPECT_FALSE(done.ok);
    EXPECT_THAT(this->cloud.commands(), IsEmpty());
    EXPECT_TRUE(infra::verify_integrity(this->kept.now()).empty());
}

TEST_P(Stop, OfAPlanReturnsNoPlan)
{
    this->given("a\n b from=$a.id");
    this->how.provider = this->slow("read toy.a");
    this->how.stop_at = [](toy_event const& e) { return e.kind == event_kind::refresh_started; };

    auto const why = this->refusal("a\n b from=$a.id");

    EXPECT_THAT(codes_of(why), ElementsAre(infra::codes::planning_stopped));
}

}  // namespace
