// SPDX-License-Identifier: BSL-1.0
// The options of a walk on a strand: ready order, limits of classes, timeout and trace.
#include <strider/core.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>
#include <strider/walk/trace.hpp>

#include <support/graph_text.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace strider::test {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using text_frozen = dag<std::string>;
using limit_function = std::function<resource_pool(vertex_id)>;
using queue = resource_pools<limit_function, priority_first<std::size_t>>;
using options_type = walk_options<queue, chrome_trace>;

// Coroutines that take ten milliseconds of virtual time each; one instantiation for all tests.
class WalkWithPolicies : public testing::Test {
protected:
    void walk(std::string_view text, limit_function limit_of, std::optional<milliseconds> deadline = {},
        std::map<std::string, std::size_t> const& weights = {})
    {
        graph = freeze(test::graph(text)).value();
        auto const weigh = [&](std::string const& name) {
            auto const known = weights.find(name);
            return known == weights.end() ? std::size_t{1} : known->second;
        };
        options_type options{.max_concurrency = limit,
            .timeout = deadline,
            .ready = queue(std::move(limit_of), critical_path_first(graph, weigh)),
            .trace = chrome_trace(
                trace, [this](vertex_id v) { return graph[v]; }, [this] { return context.now().time_since_epoch(); })};
        auto const visitor = [this](vertex_id, std::string const& name) -> asio::awaitable<void> {
            order.push_back(name);
            most = std::max(most, ++running[name[0]]);
            sim::virtual_timer timer(co_await asio::this_coro::executor, milliseconds(10));
            co_await timer.async_wait(asio::use_awaitable);
            --running[name[0]];
        };
        async_walk(
            asio::make_strand(context), graph, visitor, std::move(options), [this](error_code ended, walk_report all) {
                error = ended;
                report = std::move(all);
            });
        context.run();
    }
    [[nodiscard]] static auto no_limit(vertex_id) -> resource_pool { return {}; }

    sim::manual_context context;
    text_frozen graph;
    std::uint32_t limit = 10;
    std::vector<std::string> order;
    std::map<char, int> running;
    int most = 0;
    std::ostringstream trace;
    error_code error;
    walk_report report;
};

TEST_F(WalkWithPolicies, StartsTheVertexWithTheHeaviestRemainingPath)
{
    limit = 1;

    walk("z\na\nb: a\nc: b\ny", no_limit, {}, {{"y", 7}});

    EXPECT_THAT(order, ElementsAre("y", "a", "b", "z", "c"));
}

TEST_F(WalkWithPolicies, DefersVerticesWhoseClassIsAtItsLimit)
{
    walk("a1\na2\na3\na4\na5\nb1: a1\nb2\nb3",
        [this](vertex_id v) { return graph[v][0] == 'a' ? resource_pool{1, 2} : resource_pool{}; });

    EXPECT_EQ(report.done(), 8U);
    EXPECT_EQ(most, 2);
    EXPECT_EQ(context.now().time_since_epoch(), milliseconds(30));
}

TEST_F(WalkWithPolicies, DefersVerticesOfOneClassWithoutBlockingOthers)
{
    walk("a1\na2\nb1\nb2\nc1",
        [this](vertex_id v) { return resource_pool{static_cast<std::uint64_t>(graph[v][0]), 1}; });

    EXPECT_THAT(order, ElementsAre("a1", "b1", "c1", "a2", "b2"));
    EXPECT_EQ(context.now().time_since_epoch(), milliseconds(20));
}

TEST_F(WalkWithPolicies, CancelsDeferredVerticesAtTheDeadline)
{
    walk("a1\na2\na3\na4\nb: a4", [](vertex_id) { return resource_pool{1, 1}; }, milliseconds(15));

    EXPECT_EQ(error, walk_errc::timed_out);
    EXPECT_EQ(report.done(), 2U);
    EXPECT_EQ(report.cancelled(), 3U);
    EXPECT_EQ(context.now().time_since_epoch(), milliseconds(20));
}

TEST_F(WalkWithPolicies, VisitsAllIfTheTimeoutIsTheLongestDuration)
{
    walk("c\nb: a", no_limit, std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::duration::max()));

    EXPECT_EQ(report.done(), 3U);
}

TEST_F(WalkWithPolicies, EndsWithoutWaitingForItsDeadline)
{
    walk("c\nb: a", no_limit, milliseconds(1000));

    EXPECT_EQ(report.done(), 3U);
    EXPECT_EQ(context.now().time_since_epoch(), milliseconds(20));
}

