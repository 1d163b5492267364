// SPDX-License-Identifier: BSL-1.0
// Plays random lifecycles on all processors. tools/fuzz-lifecycle builds and runs it.
#include <fuzz/generator.hpp>
#include <fuzz/shrink.hpp>
#include <fuzz/world.hpp>
#include <planted/catalogue.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace strider::test;

struct arguments {
    std::uint64_t seeds = 5000;
    std::uint64_t first = 1;
    std::string planted;
    unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
    bool statistics = false;
    bool traces = false;
    bool tells = false;
    bool twice = false;
};

auto parse(int count, char** all) -> std::optional<arguments>
{
    arguments a;
    for (int i = 1; i < count; ++i) {
        std::string_view const word = all[i];
        auto const value = [&]() -> char const* { return i + 1 < count ? all[++i] : ""; };
        if (word == "-seeds") a.seeds = std::strtoull(value(), nullptr, 10);
        else if (word == "-first") a.first = std::strtoull(value(), nullptr, 10);
        else if (word == "-planted") a.planted = value();
        else if (word == "-jobs") a.jobs = static_cast<unsigned>(std::strtoul(value(), nullptr, 10));
        else if (word == "-statistics") a.statistics = true;
        else if (word == "-traces") a.traces = true;
        else if (word == "-v") a.tells = true;
        else if (word == "-twice") a.twice = true;
        else return std::nullopt;
    }
    if (a.jobs == 0) a.jobs = 1;
    if (a.twice && !a.planted.empty()) return std::nullopt;
    if (!a.planted.empty() && a.planted != "all" && !find_planted(a.planted)) return std::nullopt;
    return a;
}

/// \param tells  also returns the report
auto play_seed(std::uint64_t seed, planted_fault fault, bool tells = false) -> lifecycle_outcome
{
    try {
        return play_lifecycle(make_lifecycle(seed), fault, tells);
    } catch (std::exception const& e) {
        lifecycle_outcome broken;
        broken.violations.push_back(std::string("exception: ") + e.what());
        return broken;
    }
}

struct seeds_result {
    std::optional<std::uint64_t> seed;  ///< the first seed that violates a law
    std::uint64_t violations = 0;
    std::uint64_t trace = 0;
    std::map<std::string, std::uint64_t> seen;
    std::vector<std::string> laws;  ///< the laws that this seed violates
};

/// The same with a planted fault. Only a lifecycle that is lawful without the fault can find it.
auto play_planted(std::uint64_t seed, planted_fault fault) -> lifecycle_outcome
{
    auto outcome = play_seed(seed, fault);
    if (fault != planted_fault::none && !outcome.violations.empty()
        && !play_seed(seed, planted_fault::none).violations.empty())
        outcome.violations.clear();
    return outcome;
}

/// As `play_seed`, but twice. If the second trace differs, this is a violation.
auto play_twice(std::uint64_t seed) -> lifecycle_outcome
{
    auto first = play_seed(seed, planted_fault::none, true);
    auto const second = play_seed(seed, planted_fault::none, true);
    if (first.report == second.report && first.trace == second.trace && first.violations == second.violations)
        return first;
    auto const [one, other] = std::ranges::mismatch(first.report, second.report);
    auto const line = [](std::string const& report, auto at) {
        auto const offset = static_cast<std::size_t>(at - report.begin());
        std::size_t const begin = offset == 0 ? 0 : report.rfind('\n', offset - 1) + 1;
        return report.substr(begin, report.find('\n', offset) - begin);
    };
    first.violations.push_back(
        "trace: \"" + line(first.report, one) + "\", the second time \"" + line(second.report, other) + '"');
    return first;
}

