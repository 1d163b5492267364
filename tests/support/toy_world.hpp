// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_SUPPORT_TOY_WORLD_HPP
#define STRIDER_TESTS_SUPPORT_TOY_WORLD_HPP

#include <strider/infra/model/event.hpp>
#include <strider/infra/model/plan_options.hpp>
#include <strider/infra/plan/basic_plan.hpp>
#include <strider/infra/program/execution_limits.hpp>
#include <strider/infra/sim/cloud.hpp>
#include <strider/infra/sim/provider.hpp>
#include <strider/infra/sim/store.hpp>
#include <strider/infra/sim/toy_program.hpp>
#include <strider/sim/fault_plan.hpp>

#include <support/toy_text.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The worlds in which every test of the engine runs: virtual time on an executor that a seed steps, and real threads.
/// Only toy_engine.cpp instantiates the engine.

namespace strider::test {

using infra::action;
using infra::plan_mode;
using infra::sim::contract_violation;
using infra::sim::toy_program;
using infra::sim::toy_value;
using toy_plan = infra::basic_plan<toy_value>;
using toy_event = infra::event<toy_value>;
using strider::sim::fault;

/// The result of an apply.
struct toy_applied {
    infra::diagnostics problems;
    infra::snapshot state;
    error_code store_error;
    std::size_t added = 0;
    std::size_t changed = 0;
    std::size_t destroyed = 0;
    std::size_t invoked = 0;
    std::size_t entries = 0;
    std::size_t commits = 0;
    bool stopped = false;
    bool ok = false;
};

/// The conditions of one run of an engine, besides the request.
struct run_conditions {
    strider::sim::fault_plan provider;
    strider::sim::fault_plan store;
    std::map<std::string, contract_violation> violations;
    bool forces = true;  ///< create_before_destroy is forced on dependencies of an object
    bool objects_in_state = false;  ///< operations have no side effects
    bool lost_memory = false;  ///< the provider does not know the results of operations
    infra::execution_limits limits;
    std::uint64_t seed = 0;
    std::chrono::microseconds latency{0};
    std::string run = "run";
    /// The run is stopped when this returns true for an event.
    std::function<bool(toy_event const&)> stop_at;
    asio::cancellation_type stop = asio::cancellation_type::partial;
    std::chrono::milliseconds stop_after{0};  ///< the delay of the stop
    std::function<void(toy_event const&)> watch;
    /// Only in virtual time: the number of steps after which the world ends.
    std::optional<std::uint64_t> crash_after;
};

/// Plans; the plan is empty if the world ended before.
using plan_in = std::function<std::optional<strider::result<toy_plan, infra::failure>>(toy_program const&,
    infra::plan_options const&, infra::sim::cloud&, infra::sim::durable_state&, run_conditions const&)>;
using apply_in = std::function<std::optional<toy_applied>(
    toy_program const&, toy_plan const&, infra::sim::cloud&, infra::sim::durable_state&, run_conditions const&)>;

[[nodiscard]] auto plan_simulated(toy_program const&, infra::plan_options const&, infra::sim::cloud&,
    infra::sim::durable_state&, run_conditions const&) -> std::optional<strider::result<toy_plan, infra::failure>>;
[[nodiscard]] auto apply_simulated(toy_program const&, toy_plan const&, infra::sim::cloud&, infra::sim::durable_state&,
    run_conditions const&) -> std::optional<toy_applied>;
/// The outcome of one of several operators.
struct operator_outcome {
    infra::diagnostics refused;  ///< the reason why there is no plan, including a lease that was not granted
    std::optional<toy_applied> applied;
};

/// Several operators plan and apply one program at the same time, in one world: its seed is that of the first. Each one
/// waits for the lease of the state and takes it for this duration; zero: there is no lease.
[[nodiscard]] auto apply_together(toy_program const&, infra::plan_options const&, infra::sim::cloud&,
    infra::sim::durable_state&, std::vector<run_conditions> const&, std::chrono::milliseconds lease)
    -> std::vector<operator_outcome>;

[[nodiscard]] auto plan_on_threads(toy_program const&, infra::plan_options const&, infra::sim::cloud&,
    infra::sim::durable_state&, run_conditions const&) -> std::optional<strider::result<toy_plan, infra::failure>>;
[[nodiscard]] auto apply_on_threads(toy_program const&, toy_plan const&, infra::sim::cloud&, infra::sim::durable_state&,
    run_conditions const&) -> std::optional<toy_applied>;

}  // namespace strider::test

#endif  // STRIDER_TESTS_SUPPORT_TOY_WORLD_HPP
