// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_ORDER_LAW_HPP
#define STRIDER_TESTS_SUPPORT_ORDER_LAW_HPP

#include <support/toy_world.hpp>

#include <span>
#include <string>
#include <vector>

namespace strider::test {

/// Compares the order of operations with the rules of the graph specification, pair by pair. It uses the program, the
/// prior state and the planned actions, but no graph, stage or list of dependencies of the plan.
///
/// \param prior  the state before the plan
/// \param log    the operations of the apply, complete or not
/// \return a sentence for each violation
[[nodiscard]] auto order_violations(toy_program const& wanted, infra::snapshot const& prior, toy_plan const& plan,
    std::span<infra::sim::cloud_operation const> log) -> std::vector<std::string>;

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_ORDER_LAW_HPP
