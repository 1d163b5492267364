// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/plan/concurrency_limiter.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <latch>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace strider::infra;
namespace asio = strider::asio;

auto at_most(std::uint32_t concurrency) -> execution_limits
{
    execution_limits limits;
    limits.parallelism = concurrency;
    return limits;
}

// Runs a task on a strand of four threads. \return its exception
auto run(asio::thread_pool& pool, task<void> work) -> std::exception_ptr
{
    std::exception_ptr thrown;
    asio::co_spawn(asio::make_strand(pool), std::move(work), [&](std::exception_ptr e) { thrown = e; });
    pool.join();
    return thrown;
}

TEST(ConcurrencyLimiter, ProcessesEachItemOnceInTheOrderOfParts)
{
    constexpr std::size_t count = 5000;
    constexpr std::size_t parts = 4;
    asio::thread_pool pool(4);
    concurrency_limiter limiter(pool.get_executor(), at_most(10));
    std::vector<std::vector<std::size_t>> seen(parts);  // only one strand at a time accesses each of them
    std::atomic<int> under_way = 0;
    std::atomic<int> most = 0;
    auto const work = [&](std::size_t part, std::size_t i) -> task<void> {
        seen[part].push_back(i);
        int const now = ++under_way;
        for (int before = most; before < now && !most.compare_exchange_weak(before, now);) {}
        if (i % 7 == 0) {
            auto const home = co_await asio::this_coro::executor;
            auto yielded = asio::post(home, asio::use_awaitable);
            co_await std::move(yielded);
        }
        --under_way;
    };

    auto const thrown = run(pool, limiter.for_each_in_parts("t", count, parts, work));

    EXPECT_FALSE(thrown);
    std::vector<std::size_t> all;
    for (auto& part : seen) {
        std::sort(part.begin(), part.end());
        all.insert(all.end(), part.begin(), part.end());
    }
    std::vector<std::size_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0U);
    EXPECT_EQ(all, expected);
    EXPECT_LE(most, 10);
}

TEST(ConcurrencyLimiter, ProcessesPartsAtTheSameTime)
{
    asio::thread_pool pool(2);
    concurrency_limiter limiter(pool.get_executor(), at_most(2));
    std::latch both_started(2);
    std::atomic<int> met = 0;
    auto const work = [&](std::size_t, std::size_t i) -> task<void> {
        if (i % 500 != 0) co_return;
        both_started.count_down();
        auto const limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!both_started.try_wait() && std::chrono::steady_clock::now() < limit) std::this_thread::yield();
        if (both_started.try_wait()) ++met;
    };

    auto const thrown = run(pool, limiter.for_each_in_parts("t", 1000, 2, work));

    EXPECT_FALSE(thrown);
    EXPECT_EQ(met, 2);
}

TEST(ConcurrencyLimiter, ThrowsAfterAllPartsHaveEnded)
{
    asio::thread_pool pool(4);
    concurrency_limiter limiter(pool.get_executor(), at_most(2));
    std::atomic<std::size_t> done = 0;
    auto const work = [&](std::size_t, std::size_t i) -> task<void> {
        ++done;
        if (i == 0) throw std::runtime_error("the first");
        co_return;
    };

    auto const thrown = run(pool, limiter.for_each_in_parts("t", 1000, 2, work));

    ASSERT_TRUE(thrown);
    EXPECT_THROW(std::rethrow_exception(thrown), std::runtime_error);
    EXPECT_EQ(done, 1000U);
}

TEST(ConcurrencyLimiter, DividesManyInstancesOnly)
{
    asio::thread_pool pool(3);
    concurrency_limiter const limiter(pool.get_executor(), at_most(10));
    concurrency_limiter const one_by_one(pool.get_executor(), at_most(1));

    EXPECT_EQ(limiter.parts_of(0), 1U);
    EXPECT_EQ(limiter.parts_of(799), 1U);
    EXPECT_EQ(limiter.parts_of(100'000), 3U);
    EXPECT_EQ(one_by_one.parts_of(100'000), 1U);
}

TEST(ConcurrencyLimiter, DividesByTheThreadsOfTheLimits)
{
    asio::thread_pool pool(1);
    execution_limits limits = at_most(10);
    limits.threads = 3;

    concurrency_limiter const limiter(pool.get_executor(), limits);

    EXPECT_EQ(limiter.parts_of(100'000), 3U);
}

TEST(ConcurrencyLimiter, DividesByTheLimitIfTheExecutorHasNoOccupancy)
{
    asio::thread_pool pool(1);
    asio::any_io_executor const erased = pool.get_executor();
    concurrency_limiter const limiter(erased, at_most(10));

    EXPECT_EQ(limiter.parts_of(100'000), 10U);
}

}  // namespace
