// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_LIFECYCLE_HPP
#define STRIDER_TESTS_PCH_LIFECYCLE_HPP

#include <pch/ranges.hpp>
#include <strider/lifecycle.hpp>
#include <support/toy_lifecycle.hpp>

#endif  // STRIDER_TESTS_PCH_LIFECYCLE_HPP
