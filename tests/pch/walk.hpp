// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_WALK_HPP
#define STRIDER_TESTS_PCH_WALK_HPP

#include <pch/asio.hpp>
#include <strider/sim.hpp>
#include <strider/walk.hpp>
#include <walk/worlds.hpp>

#endif  // STRIDER_TESTS_PCH_WALK_HPP
