// SPDX-License-Identifier: BSL-1.0
#include <strider/sim.hpp>
#include <strider/walk/asio.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
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

TEST(VirtualTimer, CancelsTheOldestOfItsWaits)
{
    manual_context context;
    virtual_timer timer(context.get_executor(), hours(1));
    std::vector<std::pair<int, error_code>> ended;
    for (int i = 0; i < 3; ++i) timer.async_wait([&ended, i](error_code error) { ended.emplace_back(i, error); });

    EXPECT_EQ(timer.cancel_one(), 1U);
    context.run_ready();

    EXPECT_EQ(ended, (std::vector<std::pair<int, error_code>>{{0, asio::error::operation_aborted}}));
    EXPECT_EQ(timer.cancel(), 2U);
    EXPECT_EQ(timer.cancel_one(), 0U);
}

TEST(VirtualTimer, TakesTheWaitsOfAnotherOne)
{
    manual_context context;
    virtual_timer timer(context.get_executor(), hours(1));
    virtual_timer other(context.get_executor(), context.now() + hours(2));
    error_code first;
    bool second = false;
    timer.async_wait([&](error_code error) { first = error; });
    other.async_wait([&](error_code error) { second = !error; });

    timer = std::move(other);
    context.run();

    EXPECT_EQ(first, asio::error::operation_aborted);
    EXPECT_TRUE(second);
    EXPECT_EQ(timer.expiry(), context.now());
}

// It calls functions at once and has no queue.
struct inline_executor {
    manual_context* context_of = nullptr;

    [[nodiscard]] auto query(asio::execution::context_t) const noexcept -> asio::execution_context&
    {
        return asio::query(context_of->get_executor(), asio::execution::context);
    }
    [[nodiscard]] static constexpr auto query(asio::execution::blocking_t) noexcept -> asio::execution::blocking_t
    {
        return asio::execution::blocking.always;
    }
    template <class Function>
    void execute(Function&& function) const
    {
        std::forward<Function>(function)();
    }
    [[maybe_unused]] friend auto operator==(inline_executor const&, inline_executor const&) noexcept -> bool = default;
};

TEST(VirtualTimer, CallsAHandlerOnAnExecutorThatAlwaysBlocks)
{
    manual_context context;
    virtual_timer timer(context.get_executor(), seconds(1));
    int calls = 0;
    timer.async_wait(
        asio::bind_executor(inline_executor{&context}, [&](error_code error) { calls += error ? 10 : 1; }));

    context.run();

    EXPECT_EQ(calls, 1);
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

TEST(VirtualTimer, IsMadeOfAContextAndWaitsWithTheTokenOfItsExecutor)
{
    sim::manual_context world;
    using adapted = asio::use_awaitable_t<>::as_default_on_t<virtual_timer>;
    bool has_fired = false;
    virtual_timer expired(world);
    virtual_timer by_duration(world, seconds(2));
    virtual_timer by_time(world, virtual_time::time_point(seconds(3)));

    auto const wait = [&]() -> asio::awaitable<void> {
        adapted timer(virtual_timer(world, seconds(5)));
        auto waiting = timer.async_wait();
        co_await std::move(waiting);
        has_fired = true;
    };
    asio::co_spawn(world.get_executor(), wait(), asio::detached);
    world.run();

    EXPECT_TRUE(has_fired);
    EXPECT_EQ(world.now().time_since_epoch(), seconds(5));
    EXPECT_EQ(by_duration.expiry().time_since_epoch(), seconds(2));
    EXPECT_EQ(by_time.expiry().time_since_epoch(), seconds(3));
    EXPECT_EQ(expired.expiry().time_since_epoch(), seconds(0));
}

}  // namespace
}  // namespace strider::sim::test
