// SPDX-License-Identifier: BSL-1.0
#include "workspace/pushed_state.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace {

using namespace iacctl;
namespace infra = strider::infra;

auto empty_state(std::string lineage, std::uint64_t serial) -> infra::snapshot
{
    infra::snapshot made;
    made.lineage = std::move(lineage);
    made.serial = serial;
    return made;
}

auto state_with(std::string lineage, std::uint64_t serial) -> infra::snapshot
{
    auto made = empty_state(std::move(lineage), serial);
    made.outputs["o"] = {infra::document("2"), infra::document("\"number\""), false};
    return made;
}

auto conflict_of(infra::snapshot const& now, infra::snapshot pushed) -> std::string
{
    auto const found = workspace::find_conflict(now, {std::move(pushed), false}, {});
    return found ? found->code : std::string();
}

TEST(PushedState, ReplacesAnOlderStateOfItsLineage)
{
    EXPECT_EQ(conflict_of(state_with("l", 1), state_with("l", 2)), "");
    EXPECT_EQ(conflict_of({}, state_with("l", 2)), "");
}

TEST(PushedState, ReplacesTheContentsThatARescueCopyNamesWhateverTheirSerialIs)
{
    workspace::pushed_state copy{state_with("l", 2), true, {"before", "after"}};

    EXPECT_FALSE(workspace::find_conflict(state_with("l", 3), copy, "after"));
    EXPECT_TRUE(workspace::find_conflict(state_with("l", 3), copy, "other"));
    EXPECT_TRUE(workspace::find_conflict(state_with("l", 3), copy, {}));
    copy.content.lineage = "m";
    EXPECT_TRUE(workspace::find_conflict(state_with("l", 3), copy, "after"));
}

TEST(PushedState, ReplacesAnyStateWithoutContent)
{
    EXPECT_EQ(conflict_of(empty_state("l", 1), state_with("m", 2)), "");
    EXPECT_EQ(conflict_of(empty_state("l", 3), state_with("l", 2)), "");
}

TEST(PushedState, ReportsWhyItCannotReplaceAnotherState)
{
    auto other = state_with("l", 2);
    other.outputs["o"] = {infra::document("1"), infra::document("\"number\""), false};
    auto interrupted = state_with("l", 1);
    interrupted.pending["p"].target = *infra::parse_address("a.b");

    EXPECT_EQ(conflict_of(state_with("l", 1), state_with("m", 2)), "state_push_conflict_of_lineage");
    EXPECT_EQ(conflict_of(state_with("l", 3), state_with("l", 2)), "state_push_of_older_serial");
    EXPECT_EQ(conflict_of(state_with("l", 2), other), "state_push_of_same_serial");
    EXPECT_EQ(conflict_of(interrupted, state_with("l", 2)), "state_push_forgets_operations");
}

}  // namespace
