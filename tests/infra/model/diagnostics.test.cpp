// SPDX-License-Identifier: BSL-1.0
#include <strider/infra/model/diagnostics.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace {

using namespace strider::infra;
using testing::ElementsAre;

auto error_about(std::string address) -> diagnostic
{
    return make_error(codes::unknown_after_apply, {address}, address);
}

auto addresses(diagnostics const& all) -> std::vector<std::string>
{
    std::vector<std::string> found;
    for (diagnostic const& d : all) found.push_back(d.address);
    return found;
}

}  // namespace

TEST(Diagnostics, LeaveOutWhatAnEarlierStepHasFound)
{
    diagnostics found{error_about("t.a"), error_about("t.b")};
    diagnostic elsewhere = error_about("t.a");
    elsewhere.source.file = "main.tf";

    found.add_new({error_about("t.b"), elsewhere, make_warning(codes::stale_plan, {}, "t.a")});

    EXPECT_THAT(addresses(found), ElementsAre("t.a", "t.b", "t.a", "t.a"));
    EXPECT_EQ(found.error_count(), 3U);
}

TEST(Diagnostics, StoreEqualOnesOfOneStep)
{
    diagnostics found;

    found.add_new({error_about("t.a"), error_about("t.a")});

    EXPECT_EQ(found.size(), 2U);
}

TEST(Diagnostics, StoreAThousandErrorsAndWarnings)
{
    diagnostics found;

    for (int i = 0; i < 1500; ++i) {
        found.add(error_about("t.a" + std::to_string(i)));
        found.add(make_warning(codes::stale_plan, {}, "t.a" + std::to_string(i)));
    }

    EXPECT_EQ(found.size(), 2001U);
    EXPECT_EQ(found.error_count(), 1500U);
    EXPECT_EQ(found.back().code, "too_many_errors");
}

TEST(Diagnostics, KeepTheFirstOfACode)
{
    diagnostics found{
        error_about("t.a"), make_error(codes::out_of_memory, {}, "t.b"), make_error(codes::out_of_memory)};

    found.keep_first(codes::out_of_memory);

    EXPECT_THAT(addresses(found), ElementsAre("t.a", "t.b"));
    EXPECT_EQ(found.error_count(), 2U);
}

TEST(Diagnostics, HaveNoErrorsAsWarnings)
{
    diagnostics const found = as_warnings({error_about("t.a"), make_warning(codes::stale_plan)});

    EXPECT_FALSE(found.has_errors());
    EXPECT_EQ(found.size(), 2U);
    EXPECT_EQ(found.front().level, severity::warning);
}

TEST(Diagnostics, KeepTheirOrderIfTheySortAsEqual)
{
    diagnostics found{error_about("t.b"), make_warning(codes::stale_plan, {}, "t.c"), error_about("t.a")};

    found.sort([](diagnostic const& a, diagnostic const& b) { return a.level > b.level; });

    EXPECT_THAT(addresses(found), ElementsAre("t.c", "t.b", "t.a"));
}

TEST(DiagnosticCode, TakesItsArgumentsAndCompleteItems)
{
    diagnostic_code const single{"single", 2};
    diagnostic_code const list{"list", 1, 2};

    EXPECT_TRUE(single.takes(2));
    EXPECT_FALSE(single.takes(1) || single.takes(3));
    EXPECT_TRUE(list.takes(1) && list.takes(3) && list.takes(5));
    EXPECT_FALSE(list.takes(0) || list.takes(2) || list.takes(4));
}

TEST(Diagnostics, ReceiveAnAddressIfTheyHaveNone)
{
    diagnostics const found = with_address({make_error(codes::stale_plan), error_about("t.b")}, "t.a");

    EXPECT_THAT(addresses(found), ElementsAre("t.a", "t.b"));
}
