// SPDX-License-Identifier: BSL-1.0
#include <strider/walk/detail/stealing/max_workers.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

namespace strider::test {
namespace {

using detail::max_workers;

TEST(MaxWorkers, IsTheNumberOfThreadsOfThePool)
{
    asio::thread_pool three(3), one(1);

    EXPECT_EQ(max_workers(three.get_executor(), 0, 0, 100), 3U);
    EXPECT_EQ(max_workers(one.get_executor(), 0, 0, 100), 1U);
}

TEST(MaxWorkers, IsTheStatedNumberOfThreads)
{
    asio::thread_pool pool(3);

    EXPECT_EQ(max_workers(pool.get_executor(), 0, 5, 100), 5U);
}

TEST(MaxWorkers, IsAtMostTheConcurrencyAndTheNumberOfVertices)
{
    asio::thread_pool pool(3);

    EXPECT_EQ(max_workers(pool.get_executor(), 2, 0, 100), 2U);
    EXPECT_EQ(max_workers(pool.get_executor(), 0, 0, 2), 2U);
    EXPECT_EQ(max_workers(pool.get_executor(), 0, 0, 0), 1U);
}

TEST(MaxWorkers, IsOneOnAStrand)
{
    asio::thread_pool pool(3);

    EXPECT_EQ(max_workers(asio::make_strand(pool), 0, 0, 100), 1U);
}

TEST(MaxWorkers, IsTheConcurrencyOrThatOfTheMachineOnAnExecutorThatDoesNotKnowItsThreads)
{
    asio::io_context context;

    EXPECT_EQ(max_workers(context.get_executor(), 4, 0, 100), 4U);
    EXPECT_EQ(max_workers(context.get_executor(), 0, 0, 1'000'000), std::max(1U, std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace strider::test
