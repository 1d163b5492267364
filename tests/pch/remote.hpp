// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_REMOTE_HPP
#define STRIDER_TESTS_PCH_REMOTE_HPP

#include <pch/asio.hpp>
#include <remote/simulated_cluster.hpp>

#endif  // STRIDER_TESTS_PCH_REMOTE_HPP
