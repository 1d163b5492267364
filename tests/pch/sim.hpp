// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_SIM_HPP
#define STRIDER_TESTS_PCH_SIM_HPP

#include <pch/asio.hpp>
#include <strider/sim.hpp>

#endif  // STRIDER_TESTS_PCH_SIM_HPP
