// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_TESTS_PCH_ALGORITHM_HPP
#define STRIDER_TESTS_PCH_ALGORITHM_HPP

#include <pch/ranges.hpp>
#include <strider/algorithm.hpp>
#include <support/graph_text.hpp>

#endif  // STRIDER_TESTS_PCH_ALGORITHM_HPP
