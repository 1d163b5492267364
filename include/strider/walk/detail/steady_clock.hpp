// SPDX-License-Identifier: BSL-1.0
#ifndef STRIDER_WALK_DETAIL_STEADY_CLOCK_HPP
#define STRIDER_WALK_DETAIL_STEADY_CLOCK_HPP

#include <strider/version.hpp>

// Declares `std::chrono::steady_clock` and durations in all standard libraries. `<chrono>` also declares the calendar and
// includes streams, which would make the headers of a plain walk a sixth slower to parse.
#include <thread>

#endif  // STRIDER_WALK_DETAIL_STEADY_CLOCK_HPP
