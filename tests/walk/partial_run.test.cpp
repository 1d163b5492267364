// SPDX-License-Identifier: BSL-1.0
#include <strider/core/dag.hpp>
#include <strider/walk/walker.hpp>

#include <support/graph_text.hpp>

#include <boost/asio/thread_pool.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace strider::test {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using text_frozen = dag<std::string>;
using outcome_visitor = std::function<visit_outcome(vertex_id, std::string const&)>;
using outcome_walker = walker<asio::thread_pool::executor_type, text_frozen, outcome_visitor>;

// Runs with one worker and with several; a test that needs the order checks it.
class PartialRun : public testing::TestWithParam<std::uint32_t> {
protected:
    auto walk(std::string_view text, std::vector<std::string> const& changed,
        std::set<std::string> const& unchanged = {}) -> walk_report
    {
        graph = freeze(test::graph(text)).value();
        outcome_walker walk(pool.get_executor(), graph,
            [&](vertex_id, std::string const& name) {
                std::lock_guard const lock(mutex);
                visited.push_back(name);
                return unchanged.contains(name) ? visit_outcome::unchanged() : outcome;
            },
            {.threads = GetParam(), .granularity = visit_granularity::coarse});
        std::vector<vertex_id> ids;
        for (std::string const& name : changed) ids.push_back(find(graph, name));
        return walk.run(ids);
    }

    asio::thread_pool pool{4};
    text_frozen graph;
    std::mutex mutex;
    std::vector<std::string> visited;
    visit_outcome outcome;
};

INSTANTIATE_TEST_SUITE_P(Workers, PartialRun, testing::Values(1U, 4U));

TEST_P(PartialRun, VisitsChangedVerticesAndTheirDependents)
{
    auto const report = walk("b: a\nc: b\nd\ne: d c\nf: d", {"b"});

    EXPECT_THAT(visited, ElementsAre("b", "c", "e"));
    EXPECT_EQ(report.done(), 6U);
    EXPECT_EQ(report.unchanged(), 3U);
    EXPECT_TRUE(report[find(graph, "a")].is_unchanged());
    EXPECT_FALSE(report[find(graph, "e")].is_unchanged());
}

TEST_P(PartialRun, SkipsDependentsOfAVisitThatChangedNothing)
{
    auto const report = walk("b: a\nc: b\nd: c\ne: a", {"a"}, {"b"});

    EXPECT_THAT(visited, UnorderedElementsAre("a", "b", "e"));
    EXPECT_TRUE(report[find(graph, "b")].is_unchanged());
    EXPECT_TRUE(report[find(graph, "d")].is_unchanged());
    EXPECT_EQ(report.done(), 5U);
}

TEST_P(PartialRun, VisitsADependentOfAnotherChangedVertex)
{
    walk("b: a\nc: a\nd: b c", {"a"}, {"b"});

    EXPECT_THAT(visited, UnorderedElementsAre("a", "b", "c", "d"));
}

TEST_P(PartialRun, SkipsDependentsOfAFailedVisit)
{
    outcome = visit_outcome::failure(error_code(asio::error::timed_out));

    auto const report = walk("b: a\nc: b\nd", {"a"});

    EXPECT_THAT(visited, ElementsAre("a"));
    EXPECT_EQ(report.failed(), 1U);
    EXPECT_EQ(report.skipped(), 2U);
    EXPECT_EQ(report.done(), 1U);
}

TEST_P(PartialRun, WithoutAChangeVisitsNothing)
{
    auto const report = walk("b: a", {});

    EXPECT_TRUE(visited.empty());
    EXPECT_EQ(report.unchanged(), 2U);
}

TEST_P(PartialRun, OfAnEmptyGraphVisitsNothing)
{
    text_frozen const empty;
    asio::thread_pool threads(2);
    walker walks(threads.get_executor(), empty, [](vertex_id, std::string const&) {}, {.max_concurrency = GetParam()});

    EXPECT_EQ(walks.run().size(), 0U);
    EXPECT_EQ(walks.run(std::span<vertex_id const>()).size(), 0U);
}

TEST_P(PartialRun, LeavesTheWalkerReadyForAWholeRun)
{
    std::mt19937_64 random(7);
    std::string text;
    for (int i = 0; i < 200; ++i) {
        text += "v" + std::to_string(i) + ":";
        for (std::uint64_t k = random() % 4; k > 0 && i > 0; --k)
            text += " v" + std::to_string(random() % static_cast<std::uint64_t>(i));
        text += "\n";
    }
    auto const g = freeze(test::graph(text)).value();
    std::atomic<std::size_t> visits = 0;
    outcome_walker walk(pool.get_executor(), g,
        [&](vertex_id, std::string const&) {
            ++visits;
            return visit_outcome();
        },
        {.threads = GetParam(), .granularity = visit_granularity::coarse});

    for (std::size_t round = 0; round < 100; ++round) {
        std::vector<vertex_id> const changed{vertex_id(random() % 200), vertex_id(random() % 200)};
        visits = 0;
        auto const part = walk.run(changed);
        ASSERT_EQ(visits + part.unchanged(), 200U);
        visits = 0;
        auto const whole = walk.run();
        ASSERT_EQ(visits, 200U);
        ASSERT_EQ(whole.unchanged(), 0U);
    }
}

}  // namespace
}  // namespace strider::test
