// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/program/provider.hpp>
#include <strider/infra/sim/provider.hpp>
#include <strider/infra/sim/toy_program.hpp>
#include <strider/sim/manual_executor.hpp>
#include <strider/sim/virtual_clock.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <utility>

namespace {

using namespace strider;
using namespace strider::infra;
using namespace strider::infra::sim;
using strider::sim::fault;
using strider::sim::fault_plan;
using in_virtual_time = infra::sim::provider<strider::sim::virtual_clock>;
using in_real_time = infra::sim::provider<infra::steady_clock>;

static_assert(provider_for<in_virtual_time, toy_program>);
static_assert(provider_for<in_real_time, toy_program>);

auto wanted() -> toy_value
{
    return toy_value({{"size", "3"}, {"id", std::nullopt}, {"stamp", std::nullopt}});
}

class SimulatedProvider : public testing::Test {
protected:
    // Creates toy.a. The result is empty if the call never ended; `thrown` is null unless the call threw.
    auto create(fault_plan faults, std::optional<std::chrono::seconds> stop_after = {})
        -> std::optional<applied<toy_value>>
    {
        std::optional<applied<toy_value>> answer;
        strider::sim::manual_context world;
        asio::cancellation_signal signal;
        in_virtual_time maker(world.get_executor(), clouds, std::move(faults), std::chrono::seconds(1));
        pending_operation o;
        o.operation = "key";
        o.target = address("toy", "a");
        apply_request<toy_value> request(o, std::nullopt, wanted(), {}, private_data);
        asio::co_spawn(world.get_executor(), maker.apply(std::move(request)),
            asio::bind_cancellation_slot(signal.slot(), [&](std::exception_ptr const& e, applied<toy_value> a) {
                thrown = e;
                answer = std::move(a);
            }));
        if (stop_after) {
            world.run_for(*stop_after);
            signal.emit(asio::cancellation_type::terminal);
        }
        world.run_for(std::chrono::hours(1));
        now = world.now().time_since_epoch();
        return answer;
    }
    [[nodiscard]] auto exists() const -> bool { return clouds.find("toy.a#1") != nullptr; }

    cloud clouds;
    document private_data{"for toy.a"};  // as a plan returns them
    std::exception_ptr thrown;
    std::chrono::nanoseconds now{0};
};

TEST_F(SimulatedProvider, CreatesTheConfiguredObjectAndComputesTheRest)
{
    auto const answer = create({});

    ASSERT_TRUE(answer && answer->object);
    EXPECT_EQ((*answer->object)["id"], "toy.a#1");
    EXPECT_EQ((*answer->object)["stamp"], "of-3");
    EXPECT_EQ((*answer->object)["size"], "3");
    EXPECT_FALSE(answer->failed());
    EXPECT_TRUE(exists());
}

TEST_F(SimulatedProvider, RejectsPrivateDataOfAnotherPlan)
{
    private_data = document("for toy.b");

    auto const answer = create({});

    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->problems.size(), 1U);
    EXPECT_EQ(answer->problems[0].code, infra::sim::codes::private_data_mismatch);
    EXPECT_FALSE(exists());
}

TEST_F(SimulatedProvider, FailsBeforeAnyChange)
{
    auto const answer = create(fault_plan().on("create toy.a", fault::fails));

    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->failed());
    EXPECT_FALSE(answer->object);
    EXPECT_FALSE(exists());
    EXPECT_TRUE(clouds.log()[0].failed);
}

TEST_F(SimulatedProvider, ReturnsAPartialObjectAndAnError)
{
    auto const answer = create(fault_plan().on("create toy.a/partly", fault::fails));

    ASSERT_TRUE(answer && answer->object);
    EXPECT_TRUE(answer->failed());
    EXPECT_EQ((*answer->object)["stamp"], "partial");
    EXPECT_TRUE(exists());
}

TEST_F(SimulatedProvider, ThrowsAfterTheChange)
{
    (void)create(fault_plan().on("create toy.a/done", fault::throws));

    EXPECT_NE(thrown, nullptr);
    EXPECT_TRUE(exists());
    EXPECT_EQ(clouds.log()[0].end, 0U);
}

TEST_F(SimulatedProvider, HangsUntilItIsCancelled)
{
    EXPECT_FALSE(create(fault_plan().on("create toy.a", fault::hangs)).has_value());

    auto const answer = create(fault_plan().on("create toy.a", fault::hangs), std::chrono::seconds(5));

    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->failed());
    EXPECT_FALSE(answer->interrupted);
    EXPECT_FALSE(exists());
}

TEST_F(SimulatedProvider, ReturnsAnUnknownResultIfItIsCancelledHalfway)
{
    auto const answer = create(fault_plan().on("create toy.a/partly", fault::hangs), std::chrono::seconds(5));

    ASSERT_TRUE(answer);
    EXPECT_TRUE(answer->interrupted);
    EXPECT_TRUE(exists());
}

TEST_F(SimulatedProvider, MeasuresTimeByItsClock)
{
    auto const started = std::chrono::steady_clock::now();

    auto const answer = create(fault_plan().delay(std::chrono::minutes(30)).on("create toy.a", fault::slow));

    ASSERT_TRUE(answer && answer->object);
    EXPECT_EQ(now, std::chrono::hours(1));
    EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::minutes(1));
}

TEST(ToyValue, IsReadAsItWasWritten)
{
    toy_value const v({{"a", "x=y?"}, {"b", std::nullopt}, {"c", ""}});

    auto const again = from_document(to_document(v));

    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(*again, v);
    EXPECT_FALSE(v.wholly_known());
    EXPECT_TRUE(again->is_unknown("b"));
    EXPECT_FALSE(from_document(document("no line")).has_value());
    EXPECT_FALSE(from_document(document("=x\n")).has_value());
}

}  // namespace
