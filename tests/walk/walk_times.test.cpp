// SPDX-License-Identifier: BSL-1.0
#include <strider/core.hpp>
#include <strider/walk/trace.hpp>
#include <strider/walk/walk_times.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

namespace strider {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// c needs a and b, d needs c. The test sets the time.
class WalkTimes : public testing::Test {
protected:
    void start(vertex_id v, int at, std::uint32_t worker = 0)
    {
        *now_ = milliseconds(at);
        line_.started(v, worker);
    }
    void end(vertex_id v, int at, visit_outcome const& outcome = {}, std::uint32_t worker = 0)
    {
        *now_ = milliseconds(at);
        line_.settled(v, outcome, worker);
    }
    static auto make() -> dag<std::string>
    {
        digraph<std::string> draft;
        auto const a = draft.add_vertex("a"), b = draft.add_vertex("b"), c = draft.add_vertex("c"),
                   d = draft.add_vertex("d");
        draft.add_edge(c, depends_on(a));
        draft.add_edge(c, depends_on(b));
        draft.add_edge(d, depends_on(c));
        return freeze(std::move(draft)).value();
    }

    dag<std::string> graph_ = make();
    vertex_id a_{0}, b_{1}, c_{2}, d_{3};
    std::shared_ptr<milliseconds> now_ = std::make_shared<milliseconds>(0);
    timeline line_{[now = now_] { return *now; }};
};

TEST_F(WalkTimes, SeparatesWaitingQueueingAndRunning)
{
    start(a_, 10);
    start(b_, 10);
    end(a_, 20);
    end(b_, 40);
    start(c_, 45);
    end(c_, 50);
    start(d_, 50);
    end(d_, 60);

    walk_times const times = measure(graph_, line_);

    EXPECT_EQ(times.span, milliseconds(50));
    EXPECT_EQ(times.running, milliseconds(55));
    EXPECT_EQ(times.queueing, milliseconds(5));
    EXPECT_EQ(times.ready[c_], milliseconds(40));
    EXPECT_EQ(times.rows, 2U);
    EXPECT_DOUBLE_EQ(times.utilization(), 0.55);
}

TEST_F(WalkTimes, FindsTheCriticalPathAndTheSlackOfOtherVertices)
{
    start(a_, 0);
    start(b_, 0);
    end(a_, 20);
    end(b_, 30);
    start(c_, 40);
    end(c_, 45);
    start(d_, 45);
    end(d_, 50);

    walk_times const times = measure(graph_, line_);

    EXPECT_THAT(times.critical_path, ElementsAre(b_, c_, d_));
    EXPECT_EQ(times.critical, milliseconds(40));
    EXPECT_THAT(times.by_slack, ElementsAre(a_));
    EXPECT_EQ(times.slack[a_], milliseconds(10));
}

TEST_F(WalkTimes, CountsNoTimeForVerticesThatWereNotVisited)
{
    start(a_, 0);
    end(a_, 10);
    start(b_, 10);
    end(b_, 20, visit_outcome::failure(make_error_code(walk_errc::vertex_failed)));
    end(c_, 30, visit_outcome::skipped());
    end(d_, 30, visit_outcome::skipped());

    walk_times const times = measure(graph_, line_);

    EXPECT_EQ(times.span, milliseconds(20));
    EXPECT_EQ(times.rows, 1U);
    EXPECT_EQ(line_[c_].status, visit_status::skipped);
    EXPECT_THAT(times.by_slack, Not(testing::Contains(c_)));
}

TEST_F(WalkTimes, AreZeroForAWalkWithoutVisits)
{
    walk_times const times = measure(graph_, line_);

    EXPECT_EQ(times.span, milliseconds(0));
    EXPECT_EQ(times.utilization(), 0);
    EXPECT_TRUE(times.critical_path.empty());
}

TEST_F(WalkTimes, FindTheCriticalPathThroughVerticesThatWereNotVisited)
{
    start(a_, 0);
    end(a_, 10);
    end(c_, 10, visit_outcome::skipped());
    start(d_, 10);
    end(d_, 30);

    walk_times const times = measure(graph_, line_);

    EXPECT_THAT(times.critical_path, ElementsAre(a_, d_));
    EXPECT_EQ(times.critical, milliseconds(30));
}

TEST_F(WalkTimes, AssignEachVisitToTheRowOfItsWorkerOrToAFreeRow)
{
    start(a_, 0, 1);
    start(b_, 0, 1);
    end(a_, 5, {}, 1);
    end(b_, 5, {}, 1);
    start(c_, 5, 1);

    EXPECT_EQ(line_[a_].row, 1U);
    EXPECT_EQ(line_[b_].row, 0U);
    EXPECT_EQ(line_[c_].row, 1U);
}

TEST_F(WalkTimes, AreWrittenAsEventsWithQueuesPoolsAndTheCriticalPath)
{
    start(a_, 0);
    end(a_, 10);
    start(b_, 10);
    end(b_, 30);
    start(c_, 30);
    end(c_, 35);
    start(d_, 35);
    end(d_, 36);
    std::ostringstream out;

    write_trace_events(
        out, graph_, line_, [&](vertex_id v) { return graph_[v]; },
        [&](vertex_id v) { return graph_[v] == "b" ? "disk" : ""; });

    EXPECT_THAT(out.str(), HasSubstr(R"({"ph":"b","name":"b","pid":2,"tid":0,"ts":0.000,"cat":"pool","id":1})"));
    EXPECT_THAT(out.str(), HasSubstr(R"({"ph":"e","name":"c","pid":3,"tid":0,"ts":30000.000,"cat":"waiting","id":2})"));
    EXPECT_THAT(out.str(), HasSubstr(R"("name":"pool disk","pid":1,"tid":0,"ts":30000.000,"args":{"running":0})"));
    EXPECT_THAT(out.str(), HasSubstr(R"({"ph":"X","name":"b","pid":4,"tid":1,"ts":10000.000,"dur":20000.000)"));
    EXPECT_THAT(out.str(), Not(HasSubstr(R"({"ph":"X","name":"a","pid":4)")));
}

TEST_F(WalkTimes, AreWrittenWithCategoriesAndTheStatus)
{
    start(a_, 0);
    end(a_, 10);
    std::ostringstream out;

    write_trace_events(
        out, graph_, line_, [&](vertex_id v) { return graph_[v]; }, strider::without_pools(),
        [&](vertex_id v) { return graph_[v] == "a" ? "create" : ""; });

    EXPECT_THAT(out.str(), HasSubstr(R"("name":"a","pid":1,"tid":1,"ts":0.000,"dur":10000.000,"cat":"done,create")"));
}

TEST_F(WalkTimes, AreWrittenAsOneDocumentWithATitleForEachGroup)
{
    start(a_, 1);
    end(a_, 10);
    start(b_, 12);
    end(b_, 32);
    start(c_, 32);
    end(c_, 40);
    std::ostringstream out;

    write_trace_events(
        out, graph_, line_, [&](vertex_id v) { return v == b_ || v == c_ ? graph_[v] : ""; },
        [&](vertex_id v) { return v == b_ ? "disk" : ""; });

    EXPECT_EQ(out.str(), R"([
{"ph":"M","name":"process_name","pid":1,"tid":0,"ts":0.000,"args":{"name":"running, by worker"}},
{"ph":"M","name":"process_name","pid":2,"tid":0,"ts":0.000,"args":{"name":"ready, waiting to start"}},
{"ph":"M","name":"process_name","pid":3,"tid":0,"ts":0.000,"args":{"name":"waiting for dependencies"}},
{"ph":"M","name":"process_name","pid":4,"tid":0,"ts":0.000,"args":{"name":"critical path"}},
{"ph":"b","name":"b","pid":2,"tid":0,"ts":1000.000,"cat":"pool","id":1},
{"ph":"e","name":"b","pid":2,"tid":0,"ts":12000.000,"cat":"pool","id":1},
{"ph":"X","name":"b","pid":1,"tid":1,"ts":12000.000,"dur":20000.000,"cat":"done","args":{"slack":0.000}},
{"ph":"b","name":"c","pid":3,"tid":0,"ts":1000.000,"cat":"waiting","id":2},
{"ph":"e","name":"c","pid":3,"tid":0,"ts":32000.000,"cat":"waiting","id":2},
{"ph":"X","name":"c","pid":1,"tid":1,"ts":32000.000,"dur":8000.000,"cat":"done","args":{"slack":0.000}},
{"ph":"X","name":"b","pid":4,"tid":1,"ts":12000.000,"dur":20000.000,"cat":"done","args":{"slack":0.000}},
{"ph":"X","name":"c","pid":4,"tid":1,"ts":32000.000,"dur":8000.000,"cat":"done","args":{"slack":0.000}},
{"ph":"C","name":"pool disk","pid":1,"tid":0,"ts":12000.000,"args":{"running":1}},
{"ph":"C","name":"pool disk","pid":1,"tid":0,"ts":32000.000,"args":{"running":0}}
]
)");
}

