// SPDX-License-Identifier: BSL-1.0
#include <fuzz/generator.hpp>
#include <fuzz/shrink.hpp>
#include <fuzz/world.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace strider::test;

auto from_environment(char const* name, std::uint64_t otherwise) -> std::uint64_t
{
    char const* const text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// A slice of tools/fuzz-lifecycle. STRIDER_LIFECYCLE_SEEDS is the number of lifecycles, STRIDER_LIFECYCLE_FIRST_SEED the first.
TEST(RandomLifecycles, SatisfyTheInvariants)
{
    std::uint64_t const first = from_environment("STRIDER_LIFECYCLE_FIRST_SEED", 1);
    std::uint64_t const count = from_environment("STRIDER_LIFECYCLE_SEEDS", 3000);
    for (std::uint64_t seed = first; seed != first + count; ++seed) {
        auto const lifecycle = make_lifecycle(seed);
        auto const outcome = play_lifecycle(lifecycle);
        if (outcome.violations.empty()) continue;
        std::string const& law = outcome.violations.front();
        auto const small = shrink(lifecycle, law_of(law), planted_fault::none, 500);
        FAIL() << "seed " << seed << ": " << law << '\n' << to_test(small, "Seed" + std::to_string(seed));
    }
}

TEST(RandomLifecycles, ASeedMakesOneLifecycle)
{
    for (std::uint64_t seed = 1; seed != 10; ++seed)
        EXPECT_EQ(to_text(make_lifecycle(seed)), to_text(make_lifecycle(seed)));
}

// The report contains each plan, operation with its times, state, and number of tasks.
TEST(RandomLifecycles, ASeedRepeatsItsTrace)
{
    std::uint64_t const count = from_environment("STRIDER_LIFECYCLE_SEEDS", 30);
    for (std::uint64_t seed = 1; seed <= count; ++seed) {
        auto const lifecycle = make_lifecycle(seed);
        auto const first = play_lifecycle(lifecycle, planted_fault::none, true);
        auto const second = play_lifecycle(lifecycle, planted_fault::none, true);
        ASSERT_NE(first.report.find("steps "), std::string::npos) << seed;
        ASSERT_EQ(first.report, second.report) << seed;
        ASSERT_EQ(first.trace, second.trace) << seed;
    }
}

TEST(RandomLifecycles, AreReadAsTheyWereWritten)
{
    for (std::uint64_t seed = 1; seed != 30; ++seed) {
        auto const lifecycle = make_lifecycle(seed);
        EXPECT_EQ(to_text(parse_scenario(to_text(lifecycle))), to_text(lifecycle)) << seed;
    }
}

// A fuzzer tests only the faults that it can find.
TEST(RandomLifecycles, FindAndShrinkAPlantedFault)
{
    for (std::uint64_t seed = 1; seed != 400; ++seed) {
        auto const outcome = play_lifecycle(make_lifecycle(seed), planted_fault::forget_deposed);
        if (outcome.violations.empty()) continue;
        std::string const law(law_of(outcome.violations.front()));
        auto const small = shrink(make_lifecycle(seed), law, planted_fault::forget_deposed, 300);
        EXPECT_LE(small.steps.size(), 4U);
        EXPECT_TRUE(play_lifecycle(small).violations.empty());
        EXPECT_FALSE(play_lifecycle(small, planted_fault::forget_deposed).violations.empty());
        return;
    }
    FAIL() << "not found";
}

}  // namespace
