// SPDX-License-Identifier: BSL-1.0
// The protocols of the workers of a walk, and whole walks, in all executions within the bounds of each program.
#include <explored/explored_programs.hpp>

#include <gtest/gtest.h>

#include <cctype>
#include <cstdio>
#include <string>
#include <vector>

namespace strider::test {
namespace {

[[nodiscard]] auto all_programs() -> std::vector<explored_program>
{
    std::vector<explored_program> all = explored_protocols();
    for (explored_program& each : explored_walks()) all.push_back(std::move(each));
    return all;
}

class ExploredProgram : public testing::TestWithParam<explored_program> {};

TEST_P(ExploredProgram, ViolatesNoLawInAnyExecution)
{
    search_result const result = GetParam().explore(GetParam().bounds);

    EXPECT_EQ(result.violation, "") << result.trace;
    EXPECT_GT(result.executions, 0U);
    std::printf("%s: %llu executions, at most %zu events, %s\n", GetParam().name.c_str(),
        static_cast<unsigned long long>(result.executions), result.longest,
        result.is_complete ? "complete" : "bounded");
}

INSTANTIATE_TEST_SUITE_P(Each, ExploredProgram, testing::ValuesIn(all_programs()), [](auto const& one) {
    std::string name;
    for (char const c : one.param.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
});

}  // namespace
}  // namespace strider::test
