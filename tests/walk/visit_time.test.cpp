// SPDX-License-Identifier: BSL-1.0
#include <strider/walk/detail/ledger/visit_time.hpp>

#include <gtest/gtest.h>

#include <chrono>

namespace strider::test {
namespace {

using detail::short_visits;
using namespace std::chrono_literals;

auto after_eight_short_ones() -> short_visits
{
    short_visits visits(visit_granularity::adaptive);
    for (int i = 0; i < 8; ++i) visits.count(50ns);
    return visits;
}

TEST(ShortVisits, AreExpectedAfterEightInARow)
{
    short_visits visits(visit_granularity::adaptive);

    for (int i = 0; i < 7; ++i) visits.count(50ns);
    bool const after_seven = visits.are_expected();
    visits.count(50ns);

    EXPECT_FALSE(after_seven);
    EXPECT_TRUE(visits.are_expected());
}

TEST(ShortVisits, AreNotExpectedAfterALongOneOrTwoSlowOnesInARow)
{
    short_visits one_long = after_eight_short_ones(), slow = after_eight_short_ones();

    one_long.count(20us);
    slow.count(1us);
    bool const after_one_slow = slow.are_expected();
    slow.count(1us);

    EXPECT_FALSE(one_long.are_expected());
    EXPECT_TRUE(after_one_slow);
    EXPECT_FALSE(slow.are_expected());
}

TEST(ShortVisits, AreExpectedIfSlowOnesDoNotFollowOneAnother)
{
    short_visits visits = after_eight_short_ones();

    visits.count(1us);
    visits.count(50ns);
    visits.count(1us);

    EXPECT_TRUE(visits.are_expected());
}

TEST(ShortVisits, AreExpectedOrNotAsStatedIfTheGranularityIsNotAdaptive)
{
    short_visits fine(visit_granularity::fine), coarse(visit_granularity::coarse);

    for (int i = 0; i < 8; ++i) {
        fine.count(1ms);
        coarse.count(50ns);
    }

    EXPECT_TRUE(fine.are_expected());
    EXPECT_FALSE(coarse.are_expected());
}

}  // namespace
}  // namespace strider::test
