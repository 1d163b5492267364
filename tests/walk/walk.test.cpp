// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/walk.hpp>

#include <walk/worlds.hpp>

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

// ThreadSanitizer would detect concurrent visits.
TEST(BlockingWalk, VisitsOnlyInTheStrandEvenIfTheCallerHelps)
{
    auto const g = frozen("a\nb\nc\nd\ne: a b c d\nf: e");
    asio::thread_pool pool(4);
    auto const strand = asio::make_strand(pool);
    std::size_t in_strand = 0;

    walk_report const report =
        walk(strand, g, [&](vertex_id, std::string const&) { in_strand += strand.running_in_this_thread() ? 1U : 0U; },
            {.scheduler = {.caller_helps = true}});

    EXPECT_EQ(report.done(), 6U);
    EXPECT_EQ(in_strand, 6U);
}

TEST(BlockingWalk, ReturnsAnEmptyReportIfTheContextIsDestroyed)
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
    walk_report const report = walk(executor, g, [](vertex_id, std::string const&) {});
    destroyer.join();

    EXPECT_EQ(report.size(), 0U);
}

}  // namespace
}  // namespace strider::test
