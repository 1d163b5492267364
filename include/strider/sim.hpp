// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_SIM_HPP
#define STRIDER_SIM_HPP

#include <strider/core.hpp>
#include <strider/sim/fault_plan.hpp>
#include <strider/sim/manual_executor.hpp>
#include <strider/sim/recorder.hpp>
#include <strider/sim/seeded_interleaving.hpp>
#include <strider/sim/simulate_walk.hpp>
#include <strider/sim/virtual_clock.hpp>
#include <strider/sim/virtual_timer.hpp>

#endif  // STRIDER_SIM_HPP
