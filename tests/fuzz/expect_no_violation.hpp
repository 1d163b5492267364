// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_FUZZ_EXPECT_NO_VIOLATION_HPP
#define STRIDER_TESTS_FUZZ_EXPECT_NO_VIOLATION_HPP

#include <fuzz/world.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace strider::test {

/// Plays a lifecycle, with a test failure for each law that it violates.
inline void expect_no_violation(std::string_view text)
{
    auto const lifecycle = parse_scenario(text);
    auto const outcome = play_lifecycle(lifecycle);
    for (std::string const& v : outcome.violations) ADD_FAILURE() << v;
    if (!outcome.violations.empty()) ADD_FAILURE() << play_lifecycle(lifecycle, planted_fault::none, true).report;
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_FUZZ_EXPECT_NO_VIOLATION_HPP