TEST_F(WalkWithPolicies, WritesATraceThatChromeAndPerfettoRead)
{
    walk("c\nb: a\nd: b", no_limit, milliseconds(15));

    std::string const text = trace.str();
    EXPECT_THAT(text, testing::StartsWith("[\n{\"ph\":\"X\",\"name\":\""));
    EXPECT_THAT(text,
        HasSubstr("{\"ph\":\"X\",\"name\":\"a\",\"cat\":\"done\",\"pid\":1,\"tid\":1,\"ts\":0.000,\"dur\":10000.000,"
                  "\"args\":{\"vertex\":"));
    EXPECT_THAT(
        text, testing::EndsWith("\"name\":\"d\",\"cat\":\"cancelled\",\"pid\":1,\"tid\":0,\"ts\":20000.000}\n]\n"));
    EXPECT_THAT(text, HasSubstr("\"name\":\"stop\",\"cat\":\"timeout\",\"pid\":1,\"tid\":0,\"ts\":20000.000}"));
}

TEST(Timeout, CountsAVisitThatIsAbortedAfterItAsCancelled)
{
    sim::manual_context context;
    text_frozen const graph = freeze(test::graph("a")).value();
    auto const visitor = [](vertex_id, std::string const&) -> asio::awaitable<visit_outcome> {
        sim::virtual_timer timer(co_await asio::this_coro::executor, milliseconds(10));
        co_await timer.async_wait(asio::use_awaitable);
        co_return error_code(asio::error::operation_aborted);
    };
    walk_report report;

    async_walk(context.get_executor(), graph, visitor, walk_options<>{.timeout = milliseconds(5)},
        [&](error_code, walk_report all) { report = std::move(all); });
    context.run();

    EXPECT_EQ(report.cancelled(), 1U);
    EXPECT_EQ(report.failed(), 0U);
}

TEST(PriorityFirst, BreaksTiesByAscendingId)
{
    vertex_map<int> weights(4, 1);
    weights[vertex_id(2)] = 5;
    priority_first ready(weights);

    for (std::size_t const i : {3U, 1U, 2U, 0U}) ready.push(vertex_id(i));
    std::vector<std::size_t> order;
    while (ready.size() != 0) order.push_back(ready.pop().index());

    EXPECT_THAT(order, ElementsAre(2, 0, 1, 3));
}

TEST(ResourcePools, TreatsALimitOfZeroAsOne)
{
    resource_pools ready([](vertex_id) { return resource_pool{7, 0}; });
    ready.reset(2);
    ready.push(vertex_id(0));
    ready.push(vertex_id(1));

    EXPECT_EQ(ready.size(), 1U);
    EXPECT_EQ(ready.pop(), vertex_id(0));
    EXPECT_EQ(ready.size(), 0U);
    ready.settled(vertex_id(0));
    EXPECT_EQ(ready.pop(), vertex_id(1));
}

TEST(ResourcePools, WithoutAnIdAreOnePool)
{
    resource_pools ready(
        [](vertex_id v) { return v.index() == 0 ? resource_pool{.capacity = 1} : resource_pool{0, 1}; });
    ready.reset(2);
    ready.push(vertex_id(0));
    ready.push(vertex_id(1));

    EXPECT_EQ(ready.size(), 1U);
}

// H becomes ready after L, but before the only place of their pool is free.
TEST_F(WalkWithPolicies, GivesThePlaceOfAPoolToTheHeaviestVertexThatIsReady)
{
    limit = 1;

    walk("A\nL\nH: A\nB",
        [this](vertex_id v) { return graph[v] == "L" || graph[v] == "H" ? resource_pool{1, 1} : resource_pool{}; }, {},
        {{"A", 100}, {"H", 90}, {"B", 50}, {"L", 1}});

    EXPECT_THAT(order, ElementsAre("A", "H", "B", "L"));
}

TEST_F(WalkWithPolicies, AsksForThePoolOfAVertexOnce)
{
    std::map<std::size_t, int> questions;

    walk("a\nb\nc: a b", [&](vertex_id v) {
        bool const is_first = ++questions[v.index()] == 1;
        return resource_pool{1, is_first ? 1 : resource_pool::unlimited};
    });

    EXPECT_EQ(report.done(), 3U);
    EXPECT_EQ(most, 1);
    EXPECT_THAT(questions, ElementsAre(testing::Pair(0, 1), testing::Pair(1, 1), testing::Pair(2, 1)));
}

