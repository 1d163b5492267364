// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/model/address.hpp>
#include <strider/infra/model/change.hpp>
#include <strider/infra/plan/plan_findings.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace strider::infra {
namespace {

using change_type = change<std::string>;
using findings = plan_findings<std::string>;

auto change_of(std::string const& target, std::string deposed_key = {}) -> change_type
{
    change_type made;
    made.target = parse_address(target).value();
    made.of_deposed = !deposed_key.empty();
    made.deposed_key = std::move(deposed_key);
    return made;
}

auto names_of(std::vector<change_type> const& changes) -> std::vector<std::string>
{
    std::vector<std::string> names;
    for (change_type const& c : changes)
        names.push_back(to_string(c.target) + (c.of_deposed ? " " + c.deposed_key : ""));
    return names;
}

TEST(PlanFindings, ChangesOfSeveralVerticesAreTakenInTheOrderOfTheirAddresses)
{
    std::vector<findings> found(4);
    found[0].changes.push_back(change_of("t.b"));
    found[1].changes.push_back(change_of("t.c[10]"));
    found[1].changes.push_back(change_of("t.c[9]"));
    found[3].changes.push_back(change_of("t.a"));
    EXPECT_THAT(names_of(take_changes(found)), testing::ElementsAre("t.a", "t.b", "t.c[9]", "t.c[10]"));
    for (findings const& one : found) EXPECT_TRUE(one.changes.empty());
}

TEST(PlanFindings, TheCurrentObjectPrecedesItsDeposedOnes)
{
    std::vector<findings> found(2);
    found[0].changes.push_back(change_of("t.a", "2"));
    found[0].changes.push_back(change_of("t.a", "1"));
    found[1].changes.push_back(change_of("t.a"));
    EXPECT_THAT(names_of(take_changes(found)), testing::ElementsAre("t.a", "t.a 1", "t.a 2"));
}

TEST(PlanFindings, OrderedChangesOfASingleVertexAreNotMovedOneByOne)
{
    std::vector<findings> found(3);
    found[1].changes.push_back(change_of("t.a[0]"));
    found[1].changes.push_back(change_of("t.a[1]"));
    change_type const* const first = found[1].changes.data();
    std::vector<change_type> const taken = take_changes(found);
    EXPECT_EQ(taken.data(), first);
    EXPECT_THAT(names_of(taken), testing::ElementsAre("t.a[0]", "t.a[1]"));
}

TEST(PlanFindings, WithoutChangesNothingIsTaken)
{
    std::vector<findings> found(2);
    EXPECT_TRUE(take_changes(found).empty());
    std::vector<findings> none;
    EXPECT_TRUE(take_changes(none).empty());
}

}  // namespace
}  // namespace strider::infra
