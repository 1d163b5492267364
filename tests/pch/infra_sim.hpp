// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_INFRA_SIM_HPP
#define STRIDER_TESTS_PCH_INFRA_SIM_HPP

#include <pch/asio.hpp>
#include <strider/infra/sim/provider.hpp>
#include <strider/infra/sim/store.hpp>

#endif  // STRIDER_TESTS_PCH_INFRA_SIM_HPP
