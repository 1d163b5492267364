// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/program/evaluation_scope.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace strider::infra;
using testing::ElementsAre;

auto instance(std::int64_t i) -> address
{
    return {"t", "a", instance_key(i)};
}

TEST(EvaluationScope, HasARowForEachDeclaration)
{
    evaluation_scope<std::string> const scope({"t.a", "local.x"});

    EXPECT_EQ(scope.number_of("local.x"), 1U);
    EXPECT_FALSE(scope.number_of("nobody"));
    EXPECT_EQ(scope.find("nobody"), nullptr);
    ASSERT_NE(scope.find("t.a"), nullptr);
    EXPECT_FALSE(scope.find("t.a")->is_expanded());
    EXPECT_EQ(scope.find("t.a")->size(), 0U);
}

TEST(EvaluationScope, SortsInstancesAndFindsThem)
{
    evaluation_scope<std::string> scope({"t.a"});

    scope.expand(0, {instance(10), instance(2), instance(0)});

    std::vector<std::string> found;
    for (auto const& slot : scope[0]) found.push_back(to_string(slot.target));
    EXPECT_THAT(found, ElementsAre("t.a[0]", "t.a[2]", "t.a[10]"));
    EXPECT_NE(scope[0].find(instance(2)), nullptr);
    EXPECT_EQ(scope[0].find(instance(1)), nullptr);
}

TEST(EvaluationScope, FindsTheInstancesOfOneModuleInstance)
{
    evaluation_scope<std::string> scope({"module.m.t.a"});
    auto const in = [](std::int64_t module, std::int64_t i) {
        return address({{"m", instance_key(module)}}, resource_mode::managed, "t", "a", instance_key(i));
    };

    scope.expand(0, {in(2, 0), in(0, 1), in(1, 0), in(0, 0), in(1, 1)});

    std::vector<std::string> found;
    for (auto const& slot : scope[0].in_module({{"m", instance_key(1)}})) found.push_back(to_string(slot.target));
    EXPECT_THAT(found, ElementsAre("module.m[1].t.a[0]", "module.m[1].t.a[1]"));
    EXPECT_TRUE(scope[0].in_module({{"m", instance_key(3)}}).empty());
    EXPECT_TRUE(scope[0].in_module({}).empty());
}

TEST(EvaluationScope, ExposesASlotOnlyAfterItIsPublished)
{
    evaluation_scope<std::string> scope({"t.a"});
    scope.expand(0, {instance(0), instance(1)});

    scope.publish(0, instance(1), "one");

    EXPECT_EQ(scope[0].find(instance(0))->get(), nullptr);
    ASSERT_NE(scope[0].find(instance(1))->get(), nullptr);
    EXPECT_EQ(*scope[0].find(instance(1))->get(), "one");
}

TEST(EvaluationScope, ReturnsTheValueOfADeclarationWithoutInstances)
{
    evaluation_scope<std::string> scope({"local.x", "t.a", "local.y"});
    scope.expand(1, {instance(0), instance(1)});

    scope.publish(0, "x");

    ASSERT_NE(scope.value("local.x"), nullptr);
    EXPECT_EQ(*scope.value("local.x"), "x");
    EXPECT_EQ(scope.value("local.y"), nullptr);
    EXPECT_EQ(scope.value("t.a"), nullptr);
    EXPECT_EQ(scope.value("nobody"), nullptr);
}

TEST(EvaluationScope, StoresTheRepetitionOfARow)
{
    evaluation_scope<std::string> scope({"t.a"});
    EXPECT_EQ(scope[0].repetition(), nullptr);

    scope.repeat(0, "3");

    EXPECT_EQ(*scope[0].repetition(), "3");
}

TEST(EvaluationScope, ExpandsARowWithoutInstances)
{
    evaluation_scope<std::string> scope({"t.a"});

    scope.expand(0, {});

    EXPECT_TRUE(scope[0].is_expanded());
    EXPECT_EQ(scope[0].size(), 0U);
}

}  // namespace
