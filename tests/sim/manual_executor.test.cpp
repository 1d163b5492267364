// SPDX-License-Identifier: BSL-1.0
#include <strider/sim.hpp>
#include <strider/walk/asio.hpp>

#include <boost/asio/bind_executor.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <stdexcept>
#include <string>

namespace strider::sim::test {
namespace {

static_assert(asio::execution::is_executor_v<manual_executor>);
static_assert(std::is_convertible_v<manual_executor, asio::any_io_executor>);
static_assert(std::is_convertible_v<asio::strand<manual_executor>, asio::any_io_executor>);

TEST(ManualExecutor, RunsTasksOnlyOnRequest)
{
    manual_context context;
    bool ran = false;

    asio::post(context.get_executor(), [&] { ran = true; });
    asio::dispatch(context.get_executor(), [&] { ran = true; });

    EXPECT_FALSE(ran);
    EXPECT_EQ(context.ready(), 2U);
}

TEST(ManualExecutor, RunsOneTaskAStepInOrderOfArrivalForSeedZero)
{
    manual_context context;
    std::string order;
    for (char const c : std::string("abc")) asio::post(context.get_executor(), [&order, c] { order += c; });

    bool const stepped = context.step();

    EXPECT_TRUE(stepped);
    EXPECT_EQ(order, "a");
    EXPECT_EQ(context.run(), 2U);
    EXPECT_EQ(order, "abc");
    EXPECT_FALSE(context.step());
    EXPECT_EQ(context.steps(), 3U);
}

TEST(ManualExecutor, RunsAnyReadyTaskNextForAnotherSeedButTheSameForTheSameSeed)
{
    auto const order_of = [](std::uint64_t seed) {
        manual_context context(seed);
        std::string order;
        for (char const c : std::string("abc")) asio::post(context.get_executor(), [&order, c] { order += c; });
        context.run();
        return order;
    };
    std::set<std::string> seen;

    for (std::uint64_t seed = 1; seed < 100; ++seed) {
        seen.insert(order_of(seed));
        EXPECT_EQ(order_of(seed), order_of(seed)) << "seed " << seed;
    }

    EXPECT_EQ(seen.size(), 6U);
}

TEST(ManualExecutor, PostsLaterAndDispatchesInPlaceFromInside)
{
    manual_context context;
    std::string order;

    asio::post(context.get_executor(), [&] {
        asio::post(context.get_executor(), [&] { order += "posted "; });
        asio::dispatch(context.get_executor(), [&] { order += "dispatched "; });
        order += "end ";
    });
    context.run();

    EXPECT_EQ(order, "dispatched end posted ");
}

TEST(ManualExecutor, PropagatesAnExceptionOfAStepAndContinues)
{
    manual_context context;
    bool ran = false;
    asio::post(context.get_executor(), [] { throw std::runtime_error("out"); });
    asio::post(context.get_executor(), [&] { ran = true; });

    EXPECT_THROW(context.step(), std::runtime_error);
    context.run();

    EXPECT_TRUE(ran);
}

TEST(ManualExecutor, KeepsTheOrderOfAStrandForEverySeed)
{
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        manual_context context(seed);
        auto const strand = asio::make_strand(context.get_executor());
        std::string order;
        for (char const c : std::string("abcdef")) asio::post(strand, [&order, c] { order += c; });

        context.run();

        EXPECT_EQ(order, "abcdef") << "seed " << seed;
    }
}

TEST(ManualExecutor, RunsCoroutines)
{
    manual_context context(7);
    int sum = 0;

    for (int i = 1; i <= 3; ++i) {
        asio::co_spawn(
            context.get_executor(),
            [&sum, i]() -> asio::awaitable<void> {
                co_await asio::post(asio::use_awaitable);
                sum += i;
            },
            asio::detached);
    }
    context.run();

    EXPECT_EQ(sum, 6);
}

// Posts again when it is destroyed, like dropped handles and destroyed coroutines.
struct posts_when_destroyed {
    manual_executor executor;
    std::shared_ptr<int> token;
    int depth;

    posts_when_destroyed(manual_executor e, std::shared_ptr<int> t, int d) : executor(e), token(std::move(t)), depth(d)
    {}
    posts_when_destroyed(posts_when_destroyed&&) = default;
    ~posts_when_destroyed()
    {
        if (token && depth > 0) asio::post(executor, posts_when_destroyed(executor, token, depth - 1));
    }
    void operator()() {}
};

TEST(ManualExecutor, DestroysRemainingTasksWithItsContext)
{
    auto const token = std::make_shared<int>();

    {
        manual_context context;
        auto const strand = asio::make_strand(context.get_executor());
        asio::post(context.get_executor(), posts_when_destroyed(context.get_executor(), token, 3));
        asio::post(strand, [token] {});
        asio::co_spawn(
            context.get_executor(),
            [token]() -> asio::awaitable<void> {
                auto const executor = co_await asio::this_coro::executor;
                virtual_timer timer(executor, std::chrono::hours(1));
                co_await timer.async_wait(asio::use_awaitable);
            },
            asio::detached);
        context.run_ready();
        asio::post(strand, [token] {});
    }

    EXPECT_EQ(token.use_count(), 1);
}

}  // namespace
}  // namespace strider::sim::test
