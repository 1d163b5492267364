// SPDX-License-Identifier: BSL-1.0
// Tests with gaps: nothing is added to a closed cart, no price is at the limit, none is negative, `count` has no test.
#include "price.hpp"

#include <gtest/gtest.h>

namespace {

static_assert(tiny::twice(3) == 6);

TEST(Price, IsLimited)
{
    EXPECT_EQ(tiny::price(3, 4), 12);
    EXPECT_EQ(tiny::price(30, 40), 100);
}

TEST(Cart, AddsPricesUntilItIsClosed)
{
    tiny::cart cart;

    EXPECT_TRUE(cart.add(3));
    EXPECT_TRUE(cart.add(4));
    cart.close();

    EXPECT_EQ(cart.total(), 7);
}

}  // namespace
