// SPDX-License-Identifier: BSL-1.0
#include <strider/walk/detail/stealing/run_comparison.hpp>
#include <strider/walk/detail/stealing/visit_cost.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <utility>
#include <vector>

namespace {

using strider::detail::run_comparison;
using strider::detail::short_visit;
using strider::detail::visit_cost;

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr visit_cost::time_point begin{};
constexpr nanoseconds preemption = 4ms;

TEST(VisitCost, IsShortAfterOnePreemption)
{
    visit_cost cost;
    cost.begin(begin, true);

    cost.measure(begin + preemption, short_visit);

    EXPECT_TRUE(cost.is_short());
}

TEST(VisitCost, IsNotShortAfterTwoSlowMeasurements)
{
    visit_cost cost;
    cost.begin(begin, true);

    cost.measure(begin + preemption, short_visit);
    cost.measure(begin + 2 * preemption, short_visit);

    EXPECT_FALSE(cost.is_short());
}

TEST(VisitCost, MeasuresEightVisitsAfterPreemption)
{
    visit_cost cost;
    cost.begin(begin, true);

    cost.measure(begin + preemption, short_visit);

    EXPECT_EQ(cost.together(), 8U);
}

TEST(VisitCost, MeasuresMoreVisitsTogetherTheShorterTheyAre)
{
    visit_cost unknown, known_short;

    unknown.begin(begin, false);
    known_short.begin(begin, true);
    auto const first = std::pair(unknown.together(), known_short.together());
    unknown.measure(begin + 50ns, short_visit);
    known_short.measure(begin + 16 * 50ns, short_visit);

    EXPECT_EQ(first, std::pair(1U, 16U));
    EXPECT_EQ(unknown.together(), 8U) << "one measurement does not say that visits are short";
    EXPECT_EQ(known_short.together(), 64U);
}

TEST(VisitCost, MeasuresFromTheEndOfTheMeasurementBefore)
{
    visit_cost cost;
    cost.begin(begin, false);

    cost.measure(begin + 20us, short_visit);
    bool const was_brief = cost.is_brief();
    cost.measure(begin + 20us + 100ns, short_visit);

    EXPECT_FALSE(was_brief);
    EXPECT_TRUE(cost.is_brief());
}

// Durations of runs of 1000 vertices: the first shared run is slow, because it fills caches.
constexpr nanoseconds in_sequence = 200us;

// The numbers of the runs that are shared.
auto shared_runs(run_comparison& comparison, int runs, nanoseconds shared) -> std::vector<int>
{
    std::vector<int> numbers;
    comparison.record(false, in_sequence);
    for (int run = 0; run < runs; ++run) {
        bool const shares = comparison.choose(1000, 100us);
        nanoseconds const first = numbers.empty() ? 10 * shared : shared;
        comparison.record(shares, shares ? first : in_sequence);
        if (shares) numbers.push_back(run);
    }
    return numbers;
}

TEST(RunComparison, JudgesTheSharedWayByItsSecondRun)
{
    run_comparison comparison;

    std::vector<int> const shared = shared_runs(comparison, 10, in_sequence / 2);

    EXPECT_EQ(shared, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8})) << "the last run is a trial of the other way";
}

TEST(RunComparison, TriesTheSlowerWayForTwoRunsSoonAndThenEvery64Runs)
{
    run_comparison comparison;

    std::vector<int> const shared = shared_runs(comparison, 260, 2 * in_sequence);

    EXPECT_EQ(shared, (std::vector<int>{0, 1, 9, 10, 26, 27, 59, 60, 124, 125, 189, 190, 254, 255}));
}

TEST(RunComparison, TriesSequenceInOneOf64RunsWhoseVisitsMayBeShort)
{
    run_comparison comparison;

    std::vector<int> trials;
    for (int run = 0; run < 128; ++run)
        if (comparison.may_be_short(2 * short_visit)) trials.push_back(run);

    EXPECT_EQ(trials, (std::vector<int>{0, 64}));
}

TEST(RunComparison, DoesNotTrySequenceAfterLongVisits)
{
    run_comparison comparison;

    bool const is_tried = comparison.may_be_short(20 * short_visit);

    EXPECT_FALSE(is_tried);
}

}  // namespace
