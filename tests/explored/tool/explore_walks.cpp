// SPDX-License-Identifier: BSL-1.0
// Explores the programs of tests/explored without bounds, or with those that are given; tools/explore-walks builds and runs it.
#include <explored/explored_programs.hpp>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace strider::test {
namespace {

struct settings {
    search_bounds bounds;
    std::string only;
    bool plants = false;
    bool is_brief = false;  // the bounds of the tests
};

[[nodiscard]] auto selected(std::string const& only) -> std::vector<explored_program>
{
    std::vector<explored_program> all = explored_protocols();
    for (explored_program& each : explored_walks()) all.push_back(std::move(each));
    std::erase_if(all, [&](explored_program const& each) { return each.name.find(only) == std::string::npos; });
    return all;
}

[[nodiscard]] auto explore_all(settings const& chosen) -> int
{
    int violated = 0;
    std::printf("%-52s %12s %8s %8s  %s\n", "program", "executions", "longest", "seconds", "search");
    for (explored_program const& each : selected(chosen.only)) {
        search_result const result = each.explore(chosen.is_brief ? each.bounds : chosen.bounds);
        std::printf("%-52s %12llu %8zu %8.1f  %s\n", each.name.c_str(),
            static_cast<unsigned long long>(result.executions), result.longest, result.seconds,
            result.is_complete ? "complete" : "bounded");
        if (!result.violation.empty()) {
            std::printf("%s\n%s", result.violation.c_str(), result.trace.c_str());
            ++violated;
        }
        std::fflush(stdout);
    }
    return violated == 0 ? 0 : 1;
}

[[nodiscard]] auto plant_all(settings const& chosen) -> int
{
    for (explored_program const& each : selected({})) (void)each.explore({.executions = 2000});  // to know the places
    std::vector<planted_change> open = planted_changes();
    std::size_t found = 0;
    std::size_t survivors = 0;
    for (std::size_t i = 0; i < open.size(); ++i) {
        planted_change const change = open[i];
        if (change.name.find(chosen.only) == std::string::npos) continue;
        found_fault const fault = find_fault(
            change, chosen.is_brief ? 5 : chosen.bounds.deviations, chosen.is_brief ? 1500 : chosen.bounds.executions);
        (fault.program.empty() ? survivors : found)++;
        std::printf("%-80s %s\n", change.name.c_str(),
            fault.program.empty() ? "harmless" : (fault.violation + " (" + fault.program + ")").c_str());
        std::fflush(stdout);
        if (fault.program.empty())
            for (planted_change& weaker : weaker_than(change)) open.push_back(std::move(weaker));
    }
    std::printf("%zu changes found, %zu harmless\n", found, survivors);
    return 0;
}

}  // namespace
}  // namespace strider::test

auto main(int count, char** arguments) -> int
{
    strider::test::settings chosen;
    for (int i = 1; i < count; ++i) {
        std::string_view const option = arguments[i];
        auto const value = [&]() -> char const* { return i + 1 < count ? arguments[++i] : ""; };
        if (option == "-only") chosen.only = value();
        else if (option == "-seconds") chosen.bounds.seconds = std::strtod(value(), nullptr);
        else if (option == "-deviations")
            chosen.bounds.deviations = static_cast<std::uint32_t>(std::strtoul(value(), nullptr, 10));
        else if (option == "-planted") chosen.plants = true;
        else if (option == "-brief") chosen.is_brief = true;
        else {
            std::fprintf(
                stderr, "usage: explore_walks [-only TEXT] [-seconds N] [-deviations N] [-brief] [-planted]\n");
            return 2;
        }
    }
    return chosen.plants ? plant_all(chosen) : explore_all(chosen);
}
