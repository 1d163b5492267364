// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_FUZZ_GENERATOR_HPP
#define STRIDER_TESTS_FUZZ_GENERATOR_HPP

#include <support/scenario.hpp>

#include <cstdint>

namespace strider::test {

/// Makes a random lifecycle: programs, edits between them, options, faults, changes of the cloud, several operators. The same
/// seed makes the same lifecycle with every compiler.
[[nodiscard]] auto make_lifecycle(std::uint64_t seed) -> scenario;

}  // namespace strider::test

#endif  // STRIDER_TESTS_FUZZ_GENERATOR_HPP
