// SPDX-License-Identifier: BSL-1.0
// Each memory order of the workers is weakened, and each of their operations is left out. A program then violates a law, or there is a
// reason why the change is right. A law that no change violates would check nothing.
#include <explored/explored_programs.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace strider::test {
namespace {

TEST(PlantedChange, ViolatesALawUnlessThereIsAReasonWhyItIsRight)
{
    std::vector<explored_program> programs = explored_protocols();
    for (explored_program& each : explored_walks()) programs.push_back(std::move(each));
    for (explored_program const& each : programs) (void)each.explore({.executions = 2000});  // to know the places
    std::map<std::string, std::string> reasons;
    for (harmless_change const& each : harmless_changes()) reasons.emplace(each.name, each.reason);

    std::size_t found = 0;
    std::set<std::string> harmless;
    std::vector<planted_change> open = planted_changes();
    for (std::size_t i = 0; i < open.size(); ++i) {
        planted_change const change = open[i];
        if (!find_fault(change, 5, 1500).program.empty()) {
            ++found;
            continue;
        }
        harmless.insert(change.name);
        for (planted_change& weaker : weaker_than(change)) open.push_back(std::move(weaker));
    }

    for (std::string const& each : harmless) EXPECT_TRUE(reasons.contains(each)) << "violates no law: " << each;
    for (auto const& [name, reason] : reasons)
        EXPECT_TRUE(harmless.contains(name)) << "violates a law: " << name << ", though " << reason;
    EXPECT_GT(found, 50U);
    std::printf("%zu changes violate a law, %zu are right\n", found, harmless.size());
}

}  // namespace
}  // namespace strider::test
