// SPDX-License-Identifier: BSL-1.0
#include "workspace/run_estimate.hpp"
#include "workspace/recorded_durations.hpp"
#include "workspace/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <strider/core/digraph.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace iacctl::workspace {

namespace {

using namespace std::chrono_literals;
using infra::event_kind;
using infra::operation_kind;

auto event_of(plan const& p, std::size_t change, event_kind kind, std::chrono::nanoseconds elapsed = {})
    -> infra::event<iacctl::language::value>
{
    infra::event<iacctl::language::value> e;
    e.kind = kind;
    e.target = p.changes[change].target;
    e.elapsed = elapsed;
    return e;
}

// The plan creates a.b[0], and then a.b[1] to a.b[3], which depend on it.
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
        if (i > 0) graph.add_edge(vertices[i], depends_on(vertices[0]));
    }
    made.graph = *freeze(std::move(graph));
    return made;
}

auto with_durations(std::vector<double> const& seconds) -> expected_durations
{
    recorded_durations recorded;
    for (std::size_t i = 0; i < seconds.size(); ++i)
        recorded.record({operation_kind::create, "a.b[" + std::to_string(i) + "]"}, seconds[i]);
    return expected_durations(recorded);
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

TEST(RunEstimate, UsesTheMeanOfTheTypeForUnknownDurations)
{
    auto const p = fan_of_four();
    run_estimate estimate(p, {}, 10);
    estimate.note(event_of(p, 0, event_kind::operation_started));
    estimate.note(event_of(p, 0, event_kind::operation_done, 8s));
    EXPECT_EQ(estimate.remaining(), 8s);
}

TEST(RunEstimate, DoesNotUseTheDurationsOfOtherTypes)
{
    auto p = fan_of_four();
    p.changes[0].target = *infra::parse_address("other.b");
    run_estimate estimate(p, {}, 10);
    estimate.note(event_of(p, 0, event_kind::operation_started));
    estimate.note(event_of(p, 0, event_kind::operation_done, 8s));
    EXPECT_FALSE(estimate.remaining());
}

TEST(RunEstimate, IsUnknownIfItRoundsToZeroSeconds)
{
    auto const p = fan_of_four();
    recorded_durations recorded;
    for (int i = 0; i < 4; ++i) recorded.record({operation_kind::create, "a.b[" + std::to_string(i) + "]"}, 0.2);
    EXPECT_FALSE(run_estimate(p, recorded, 10).remaining());
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

auto limited(std::uint32_t parallelism) -> simulation_options
{
    simulation_options with;
    with.limits.parallelism = parallelism;
    return with;
}

TEST(Simulation, TakesAsLongAsTheLimitsAllow)
{
    auto const p = fan_of_four();
    auto const durations = with_durations({1, 2, 3, 4});
    EXPECT_EQ(simulate(p, durations, limited(10)).seconds, 5);
    EXPECT_EQ(simulate(p, durations, limited(1)).seconds, 10);
    auto of_type = limited(10);
    of_type.limits.of_type["a"] = 1;
    EXPECT_EQ(simulate(p, durations, of_type).seconds, 10);
}

TEST(Simulation, TakesNoTimeForATypeWithoutADuration)
{
    auto p = fan_of_four();
    p.changes[1].target = *infra::parse_address("other.b");
    EXPECT_EQ(simulate(p, with_durations({7}), limited(1)).seconds, 21);
}

TEST(Simulation, SkipsDependentsOfAFailure)
{
    auto const p = fan_of_four();
    auto with = limited(10);
    with.failing.push_back(*infra::parse_address("a.b[0]"));
    auto const run = simulate(p, with_durations({1, 2, 3, 4}), with);
    EXPECT_EQ(run.seconds, 1);
    EXPECT_EQ(run.count(simulated_apply::end_type::failed), 1U);
    EXPECT_EQ(run.count(simulated_apply::end_type::skipped), 3U);
}

TEST(Simulation, ShowsTheStateAfterACrash)
{
    using end = simulated_apply::end_type;
    auto const p = fan_of_four();
    auto const whole = simulate(p, with_durations({1, 2, 3, 4}), limited(2));
    auto const crashed = after_crash(whole, 2);
    EXPECT_EQ(crashed.seconds, 3);
    EXPECT_EQ(crashed.count(end::done), 2U);
    EXPECT_EQ(crashed.count(end::running), 2U);
    EXPECT_EQ(after_crash(whole, 0).count(end::running), 1U);
    EXPECT_EQ(after_crash(whole, 0).count(end::not_started), 3U);
    EXPECT_EQ(after_crash(whole, 9).count(end::done), 4U);
}

TEST(Simulation, WritesATraceInVirtualTime)
{
    auto const p = fan_of_four();
    std::ostringstream trace;
    auto with = limited(10);
    with.trace = &trace;
    (void)simulate(p, with_durations({1, 2, 3, 4}), with);
    EXPECT_THAT(trace.str(),
        testing::HasSubstr(
            R"("name":"create a.b[3]","cat":"done","pid":1,"tid":3,"ts":1000000.000,"dur":4000000.000)"));
}

TEST(Simulation, GivesTheCriticalPathAndTheNumberOfUnknownDurations)
{
    auto const p = fan_of_four();
    auto const path = expected_critical_path(p, with_durations({1, 2}));
    ASSERT_EQ(path.size(), 2U);
    EXPECT_EQ(path[1].seconds, 2);
    EXPECT_EQ(count_known(p, with_durations({1, 2})).unknown, 2U);
}

}  // namespace

}  // namespace iacctl::workspace
