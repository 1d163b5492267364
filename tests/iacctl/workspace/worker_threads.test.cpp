// SPDX-License-Identifier: BSL-1.0
#include "workspace/worker_threads.hpp"

#include "base/background_task.hpp"

#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <deque>

namespace {

using iacctl::background_task;
using iacctl::workspace::worker_threads;

// Background threads that become free while a pool starts may begin its tasks at any moment.
TEST(WorkerThreads, RunAllHandlersWhileBackgroundThreadsBecomeFree)
{
    for (int i = 0; i < 5000; ++i) {
        std::atomic<bool> end = false;
        std::deque<background_task<void>> before;
        for (std::size_t j = 1; j < iacctl::thread_count(); ++j)
            before.emplace_back([&end] {
                while (!end) {}
            });
        std::atomic<int> handled = 0;
        {
            end = true;
            worker_threads pool(iacctl::thread_count());
            ASSERT_GE(pool.size(), 1U);
            ASSERT_LE(pool.size(), iacctl::thread_count());
            for (int j = 0; j < 4; ++j) boost::asio::post(pool.get_executor(), [&handled] { ++handled; });
            pool.join();
        }
        ASSERT_EQ(handled, 4);
    }
}

TEST(WorkerThreads, EndWithoutWork)
{
    for (int i = 0; i < 1000; ++i) {
        worker_threads pool(iacctl::thread_count());
        if (i % 2 == 0) pool.join();
    }
}

}  // namespace
