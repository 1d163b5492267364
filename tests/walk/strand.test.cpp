// SPDX-License-Identifier: BSL-1.0
// Guarantees of `strand_scheduler` beyond those of every walk, and the time slices of handlers.
#include <walk/worlds.hpp>

#include <strider/walk.hpp>

#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using std::chrono::microseconds;

[[nodiscard]] auto roots(std::size_t count) -> text_frozen
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "v" + std::to_string(i) + "\n";
    return frozen(text);
}

// ThreadSanitizer would detect concurrent visits.
TEST(StrandScheduler, SerializesPlainVisitors)
{
    asio::thread_pool pool(4);
    auto const g = roots(500);
    std::vector<std::size_t> seen;

    auto const report = walk(
        pool.get_executor(), g, [&](vertex_id v, std::string const&) { seen.push_back(v.index()); }, strict_options{});

    EXPECT_EQ(report.done(), 500U);
    EXPECT_EQ(seen.size(), 500U);
}

TEST(StrandScheduler, SerializesCoroutinesAtEverySuspension)
{
    asio::thread_pool pool(4);
    auto const g = roots(500);
    std::size_t under_way = 0;
    std::size_t most = 0;

    auto const report = walk(
        pool.get_executor(), g,
        [&](vertex_id, std::string const&) -> asio::awaitable<void> {
            most = std::max(most, ++under_way);
            co_await asio::post(asio::use_awaitable);
            --under_way;
        },
        strict_options{.max_concurrency = 10});

    EXPECT_EQ(report.done(), 500U);
    EXPECT_EQ(under_way, 0U);
    EXPECT_GT(most, 1U);
    EXPECT_LE(most, 10U);
}

TEST(StrandScheduler, SerializesVisitorsIfHandlesAreCalledOnAnyThread)
{
    asio::thread_pool pool(4);
    auto const g = roots(500);
    std::size_t called = 0;

    auto const report = walk(
        pool.get_executor(), g,
        [&](vertex_id v, std::string const&, visit_handle done) {
            ++called;
            if (v.index() % 2 == 0) return done();
            asio::post(pool, [done = std::move(done)]() mutable { done(); });
        },
        strict_options{.max_concurrency = 10});

    EXPECT_EQ(report.done(), 500U);
    EXPECT_EQ(called, 500U);
}

// The first visit posts a handler on the only thread. \return the number of visits before this handler runs
template <class Options>
class turns_of_others {
public:
    auto visits_before_one(auto visitor) -> std::size_t
    {
        auto const g = roots(200);
        auto const report = walk(pool_.get_executor(), g, visitor(*this), options_);
        pool_.join();
        EXPECT_EQ(report.done(), 200U);
        return before_;
    }
    void visit()
    {
        if (visits_++ == 0) asio::post(pool_, [this] { before_ = visits_; });
        std::this_thread::sleep_for(microseconds(100));
    }

private:
    asio::thread_pool pool_{1};
    std::size_t visits_ = 0;
    std::size_t before_ = 0;
    Options options_{.max_concurrency = 1};
};

template <class Options>
class TimeSlice : public testing::Test {};
using controls = testing::Types<walk_options<>, strict_options>;
TYPED_TEST_SUITE(TimeSlice, controls);

TYPED_TEST(TimeSlice, YieldsBetweenCoroutines)
{
    turns_of_others<TypeParam> others;

    EXPECT_LT(others.visits_before_one([](auto& here) {
        return [&here](vertex_id, std::string const&) -> asio::awaitable<void> {
            here.visit();
            co_return;
        };
    }),
        100U);
}

TYPED_TEST(TimeSlice, YieldsBetweenVisitsByHandle)
{
    turns_of_others<TypeParam> others;

    EXPECT_LT(others.visits_before_one([](auto& here) {
        return [&here](vertex_id, std::string const&, visit_handle done) {
            here.visit();
            done();
        };
    }),
        100U);
}

TEST(TimeSliceOnAStrand, YieldsBetweenPlainVisits)
{
    turns_of_others<strict_options> others;

    EXPECT_LT(
        others.visits_before_one([](auto& here) { return [&here](vertex_id, std::string const&) { here.visit(); }; }),
        100U);
}

}  // namespace
}  // namespace strider::test
