// SPDX-License-Identifier: BSL-1.0
// A walk asks its executor whether it is a strand, which context it has, and for the clock of virtual time.
#include <strider/sim/manual_executor.hpp>
#include <strider/walk/asio.hpp>
#include <strider/walk/clock.hpp>
#include <strider/walk/executor.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <type_traits>

namespace strider::test {
namespace {

using std::chrono::milliseconds;

TEST(FindContextClock, ReturnsNullIfTimeIsReal)
{
    asio::thread_pool pool(1);

    EXPECT_EQ(find_context_clock(pool.get_executor()), nullptr);
    EXPECT_EQ(find_context_clock(asio::any_io_executor(asio::make_strand(pool))), nullptr);
}

TEST(FindContextClock, ReturnsTheClockThroughStrandsAndErasedExecutors)
{
    sim::manual_context context;
    asio::strand<sim::manual_executor> const strand = asio::make_strand(context);

    context_clock const* const clock = find_context_clock(context.get_executor());

    ASSERT_NE(clock, nullptr);
    EXPECT_EQ(find_context_clock(strand), clock);
    EXPECT_EQ(find_context_clock(asio::any_io_executor(context.get_executor())), clock);
    EXPECT_EQ(find_context_clock(asio::any_io_executor(strand)), clock);
}

// A service whose owner sets the time and which has no timers.
class stepped_clock : public context_clock {
public:
    using context_clock::context_clock;
    using context_clock::set_now;
};

TEST(ContextClock, BeginsAtZeroAndHasTheTimeThatItsOwnerSets)
{
    asio::io_context context;
    auto& clock = asio::make_service<stepped_clock>(context);
    auto const* const found = find_context_clock(context.get_executor());
    ASSERT_EQ(found, &clock);

    auto const begin = found->now();
    clock.set_now(begin + milliseconds(5));

    EXPECT_EQ(begin.time_since_epoch(), milliseconds(0));
    EXPECT_EQ(found->now() - begin, milliseconds(5));
}

TEST(ContextClock, MakesNoCallsIfItHasNoTimers)
{
    asio::io_context context;
    auto& clock = asio::make_service<stepped_clock>(context);
    bool called = false;

    auto const timer = clock.call_at(clock.now(), [&] { called = true; });
    clock.set_now(clock.now() + milliseconds(1));
    context.run();

    EXPECT_EQ(timer, nullptr);
    EXPECT_FALSE(called);
}

TEST(WalkExecutors, AreTheExecutorsOfContextsAndStrandsOfThem)
{
    EXPECT_TRUE(walk_context<asio::thread_pool>);
    EXPECT_TRUE(walk_context<asio::io_context>);
    EXPECT_TRUE(walk_context<sim::manual_context>);
    EXPECT_FALSE(walk_context<asio::thread_pool::executor_type>);
    EXPECT_TRUE(walk_executor<asio::any_io_executor>);
    EXPECT_FALSE(strand_executor<asio::any_io_executor>);
    EXPECT_TRUE(strand_executor<asio::strand<asio::any_io_executor>>);
}

TEST(WalkExecutors, AreManualIfAStrandIsOverAManualOne)
{
    EXPECT_TRUE(is_manual_executor_v<sim::manual_executor>);
    EXPECT_TRUE(is_manual_executor_v<asio::strand<sim::manual_executor>>);
    EXPECT_FALSE(is_manual_executor_v<asio::strand<asio::thread_pool::executor_type>>);
}

TEST(SteadyClock, IsAClockWithATimerForEachExecutor)
{
    asio::thread_pool pool(1);

    auto const first = steady_clock::now(pool.get_executor());
    auto const second = steady_clock::now(asio::make_strand(pool));

    EXPECT_LE(first, second);
    EXPECT_TRUE((timed_clock_for<steady_clock, asio::thread_pool::executor_type>));
    EXPECT_TRUE((std::is_same_v<clock_timer_t<steady_clock>, asio::steady_timer>));
}

}  // namespace
}  // namespace strider::test
