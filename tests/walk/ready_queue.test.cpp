// SPDX-License-Identifier: BSL-1.0
#include <strider/walk/ready_queue.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace strider::test {
namespace {

TEST(AscendingId, PopsTheSmallestOfWhatIsThere)
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
