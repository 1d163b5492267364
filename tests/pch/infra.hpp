// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_INFRA_HPP
#define STRIDER_TESTS_PCH_INFRA_HPP

#include <infra/engine_in_worlds.hpp>
#include <pch/asio.hpp>

#endif  // STRIDER_TESTS_PCH_INFRA_HPP