TEST_F(WalkWithPolicies, RefusesAPoolWithTwoCapacities)
{
    walk("a\nb", [this](vertex_id v) { return resource_pool{7, graph[v] == "a" ? 1U : 2U}; });

    EXPECT_EQ(error, walk_errc::policy_threw);
    ASSERT_TRUE(report.exception());
    try {
        std::rethrow_exception(report.exception());
    } catch (std::invalid_argument const& thrown) {
        EXPECT_STREQ(thrown.what(), "the resource pool 7 has two capacities: 1 and 2");
    }
}

// Compares with a search among all ready vertices, the plain form of the rule.
TEST(ResourcePools, PopTheHeaviestVertexWhosePoolHasAPlace)
{
    std::mt19937_64 random(11);
    for (int round = 0; round < 200; ++round) {
        std::size_t const vertices = 1 + random() % 40;
        std::size_t const pools = 1 + random() % 4;
        vertex_map<std::size_t> weights(vertices);
        std::vector<resource_pool> pool_of(vertices);
        for (std::size_t i = 0; i < vertices; ++i) {
            weights[vertex_id(i)] = random() % 20;
            std::size_t const id = random() % (pools + 1);
            pool_of[i] = {id, id == pools ? resource_pool::unlimited : static_cast<std::uint32_t>(1 + id)};
        }
        resource_pools queue([&](vertex_id v) { return pool_of[v.index()]; }, priority_first<std::size_t>(weights));
        queue.reset(vertices);
        std::vector<std::size_t> ready, running;
        std::map<std::uint64_t, std::uint32_t> taken;
        auto const may_start = [&](std::size_t v) {
            return pool_of[v].capacity == resource_pool::unlimited || taken[pool_of[v].id] < pool_of[v].capacity;
        };
        std::size_t next = 0;
        while (next != vertices || !ready.empty() || !running.empty()) {
            if (next != vertices && random() % 2 == 0) {
                queue.push(vertex_id(next));
                ready.push_back(next++);
            }
            if (queue.size() != 0 && random() % 2 == 0) {
                std::size_t const popped = queue.pop().index();
                std::size_t best = vertices;
                for (std::size_t const v : ready)
                    if (may_start(v)
                        && (best == vertices || weights[vertex_id(v)] > weights[vertex_id(best)]
                            || (weights[vertex_id(v)] == weights[vertex_id(best)] && v < best)))
                        best = v;
                ASSERT_EQ(popped, best);
                ++taken[pool_of[popped].id];
                std::erase(ready, popped);
                running.push_back(popped);
            } else if (!running.empty()) {
                std::size_t const at = random() % running.size();
                queue.settled(vertex_id(running[at]));
                --taken[pool_of[running[at]].id];
                running.erase(running.begin() + static_cast<std::ptrdiff_t>(at));
            }
            std::size_t possible = 0;
            auto left = taken;
            for (std::size_t const v : ready)
                if (pool_of[v].capacity == resource_pool::unlimited || left[pool_of[v].id]++ < pool_of[v].capacity)
                    ++possible;
            ASSERT_EQ(queue.size(), possible);
        }
    }
}

TEST(ChromeTrace, OfNoVisitsIsAnEmptyList)
{
    std::ostringstream out;
    {
        chrome_trace const trace(out);
    }

    EXPECT_EQ(out.str(), "[\n]\n");
}

TEST(ChromeTrace, PutsConcurrentVisitsIntoSeparateRowsAndEscapesNames)
{
    std::ostringstream out;
    std::chrono::nanoseconds now{0};
    {
        chrome_trace trace(out, [](vertex_id v) { return v.index() == 0 ? "a\"\n" : "b"; }, [&] { return now; });
        trace.started(vertex_id(0));
        now += std::chrono::nanoseconds(1500);
        trace.started(vertex_id(1));
        trace.settled(vertex_id(0), visit_outcome::failure(error_code(asio::error::timed_out)));
        trace.started(vertex_id(2));
        trace.settled(vertex_id(2), {});
        trace.settled(vertex_id(1), {});
        trace.settled(vertex_id(3), visit_outcome::skipped());
    }

    EXPECT_THAT(out.str(),
        HasSubstr("\"name\":\"a\\\"\\u000a\",\"cat\":\"failed\",\"pid\":1,\"tid\":1,\"ts\":0.000,"
                  "\"dur\":1.500"));
    EXPECT_THAT(out.str(), HasSubstr("\"cat\":\"done\",\"pid\":1,\"tid\":1,\"ts\":1.500"));
    EXPECT_THAT(out.str(), HasSubstr("\"cat\":\"done\",\"pid\":1,\"tid\":2"));
    EXPECT_THAT(out.str(), HasSubstr("\"ph\":\"i\",\"s\":\"p\",\"name\":\"b\",\"cat\":\"skipped\""));
}

}  // namespace
}  // namespace strider::test
