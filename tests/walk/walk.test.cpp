// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <walk/worlds.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace strider::test {
namespace {

TEST(BlockingWalk, ReturnsTheReportAfterAllVisits)
{
    auto const g = frozen("b: a\nc: a\nd: b c");
    asio::thread_pool pool(2);
    sim::recorder record(g);

    walk_report const report = walk(pool.get_executor(), g,
        [&](vertex_id v, std::string const&) { sim::recorder<text_frozen>::visit const visit(record, v); });

    EXPECT_FALSE(report.error());
    EXPECT_EQ(report.done(), 4U);
    EXPECT_THAT(record.violations(), testing::IsEmpty());
}

TEST(BlockingWalk, ReportsAFailure)
{
    auto const g = frozen("b: a");
    asio::thread_pool pool(2);

    walk_report const report = walk(pool.get_executor(), g,
        [](vertex_id, std::string const&) { throw std::runtime_error("no"); }, {.max_concurrency = 1});

    EXPECT_EQ(report.error(), walk_errc::vertex_failed);
    EXPECT_EQ(report.failed(), 1U);
    EXPECT_EQ(report.skipped(), 1U);
}

TEST(BlockingWalk, MakesWritesOfVisitorsVisible)
{
    auto const g = frozen("b: a\nc");
    asio::thread_pool pool(3);
    for (int round = 0; round < 200; ++round) {
        int sum = 0;
        std::vector<int> written(3);

        (void)walk(pool.get_executor(), g, [&](vertex_id v, std::string const&) { written[v.index()] = 1; });
        for (int const w : written) sum += w;

        ASSERT_EQ(sum, 3);
    }
}

template <class Options>
void expect_error_if_the_context_is_destroyed(Options options)
{
    auto const g = frozen("b: a");
    auto pool = std::make_unique<asio::thread_pool>(1);
    auto const executor = pool->get_executor();
    std::promise<void> running;
    std::promise<void> go_on;
    asio::post(executor, [&] {
        running.set_value();
        go_on.get_future().wait();
    });
    running.get_future().wait();

    std::thread destroyer([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        pool->stop();
        go_on.set_value();
        pool.reset();
    });
    walk_report const report = walk(executor, g, [](vertex_id, std::string const&) {}, options);
    destroyer.join();

    EXPECT_EQ(report.error(), walk_errc::context_destroyed);
    EXPECT_EQ(report.size(), 2U);
    EXPECT_EQ(report.done(), 0U);
    EXPECT_EQ(report.cancelled(), 2U);
}

TEST(BlockingWalk, ReportsAnErrorIfTheContextIsDestroyed)
{
    expect_error_if_the_context_is_destroyed(walk_options<>());
}

TEST(BlockingWalk, ReportsAnErrorIfTheContextOfAWalkWithAQueueIsDestroyed)
{
    expect_error_if_the_context_is_destroyed(walk_options{.ready = fifo()});
}

TEST(BlockingWalk, VisitsOnTheCallingThreadIfThatIsOneOfTheExecutor)
{
    auto const g = frozen("a\nb\nc\nd: a b c");
    for (std::size_t const threads : {1U, 2U, 3U}) {
        asio::thread_pool pool(threads);
        std::atomic<std::size_t> inner = 0;

        walk_report const report = walk(pool, g, [&](vertex_id, std::string const&) {
            walk_report const nested =
                walk(pool, g, [&](vertex_id, std::string const&) { inner.fetch_add(1); }, {.max_concurrency = 2});
            if (nested.done() != 4) throw std::runtime_error("the nested walk is incomplete");
        });

        EXPECT_EQ(report.done(), 4U);
        EXPECT_EQ(inner.load(), 16U);
    }
}

TEST(BlockingWalk, EndsOnItsOwnStrandAndOnTheOnlyThreadOfAnIoContext)
{
    auto const g = frozen("a\nb: a");
    asio::io_context context;
    auto const strand = asio::make_strand(context);
    std::size_t done = 0;
    auto const nothing = [](vertex_id, std::string const&) {};
    asio::post(strand, [&] { done += walk(strand, g, nothing).done(); });
    asio::post(context, [&] { done += walk(context, g, nothing).done(); });

    context.run();

    EXPECT_EQ(done, 4U);
}

#ifndef NDEBUG
TEST(BlockingWalkDeathTest, AssertsThatAThreadOfTheExecutorDoesNotWaitForCoroutines)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    auto const g = frozen("a");
    auto const visitor = [](vertex_id, std::string const&) -> asio::awaitable<void> { co_return; };

    EXPECT_DEATH(
        {
            asio::io_context context;
            asio::post(context, [&] { (void)walk(context, g, visitor); });
            context.run();
        },
        "use async_walk");
}

TEST(BlockingWalkDeathTest, AssertsThatTheContextIsNotStopped)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    auto const g = frozen("a");
    asio::io_context context;
    context.stop();

    EXPECT_DEATH((void)walk(context, g, [](vertex_id, std::string const&) {}), "not stopped");
}
#endif

}  // namespace
}  // namespace strider::test
