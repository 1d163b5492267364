// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/plan/async_semaphore.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace {

using namespace strider::infra;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
namespace asio = strider::asio;

TEST(AsyncSemaphore, HasAsManyPermitsAsItWasGiven)
{
    asio::io_context context;
    async_semaphore<> permits(context.get_executor(), 2);

    EXPECT_TRUE(permits.try_acquire());
    EXPECT_TRUE(permits.try_acquire());
    EXPECT_FALSE(permits.try_acquire());
    permits.release();
    EXPECT_TRUE(permits.try_acquire());
    EXPECT_FALSE(permits.try_acquire());
}

TEST(AsyncSemaphore, EndsWaitsInTheOrderInWhichTheyBegan)
{
    asio::io_context context;
    async_semaphore<> permits(context.get_executor(), 1);
    std::vector<int> acquired;
    auto const wait = [&](int name) -> task<void> {
        auto acquiring = permits.acquire();
        co_await std::move(acquiring);
        acquired.push_back(name);
    };
    for (int i = 0; i < 4; ++i) asio::co_spawn(context, wait(i), asio::detached);

    std::vector<std::vector<int>> after_each_release;
    for (int i = 0; i < 3; ++i) {
        context.poll();
        after_each_release.push_back(acquired);
        permits.release();
    }
    context.poll();

    EXPECT_THAT(after_each_release, ElementsAre(ElementsAre(0), ElementsAre(0, 1), ElementsAre(0, 1, 2)));
    EXPECT_THAT(acquired, ElementsAre(0, 1, 2, 3));
}

TEST(AsyncSemaphore, GivesAPermitToAWaiterAndNotToTheNextCaller)
{
    asio::io_context context;
    async_semaphore<> permits(context.get_executor(), 1);
    std::vector<int> acquired;
    ASSERT_TRUE(permits.try_acquire());
    auto const wait = [&]() -> task<void> {
        auto acquiring = permits.acquire();
        co_await std::move(acquiring);
        acquired.push_back(1);
    };
    asio::co_spawn(context, wait(), asio::detached);
    context.poll();
    EXPECT_THAT(acquired, IsEmpty());

    permits.release();

    EXPECT_FALSE(permits.try_acquire());
    context.poll();
    EXPECT_THAT(acquired, ElementsAre(1));
}

TEST(AsyncSemaphore, PermitsNoMoreOwnersThanItsNumberOnManyThreads)
{
    constexpr std::size_t coroutines = 64;
    constexpr std::size_t rounds = 500;
    constexpr int number = 3;
    asio::thread_pool pool(4);
    async_semaphore<> permits(pool.get_executor(), number);
    std::atomic<int> owners = 0;
    std::atomic<int> most = 0;
    std::atomic<std::size_t> done = 0;
    auto const work = [&](std::size_t name) -> task<void> {
        for (std::size_t i = 0; i < rounds; ++i) {
            if (!permits.try_acquire()) {
                auto acquiring = permits.acquire();
                co_await std::move(acquiring);
            }
            int const now = ++owners;
            for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {}
            if ((name + i) % 5 == 0) {
                auto const home = co_await asio::this_coro::executor;
                auto yielded = asio::post(home, asio::use_awaitable);
                co_await std::move(yielded);
            }
            --owners;
            permits.release();
            ++done;
        }
    };
    for (std::size_t i = 0; i < coroutines; ++i) asio::co_spawn(asio::make_strand(pool), work(i), asio::detached);
    pool.join();

    EXPECT_EQ(done, coroutines * rounds);
    EXPECT_LE(most, number);
    for (int i = 0; i < number; ++i) EXPECT_TRUE(permits.try_acquire());
    EXPECT_FALSE(permits.try_acquire());
}

}  // namespace
