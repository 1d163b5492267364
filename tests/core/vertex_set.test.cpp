// SPDX-License-Identifier: BSL-1.0
#include <strider/core/vertex_set.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

namespace {

using namespace strider;

TEST(VertexSet, ReportsWhetherAVertexIsNew)
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

TEST(VertexSet, ReportsWhetherAVertexWasErased)
{
    vertex_set set;
    set.insert(vertex_id(65));

    EXPECT_TRUE(set.erase(vertex_id(65)));
    EXPECT_FALSE(set.erase(vertex_id(65)));
    EXPECT_FALSE(set.erase(vertex_id(500)));
    EXPECT_EQ(set.size(), 0U);
}

TEST(VertexSet, IsARangeOfItsMembersAscending)
{
    vertex_set set(10);
    for (std::size_t const i : {200U, 0U, 63U, 64U, 1000U, 5U}) set.insert(vertex_id(i));
    set.erase(vertex_id(5));

    std::vector<std::size_t> found;
    for (vertex_id const v : std::as_const(set)) found.push_back(v.index());

    EXPECT_EQ(found, (std::vector<std::size_t>{0, 63, 64, 200, 1000}));
    EXPECT_EQ(std::ranges::distance(vertex_set()), 0);
    EXPECT_EQ(std::ranges::distance(vertex_set(500)), 0);
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

TEST(VertexSet, IsEmptyAfterAMove)
{
    vertex_set from;
    from.insert(vertex_id(70));
    vertex_set to = std::move(from);
    EXPECT_EQ(to.size(), 1U);
    EXPECT_EQ(from.size(), 0U);  // NOLINT(bugprone-use-after-move): it is empty

    from.insert(vertex_id(3));
    EXPECT_EQ(from.size(), 1U);
    to = std::move(from);
    EXPECT_EQ(to.size(), 1U);
    EXPECT_TRUE(to.contains(vertex_id(3)));
    EXPECT_EQ(from.size(), 0U);  // NOLINT(bugprone-use-after-move)
    EXPECT_FALSE(from.contains(vertex_id(3)));
}

TEST(VertexSet, EqualsAnotherWithTheSameMembers)
{
    vertex_set set(100);
    set.insert(vertex_id(3));
    vertex_set other;
    other.insert(vertex_id(3));

    EXPECT_EQ(set, other);
    other.insert(vertex_id(4));
    EXPECT_NE(set, other);
    set.insert(vertex_id(5));
    EXPECT_NE(set, other);
}

#ifndef NDEBUG
TEST(VertexSetDeathTest, RejectsAnIdOfNoVertex)
{
    vertex_set set;

    EXPECT_DEATH(set.insert(vertex_id()), "the id identifies a vertex");
    EXPECT_DEATH((void)vertex_id(std::size_t{1} << 32U), "the index is below");
}
#endif

}  // namespace
