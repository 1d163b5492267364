// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_PROPERTIES_HPP
#define STRIDER_TESTS_PCH_PROPERTIES_HPP

#include <pch/asio.hpp>
#include <strider/walk.hpp>
#include <support/property.hpp>

#endif  // STRIDER_TESTS_PCH_PROPERTIES_HPP
