// SPDX-License-Identifier: BSL-1.0
#include "engine_in_worlds.hpp"

#include <chrono>
#include <mutex>

namespace {

using namespace strider;
using namespace strider::test;
using infra::event_kind;
using testing::ElementsAre;
using testing::IsEmpty;

// The number of concurrent operations, and their order.
class Limits : public engine_in_worlds {
protected:
    // Counts the operations in progress between two kinds of events.
    void watch_for(event_kind begin, event_kind end)
    {
        this->how.watch = [this, begin, end](toy_event const& e) {
            std::scoped_lock const lock(locked_);
            if (e.kind == begin) most_ = std::max(most_, ++now_);
            if (e.kind == end) --now_;
        };
    }
    // The maximum number of concurrent operations while six objects are created.
    auto most_at_once() -> int
    {
        this->how.latency = std::chrono::milliseconds(5);
        watch_for(event_kind::operation_started, event_kind::operation_done);
        auto const done = this->run("a\n b\n c\n d\n e\n f");
        EXPECT_TRUE(done.ok);
        EXPECT_TRUE(this->is_settled());
        return most_;
    }
    // The maximum number of concurrent reads of six instances of one resource.
    auto most_read_at_once() -> int
    {
        this->given("a @count=6");
        this->how.provider.delay(std::chrono::milliseconds(20));
        for (int i = 0; i < 6; ++i) this->how.provider.on("read toy.a[" + std::to_string(i) + "]", fault::slow);
        watch_for(event_kind::refresh_started, event_kind::refresh_done);
        auto const plan = this->plan("a @count=4");
        EXPECT_THAT(actions(plan), ElementsAre("a[4] destroy", "a[5] destroy"));
        return most_;
    }

    [[nodiscard]] auto most() const -> int { return most_; }

private:
    std::mutex locked_;
    int now_ = 0;
    int most_ = 0;
};
INSTANTIATE_TEST_SUITE_P(In, Limits, worlds, name_of_world);

TEST_P(Limits, ApplyToATypeInAdditionToTheTotal)
{
    this->how.limits.parallelism = 10;
    this->how.limits.of_type["toy"] = 1;

    EXPECT_EQ(this->most_at_once(), 1);
}

TEST_P(Limits, OfATypeDoNotRaiseTheTotal)
{
    this->how.limits.parallelism = 1;
    this->how.limits.of_type["toy"] = 4;

    EXPECT_EQ(this->most_at_once(), 1);
}

TEST_P(Limits, OfOneTypeDoNotAffectAnother)
{
    this->how.limits.parallelism = 10;
    this->how.limits.of_type["other"] = 1;

    EXPECT_GT(this->most_at_once(), 1);
}

TEST_P(Limits, ApplyToDestroys)
{
    this->given("a\n b\n c");
    this->how.limits.parallelism = 10;
    this->how.limits.of_type["toy"] = 1;
    this->how.latency = std::chrono::milliseconds(2);
    this->watch_for(event_kind::operation_started, event_kind::operation_done);

    EXPECT_TRUE(this->destroy("a\n b\n c").ok);

    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_EQ(this->most(), 1);
}

TEST_P(Limits, AllowConcurrentReadsOfInstancesOfOneResource)
{
    this->how.limits.parallelism = 10;

    EXPECT_GT(this->most_read_at_once(), 1);
}

TEST_P(Limits, ApplyToConcurrentReadsOfInstances)
{
    this->how.limits.parallelism = 3;

    EXPECT_LE(this->most_read_at_once(), 3);
}

TEST_P(Limits, OfATypeApplyToConcurrentReadsOfInstances)
{
    this->how.limits.parallelism = 10;
    this->how.limits.of_type["toy"] = 1;

    EXPECT_EQ(this->most_read_at_once(), 1);
}

TEST_P(Limits, OfTheTotalAreSharedByInstancesOfDifferentResources)
{
    this->given("a @count=4\n b @count=4\n c\n d");
    this->how.limits.parallelism = 2;
    this->how.provider.delay(std::chrono::milliseconds(5));
    for (char const* name : {"a[0]", "a[1]", "a[2]", "a[3]", "b[0]", "b[1]", "b[2]", "b[3]", "c", "d"})
        this->how.provider.on(std::string("read toy.") + name, fault::slow);
    this->watch_for(event_kind::refresh_started, event_kind::refresh_done);

    auto const plan = this->plan("a @count=4\n b @count=4\n d");

    EXPECT_THAT(actions(plan), ElementsAre("c destroy"));
    EXPECT_LE(this->most(), 2);
}

TEST_P(Limits, AFailureDoesNotStopOtherOperations)
{
    this->how.limits.parallelism = 1;
    this->how.provider.on("create toy.a", fault::fails);

    auto const done = this->run("a\n b\n c from=$a.id");

    EXPECT_FALSE(done.ok);
    EXPECT_FALSE(done.stopped);
    EXPECT_THAT(this->state(), ElementsAre("b#1"));
}

TEST_P(Limits, AFailureStopsOtherOperationsIfConfigured)
{
    this->how.limits.parallelism = 1;
    this->how.limits.stop_on_first_failure = true;
    this->how.provider.on("create toy.a", fault::fails);

    auto const done = this->run("a\n b\n c from=$a.id");

    EXPECT_FALSE(done.ok);
    EXPECT_TRUE(done.stopped);
    EXPECT_THAT(this->state(), IsEmpty());
    EXPECT_TRUE(this->is_settled());
}

TEST_P(Limits, StoppingAtAFailureLetsRunningOperationsEnd)
{
    this->how.limits.parallelism = 10;
    this->how.limits.stop_on_first_failure = true;
    // One operation fails while the other one runs.
    this->how.provider.delay(std::chrono::milliseconds(40)).on("create toy.a", fault::slow);
    this->how.provider.on("create toy.a/partly", fault::fails);
    this->how.provider.on("create toy.b", fault::slow).on("create toy.b/partly", fault::slow);

    auto const done = this->run("a\n b\n c from=$b.id");

    EXPECT_TRUE(done.stopped);
    EXPECT_TRUE(this->is_settled());
    EXPECT_THAT(this->state(), testing::Contains("b#1"));
    EXPECT_THAT(this->state(), testing::Not(testing::Contains("c#1")));
}

}  // namespace
