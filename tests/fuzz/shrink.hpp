// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_FUZZ_SHRINK_HPP
#define STRIDER_TESTS_FUZZ_SHRINK_HPP

#include <planted/catalogue.hpp>
#include <support/scenario.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace strider::test {

/// The law in the text of a violation.
[[nodiscard]] auto law_of(std::string_view violation) -> std::string_view;

/// Removes steps, lines and words from a lifecycle as long as it violates the same law.
/// \param attempts  the maximum number of lifecycles to run
[[nodiscard]] auto shrink(scenario s, std::string_view law, planted_fault fault, std::size_t attempts = 4000)
    -> scenario;

/// A test that plays a lifecycle, to paste into `tests/fuzz/regressions.test.cpp`.
[[nodiscard]] auto to_test(scenario const& s, std::string_view name) -> std::string;

}  // namespace strider::test

#endif  // STRIDER_TESTS_FUZZ_SHRINK_HPP
