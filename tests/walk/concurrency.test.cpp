// SPDX-License-Identifier: BSL-1.0
// Tests of the threads on which visits run, and of the number of concurrent visits.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>

#include <support/places.hpp>
#include <walk/load.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

[[nodiscard]] auto separate(std::size_t count) -> shape
{
    digraph<std::uint32_t> draft;
    for (std::size_t i = 0; i < count; ++i) draft.add_vertex(static_cast<std::uint32_t>(i));
    return freeze(std::move(draft)).value();
}

// Waits until a number of visits run concurrently, at most ten seconds.
class visit_barrier {
public:
    explicit visit_barrier(int expected) : expected_(expected) {}
    void operator()(vertex_id, std::uint32_t)
    {
        int const now = ++inside_;
        for (int most = most_; most < now && !most_.compare_exchange_weak(most, now);) {}
        auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (most_ < expected_ && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --inside_;
    }
    [[nodiscard]] auto most() const -> int { return most_; }

private:
    int expected_;
    std::atomic<int> inside_{0};
    std::atomic<int> most_{0};
};

TEST(Concurrency, EqualsTheNumberOfThreadsOfTheExecutor)
{
    shape const g = separate(300);
    asio::thread_pool pool(100);
    visit_barrier all(100);

    walk_report const report = walk(pool.get_executor(), g, std::ref(all));

    EXPECT_EQ(report.done(), 300U);
    EXPECT_EQ(all.most(), 100);
}

TEST(Concurrency, OfPlainVisitsWithAQueueEqualsTheNumberOfThreadsOfTheExecutor)
{
    shape const g = separate(200);
    asio::thread_pool pool(80);
    visit_barrier all(80);

    walk_report const report = walk(pool.get_executor(), g, std::ref(all), walk_options<fifo>{});

    EXPECT_EQ(report.done(), 200U);
    EXPECT_EQ(all.most(), 80);
}

TEST(Concurrency, IsLimitedByMaxConcurrency)
{
    shape const g = separate(50);
    asio::thread_pool pool(8);
    visit_barrier three(3);
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;

    walk_report const report = walk(pool.get_executor(), g,
        [&](vertex_id v, std::uint32_t value) {
            if (int const now = ++inside; now > most) most = now;
            three(v, value);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            --inside;
        },
        {.max_concurrency = 3});

    EXPECT_EQ(report.done(), 50U);
    EXPECT_EQ(most, 3);
}

TEST(Concurrency, OfAnExecutorWithoutOccupancyIsTheOption)
{
    shape const g = separate(20);
    asio::io_context context;
    visit_barrier five(5);
    std::vector<std::thread> threads;
    auto const work = asio::prefer(context.get_executor(), asio::execution::outstanding_work.tracked);
    for (int i = 0; i < 5; ++i) threads.emplace_back([&] { context.run(); });

    walk_report const report = walk(context, g, std::ref(five), {.max_concurrency = 5});
    context.stop();
    for (std::thread& each : threads) each.join();

    EXPECT_EQ(report.done(), 20U);
    EXPECT_EQ(five.most(), 5);
}

// Visits that are awaited, or complete by handle, start as soon as they are ready.
template <class Place>
void expect_all_at_once(Place place)
{
    shape const g = separate(100);
    std::size_t inside = 0;
    std::size_t most = 0;
    std::size_t done = 0;
    auto const count = [&](error_code, walk_report const& report) { done += report.done(); };
    sim::manual_context context;

    async_walk(
        place(context.get_executor()), g,
        [&](vertex_id, std::uint32_t) -> asio::awaitable<void> {
            most = std::max(most, ++inside);
            sim::virtual_timer timer(co_await asio::this_coro::executor, std::chrono::seconds(1));
            co_await timer.async_wait(asio::use_awaitable);
            --inside;
        },
        count);
    context.run();
    EXPECT_EQ(most, 100U);

    most = 0;
    std::vector<visit_handle> handles;
    async_walk(
        place(context.get_executor()), g,
        [&](vertex_id, std::uint32_t, visit_handle handle) { handles.push_back(std::move(handle)); }, count);
    context.run();
    EXPECT_EQ(handles.size(), 100U);
    for (visit_handle& each : handles) each();
    context.run();

    EXPECT_EQ(done, 200U);
}

TEST(Concurrency, OfAsynchronousVisitsIsThatOfTheGraph)
{
    expect_all_at_once(directly);
}
TEST(Concurrency, OfAsynchronousVisitsOnAStrandIsThatOfTheGraph)
{
    expect_all_at_once(on_strand);
}

}  // namespace
}  // namespace strider::test
