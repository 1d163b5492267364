// SPDX-License-Identifier: BSL-1.0
#include "base/background_task.hpp"

#include "base/parallel_chunks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <deque>
#include <future>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace {

using iacctl::background_task;

// Keeps all background threads busy during its lifetime.
class occupied_threads {
public:
    occupied_threads()
    {
        for (std::size_t i = 1; i < iacctl::thread_count(); ++i) {
            auto begun = std::make_shared<std::promise<void>>();
            auto has_begun = begun->get_future();
            waiting_.emplace_back([begun = std::move(begun), until = until_] {
                begun->set_value();
                until.wait();
            });
            has_begun.wait();
        }
    }
    occupied_threads(occupied_threads const&) = delete;
    auto operator=(occupied_threads const&) -> occupied_threads& = delete;
    ~occupied_threads() { end_.set_value(); }

private:
    std::promise<void> end_;
    std::shared_future<void> until_ = end_.get_future().share();
    std::deque<background_task<void>> waiting_;
};

TEST(BackgroundTask, RunsInAnotherThreadWhileTheCallerDoesOtherThings)
{
    std::promise<std::thread::id> ran;
    background_task<void> task([&] { ran.set_value(std::this_thread::get_id()); });
    EXPECT_NE(ran.get_future().get(), std::this_thread::get_id());
    task.get();
}

TEST(BackgroundTask, RunsInTheThreadThatNeedsTheResultIfNoOtherIsFree)
{
    occupied_threads const others;
    background_task<std::thread::id> task([] { return std::this_thread::get_id(); });
    EXPECT_FALSE(task.has_thread());
    EXPECT_EQ(task.get(), std::this_thread::get_id());
}

TEST(BackgroundTask, NeverRunsIfItIsDestroyedBeforeItBegins)
{
    std::atomic<bool> ran = false;
    auto const used = std::make_shared<int>(0);
    {
        occupied_threads const others;
        background_task<void> const task([&ran, used] { ran = true; });
    }
    EXPECT_EQ(used.use_count(), 1) << "the work still exists";
    background_task<void> last([] {});
    last.get();
    EXPECT_FALSE(ran);
}

TEST(BackgroundTask, IsDestroyedOnlyAfterWorkThatHasBegun)
{
    std::promise<void> begun;
    std::atomic<bool> ended = false;
    {
        background_task<void> const task([&] {
            begun.set_value();
            std::this_thread::yield();
            ended = true;
        });
        begun.get_future().wait();
    }
    EXPECT_TRUE(ended);
}

TEST(BackgroundTask, DestroysItsWorkBeforeItsResultIsAvailable)
{
    auto const used = std::make_shared<int>(1);
    for (int i = 0; i < 1000; ++i) {
        background_task<int> task([used] { return *used; });
        ASSERT_EQ(task.get(), 1);
        ASSERT_EQ(used.use_count(), 1);
    }
}

TEST(BackgroundTask, PassesExceptionsOn)
{
    background_task<int> task([]() -> int { throw std::runtime_error("fails"); });
    EXPECT_THROW(task.get(), std::runtime_error);
}

// The number of leaves of a binary tree, whose inner vertices wait for their children.
auto leaves(int depth) -> int
{
    if (depth == 0) return 1;
    background_task<int> left([depth] { return leaves(depth - 1); });
    background_task<int> right([depth] { return leaves(depth - 1); });
    return left.get() + right.get();
}

TEST(BackgroundTask, MayWaitForMoreTasksThanThereAreThreads)
{
    EXPECT_EQ(leaves(10), 1024);
}

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

}  // namespace
