// SPDX-License-Identifier: BSL-1.0
#include <strider/core/vertex_id.hpp>
#include <strider/walk/detail/stealing/hot_records.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace strider::test {
namespace {

using testing::ElementsAre;

// Vertex 64 depends on all before it, vertex 65 on vertex 64.
struct fan_in {
    std::vector<vertex_id> targets = std::vector<vertex_id>(64, vertex_id(64));
    std::vector<std::uint32_t> firsts;

    fan_in()
    {
        targets.emplace_back(65);
        for (std::uint32_t v = 0; v <= 65; ++v) firsts.push_back(v);
        firsts.push_back(65);
    }
    [[nodiscard]] auto records() const -> detail::basic_hot_records<>
    {
        return detail::basic_hot_records<>({66, targets.data(), firsts.data()});
    }
};

TEST(HotRecords, KnowsTheVerticesWithManyDependencies)
{
    fan_in const graph;

    auto const records = graph.records();

    EXPECT_TRUE(records.has_high_fan_in(64));
    EXPECT_FALSE(records.has_high_fan_in(65));
    EXPECT_FALSE(records.has_high_fan_in(0));
    EXPECT_TRUE(records.feeds_high_fan_in(63));
    EXPECT_FALSE(records.feeds_high_fan_in(64));
    EXPECT_EQ(records.leaves(), 64U);
}

TEST(HotRecords, CountsOnlyTheExpectedDependenciesInAPartialRun)
{
    fan_in const graph;
    auto records = graph.records();

    records.expect_none(64);
    bool const is_ready = records.is_ready(64);
    records.expect_one(64);
    records.expect_one(64);

    EXPECT_TRUE(is_ready);
    EXPECT_FALSE(records.settle_one(64));
    EXPECT_TRUE(records.settle_one(64));
}

TEST(DeferredDecrements, AreAppliedTogetherAtTheEndOrForAnotherVertexInTheSamePlace)
{
    using applied = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
    detail::deferred_decrements deferred;
    applied calls;
    auto const apply = [&](std::uint32_t v, std::uint32_t count) { calls.emplace_back(v, count); };

    for (std::uint32_t const v : {3U, 3U, 4U, 19U}) deferred.add(v, apply);
    applied const before = std::exchange(calls, {});
    deferred.settle(apply);
    applied const at_end = std::exchange(calls, {});
    deferred.settle(apply);

    EXPECT_THAT(before, ElementsAre(std::pair(3U, 2U)));
    EXPECT_THAT(at_end, ElementsAre(std::pair(19U, 1U), std::pair(4U, 1U)));
    EXPECT_TRUE(calls.empty());
}

}  // namespace
}  // namespace strider::test
