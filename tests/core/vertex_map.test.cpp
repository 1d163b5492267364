// SPDX-License-Identifier: BSL-1.0
#include <strider/core/digraph.hpp>
#include <strider/core/vertex_map.hpp>

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

namespace {

using namespace strider;

TEST(VertexMap, IsInitializedWithTheGivenValue)
{
    vertex_map<int> map(3, 7);

    map[vertex_id(1)] = 8;

    EXPECT_EQ(map[vertex_id(0)], 7);
    EXPECT_EQ(map[vertex_id(1)], 8);
    EXPECT_EQ(map[vertex_id(2)], 7);
}

TEST(VertexMap, IsARangeOfItsValues)
{
    vertex_map<int> map(3, 1);
    map[vertex_id(2)] = 5;

    int sum = 0;
    for (int const value : std::as_const(map)) sum += value;

    EXPECT_EQ(sum, 7);
}

TEST(VertexMap, KeepsItsValuesWhenItGrows)
{
    vertex_map<int> map(1, 1);

    map.resize(3, 2);

    EXPECT_EQ(map.id_bound(), 3U);
    EXPECT_EQ(map.size(), 3U);
    EXPECT_FALSE(map.empty());
    EXPECT_TRUE(vertex_map<int>().empty());
    EXPECT_EQ(map[vertex_id(0)], 1);
    EXPECT_EQ(map[vertex_id(2)], 2);
}

// References to packed bits are no references: a set of vertices is a `vertex_set`.
template <class T>
concept can_be_mapped_to = requires { typename vertex_map<T>; };
static_assert(can_be_mapped_to<char> && !can_be_mapped_to<bool>);
static_assert(std::is_same_v<vertex_map_t<digraph<int>, char>, basic_vertex_map<draft_vertex_id, char>>);

TEST(VertexMap, EqualsAnotherWithTheSameValues)
{
    vertex_map<int> const map(2, 7);
    vertex_map<int> other = map;

    EXPECT_EQ(map, other);
    other[vertex_id(1)] = 8;
    EXPECT_NE(map, other);
    EXPECT_NE(map, vertex_map<int>(3, 7));
}

}  // namespace
