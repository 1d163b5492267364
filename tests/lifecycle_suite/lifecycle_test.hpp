// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_LIFECYCLE_SUITE_LIFECYCLE_TEST_HPP
#define STRIDER_TESTS_LIFECYCLE_SUITE_LIFECYCLE_TEST_HPP

#include <support/lifecycle_world.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace strider::test {

/// A test in a simulated world. Each step of `after` checks all laws; the test fails if one is broken.
class lifecycle_test : public testing::Test {
protected:
    ~lifecycle_test() override
    {
        for (std::string const& what : world.violations()) ADD_FAILURE() << what;
    }

    /// Runs steps that prepare the test; all of them succeed.
    void given(std::string_view text)
    {
        for (scenario_step const& step : parse_scenario(text, world.program()).steps) {
            auto const done = world.run(step);
            ASSERT_TRUE(done.ok) << testing::PrintToString(done.problems);
        }
    }
    /// Runs steps. \return the outcome of the last one
    auto after(std::string_view text) -> step_outcome { return world.run(text); }
    /// The objects of state: "a#2", "a#2 tainted", "a#1 deposed".
    [[nodiscard]] auto objects() const -> std::vector<std::string> { return world.objects(); }

    lifecycle_world world;
};

/// "a create", "b destroy/create": the changes of a plan, in its order. \pre there is a plan
[[nodiscard]] inline auto actions(step_outcome const& done) -> std::vector<std::string>
{
    std::vector<std::string> all;
    if (!done.plan) return {"no plan"};
    for (auto const& c : done.plan->changes)
        if (c.what != action::no_op) all.push_back(action_of(c));
    return all;
}

}  // namespace strider::test

#endif  // STRIDER_TESTS_LIFECYCLE_SUITE_LIFECYCLE_TEST_HPP
