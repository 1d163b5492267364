// SPDX-License-Identifier: BSL-1.0
#include <strider/walk/detail/stealing/run_comparison.hpp>
#include <strider/walk/detail/stealing/visit_cost.hpp>

#include <gtest/gtest.h>

namespace {

using strider::detail::run_comparison;
using strider::detail::short_visit;
using strider::detail::tick_clock;
using strider::detail::visit_cost;

constexpr tick_clock::ticks preemption = tick_clock::nanoseconds(4'000'000);

TEST(VisitCost, IsShortAfterOnePreemption)
{
    visit_cost cost;
    cost.begin(0, true);

    cost.measure(preemption, short_visit);

    EXPECT_TRUE(cost.is_short());
}

TEST(VisitCost, IsNotShortAfterTwoSlowMeasurements)
{
    visit_cost cost;
    cost.begin(0, true);

    cost.measure(preemption, short_visit);
    cost.measure(2 * preemption, short_visit);

    EXPECT_FALSE(cost.is_short());
}

TEST(VisitCost, MeasuresEightVisitsAfterPreemption)
{
    visit_cost cost;
    cost.begin(0, true);

    cost.measure(preemption, short_visit);

    EXPECT_EQ(cost.together(), 8U);
}

TEST(RunComparison, TriesSequenceInOneOf64RunsWhoseVisitsMayBeShort)
{
    run_comparison comparison;

    int trials = 0;
    for (int run = 0; run < 128; ++run) trials += comparison.may_be_short(2 * short_visit) ? 1 : 0;

    EXPECT_EQ(trials, 2);
}

TEST(RunComparison, DoesNotTrySequenceAfterLongVisits)
{
    run_comparison comparison;

    bool const is_tried = comparison.may_be_short(20 * short_visit);

    EXPECT_FALSE(is_tried);
}

}  // namespace
