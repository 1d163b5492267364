// SPDX-License-Identifier: BSL-1.0
#include <strider/core/vertex_set.hpp>

#include <gtest/gtest.h>

namespace {

using namespace strider;

TEST(VertexSet, TellsWhetherAVertexIsNew)
{
    vertex_set set(10);

    EXPECT_TRUE(set.insert(vertex_id(3)));
    EXPECT_FALSE(set.insert(vertex_id(3)));
    EXPECT_TRUE(set.contains(vertex_id(3)));
    EXPECT_FALSE(set.contains(vertex_id(4)));
}

TEST(VertexSet, GrowsBeyondItsBound)
{
    vertex_set set;

    set.insert(vertex_id(63));
    set.insert(vertex_id(64));
    set.insert(vertex_id(1000));

    EXPECT_EQ(set.size(), 3U);
    EXPECT_TRUE(set.contains(vertex_id(1000)));
    EXPECT_FALSE(set.contains(vertex_id(1'000'000)));
    EXPECT_FALSE(set.contains(vertex_id()));
}

TEST(VertexSet, TellsWhetherAVertexWasThereToErase)
{
    vertex_set set;
    set.insert(vertex_id(65));

    EXPECT_TRUE(set.erase(vertex_id(65)));
    EXPECT_FALSE(set.erase(vertex_id(65)));
    EXPECT_FALSE(set.erase(vertex_id(500)));
    EXPECT_EQ(set.size(), 0U);
}

TEST(VertexSet, IsEmptyAfterClear)
{
    vertex_set set;
    set.insert(vertex_id(1));
    set.insert(vertex_id(100));

    set.clear();

    EXPECT_EQ(set.size(), 0U);
    EXPECT_FALSE(set.contains(vertex_id(100)));
}

}  // namespace
