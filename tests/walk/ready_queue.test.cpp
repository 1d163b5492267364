// SPDX-License-Identifier: BSL-1.0
#include <strider/walk/ready_queue.hpp>
#include <strider/walk/resource_pools.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace strider::test {
namespace {

TEST(AscendingId, PopsTheSmallestReadyVertex)
{
    for (std::size_t const bound : {1U, 63U, 64U, 65U, 4096U, 4097U, 300'000U}) {
        ascending_id queue;
        queue.reset(bound);
        std::set<std::size_t> expected;
        std::uint64_t random = bound;

        for (int round = 0; round < 2000; ++round) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            std::size_t const id = (random >> 33U) % bound;
            if ((random & (1U << 20U)) != 0) {
                if (expected.insert(id).second) queue.push(vertex_id(id));
            } else if (!expected.empty()) {
                ASSERT_EQ(queue.pop().index(), *expected.begin()) << "bound " << bound;
                expected.erase(expected.begin());
            }
            ASSERT_EQ(queue.size(), expected.size());
        }
    }
}

TEST(AscendingId, IsEmptyForAnEmptyGraph)
{
    ascending_id queue;

    queue.reset(0);

    EXPECT_EQ(queue.size(), 0U);
}

TEST(AscendingId, KeepsReadyVerticesWhenItsBoundGrows)
{
    ascending_id queue;
    queue.reset(10);
    std::vector<std::size_t> pushed;
    std::mt19937_64 random(3);
    for (std::size_t bound : {10U, 64U, 65U, 4096U, 4097U, 300'000U}) {
        queue.resize(bound);
        std::size_t const id = bound - 1 - random() % (bound / 10);
        queue.push(vertex_id(id));
        pushed.push_back(id);
    }
    std::sort(pushed.begin(), pushed.end());

    EXPECT_EQ(queue.size(), pushed.size());
    for (std::size_t const id : pushed) EXPECT_EQ(queue.pop(), vertex_id(id));
}

TEST(ReadyQueueOfPools, KeepsWaitingVerticesWhenItsBoundGrows)
{
    resource_pools queue([](vertex_id) { return resource_pool{1, 1}; });
    queue.reset(2);
    queue.push(vertex_id(0));
    queue.push(vertex_id(1));

    queue.resize(500);
    queue.push(vertex_id(400));

    for (std::size_t const id : {0U, 1U, 400U}) {
        ASSERT_EQ(queue.size(), 1U);
        EXPECT_EQ(queue.pop(), vertex_id(id));
        queue.settled(vertex_id(id));
    }
    EXPECT_EQ(queue.size(), 0U);
}

TEST(Fifo, PopsInTheOrderOfArrival)
{
    fifo queue;
    queue.reset(3);

    queue.push(vertex_id(2));
    queue.push(vertex_id(0));
    vertex_id const first = queue.pop();
    queue.push(vertex_id(1));

    EXPECT_EQ(first, vertex_id(2));
    EXPECT_EQ(queue.pop(), vertex_id(0));
    EXPECT_EQ(queue.pop(), vertex_id(1));
    EXPECT_EQ(queue.size(), 0U);
}

}  // namespace
}  // namespace strider::test
