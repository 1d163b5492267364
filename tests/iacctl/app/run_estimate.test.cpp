// SPDX-License-Identifier: BSL-1.0
#include <app/recorded_durations.hpp>
#include <app/run_estimate.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <strider/core/digraph.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace {

using namespace iacctl::app;
using namespace std::chrono_literals;
using infra::event_kind;
using infra::operation_kind;

// Creates in this order: a.0, then a.1 to a.3, which depend on it.
auto fan_of_four() -> plan
{
    plan made;
    strider::digraph<infra::node> graph;
    std::vector<strider::draft_vertex_id> vertices;
    for (std::uint32_t i = 0; i < 4; ++i) {
        infra::change<iacctl::language::value> c;
        c.target = *infra::parse_address("a.b[" + std::to_string(i) + "]");
        c.what = infra::action::create;
        made.changes.push_back(c);
        vertices.push_back(graph.add_vertex({infra::node_role::creator, false, i, infra::node::no_declaration}));
        if (i > 0) graph.add_edge(vertices[i], vertices[0]);
    }
    made.graph = *freeze(std::move(graph));
    return made;
}

auto event_of(plan const& of, std::size_t change, event_kind kind, std::chrono::nanoseconds elapsed = {})
    -> infra::event<iacctl::language::value>
{
    infra::event<iacctl::language::value> e;
    e.kind = kind;
    e.target = of.changes[change].target;
    e.elapsed = elapsed;
    return e;
}

TEST(RunEstimate, IsUnknownWithoutADuration)
{
    auto const p = fan_of_four();
    run_estimate estimate(p, {}, 10);
    EXPECT_EQ(estimate.counts()[0], 4U);
    EXPECT_FALSE(estimate.remaining());
}

TEST(RunEstimate, IsTheLongestPathIfTheParallelismSuffices)
{
    auto const p = fan_of_four();
    recorded_durations recorded;
    recorded.record({operation_kind::create, "a.b[0]"}, 10);
    recorded.record({operation_kind::create, "a.b[2]"}, 30);
    recorded.record({operation_kind::create, "a.b[3]"}, 20);
    EXPECT_EQ(run_estimate(p, recorded, 10).remaining(), 40s);
}

TEST(RunEstimate, IsTheWorkDividedByTheParallelismIfThatIsLonger)
{
    auto const p = fan_of_four();
    recorded_durations recorded;
    for (int i = 0; i < 4; ++i) recorded.record({operation_kind::create, "a.b[" + std::to_string(i) + "]"}, 10);
    EXPECT_EQ(run_estimate(p, recorded, 1).remaining(), 40s);
    EXPECT_EQ(run_estimate(p, recorded, 10).remaining(), 20s);
}

TEST(RunEstimate, ExpectsTheMeanOfATypeForWhatWasNeverRun)
{
    auto const p = fan_of_four();
    run_estimate estimate(p, {}, 10);
    estimate.note(event_of(p, 0, event_kind::operation_started));
    estimate.note(event_of(p, 0, event_kind::operation_done, 8s));
    EXPECT_EQ(estimate.remaining(), 8s);
}

TEST(RunEstimate, GivesTheCriticalPathAndTheSlowestOperations)
{
    auto const p = fan_of_four();
    run_estimate estimate(p, {}, 10);
    for (std::size_t i = 0; i < 4; ++i) estimate.note(event_of(p, i, event_kind::operation_started));
    estimate.note(event_of(p, 0, event_kind::operation_done, 1s));
    estimate.note(event_of(p, 1, event_kind::operation_done, 2s));
    estimate.note(event_of(p, 2, event_kind::operation_failed, 5s));
    auto const times = estimate.times();
    ASSERT_EQ(times.critical_path.size(), 2U);
    EXPECT_EQ(times.critical_path[0].address, "a.b[0]");
    EXPECT_EQ(times.critical_path[1].address, "a.b[2]");
    ASSERT_EQ(times.slowest.size(), 3U);
    EXPECT_EQ(times.slowest[0].seconds, 5);
}

class RecordedDurations : public testing::Test {
protected:
    RecordedDurations() { std::filesystem::create_directories(directory); }
    ~RecordedDurations() override { std::filesystem::remove_all(directory); }
    std::filesystem::path const directory = std::filesystem::path(testing::TempDir()) / "recorded_durations";
};

TEST_F(RecordedDurations, AreReadAsTheyWereWritten)
{
    recorded_durations all;
    all.record({operation_kind::create, "a.b[\"x y\"]"}, 1.25);
    all.record({operation_kind::destroy, "a.b"}, 0.01);  // too short
    all.write(directory);
    auto const read = recorded_durations::read(directory);
    EXPECT_EQ(read.find({operation_kind::create, "a.b[\"x y\"]"}), 1.25);
    EXPECT_EQ(read.all().size(), 1U);
}

TEST_F(RecordedDurations, AreEmptyIfTheFileIsDamagedOrOfAnotherVersion)
{
    for (char const* const text :
        {"", "iacctl durations 2\n1.0 create a.b\n", "iacctl durations 1\nx create a.b\n1.0 fly a.b\n1.0 create\n",
            "iacctl durations 1\n-5 create a.b\nnan create a.b\n"}) {
        std::ofstream(directory / "durations") << text;
        EXPECT_TRUE(recorded_durations::read(directory).all().empty()) << text;
    }
}

}  // namespace
