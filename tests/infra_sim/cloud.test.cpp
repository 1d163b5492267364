// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/sim/cloud.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace strider::infra;
using namespace strider::infra::sim;
using testing::ElementsAre;
using testing::IsEmpty;

auto an_operation(operation_kind kind, std::string const& name, std::string key) -> pending_operation
{
    pending_operation o;
    o.kind = kind;
    o.target = address("toy", name);
    o.operation = std::move(key);
    return o;
}

TEST(Cloud, AssignsAUniqueIdToEachObject)
{
    cloud c;

    auto const first = c.make(c.begin(an_operation(operation_kind::create, "a", "1")), toy_value());
    auto const second = c.make(c.begin(an_operation(operation_kind::create, "a", "2")), toy_value());

    EXPECT_EQ(first["id"], "toy.a#1");
    EXPECT_EQ(second["id"], "toy.a#2");
    EXPECT_THAT(c.made_for(address("toy", "a")), ElementsAre("toy.a#1", "toy.a#2"));
}

TEST(Cloud, ReportsWhichOperationEndedBeforeAnotherBegan)
{
    cloud c;
    auto const a = c.begin(an_operation(operation_kind::create, "a", "1"));
    c.end(a, false);
    auto const b = c.begin(an_operation(operation_kind::create, "b", "2"));
    auto const d = c.begin(an_operation(operation_kind::destroy, "d", "3"));
    c.end(b, false);
    c.end(d, true);

    EXPECT_TRUE(c.before("toy.a create", "toy.b create"));
    EXPECT_FALSE(c.before("toy.b create", "toy.d destroy"));
    EXPECT_FALSE(c.before("toy.b create", "toy.nobody create"));
    EXPECT_THAT(c.order(), ElementsAre("toy.a create", "toy.b create"));
}

TEST(Cloud, ReportsKeysThatWereUsedTwice)
{
    cloud c;
    c.begin(an_operation(operation_kind::create, "a", "once"));
    EXPECT_THAT(c.duplicates(), IsEmpty());

    c.begin(an_operation(operation_kind::create, "b", "twice"));
    c.begin(an_operation(operation_kind::create, "b", "twice"));
    c.begin(an_operation(operation_kind::create, "b", "twice"));

    EXPECT_THAT(c.duplicates(), ElementsAre("twice"));
}

TEST(Cloud, KeepsObjectsAndRequestsWhenANewLogStarts)
{
    cloud c;
    auto const a = c.begin(an_operation(operation_kind::create, "a", "1"));
    c.make(a, toy_value());
    c.end(a, false);

    c.start_new_log();

    EXPECT_THAT(c.order(), IsEmpty());
    EXPECT_EQ(c.find_operation("toy.a create"), nullptr);
    ASSERT_NE(c.begun_as("1"), nullptr);
    EXPECT_EQ(c.begun_as("1")->object, "toy.a#1");
    EXPECT_NE(c.find("toy.a#1"), nullptr);
}

}  // namespace
