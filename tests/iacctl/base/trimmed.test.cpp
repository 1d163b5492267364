// SPDX-License-Identifier: BSL-1.0
#include "base/trimmed.hpp"

#include <gtest/gtest.h>

namespace iacctl {
namespace {

TEST(Trimmed, RemovesWhiteSpaceAtBothEndsOnly)
{
    EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
    EXPECT_EQ(trimmed("a"), "a");
    EXPECT_EQ(trimmed("\va\f"), "\va\f");
    EXPECT_EQ(trimmed("\va\f", white_space), "a");
    EXPECT_EQ(trimmed("xax", "x"), "a");
}

TEST(Trimmed, IsEmptyIfNothingElseIsThere)
{
    EXPECT_EQ(trimmed(""), "");
    EXPECT_EQ(trimmed(" \n\t "), "");
}

}  // namespace
}  // namespace iacctl
