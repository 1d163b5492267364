// SPDX-License-Identifier: BSL-1.0
#include "base/parallel_chunks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

TEST(ParallelChunks, CoverTheWholeRangeInItsOrder)
{
    auto const all =
        iacctl::parallel_chunks(100'003, 100, [](std::size_t from, std::size_t to) { return std::pair(from, to); });
    ASSERT_EQ(all.size(), iacctl::thread_count());
    std::size_t next = 0;
    for (auto const& [from, to] : all) {
        EXPECT_EQ(from, next);
        next = to;
    }
    EXPECT_EQ(next, 100'003U);
    EXPECT_EQ(iacctl::parallel_chunks(199, 100, [](std::size_t, std::size_t to) { return to; }),
        std::vector<std::size_t>{199});
}

TEST(ParallelChunks, PassTheFirstExceptionOnAfterAllHaveEnded)
{
    std::atomic<int> running = 0;
    auto const fails = [&](std::size_t from, std::size_t) -> int {
        ++running;
        std::this_thread::yield();
        --running;
        throw std::runtime_error(from == 0 ? "first" : "other");
    };
    try {
        (void)iacctl::parallel_chunks(1000, 1, fails);
        FAIL() << "no exception";
    } catch (std::runtime_error const& error) {
        EXPECT_STREQ(error.what(), "first");
    }
    EXPECT_EQ(running, 0);
}

// The number of leaves of a binary tree, whose inner vertices wait for their children in other threads.
auto leaves(int depth) -> int
{
    if (depth == 0) return 1;
    auto const below = iacctl::parallel_chunks(2, 1, [&](std::size_t, std::size_t) { return leaves(depth - 1); });
    return below[0] + below[1];
}

TEST(ParallelChunks, MayBeNested)
{
    EXPECT_EQ(leaves(6), 64);
}

}  // namespace
