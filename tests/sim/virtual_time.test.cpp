// SPDX-License-Identifier: BSL-1.0
#include <strider/sim.hpp>
#include <strider/walk/asio.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace strider::sim::test {
namespace {

using std::chrono::hours;
using std::chrono::seconds;
using testing::ElementsAre;

TEST(VirtualTimer, FiresInTheOrderOfDeadlinesAndAdvancesTime)
{
    manual_context context;
    virtual_timer late(context.get_executor(), hours(2));
    virtual_timer soon(context.get_executor(), seconds(1));
    std::vector<std::string> fired;
    auto const start = context.now();

    late.async_wait([&](error_code) { fired.emplace_back("late"); });
    soon.async_wait([&](error_code) { fired.emplace_back("soon"); });
    context.run();

    EXPECT_THAT(fired, ElementsAre("soon", "late"));
    EXPECT_EQ(context.now() - start, hours(2));
}

TEST(VirtualTimer, DoesNotFireBeforeItsTime)
{
    manual_context context;
    virtual_timer timer(context.get_executor(), seconds(10));
    bool fired = false;
    timer.async_wait([&](error_code) { fired = true; });

    context.run_for(seconds(9));
    bool const early = fired;
    context.run_for(seconds(1));

    EXPECT_FALSE(early);
    EXPECT_TRUE(fired);
}

TEST(VirtualTimer, CompletesImmediatelyIfItsTimeIsPastButNotInline)
{
    manual_context context;
    virtual_timer timer(context.get_executor(), seconds(-1));
    bool fired = false;

    timer.async_wait([&](error_code error) { fired = !error; });
    bool const inside = fired;
    context.run_ready();

    EXPECT_FALSE(inside);
    EXPECT_TRUE(fired);
}

TEST(VirtualTimer, AbortsItsWaitsWhenItIsCancelledResetOrDestroyed)
{
    manual_context context;
    std::vector<error_code> seen;
    auto const remember = [&](error_code error) { seen.push_back(error); };
    auto timer = std::make_unique<virtual_timer>(context.get_executor(), hours(1));

    timer->async_wait(remember);
    EXPECT_EQ(timer->cancel(), 1U);
    timer->async_wait(remember);
    timer->async_wait(remember);
    EXPECT_EQ(timer->expires_after(hours(2)), 2U);
    timer->async_wait(remember);
    timer.reset();
    context.run();

    EXPECT_EQ(seen, std::vector<error_code>(4, asio::error::operation_aborted));
    EXPECT_EQ(context.now().time_since_epoch(), seconds(0));
}

TEST(VirtualTimer, UsesTheCancellationSlotOfTheHandler)
{
    manual_context context;
    virtual_timer timer(context.get_executor(), hours(1));
    asio::cancellation_signal signal;
    error_code seen;

    timer.async_wait(asio::bind_cancellation_slot(signal.slot(), [&](error_code error) { seen = error; }));
    signal.emit(asio::cancellation_type::terminal);
    context.run();
    signal.emit(asio::cancellation_type::terminal);

    EXPECT_EQ(seen, asio::error::operation_aborted);
}

TEST(VirtualTimer, CanBeAwaitedOnTheStrandOfACoroutine)
{
    manual_context context;
    auto const start = context.now();
    virtual_clock::time_point woke;

    asio::co_spawn(
        asio::make_strand(context.get_executor()),
        [&]() -> asio::awaitable<void> {
            auto const executor = co_await asio::this_coro::executor;
            virtual_clock::timer_type timer(executor);
            timer.expires_after(seconds(3));
            co_await timer.async_wait(asio::use_awaitable);
            woke = virtual_clock::now(executor);
        },
        asio::detached);
    context.run();

    EXPECT_EQ(woke - start, seconds(3));
}

TEST(VirtualTime, BelongsToOneContextOnly)
{
    manual_context one;
    manual_context other;

    one.run_for(hours(5));

    EXPECT_EQ(one.now().time_since_epoch(), hours(5));
    EXPECT_EQ(other.now().time_since_epoch(), hours(0));
}

TEST(VirtualTimer, DoesNotFireIfNoTimePointIsLateEnough)
{
    manual_context world;
    world.run_for(seconds(1));
    virtual_timer timer(world.get_executor());
    timer.expires_after(virtual_timer::duration::max());
    bool fired = false;
    timer.async_wait([&](error_code error) { fired = !error; });

    world.run_for(seconds(1));
    EXPECT_EQ(timer.expiry(), virtual_time::time_point::max());
    EXPECT_FALSE(fired);
    world.run_for(virtual_timer::duration::max());
    EXPECT_TRUE(fired);
}

}  // namespace
}  // namespace strider::sim::test