TEST_F(WalkTimes, AreSummarizedInAFewLines)
{
    walk_times times;
    times.span = std::chrono::microseconds(12'345);
    times.running = std::chrono::microseconds(12'006);
    times.queueing = std::chrono::microseconds(70);
    times.rows = 2;
    times.critical = milliseconds(11);
    times.critical_path = {a_, c_, d_};
    times.by_slack = {b_};
    times.slack = vertex_map<std::chrono::nanoseconds>(4);
    times.slack[b_] = std::chrono::microseconds(1'500);
    std::ostringstream out;

    write_summary(out, times, [&](vertex_id v) { return graph_[v]; });

    EXPECT_EQ(out.str(),
        "took 12.345 ms, of which the critical path is 11.000 ms\n"
        "visits ran for 12.006 ms in 2 rows: utilization 49 %\n"
        "visits queued for 0.070 ms\n"
        "critical path: a, c, d\n"
        "slack of b: 1.500 ms\n");
}

TEST_F(WalkTimes, AreSummarizedWithTheFiveVerticesOfTheLeastSlack)
{
    walk_times times;
    times.slack = vertex_map<std::chrono::nanoseconds>(7);
    for (std::size_t i = 0; i < 7; ++i) times.by_slack.emplace_back(i);
    auto const name = [](vertex_id v) { return std::to_string(v.index()); };
    std::ostringstream out, of_two;

    write_summary(out, times, name);
    write_summary(of_two, times, name, 2);

    EXPECT_THAT(out.str(), testing::EndsWith("slack of 3: 0.000 ms\nslack of 4: 0.000 ms\n"));
    EXPECT_THAT(of_two.str(), testing::EndsWith("slack of 0: 0.000 ms\nslack of 1: 0.000 ms\n"));
}

TEST_F(WalkTimes, RoundTheUtilizationToAPercent)
{
    walk_times times;
    times.span = times.running = milliseconds(200);
    times.rows = 1;
    std::ostringstream whole, half;

    write_summary(whole, times, [](vertex_id) { return ""; });
    times.running = milliseconds(131);
    write_summary(half, times, [](vertex_id) { return ""; });

    EXPECT_THAT(whole.str(), HasSubstr("utilization 100 %"));
    EXPECT_THAT(half.str(), HasSubstr("utilization 66 %")) << "65.5 %";
}

}  // namespace
}  // namespace strider
