// SPDX-License-Identifier: BSL-1.0
// The deque in one thread. tests/explored explores it in all orders of several threads.
#include <strider/walk/detail/stealing/work_deque.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace strider::test {
namespace {

using detail::work_deque;

TEST(WorkDeque, GivesTheLastVertexToItsOwnerAndTheFirstToAThief)
{
    work_deque deque(4);
    std::vector<std::uint32_t> const vertices{7, 8, 9};

    std::size_t const pushed = deque.push(vertices.data(), vertices.size());

    EXPECT_EQ(pushed, 3U);
    EXPECT_EQ(deque.size(), 3U);
    EXPECT_EQ(deque.pop(), 9U);
    EXPECT_EQ(deque.steal(), 7U);
    EXPECT_EQ(deque.pop(), 8U);
    EXPECT_EQ(deque.size(), 0U);
}

TEST(WorkDeque, IsEmptyAfterTheLastVertex)
{
    work_deque deque(2);
    (void)deque.push(5);

    EXPECT_EQ(deque.pop(), 5U);
    EXPECT_EQ(deque.pop(), work_deque::none);
    EXPECT_EQ(deque.steal(), work_deque::none);
    EXPECT_NE(work_deque::none, work_deque::lost);
}

TEST(WorkDeque, TakesAsManyVerticesAsItHasRoomFor)
{
    work_deque deque(2);
    std::vector<std::uint32_t> const vertices{1, 2, 3};

    EXPECT_EQ(deque.push(vertices.data(), vertices.size()), 2U);
    EXPECT_FALSE(deque.push(4));
    EXPECT_EQ(deque.steal(), 1U);
    EXPECT_TRUE(deque.push(4));
    EXPECT_EQ(deque.pop(), 4U);
    EXPECT_EQ(deque.pop(), 2U);
}

}  // namespace
}  // namespace strider::test
