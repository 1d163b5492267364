// SPDX-License-Identifier: BSL-1.0
// The protocol by which a run ends, in one thread. tests/explored explores it, and the deque, in all orders.
#include <strider/walk/detail/stealing/termination_counter.hpp>

#include <gtest/gtest.h>

namespace strider::test {
namespace {

TEST(TerminationCounter, NeedsNoOtherHelperInARunForWhichOneWaits)
{
    detail::termination_counter entry;
    entry.open();
    (void)entry.leave();

    bool const waits = entry.queue_again(2);
    entry.open();

    EXPECT_TRUE(waits);
    EXPECT_FALSE(entry.reserve(2));
    EXPECT_TRUE(entry.join_queued(2));
}

TEST(TerminationCounter, KeepsNoHelperAfterTheLastRun)
{
    detail::termination_counter entry;

    entry.close();

    EXPECT_FALSE(entry.queue_again(2));
}

TEST(TerminationCounter, EndsTheSearchOfWorkersIfAllSearch)
{
    detail::termination_counter entry;
    entry.open();
    (void)entry.join(2);

    detail::termination_counter::search const first(entry);
    bool const while_one_works = entry.all_search();
    detail::termination_counter::search const second(entry);

    EXPECT_FALSE(while_one_works);
    EXPECT_TRUE(entry.all_search());
}

TEST(TerminationCounter, ForgetsASearchThatHasEnded)
{
    detail::termination_counter entry;
    entry.open();

    {
        detail::termination_counter::search const ended(entry);
    }

    EXPECT_FALSE(entry.all_search());
}

TEST(TerminationCounter, AsksForHelpersUntilEnoughAreActiveOrQueued)
{
    detail::termination_counter entry;
    entry.open();

    EXPECT_TRUE(entry.reserve(3));
    EXPECT_TRUE(entry.reserve(3));
    EXPECT_FALSE(entry.reserve(3));
    entry.unreserve();
    EXPECT_TRUE(entry.reserve(3));
}

TEST(TerminationCounter, CountsOffersSoThatAWorkerNoticesThem)
{
    detail::termination_counter entry;
    auto const seen = entry.offers();

    entry.offer();

    EXPECT_NE(entry.offers(), seen);
    EXPECT_FALSE(entry.await_offer()) << "nothing more is offered";
}

}  // namespace
}  // namespace strider::test
