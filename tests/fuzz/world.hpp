// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_FUZZ_WORLD_HPP
#define STRIDER_TESTS_FUZZ_WORLD_HPP

#include <planted/catalogue.hpp>
#include <support/scenario.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace strider::test {

/// The outcome of a lifecycle.
struct lifecycle_outcome {
    std::vector<std::string> violations;  ///< "law: what happened"
    std::uint64_t trace = 0;  ///< a hash of plans, operations, states and numbers of tasks
    std::map<std::string, std::uint64_t> seen;  ///< how often something occurred, for statistics
    std::string report;  ///< a report of the lifecycle, if it was requested
};

/// Runs a lifecycle, then recovers: applies the last program without faults, applies it again, destroys everything; and checks
/// the laws of the engine after each step.
///
/// Commands have these words, besides those of `scenario.hpp`:
///
/// - `together`: the command runs at the same time as the one before, as another operator with the same lock.
/// - `saved`: plans without the lock, and applies the plan later.
/// - `type_limit=2`: a limit for the one type of resources. `first_failure`: nothing starts after a failure.
[[nodiscard]] auto play_lifecycle(scenario const& s, planted_fault fault = planted_fault::none, bool tells = false)
    -> lifecycle_outcome;

}  // namespace strider::test

#endif  // STRIDER_TESTS_FUZZ_WORLD_HPP
