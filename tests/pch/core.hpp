// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_CORE_HPP
#define STRIDER_TESTS_PCH_CORE_HPP

#include <pch/ranges.hpp>
#include <strider/core.hpp>
#include <support/graph_text.hpp>

#endif  // STRIDER_TESTS_PCH_CORE_HPP
