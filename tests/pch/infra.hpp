// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_INFRA_HPP
#define STRIDER_TESTS_PCH_INFRA_HPP

#include <pch/asio.hpp>
#include <infra/engine_in_worlds.hpp>

#endif  // STRIDER_TESTS_PCH_INFRA_HPP
