// SPDX-License-Identifier: BSL-1.0
// The simulators meet the requirements of the engine on its policies; a stage costs no more than its policy.
#include <strider/core/digraph.hpp>
#include <strider/infra/model/lifecycle.hpp>
#include <strider/infra/program/execution.hpp>
#include <strider/infra/program/program.hpp>
#include <strider/infra/program/provider.hpp>
#include <strider/infra/sim/provider.hpp>
#include <strider/infra/sim/store.hpp>
#include <strider/infra/sim/toy_program.hpp>
#include <strider/sim/manual_executor.hpp>
#include <strider/sim/virtual_clock.hpp>
#include <strider/transform/cycle_validation.hpp>
#include <strider/transform/transitive_reduction.hpp>

#include <string>
#include <type_traits>

namespace {

namespace infra = strider::infra;
namespace sim = strider::sim;
using provider = infra::sim::provider<sim::virtual_clock>;
using store = infra::sim::store<sim::virtual_clock>;
using execution = infra::asio_execution<sim::manual_executor, sim::virtual_clock>;

static_assert(infra::program<infra::sim::toy_program>);
static_assert(infra::provider_for<provider, infra::sim::toy_program>);
static_assert(infra::state_store<store>);
static_assert(infra::execution_policy<execution>);
static_assert(!infra::state_store<provider> && !infra::execution_policy<store> && !infra::program<std::string>);

static_assert(std::is_empty_v<strider::cycle_validation<>> && std::is_empty_v<strider::transitive_reduction>);
static_assert(std::is_nothrow_move_constructible_v<strider::digraph<std::string>>);

struct unnameable {
    unnameable() = delete;
    explicit unnameable(int) {}
};
static_assert(!std::is_default_constructible_v<strider::cycle_validation<unnameable>>);
static_assert(std::is_constructible_v<strider::cycle_validation<unnameable>, unnameable>);

}  // namespace
