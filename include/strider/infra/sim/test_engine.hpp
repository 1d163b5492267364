// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_INFRA_SIM_TEST_ENGINE_HPP
#define STRIDER_INFRA_SIM_TEST_ENGINE_HPP

#include <strider/infra/engine.hpp>
#include <strider/infra/program/ephemeral.hpp>
#include <strider/infra/program/execution.hpp>
#include <strider/infra/sim/cloud.hpp>
#include <strider/infra/sim/provider.hpp>
#include <strider/infra/sim/store.hpp>
#include <strider/infra/sim/toy_program.hpp>
#include <strider/sim/manual_executor.hpp>
#include <strider/sim/virtual_clock.hpp>
#include <strider/walk/asio.hpp>

namespace strider::infra::sim {

/// The engine with simulated infrastructure: a toy program, a cloud, and a store in memory. On the executor of a
/// `manual_context` it runs in one thread and in virtual time, in the order of a seed.
///
/// With another executor it runs in other worlds too. Behind `any_io_executor` a walk cannot see that time is virtual: slices
/// of real time end its handlers, so a seed may give two orders.
///
/// Instantiating it takes seconds: a test program should do it in one source file.
template <class Clock = strider::sim::virtual_clock, class Stages = default_stages,
    class Executor = strider::sim::manual_executor>
using test_engine = basic_engine<toy_program, provider<Clock>, store<Clock>, asio_execution<Executor, Clock>, Stages>;

// The simulated provider has every optional capability that the engine knows, but performs no actions.
static_assert(looks_up_operations<provider<>, toy_program> && has_data_sources<provider<>, toy_program>
    && imports_objects<provider<>, toy_program> && takes_configuration<provider<>, toy_program>
    && opens_ephemeral_resources<provider<>, toy_program> && runs_provisioners<provider<>, toy_program>);

}  // namespace strider::infra::sim

#endif  // STRIDER_INFRA_SIM_TEST_ENGINE_HPP
