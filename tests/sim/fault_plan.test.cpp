// SPDX-License-Identifier: BSL-1.0
#include <strider/sim/fault_plan.hpp>

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace strider::sim::test {
namespace {

TEST(FaultPlan, PlansNothingByDefault)
{
    fault_plan plan;

    EXPECT_EQ(plan.at("create a"), fault::none);
    EXPECT_EQ(plan.next("create a"), fault::none);
}

TEST(FaultPlan, FollowsRulesForOneOccurrenceOrForEvery)
{
    fault_plan plan;
    plan.on("create a", fault::fails, 2).on("delete b", fault::hangs);

    EXPECT_EQ(plan.next("create a"), fault::none);
    EXPECT_EQ(plan.next("create a"), fault::fails);
    EXPECT_EQ(plan.next("create a"), fault::none);
    EXPECT_EQ(plan.next("delete b"), fault::hangs);
    EXPECT_EQ(plan.next("delete b"), fault::hangs);
    EXPECT_EQ(plan.next("create b"), fault::none);
}

TEST(FaultPlan, UsesTheLastMatchingRule)
{
    fault_plan plan;
    plan.on("a", fault::fails).on("a", fault::none, 3);

    EXPECT_EQ(plan.at("a", 1), fault::fails);
    EXPECT_EQ(plan.at("a", 3), fault::none);
}

TEST(FaultPlan, MeetsItsRates)
{
    auto const plan = fault_plan::seeded(42, {.fails = 100, .throws = 50, .hangs = 25, .slow = 200});
    std::map<fault, int> counted;

    for (int i = 0; i < 20'000; ++i) ++counted[plan.at("operation " + std::to_string(i))];

    EXPECT_NEAR(counted[fault::fails], 2000, 200);
    EXPECT_NEAR(counted[fault::throws], 1000, 150);
    EXPECT_NEAR(counted[fault::hangs], 500, 100);
    EXPECT_NEAR(counted[fault::slow], 4000, 300);
}

TEST(FaultPlan, DependsOnSeedAndOccurrenceAndNotOnTheOrderOfQueries)
{
    fault_rates const half{.fails = 500};
    auto forwards = fault_plan::seeded(1, half);
    auto backwards = fault_plan::seeded(1, half);
    auto const other = fault_plan::seeded(2, half);
    std::map<std::string, fault> seen;
    int different = 0;

    for (int i = 0; i < 100; ++i) seen["op " + std::to_string(i)] = forwards.next("op " + std::to_string(i));

    for (int i = 99; i >= 0; --i) {
        std::string const name = "op " + std::to_string(i);
        EXPECT_EQ(backwards.next(name), seen[name]);
        different += other.at(name) != seen[name] || other.at(name, 2) != seen[name] ? 1 : 0;
    }
    EXPECT_GT(different, 25);
}

TEST(FaultPlan, RulesWinOverTheSeed)
{
    auto plan = fault_plan::seeded(3, {.fails = 1000});
    plan.on("spared", fault::none);

    EXPECT_EQ(plan.at("spared"), fault::none);
    EXPECT_EQ(plan.at("other"), fault::fails);
}

}  // namespace
}  // namespace strider::sim::test
