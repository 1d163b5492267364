// SPDX-License-Identifier: BSL-1.0
#include "messages/with_text.hpp"

#include "messages/catalogue.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace {

namespace infra = strider::infra;
namespace messages = iacctl::messages;
namespace codes = strider::infra::codes;
using testing::HasSubstr;

// One more than the largest placeholder.
auto placeholders(std::string_view pattern) -> std::size_t
{
    std::size_t count = 0;
    for (std::size_t i = 0; i + 2 < pattern.size(); ++i)
        if (pattern[i] == '{' && pattern[i + 2] == '}')
            count = std::max(count, static_cast<std::size_t>(pattern[i + 1] - '0') + 1);
    return count;
}

TEST(EngineCodes, HaveAMessageForTheirArguments)
{
    for (infra::diagnostic_code const& code : codes::all) {
        auto const* const message = messages::find_message(code.name);
        ASSERT_NE(message, nullptr) << code.name;
        std::size_t const taken = std::max(placeholders(message->summary), placeholders(message->detail));
        EXPECT_EQ(taken, code.arguments + (code.item_fields == 0 ? 0 : 1)) << code.name;
    }
}

// No argument of the engine is left out, not even of the second item of a list.
TEST(EngineCodes, HaveTextsWithAllTheirArguments)
{
    for (infra::diagnostic_code const& code : codes::all) {
        infra::diagnostic original;
        original.code = code.name;
        for (std::size_t i = 0; i < code.arguments + 2 * code.item_fields; ++i)
            original.arguments.push_back("<argument " + std::to_string(i) + ">");

        auto const shown = messages::with_text(original);

        EXPECT_FALSE(shown.summary.empty()) << code.name;
        for (std::string const& argument : original.arguments)
            EXPECT_THAT(shown.summary + shown.detail, HasSubstr(argument)) << code.name;
    }
}

TEST(WithText, WritesEachItemOfAListOnALine)
{
    auto const cycle = messages::with_text(
        infra::make_error(codes::dependency_cycle, {"a, b", "a", "b", "reference", "b", "a", "depends_on"}));
    auto const excluded =
        messages::with_text(infra::make_error(codes::moved_objects_excluded, {"t.a", "module.m[\"k\"]"}));

    EXPECT_EQ(cycle.summary, "Cycle: a, b");
    EXPECT_THAT(cycle.detail, HasSubstr("\n\n  a -> b (reference)\n  b -> a (depends_on)\n\n"));
    EXPECT_THAT(excluded.detail, HasSubstr("\n\n  -exclude=t.a\n  -exclude='module.m[\"k\"]'\n\n"));
}

TEST(WithText, KeepsTheTextsOfADiagnostic)
{
    infra::diagnostic original;
    original.code = codes::stale_plan.name;
    original.summary = "Own words";

    EXPECT_EQ(messages::with_text(original), original);
}

TEST(WithText, ShowsTheCodeIfThereIsNoMessage)
{
    infra::diagnostic original;
    original.code = "nobody_knows";

    EXPECT_EQ(messages::with_text(original).summary, "nobody_knows");
}

}  // namespace
