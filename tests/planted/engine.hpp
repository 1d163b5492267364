// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PLANTED_ENGINE_HPP
#define STRIDER_TESTS_PLANTED_ENGINE_HPP

#include <strider/infra/model/change.hpp>
#include <strider/infra/model/invocation.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/sim/cloud.hpp>
#include <strider/infra/sim/store.hpp>
#include <strider/infra/sim/toy_program.hpp>

#include <planted/catalogue.hpp>
#include <support/toy_world.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strider::test {

/// The work of an operator: a plan and its apply. Only engine.cpp instantiates the engine.
struct operator_order {
    toy_program program;
    infra::plan_options options;
    run_conditions of_plan;
    run_conditions of_apply;
    bool plans_only = false;
    bool saves_plan = false;  ///< plans without the lock, and applies later
};

/// A provider was configured, a provisioner ran, or an action was called.
struct provider_note {
    std::string name;  ///< of the provider, or address of the object or action
    std::size_t operations = 0;  ///< that had begun in the cloud before
    bool succeeded = false;
    bool interrupted = false;  ///< of an action: the call did not end, or its result is not known
    toy_value config{};  ///< of an action
};

/// An action as the engine invoked it, with stamps of the cloud.
struct invocation_note {
    infra::invocation<toy_value> planned;
    std::uint64_t begin = 0;  ///< the last stamp before the call
    std::uint64_t end = 0;  ///< the last stamp before the end of the call
    bool ended = false;
    bool succeeded = false;
};

/// The outcome.
struct operator_report {
    std::optional<toy_plan> plan;
    infra::diagnostics refusal;  ///< of the plan
    std::optional<toy_applied> applied;
    std::vector<infra::change<toy_value>> changes;  ///< the changes of the graph of the apply, even if it has a cycle
    std::vector<provider_note> configurations;
    std::vector<provider_note> provisions;
    std::vector<provider_note> calls;  ///< of actions, as the provider saw them
    std::vector<invocation_note> invocations;  ///< as the engine announced them
    /// The numbers of operations that had begun when it took and released the lock; empty: it did not.
    std::optional<std::size_t> locked_after;
    std::optional<std::size_t> released_after;
    bool ended = false;
};

struct operators_report {
    std::vector<operator_report> of;
    std::uint64_t steps = 0;
    bool crashed = false;
};

/// Runs operators concurrently in one world in virtual time, with one cloud, one state and one lock, in the order of a
/// seed.
/// \param crash_after  steps after which the world ends
[[nodiscard]] auto run_operators(std::vector<operator_order> const& all, infra::sim::cloud& cloud,
    infra::sim::durable_state& kept, std::uint64_t seed, std::optional<std::uint64_t> crash_after,
    planted_fault fault = planted_fault::none) -> operators_report;

}  // namespace strider::test

#endif  // STRIDER_TESTS_PLANTED_ENGINE_HPP