/// Plays seeds. The result does not depend on the number of threads.
/// \param stops  stops at the first violation
auto run_seeds(arguments const& a, planted_fault fault, bool stops) -> seeds_result
{
    seeds_result result;
    std::mutex guard;
    std::atomic<std::uint64_t> next{a.first};
    std::atomic<std::uint64_t> end{a.first + a.seeds};
    auto const work = [&] {
        for (;;) {
            std::uint64_t const seed = next++;
            if (seed >= end) return;
            auto outcome = a.twice ? play_twice(seed) : play_planted(seed, fault);
            std::lock_guard const lock(guard);
            // The traces are summed up, because seeds end in any order.
            result.trace += outcome.trace * (seed | 1U);
            if (a.traces) std::cout << "seed " << seed << " trace " << std::hex << outcome.trace << std::dec << '\n';
            for (auto const& [what, count] : outcome.seen) result.seen[what] += count;
            if (outcome.violations.empty()) continue;
            ++result.violations;
            if (!result.seed || seed < *result.seed) {
                result.seed = seed;
                result.laws = outcome.violations;
                if (stops) end = std::min(end.load(), seed);
            }
            if (!stops) std::cout << "seed " << seed << ": " << outcome.violations.front() << '\n';
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < a.jobs; ++i) threads.emplace_back(work);
    work();
    for (std::thread& t : threads) t.join();
    return result;
}

void explain(std::uint64_t seed, std::vector<std::string> const& laws, planted_fault fault)
{
    std::string const law(law_of(laws.front()));
    auto const small = shrink(make_lifecycle(seed), law, fault);
    std::cout << "\nseed " << seed << " breaks a law: " << laws.front() << "\n\n"
              << to_test(small, "Seed" + std::to_string(seed)) << '\n';
    auto const outcome = play_lifecycle(small, fault, true);
    std::cout << outcome.report;
    for (std::string const& v : outcome.violations) std::cout << v << '\n';
}

auto run_planted(arguments const& a) -> int
{
    std::size_t missed = 0;
    std::cout << std::left << std::setw(36) << "planted" << std::setw(8) << "seeds" << "law\n";
    for (planted_description const& d : planted_faults) {
        if (a.planted != "all" && d.name != a.planted) continue;
        auto const found = run_seeds(a, d.fault, true);
        std::cout << std::setw(36) << d.name << std::setw(8)
                  << (found.seed ? std::to_string(*found.seed - a.first + 1) : "-")
                  << (found.seed ? found.laws.front() : "not found") << std::endl;
        if (!found.seed) ++missed;
        if (a.tells && found.seed) explain(*found.seed, found.laws, d.fault);
    }
    std::cout << missed << " not found\n";
    return missed == 0 ? 0 : 1;
}

}  // namespace

auto main(int count, char** all) -> int
{
    auto const a = parse(count, all);
    if (!a) {
        std::cerr << "usage: fuzz_lifecycle [-seeds N] [-first N] [-planted NAME|all] [-jobs N] [-statistics] "
                     "[-traces] [-twice] [-v]\n";
        return 2;
    }
    if (!a->planted.empty()) return run_planted(*a);
    auto const began = std::chrono::steady_clock::now();
    if (a->tells && a->seeds == 1) {
        auto const lifecycle = make_lifecycle(a->first);
        std::cout << to_text(lifecycle) << '\n' << play_lifecycle(lifecycle, planted_fault::none, true).report;
    }
    auto const result = run_seeds(*a, planted_fault::none, false);
    std::chrono::duration<double> const took = std::chrono::steady_clock::now() - began;
    // A law that only a second run violates is not violated by each run, so a lifecycle cannot be reduced by it.
    if (result.seed && law_of(result.laws.front()) != "trace") explain(*result.seed, result.laws, planted_fault::none);
    if (a->statistics)
        for (auto const& [what, times] : result.seen) std::cout << std::setw(44) << std::left << what << times << '\n';
    std::cout << a->seeds << " seeds from " << a->first << " in " << std::fixed << std::setprecision(1) << took.count()
              << " s, trace " << std::hex << result.trace << std::dec << ", " << result.violations << " violations\n";
    return result.violations == 0 ? 0 : 1;
}
